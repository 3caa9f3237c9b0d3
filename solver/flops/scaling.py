"""Betting trees with other chips: the structure of an abstract tree with the pot, stacks and bets of a real hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hedgehog.strategies.betting_tree import ActionKind, BettingTree


class TreeScaler:
    """Gives the nodes of one betting tree the chips of other pots and stacks.

    Bets and raises keep their size as a fraction of the pot after calling, and all-ins stay all-ins.

    :param tree: part of a whole-game tree, which counts all chips of the hand in ``committed``.
    """

    def __init__(self, tree: BettingTree) -> None:
        self.tree = tree
        parent = np.maximum(tree.parent, 0)
        before = tree.committed[parent].max(axis=1)
        self._actor = np.maximum(tree.player[parent], 0).astype(np.int64)
        after = tree.committed[np.arange(tree.num_nodes), self._actor]
        self._fraction = np.where(tree.action >= ActionKind.BET, (after - before) / np.maximum(2 * before, 1), -1.0)
        # Parents come before their children, so a level is known when the one above it is.
        self._levels: list[NDArray[np.int64]] = []
        depth = np.zeros(tree.num_nodes, dtype=np.int64)
        for node in range(1, tree.num_nodes):
            depth[node] = depth[tree.parent[node]] + 1
        order = np.argsort(depth, kind="stable")
        ends = np.cumsum(np.bincount(depth))
        for start, end in pairwise(ends.tolist()):
            self._levels.append(order[start:end])

    def scaled(self, start: int, stack: int, least_bet: int, totals: Mapping[int, int]) -> BettingTree:
        """Returns the tree with other chips.

        :param start: chips that each player has put in at the root.
        :param stack: chips that each player can put in over the whole hand.
        :param least_bet: smallest legal bet in chips.
        :param totals: real bets and raises, as chips put in over the whole hand, by the node that they lead to.
        """
        tree = self.tree
        kind = tree.action
        committed = np.zeros((tree.num_nodes, 2), dtype=np.int64)
        committed[0] = start
        given = np.full(tree.num_nodes, -1, dtype=np.int64)
        for node, total in totals.items():
            given[node] = total
        for level in self._levels:
            above = committed[tree.parent[level]]
            actor = self._actor[level]
            actions = tree.action[level]
            before = above.max(axis=1)
            own = above[np.arange(len(level)), actor]
            least = before + np.maximum(before - own, least_bet)
            bets = np.maximum(before + np.rint(self._fraction[level] * 2 * before).astype(np.int64), least)
            after = np.where(actions >= ActionKind.BET, bets, own)
            after = np.where(actions == ActionKind.CALL, before, after)
            after = np.where((actions == ActionKind.ALL_IN) | (after > stack), stack, after)
            after = np.where(actions == ActionKind.DEAL, own, after)
            after = np.where(given[level] >= 0, given[level], after)
            committed[level] = above
            committed[level, actor] = after
        street_start = np.full(tree.num_nodes, start, dtype=np.int64)
        for level in self._levels:
            street_start[level] = street_start[tree.parent[level]]
            deals = level[kind[level] == ActionKind.DEAL]
            street_start[deals] = committed[deals].max(axis=1)
        amount = np.where(kind >= ActionKind.BET, committed[np.arange(tree.num_nodes), self._actor] - street_start, 0)
        amount[kind == ActionKind.CALL] = (committed.max(axis=1) - street_start)[kind == ActionKind.CALL]
        amount[kind == ActionKind.DEAL] = 0
        return dataclasses.replace(
            tree, committed=committed.astype(np.int32), amount=amount.astype(np.int32), stack=stack
        )
