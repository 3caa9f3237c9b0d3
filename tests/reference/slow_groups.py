"""CFR and counterfactual greedy hedging on groups of hands, slow and plain, in double precision.

Reach and values are kept per hand; regrets and strategies are kept per group. The formulas are those of
:mod:`tests.reference.slow_algorithms`, on the values of the actions summed over the hands of a group times their range
weights. Averages weigh a group's strategy by the sum of its hands' weights times their own reach.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hedgehog.strategies.betting_tree import ActionKind, NodeKind
from tests.reference.slow_cfr import Array, Board, SlowCfr, SlowGame, Strategy, normalise

GroupOf = Callable[[int, Board], NDArray[np.int32]]
"""(player, board) -> int32[hands]: the group of each hand, -1 for hands that the board blocks."""


class SlowGroupCfr(SlowCfr):
    """One algorithm of the family on groups.

    :param group_of: the groups of both players' hands.
    :param average: ``reach``, ``plain`` or ``new``, as in :class:`tests.reference.slow_algorithms.PublishedCfr`.
    :param c: constant of ``cgh``, divided by the number of actions.
    :param means: pass the weighted mean value of a group up the tree for each of its hands, as Voelkel's thesis does,
        in place of the value of the hand. On the street of the root that changes nothing.
    """

    def __init__(
        self,
        game: SlowGame,
        name: str,
        group_of: GroupOf,
        *,
        average: str = "reach",
        c: float = 1.0,
        means: bool = False,
    ) -> None:
        super().__init__(game)
        self.means = means
        self.name = name
        self.group_of = group_of
        self.average_of = average
        self.c = c
        self.strategy: dict[tuple[int, Board], Array] = {}
        self.prediction: dict[tuple[int, Board], Array] = {}

    def _groups(self, node: int, board: Board) -> NDArray[np.int32]:
        return self.group_of(int(self.game.tree.player[node]), board)

    def _table(self, tables: dict[tuple[int, Board], Array], node: int, board: Board) -> Array:
        shape = (int(self.game.tree.num_children[node]), int(self._groups(node, board).max()) + 1)
        return tables.setdefault((node, board), np.zeros(shape))

    def _of_groups(self, node: int, board: Board) -> Array:
        """Returns float64[actions, groups]: the strategy that is played."""
        if self.name == "cgh":
            if (node, board) not in self.strategy:
                tree = self.game.tree
                passive = [tree.action[child] in (ActionKind.CHECK, ActionKind.CALL) for child in tree.children(node)]
                self._table(self.strategy, node, board)[np.array(passive)] = 1
            return self.strategy[node, board]
        regret = self._table(self.regret, node, board)
        if self.name == "pcfr+":
            regret = regret + self._table(self.prediction, node, board)
        return normalise(np.maximum(regret, 0))

    def _spread(self, node: int, board: Board, table: Array) -> Array:
        """Returns float64[actions, hands] from float64[actions, groups]; blocked hands play like the first group."""
        return table[:, np.maximum(self._groups(node, board), 0)]

    def current(self, node: int, board: Board) -> Array:
        return self._spread(node, board, self._of_groups(node, board))

    def average(self, node: int, board: Board) -> Array:
        if self.name == "cgh":
            return self.current(node, board)
        return self._spread(node, board, normalise(self._table(self.total, node, board)))

    def learn(self, node: int, board: Board, strategy: Array, values: Array, own_reach: Array) -> Array:
        value = self._learn(node, board, strategy, values, own_reach)
        groups = self._groups(node, board)
        if not self.means:
            return value
        weights = self.game.weights[int(self.game.tree.player[node])]
        means = sum_groups(groups, (weights * value)[None])[0] / sum_groups(groups, weights[None])[0]
        return np.where(groups >= 0, means[np.maximum(groups, 0)], 0.0)

    def _learn(self, node: int, board: Board, strategy: Array, values: Array, own_reach: Array) -> Array:
        groups = self._groups(node, board)
        player = int(self.game.tree.player[node])
        totals = sum_groups(groups, self.game.weights[player] * values)
        mass = sum_groups(groups, (self.game.weights[player] * own_reach)[None])[0]
        t = self.iteration + 1
        old = self._of_groups(node, board).copy()
        if self.name == "cgh":
            count = len(totals)
            # The last of the best actions, which is the highest bet.
            best = count - 1 - np.argmax(totals[::-1], axis=0)
            new = np.maximum(0, (t - 1) / t * old - self.c / (t * count))
            every = np.arange(totals.shape[1])
            new[best, every] = 0
            new[best, every] = 1 - new.sum(axis=0)
            self.strategy[node, board] = new
            return (strategy * values).sum(axis=0)
        regret = self._table(self.regret, node, board)
        gain = totals - (old * totals).sum(axis=0)
        regret += gain
        if self.name == "dcfr":
            regret *= np.where(regret > 0, t**1.5 / (t**1.5 + 1), 0.5)
        elif self.name in ("cfr+", "pcfr+"):
            np.maximum(regret, 0, out=regret)
            self.prediction[node, board] = gain
        new = normalise(np.maximum(regret, 0))
        summed = {"reach": mass * old, "plain": old, "new": new}[self.average_of]
        exponent = {"cfr+": 1, "dcfr": 2, "pcfr+": 2}.get(self.name, 0)
        self._table(self.total, node, board)[:] += t**exponent * summed
        played = self._spread(node, board, new) if self.name == "cfr-new" else strategy
        return (played * values).sum(axis=0)


def sum_groups(groups: NDArray[np.int32], values: Array) -> Array:
    """Returns float64[actions, groups]: values summed over the hands of each group; blocked hands do not count."""
    live = groups >= 0
    out = np.zeros((len(values), int(groups.max()) + 1))
    for action, row in enumerate(values):
        np.add.at(out[action], groups[live], row[live])
    return out


def group_response_value(game: SlowGame, strategy: Strategy, player: int, group_of: GroupOf) -> float:
    """Returns what a greedy response to a strategy gets, in chips per dealt pair, if all hands of a group act alike.

    From the end of the game to its start, every group takes the action whose value is largest for its hands together.
    """
    tree, opponent = game.tree, 1 - player

    def walk(node: int, board: Board, reach: Array) -> Array:
        kind = tree.kind[node]
        if kind == NodeKind.DEAL:
            child = int(tree.first_child[node])
            deals = [walk(child, (*board, c), reach * game.live(opponent, (*board, c))) for c in game.deals(board)]
            return game.deal_probability(board) * np.sum(deals, axis=0)
        if kind != NodeKind.DECISION:
            return game.payoffs(node, board, player) @ reach
        if tree.player[node] == opponent:
            steps = zip(tree.children(node), strategy(node, board), strict=True)
            return np.sum([walk(child, board, reach * p) for child, p in steps], axis=0)
        values = np.array([walk(child, board, reach) for child in tree.children(node)])
        groups = group_of(player, board)
        totals = sum_groups(groups, game.weights[player] * values)
        best = len(totals) - 1 - np.argmax(totals[::-1], axis=0)
        return values[best[np.maximum(groups, 0)], np.arange(len(groups))]

    own = game.weights[player] * game.live(player, game.board)
    values = walk(0, game.board, game.weights[opponent] * game.live(opponent, game.board))
    return float(own @ values) / game.pair_weight
