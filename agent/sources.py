"""The strategies our player plays from, as sources for :mod:`agent.shadow`: blueprint and flop packs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agent.shadow import NearestDecision
from poker.errors import PackError
from poker.isomorphism import COMBO_PERMUTATIONS, board_classes, flop_class
from solver.card_abstraction import CardAbstraction
from strategies.betting_tree import ActionKind, BettingTree, NodeKind
from strategies.blueprint_pack import BlueprintTable
from strategies.flop_pack import FlopLine, FlopSolution
from strategies.quantize import SCALE


class BlueprintSource:
    """The blueprint: a strategy in every state, over card buckets."""

    def __init__(self, table: BlueprintTable, abstraction: CardAbstraction) -> None:
        self.table = table
        self.nearest = NearestDecision(table.tree)
        self._abstraction = abstraction
        self._buckets = lru_cache(maxsize=16)(self._look_up_buckets)

    @property
    def tree(self) -> BettingTree:
        """The whole-game betting tree, root preflop."""
        return self.table.tree

    def _look_up_buckets(self, board: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        street = len(board) - 2 if board else 0
        buckets = self._abstraction.buckets(street, board).astype(np.int64)
        live = buckets < self.table.buckets[street]
        return np.where(live, buckets, 0), live

    def strategy(self, node: int, board: tuple[int, ...]) -> NDArray[np.float32]:
        """Returns float32 (actions, 1326); zero for combos the board blocks."""
        buckets, live = self._buckets(board)
        rows = self.table.block(node)[buckets].astype(np.float32).T
        rows *= live / np.float32(SCALE)
        return rows


class FlopPackSource:
    """One flop solution, turned to the suits of the real flop."""

    def __init__(self, solution: FlopSolution, permutation: int) -> None:
        self.solution = solution
        self._combos = COMBO_PERMUTATIONS[permutation].astype(np.int64)
        self._rows: dict[int, NDArray[np.float32]] = {}

    @property
    def tree(self) -> BettingTree:
        """The flop-street betting tree of the preflop line."""
        return self.solution.tree

    def strategy(self, node: int, board: tuple[int, ...]) -> NDArray[np.float32]:
        """Returns float32 (actions, 1326); zero for combos the flop blocks."""
        if node not in self._rows:
            self._rows[node] = self.solution.strategy(node)[:, self._combos]
        return self._rows[node]


def street_start_for_betting(tree: BettingTree, betting: str) -> int | None:
    """Returns the first node of the street that follows a betting string such as ``r250c`` in a whole-game tree.

    None if the tree lacks the line or the line does not end a street. Raise sizes are totals over the hand.
    """
    node = 0
    for token in betting.replace("r", " r").replace("c", " c").split():
        for child in tree.children(node):
            kind = int(tree.action[child])
            player = int(tree.player[node])
            passive = kind in (ActionKind.CHECK, ActionKind.CALL)
            if passive if token == "c" else kind >= ActionKind.BET and tree.committed[child, player] == int(token[1:]):
                node = child
                break
        else:
            return None
    return int(tree.first_child[node]) if tree.kind[node] == NodeKind.DEAL else None


class FlopPacks:
    """Finds the flop solution for a preflop line and a real flop."""

    def __init__(self, blueprint: BettingTree, lines: Iterable[FlopLine]) -> None:
        """:raises PackError: if a line does not exist in the blueprint the packs are to be played with."""
        self._lines: dict[int, list[FlopLine]] = {}
        for line in lines:
            node = street_start_for_betting(blueprint, line.betting)
            if node is None:
                raise PackError(f"flop line {line.name!r} ({line.betting}) does not exist in the blueprint")
            self._lines.setdefault(node, []).append(line)

    def find(self, blueprint_node: int, flop: tuple[int, ...]) -> FlopPackSource | None:
        """Returns the solution of the line that reaches the flop at ``blueprint_node``, or None."""
        lines = self._lines.get(blueprint_node)
        if not lines:
            return None
        index, permutation = flop_class(flop)
        representative = tuple(int(card) for card in board_classes(3).representatives[index])
        for line in lines:
            solution = line.solution(index, representative)
            if solution is not None:
                return FlopPackSource(solution, permutation)
        return None
