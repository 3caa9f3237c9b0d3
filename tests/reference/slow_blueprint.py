"""A slow, short form of the blueprint trainer: every hand against every hand, in float64."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

Array = NDArray[np.float64]


class SlowTrainer:
    """A trainer with regrets and summed strategies float64[buckets, actions] by node; payoffs in thousands of chips."""

    def __init__(self, tree: BettingTree, abstraction: CardAbstraction, tremble: float) -> None:
        self.tree = tree
        self.tremble = tremble
        self.abstraction = abstraction
        self.regrets: dict[int, Array] = {}
        self.sums: dict[int, Array] = {}
        for node in np.flatnonzero(tree.kind == NodeKind.DECISION):
            shape = (abstraction.bucket_counts[int(tree.street[node])], int(tree.num_children[node]))
            self.regrets[int(node)] = np.zeros(shape)
            self.sums[int(node)] = np.zeros(shape)

    def iterate(self, board: Sequence[int]) -> tuple[Array, Array]:
        """Updates player 0, then player 1; returns the values of each player's hands before the first action."""
        self._deal(board)
        ones = np.ones(len(self.hands))
        return self._walk(0, 0, ones, ones), self._walk(0, 1, ones, ones)

    def _deal(self, board: Sequence[int]) -> None:
        ranks = rank_combos(board).astype(np.int64)
        self.hands = np.flatnonzero(ranks > 0)
        cards = COMBO_CARDS[self.hands]
        shares = (cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
        self.disjoint = (~shares).astype(np.float64)
        strength = ranks[self.hands]
        self.beats = np.sign(strength[:, None] - strength[None, :]) * self.disjoint
        self.buckets = [
            self.abstraction.buckets(street, board[:count])[self.hands].astype(np.int64)
            for street, count in enumerate((0, 3, 4, 5))
        ]

    def _walk(self, node: int, me: int, mine: Array, theirs: Array) -> Array:
        tree = self.tree
        kind = tree.kind[node]
        if kind == NodeKind.FOLD:
            lost = tree.committed[node, tree.player[node]] / 1000.0
            return (-lost if tree.player[node] == me else lost) * (self.disjoint @ theirs)
        if kind == NodeKind.SHOWDOWN:
            return tree.committed[node, 0] / 1000.0 * (self.beats @ theirs)
        if kind == NodeKind.DEAL:
            if theirs.max() == 0:
                return np.zeros(len(self.hands))
            return self._walk(int(tree.first_child[node]), me, mine, theirs)

        bucket = self.buckets[int(tree.street[node])]
        positive = np.maximum(self.regrets[node], 0)
        total = positive.sum(axis=1, keepdims=True)
        even = np.full_like(positive, 1 / positive.shape[1])
        strategy = np.divide(positive, total, out=even, where=total > 0)[bucket]
        children = list(tree.children(node))
        if tree.player[node] != me:
            strategy = self.tremble + (1 - len(children) * self.tremble) * strategy
            return sum(
                (self._walk(child, me, mine, theirs * strategy[:, a]) for a, child in enumerate(children)),
                start=np.zeros(len(self.hands)),
            )
        values = np.stack(
            [self._walk(child, me, mine * strategy[:, a], theirs) for a, child in enumerate(children)], axis=1
        )
        value: Array = (strategy * values).sum(axis=1)
        np.add.at(self.regrets[node], bucket, values - value[:, None])
        np.add.at(self.sums[node], bucket, mine[:, None] * strategy)
        return value
