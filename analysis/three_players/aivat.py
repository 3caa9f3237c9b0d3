"""AIVAT values of hands of three-player limit hold'em, from what decisions are worth if all play the trained strategy.

The value of a state for a player is what it wins with its bucket if all play the trained strategy. From it is taken by
how much the buckets of the others who are in the hand are better than their mean. With these values any strategies may
be scored: bad values leave luck, and no values make the result wrong on average.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.situation import NUM_PLAYERS, THREE_PLAYER_GAME
from hedgehog.agent.limit.strategy import LimitStrategy
from hedgehog.agent.limit.two_player import open_trained_strategy
from hedgehog.analysis.aivat.definition import Array
from hedgehog.analysis.aivat.replay import LoggedDecision, Strategy, replay
from hedgehog.analysis.three_players import _value_kernels as kernels
from hedgehog.analysis.three_players.average import TableAverage
from hedgehog.analysis.three_players.values import StrategyValues, strategy_values
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, combo_index, combo_mask
from hedgehog.poker.evaluation._evaluator_kernels import rank_combos_kernel
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_SIZES, NUM_HAND_CLASSES
from hedgehog.poker.limit_betting import ACTION_LETTERS, same_limit_game
from hedgehog.poker.state import HandState
from hedgehog.poker.streets import BOARD_CARDS, FLOP
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.strategies.pack import default_packs

OTHERS_SHARE: Final = 0.75
"""How much of the others' buckets counts in a value."""
_FLOPS: Final = math.comb(NUM_CARDS - 2, 3)
"""Flops without the cards of one hand."""
_FLOPS_LEFT: Final = math.comb(NUM_CARDS - 2 * NUM_PLAYERS, 3)
"""Flops without the cards of all players."""


def is_three_player_limit(gamedef: GameDef) -> bool:
    """Tells whether a game is three-player limit hold'em, whatever its chips are worth."""
    return gamedef.num_players == NUM_PLAYERS and same_limit_game(gamedef, load_gamedef(THREE_PLAYER_GAME))


class ThreePlayerAivat:
    """Computes the AIVAT values of hands of three-player limit hold'em.

    :param strategy: the strategy whose values are used; None for the shipped one.
    :param others_share: how much of the others' buckets counts in a value.
    :raises InputError: if the game is another one.
    :raises PackError: if there is no strategy for three players.
    """

    def __init__(
        self, gamedef: GameDef, strategy: LimitStrategy | None = None, *, others_share: float = OTHERS_SHARE
    ) -> None:
        if not is_three_player_limit(gamedef):
            raise InputError("AIVAT of three players is for limit hold'em alone")
        found = strategy or open_trained_strategy(None)
        if found is None:
            raise PackError("there is no limit pack for three players", source=str(default_packs()))
        self.strategy = found
        self.share = others_share
        self.scale = gamedef.big_blind / found.tree.gamedef.big_blind
        """Chips of the game per chip of the strategy."""

    @cached_property
    def values(self) -> StrategyValues:
        """The values of the strategy, from the cache or computed."""
        return strategy_values(self.strategy)

    @cached_property
    def first_actions(self) -> list[int]:
        """Number of the first action of each decision."""
        counts = self.strategy.tree.num_actions[: self.strategy.tree.num_decisions]
        return [0, *np.cumsum(counts)[:-1].tolist()]

    @cached_property
    def flop_buckets(self) -> Array:
        """(169, buckets) share of each bucket over the flops without the cards of a hand, by class of hands."""
        combos = np.array([int(np.flatnonzero(number == HAND_CLASS)[0]) for number in range(NUM_HAND_CLASSES)])
        counts = np.zeros((NUM_HAND_CLASSES, self.strategy.table.buckets[FLOP]), dtype=np.int64)
        kernels.flop_buckets_kernel(counts, combos, self.strategy.cards.tables)
        return counts / _FLOPS

    def score(self, hand: LoggedHand, strategies: Sequence[Strategy | None]) -> tuple[float, ...]:
        """Returns the AIVAT value of a hand for every position, in chips.

        Each position is scored alone, so that the values add up to 0 on average only.

        :param hand: the finished hand, with the cards of all players.
        :param strategies: for each position the strategy that it played in this hand; None where it is not known.
        :raises InputError: if cards are hidden, or a player did not play the strategy given for it.
        """
        if not all(len(cards) == 2 for cards in hand.hole_cards):
            raise InputError(f"hand {hand.hand_id}: AIVAT of three players needs the cards of all players")
        scored = _Hand(self, hand, replay(hand, strategies))
        return tuple(scored.side(position, strategies[position] is not None) for position in range(NUM_PLAYERS))


