"""A slow, plain solver for small card games on a betting tree: the oracle for the compiled solver.

It is dense numpy in double precision, one board and one node at a time. It shares nothing with :mod:`solver` but the
betting tree. A payoff is what a player ends up with less half the pot at the root.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgehog.strategies.betting_tree import BettingTree, NodeKind

# Plain numbers: to look a member up in its enumeration takes longer than all else that is done at a node.
DECISION, FOLD, DEAL = int(NodeKind.DECISION), int(NodeKind.FOLD), int(NodeKind.DEAL)

Array = NDArray[np.float64]
Board = tuple[int, ...]
Hole = tuple[int, ...]
Strategy = Callable[[int, Board], Array]
"""(node, board) -> float64[actions, hands of the acting player]; columns sum to 1."""
Given = Callable[[int, Board], Array | None]
"""(node, board) -> fixed float64[actions, hands], NaN for hands that may deviate; None if all hands may."""


@dataclass(frozen=True)
class SlowGame:
    """Two players with private cards, a betting tree, and board cards dealt one at a time from a deck."""

    tree: BettingTree
    holes: tuple[Sequence[Hole], Sequence[Hole]]
    """For each player the private cards of each hand."""
    weights: tuple[Array, Array]
    rank: Callable[[Sequence[Hole], Board], Array]
    """(hands, board) -> strength of each hand at showdown; the higher wins. Hands that hit the board may have any."""
    deck: int = 52
    """Number of cards; the cards are 0 .. deck - 1."""
    board: Board = ()
    """Board at the root."""
    rake_rate: float = 0.0
    rake_cap: float = 0.0
    _payoffs: dict[tuple[int, Board], Array] = field(default_factory=dict)
    _signs: dict[Board, Array] = field(default_factory=dict)
    _live: dict[tuple[int, Board], Array] = field(default_factory=dict)

    @cached_property
    def compatible(self) -> Array:
        """float64[hands 0, hands 1]: 1 where two hands share no card, else 0."""
        return np.array([[float(not set(a) & set(b)) for b in self.holes[1]] for a in self.holes[0]])

    @cached_property
    def pair_weight(self) -> float:
        """Weight of all pairs of hands that can be dealt at the root."""
        live = [weights * self.live(player, self.board) for player, weights in enumerate(self.weights)]
        return float(live[0] @ self.compatible @ live[1])

    def live(self, player: int, board: Board) -> Array:
        """Returns float64[hands]: 1 for each hand that shares no card with the board, else 0."""
        if (player, board) not in self._live:
            self._live[player, board] = np.array([float(set(hole).isdisjoint(board)) for hole in self.holes[player]])
        return self._live[player, board]

    def deals(self, board: Board) -> list[int]:
        """Returns the cards that may be dealt next."""
        return [card for card in range(self.deck) if card not in board]

    def deal_probability(self, board: Board) -> float:
        """Returns the probability of each next card, given two hands that miss it and the board."""
        return 1 / (self.deck - len(board) - len(self.holes[0][0]) - len(self.holes[1][0]))

    def payoffs(self, node: int, board: Board, player: int) -> Array:
        """Returns float64[own hands, opponent's hands]: payoffs at a terminal node, 0 for impossible pairs."""
        if (node, board) not in self._payoffs:
            self._payoffs[node, board] = np.stack([self._payoff(node, board, player) for player in (0, 1)])
        first, second = self._payoffs[node, board]
        return first if player == 0 else second.T

    def _payoff(self, node: int, board: Board, player: int) -> Array:
        """Returns float64[hands 0, hands 1]: payoffs of ``player``."""
        tree = self.tree
        lost = tree.root_pot / 2 + float(tree.committed[node].min())
        rake = min(self.rake_rate * 2 * lost, self.rake_cap)
        if tree.kind[node] == FOLD:
            sign = np.full(self.compatible.shape, -1.0 if tree.player[node] == 0 else 1.0)
        else:
            sign = self._sign(board)
        if player == 1:
            sign = -sign
        value = np.where(sign > 0, lost - rake, np.where(sign < 0, -lost, -rake / 2))
        return np.asarray(value * self.compatible * np.outer(self.live(0, board), self.live(1, board)))

    def _sign(self, board: Board) -> Array:
        """Returns float64[hands 0, hands 1]: 1 where player 0 wins the showdown, -1 where he loses, 0 for a tie."""
        if board not in self._signs:
            ranks = [np.asarray(self.rank(holes, board), dtype=np.float64) for holes in self.holes]
            self._signs[board] = np.sign(ranks[0][:, None] - ranks[1][None, :])
        return self._signs[board]


def best_response_value(game: SlowGame, strategy: Strategy, player: int, given: Given | None = None) -> float:
    """Returns what ``player`` gets, in chips per dealt pair, with the best answer to the opponent's strategy.

    :param given: fixed strategies that the best answer must play.
    """
    return _value(game, strategy, player, best=True, given=given)


def expected_value(game: SlowGame, strategy: Strategy, player: int) -> float:
    """Returns what ``player`` gets, in chips per dealt pair, if both follow the strategy."""
    return _value(game, strategy, player, best=False)


def exploitability(game: SlowGame, strategy: Strategy) -> float:
    """Returns half the sum of what both players could gain by a best response, in chips per dealt pair."""
    gains = [best_response_value(game, strategy, player) - expected_value(game, strategy, player) for player in (0, 1)]
    return sum(gains) / 2


def hand_values(
    game: SlowGame, strategy: Strategy, player: int, *, best: bool = False, given: Given | None = None
) -> Array:
    """Returns float64[hands]: the counterfactual value of each hand at the root, weighted with the opponent's range."""
    tree = game.tree

    def walk(node: int, board: Board, reach: Array) -> Array:
        kind = tree.kind[node]
        if kind == DEAL:
            child = int(tree.first_child[node])
            deals = [walk(child, (*board, c), reach * game.live(1 - player, (*board, c))) for c in game.deals(board)]
            return game.deal_probability(board) * np.sum(deals, axis=0)
        if kind != DECISION:
            return game.payoffs(node, board, player) @ reach
        probabilities = strategy(node, board)
        if tree.player[node] == player:
            values = np.array([walk(child, board, reach) for child in tree.children(node)])
            if not best:
                return (probabilities * values).sum(axis=0)
            fixed = given(node, board) if given else None
            if fixed is None:
                return values.max(axis=0)
            return np.where(np.isnan(fixed[0]), values.max(axis=0), (np.nan_to_num(fixed) * values).sum(axis=0))
        return np.sum(
            [walk(child, board, reach * p) for child, p in zip(tree.children(node), probabilities, strict=True)], axis=0
        )

    opponent = 1 - player
    return walk(0, game.board, game.weights[opponent] * game.live(opponent, game.board))


def _value(game: SlowGame, strategy: Strategy, player: int, *, best: bool, given: Given | None = None) -> float:
    own = game.weights[player] * game.live(player, game.board)
    return float(own @ hand_values(game, strategy, player, best=best, given=given)) / game.pair_weight


class SlowCfr:
    """Discounted CFR with alternating updates.

    Positive regrets are multiplied by ``s^1.5 / (s^1.5 + 1)`` with ``s = iteration - 1``, negative regrets by 0.5. The
    average weighs iterations by the third power of their number since the last power of four, where it starts anew. It
    is not weighted by the player's own reach.
    """

    def __init__(self, game: SlowGame) -> None:
        self.game = game
        self.iteration = 0
        self.regret: dict[tuple[int, Board], Array] = {}
        self.total: dict[tuple[int, Board], Array] = {}

    def step(self, iterations: int) -> None:
        """Runs iterations; both players are updated in each, OOP first."""
        for _ in range(iterations):
            for player in (0, 1):
                self.update(player)
            self.iteration += 1

    def update(self, player: int) -> None:
        """Runs one player's half of an iteration without counting it."""
        game, opponent = self.game, 1 - player
        reach = game.weights[opponent] * game.live(opponent, game.board)
        self._walk(0, game.board, reach, np.ones(len(game.holes[player])), player)

    def current(self, node: int, board: Board) -> Array:
        """Returns the strategy that regret matching gives for the present regrets."""
        return normalise(np.maximum(self._table(self.regret, node, board), 0))

    def played(self, node: int, board: Board) -> Array:
        """Returns the strategy that both players follow in a pass."""
        return self.current(node, board)

    def average(self, node: int, board: Board) -> Array:
        """Returns the average strategy."""
        return normalise(self._table(self.total, node, board))

    def _table(self, tables: dict[tuple[int, Board], Array], node: int, board: Board) -> Array:
        shape = (int(self.game.tree.num_children[node]), len(self.game.holes[int(self.game.tree.player[node])]))
        return tables.setdefault((node, board), np.zeros(shape))

    def _walk(self, node: int, board: Board, reach: Array, own_reach: Array, player: int) -> Array:
        game, tree = self.game, self.game.tree
        kind = tree.kind[node]
        if kind == DEAL:
            child = int(tree.first_child[node])
            total = np.zeros(len(game.holes[player]))
            for card in game.deals(board):
                dealt = (*board, card)
                total += self._walk(child, dealt, reach * game.live(1 - player, dealt), own_reach, player)
            return total * game.deal_probability(board)
        if kind != DECISION:
            return game.payoffs(node, board, player) @ reach
        strategy = self.played(node, board)
        steps = list(zip(tree.children(node), strategy, strict=True))
        if tree.player[node] != player:
            return np.sum([self._walk(child, board, reach * p, own_reach, player) for child, p in steps], axis=0)
        values = np.array([self._walk(child, board, reach, own_reach * p, player) for child, p in steps])
        return self.learn(node, board, strategy, values, own_reach)

    def learn(self, node: int, board: Board, strategy: Array, values: Array, own_reach: Array) -> Array:
        """Updates the tables of one decision and returns float64[hands]: the values passed up the tree.

        :param strategy: float64[actions, hands]: strategy that was played.
        :param values: float64[actions, hands]: counterfactual values of the actions.
        :param own_reach: float64[hands]: product of the player's own probabilities on the way to the decision.
        """
        value: Array = (strategy * values).sum(axis=0)
        regret = self._table(self.regret, node, board)
        weight = max(self.iteration - 1, 0) ** 1.5
        regret *= np.where(regret > 0, weight / (weight + 1), 0.5)
        regret += values - value
        clock = self.iteration
        if clock:
            # The largest power of four up to the iteration: its exponent is half the index of the highest bit.
            clock -= 4 ** ((clock.bit_length() - 1) // 2)
        total = self._table(self.total, node, board)
        total *= (clock / (clock + 1)) ** 3
        total += strategy
        return value


def normalise(table: Array) -> Array:
    """Returns the table with columns scaled to sum 1; a column of zeros becomes uniform."""
    total = table.sum(axis=0)
    return np.where(total > 0, table / np.where(total > 0, total, 1), 1 / len(table))