class _Hand:
    """One hand, with what the sides of its players share."""

    def __init__(self, aivat: ThreePlayerAivat, hand: LoggedHand, decisions: list[LoggedDecision]) -> None:
        self.aivat = aivat
        self.hand = hand
        self.decisions = decisions
        self.tree = aivat.strategy.tree
        self.nodes = [aivat.strategy.index(decision.before.betting_string()) for decision in decisions]
        self.combos = [combo_index(*sorted(cards)) for cards in hand.hole_cards]
        self._buckets: dict[tuple[int, ...], NDArray[np.int64]] = {}

    def buckets(self, board: tuple[int, ...]) -> NDArray[np.int64]:
        """Returns (1326,) buckets of all combos on a board; any bucket for combos that it blocks."""
        if board not in self._buckets:
            street = BOARD_CARDS.index(len(board))
            found = self.aivat.strategy.cards.buckets(street, board).astype(np.int64)
            found[~combo_mask(board)] = 0
            self._buckets[board] = found
        return self._buckets[board]

    @cached_property
    def ranks(self) -> NDArray[np.int32]:
        """(1326,) ranks of all combos on the final board, negative where it blocks them."""
        ranks = np.zeros(NUM_COMBOS, dtype=np.int32)
        rank_combos_kernel(ranks, np.array(self.hand.board, dtype=np.uint8), evaluator_tables())
        return ranks

    def side(self, position: int, known: bool) -> float:
        """Returns the value of a position in chips.

        :param known: whether its strategy is known, so that the average over its hands is taken.
        """
        others = [other for other in range(NUM_PLAYERS) if other != position]
        mask = combo_mask([card for other in others for card in self.hand.hole_cards[other]])
        own = self.combos[position]
        average = TableAverage(mask.astype(np.float64) if known else np.eye(1, NUM_COMBOS, own)[0])
        start = self.decisions[0].before
        average.deal_opponent(self._mean_at_root(position, others, start), self._at_row(0, start, position, others))
        street, revealed = 0, not known
        for node, decision in zip(self.nodes, self.decisions, strict=True):
            if decision.before.folded[position]:
                break
            if decision.street > street:
                street = decision.street
                self._deal(average, node, decision.before, position, others)
            if decision.options is None:
                if decision.position == position and not revealed:
                    average.reveal(own, self._at_row(node, decision.before, position, others))
                    revealed = True
                continue
            actions, rows = decision.options
            after = zip(actions, decision.after, strict=True)
            values = np.stack([self._after(node, action.kind, state, position, others) for action, state in after])
            if decision.position == position:
                average.own_action(rows, values, decision.taken)
            else:
                average.other_action(rows[:, self.combos[decision.position]], values, decision.taken)
        return average.value(self._results(self.hand.state, position, others))

    def _mean_at_root(self, position: int, others: list[int], start: HandState) -> float:
        """Returns the mean value over all deals before anybody acts."""
        table, rows = self.aivat.strategy.table, self.aivat.values.rows
        classes = rows[:, : int(table.first_rows[1])].astype(np.float64) @ (HAND_CLASS_SIZES / NUM_COMBOS)
        means = self.aivat.values.row_means[:, 0]
        better = sum(float(classes[other]) - float(means[other]) for other in others)
        chips = self.aivat.scale * (float(classes[position]) - self.aivat.share * better)
        return chips - start.spent[position]

    def _row(self, node: int, player: int) -> Array:
        """Returns (buckets,) what a player wins from a decision on, in chips of the strategy."""
        first = self.aivat.strategy.table.first_rows
        return self.aivat.values.rows[player, int(first[node]) : int(first[node + 1])].astype(np.float64)

    def _better(self, node: int, player: int) -> Array:
        """Returns (buckets,) what another player's bucket at a decision takes from a value."""
        return -self.aivat.share * (self._row(node, player) - float(self.aivat.values.row_means[player, node]))

    def _at_row(self, node: int, state: HandState, position: int, others: list[int]) -> Array:
        """Returns (1326,) the value at a decision."""
        buckets = self.buckets(self._board(state.round))
        chips = self._row(node, position)[buckets]
        for other in others:
            if not state.folded[other]:
                chips = chips + self._better(node, other)[buckets[self.combos[other]]]
        return np.asarray(self.aivat.scale * chips - state.spent[position])

    def _after(self, node: int, letter: str, state: HandState, position: int, others: list[int]) -> Array:
        """Returns (1326,) the value after an action, before cards are dealt.

        :param state: the state after the action.
        """
        if state.finished or state.folded[position]:
            return self._results(state, position, others)
        table, values = self.aivat.strategy.table, self.aivat.values
        street = int(self.tree.street[node])
        legal = np.flatnonzero(self.tree.child[node] >= 0).tolist()
        column, width = legal.index(ACTION_LETTERS.index(letter)), len(legal)
        buckets = self.buckets(self._board(street))
        places = int(table.offsets[node]) + column + width * buckets
        chips = values.actions[position, places].astype(np.float64)
        first = self.aivat.first_actions[node] + column
        for other in others:
            if not state.folded[other]:
                better = float(values.actions[other, places[self.combos[other]]])
                better -= float(values.action_means[other, first])
                chips = chips - self.aivat.share * better
        return np.asarray(self.aivat.scale * chips - state.spent[position])

    def _results(self, state: HandState, position: int, others: list[int]) -> Array:
        """Returns (1326,) what the position wins with every hand at the end, or after its fold."""
        if state.folded[position]:
            return np.full(NUM_COMBOS, -float(state.spent[position]))
        pot = sum(state.spent)
        rivals = [self.ranks[self.combos[other]] for other in others if not state.folded[other]]
        share: Array = np.ones(NUM_COMBOS)
        if rivals:
            best = max(rivals)
            ties = 1 + sum(rank == best for rank in rivals)
            share = np.where(self.ranks > best, 1.0, np.where(self.ranks == best, 1 / ties, 0.0))
        return share * pot - state.spent[position]

    def _board(self, street: int) -> tuple[int, ...]:
        return self.hand.board[: BOARD_CARDS[street]]

    def _deal(self, average: TableAverage, node: int, state: HandState, position: int, others: list[int]) -> None:
        board = self._board(state.round)
        expected = (
            self._flop_mean(node, state, position, others)
            if state.round == FLOP
            else self._card_mean(node, state, position, others)
        )
        expected = self.aivat.scale * expected - state.spent[position]
        average.deal(expected, combo_mask(board), self._at_row(node, state, position, others))

    def _flop_mean(self, node: int, state: HandState, position: int, others: list[int]) -> Array:
        """Returns (1326,) the mean of the value at a decision over the flops, in chips of the strategy."""
        sums, scalars = np.zeros(NUM_COMBOS), np.zeros((NUM_CARDS + 1, NUM_CARDS + 1))
        row = self._row(node, position)
        extra = [np.zeros_like(row) if state.folded[other] else self._better(node, other) for other in others]
        combos = np.array([self.combos[other] for other in others])
        kernels.flop_sums_kernel(sums, scalars, row, np.stack(extra), combos, self.aivat.strategy.cards.tables)
        low, high = COMBO_CARDS[:, 0], COMBO_CARDS[:, 1]
        without = scalars[-1, -1] - scalars[low, -1] - scalars[high, -1] + scalars[high, low]
        own = (self.aivat.flop_buckets @ row)[HAND_CLASS] * _FLOPS - sums
        return np.asarray((own + without) / _FLOPS_LEFT)

    def _card_mean(self, node: int, state: HandState, position: int, others: list[int]) -> Array:
        """Returns (1326,) the mean of the value at a decision over the next card, in chips of the strategy."""
        before = self._board(state.round - 1)
        gone = {*before, *(card for other in others for card in self.hand.hole_cards[other])}
        row = self._row(node, position)
        extra = {other: self._better(node, other) for other in others if not state.folded[other]}
        sums, count = np.zeros(NUM_COMBOS), np.zeros(NUM_COMBOS)
        for card in range(NUM_CARDS):
            if card in gone:
                continue
            buckets = self.buckets((*before, card))
            free = combo_mask((card,))
            value = row[buckets] + sum(better[buckets[self.combos[other]]] for other, better in extra.items())
            sums += value * free
            count += free
        return np.asarray(sums / count)
