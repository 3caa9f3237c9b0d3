"""The stored strategies that Hedgehog's player plays from: blueprint, quick flop packs, exact flop packs.

A source holds strategy rows at the decision nodes of its betting tree. The row of a combo has one byte per action, and
the bytes sum to 255. A source answers for one combo, which takes microseconds, or for all 1,326 combos at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.strategy.line_shadows import LineShadows
from hedgehog.agent.strategy.shadow import NearestDecision
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, flop_class, flop_representative
from hedgehog.poker.streets import FLOP_COMBOS
from hedgehog.runtime.errors import PackError
from hedgehog.solver.blueprint.cards.card_abstraction import BLOCKED, CardAbstraction
from hedgehog.strategies.betting_tree import BettingTree, NodeKind, betting_token
from hedgehog.strategies.blueprint_pack import BlueprintTable
from hedgehog.strategies.flop_pack import FlopLine
from hedgehog.strategies.quantize import SCALE
from hedgehog.strategies.quick_flops import QuickFlops
from hedgehog.strategies.translation import DEFAULT_MAPPING, Translation


class FlopView:
    """A real flop and its class representative; it tells which stored row belongs to which real combo."""

    def __init__(self, flop: tuple[int, ...]) -> None:
        self.flop_class, self._permutation = flop_class(flop)

    @cached_property
    def live_index(self) -> NDArray[np.int64]:
        """(1326,) row number of every real combo among the stored rows; -1 where the flop blocks the combo."""
        live = combo_mask(flop_representative(self.flop_class))
        number = np.where(live, np.cumsum(live) - 1, -1)
        return np.asarray(number[COMBO_PERMUTATIONS[self._permutation]])

    def on_representative(self, combo: int) -> int:
        """Returns the combo of the class representative that corresponds to a real combo."""
        return int(COMBO_PERMUTATIONS[self._permutation, combo])

    def spread(self, block: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Returns stored rows (1176, actions) as float64 (actions, 1326), one column per combo on the real flop."""
        live = self.live_index >= 0
        rows = np.zeros((block.shape[1], NUM_COMBOS))
        rows[:, live] = block[self.live_index[live]].T
        return rows


flop_view = lru_cache(maxsize=32)(FlopView)
"""Returns the :class:`FlopView` of a flop, given as a tuple of three card ids; the last 32 are kept."""


class BlueprintSource:
    """The blueprint over card buckets, refined by quick packs on the flops they cover."""

    def __init__(
        self,
        gamedef: GameDef,
        table: BlueprintTable,
        abstraction: CardAbstraction,
        quick: Iterable[QuickFlops] = (),
        mapping: Translation = DEFAULT_MAPPING,
    ) -> None:
        self.table = table
        self.lines = LineShadows(gamedef, table.tree, self._mean_row, NearestDecision(table.tree), mapping)
        self._abstraction = abstraction
        self._quick = tuple(quick)
        # Plain numbers and bytes, which Python reads faster than arrays.
        self._offsets = table.offsets.tolist()
        self._bytes = np.asarray(table.rows).data
        self._num_children = table.tree.num_children.tolist()
        self._bucket = lru_cache(maxsize=256)(self._find_bucket)
        self.buckets = lru_cache(maxsize=16)(self._find_buckets)
        """Returns the bucket of every combo on a board (a tuple of card ids), and which combos the board leaves.

        These are int64 (1326,), 0 for blocked combos, and bool (1326,), True for combos that are not blocked."""
        # Two streets of two players at the table.
        self._street_buckets = lru_cache(maxsize=4)(self._find_street_buckets)

    def for_game(self, gamedef: GameDef) -> BlueprintSource:
        """Returns the same strategy for the hands of another game; everything but the lines is shared."""
        found = copy(self)
        found.lines = self.lines.for_game(gamedef)
        return found

    @property
    def tree(self) -> BettingTree:
        """The betting tree of the whole game; its root is preflop."""
        return self.table.tree

    @property
    def has_quick_packs(self) -> bool:
        """True if there are quick packs, so that combos of one bucket may play differently on a flop."""
        return bool(self._quick)

    def buckets_of_boards(self, boards: Sequence[tuple[int, ...]]) -> NDArray[np.int64]:
        """Returns int64 (boards, 1326): the bucket of every combo on each board, 0 for blocked combos.

        The array is read-only. The last ones are kept: a street is often solved again after another bet.
        """
        return self._street_buckets(tuple(boards))

    def quick_pack(self, node: int, board: tuple[int, ...]) -> QuickFlops | None:
        """Returns the quick pack that refines a node on a flop; None if there is none."""
        if len(board) == 3:
            for pack in self._quick:
                if pack.covers(node, flop_view(board).flop_class):
                    return pack
        return None

    def row(self, node: int, board: tuple[int, ...], combo: int) -> Sequence[int]:
        """Returns the bytes (actions,) of one combo at a node; the combo must share no card with the board."""
        if len(board) == 3 and self._quick and (pack := self.quick_pack(node, board)) is not None:
            flop = flop_view(board)
            found: list[int] = pack.row(node, flop.flop_class, flop.on_representative(combo)).tolist()
            return found
        actions = self._num_children[node]
        start = self._offsets[node] + actions * self._bucket(board, combo)
        return self._bytes[start : start + actions]

    def rows(self, node: int, board: tuple[int, ...]) -> NDArray[np.float64]:
        """Returns float64 (actions, 1326): the bytes of all combos at a node; zeros for combos the board blocks."""
        pack = self.quick_pack(node, board)
        if pack is not None:
            flop = flop_view(board)
            return flop.spread(pack.block(node, flop.flop_class))
        buckets, live = self.buckets(board)
        rows = self.table.block(node)[buckets].T.astype(np.float64)
        rows *= live
        return rows

    def action_row(self, node: int, board: tuple[int, ...], child: int) -> NDArray[np.float64]:
        """Returns float64 (1326,): the row of :meth:`rows` of one action, the number of a child of the node."""
        if self.quick_pack(node, board) is not None:
            found: NDArray[np.float64] = self.rows(node, board)[child]
            return found
        buckets, live = self.buckets(board)
        return np.asarray(self.table.block(node)[:, child][buckets] * live, dtype=np.float64)

    def _mean_row(self, node: int) -> list[float]:
        mean: list[float] = (self.table.block(node).mean(axis=0) / SCALE).tolist()
        return mean

    def _find_bucket(self, board: tuple[int, ...], combo: int) -> int:
        return self._abstraction.bucket(len(board) - 2 if board else 0, board, combo)

    def _find_street_buckets(self, boards: tuple[tuple[int, ...], ...]) -> NDArray[np.int64]:
        found = np.stack([self._find_buckets(board)[0] for board in boards])
        found.setflags(write=False)
        return found

    def _find_buckets(self, board: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        buckets = self._abstraction.buckets(len(board) - 2 if board else 0, board).astype(np.int64)
        live = buckets != BLOCKED
        return np.where(live, buckets, 0), live


class ExactFlopLine:
    """The exact flop solutions of one preflop line, with a betting tree of their own."""

    def __init__(self, gamedef: GameDef, line: FlopLine, mapping: Translation = DEFAULT_MAPPING) -> None:
        self._line = line
        self.lines = LineShadows(gamedef, line.tree, self._mean_row, mapping=mapping)
        self._place = {int(number): at for at, number in enumerate(line.classes)}

    def for_game(self, gamedef: GameDef) -> ExactFlopLine:
        """Returns the same solutions for the hands of another game."""
        found = copy(self)
        found.lines = self.lines.for_game(gamedef)
        return found

    def covers(self, flop: tuple[int, ...]) -> bool:
        """Returns True if the pack has a solution for the class of a flop."""
        return flop_view(flop).flop_class in self._place

    def row(self, node: int, board: tuple[int, ...], combo: int) -> Sequence[int]:
        """Returns the bytes (actions,) of one combo at a node; the combo must share no card with the flop."""
        flop = flop_view(board)
        actions = int(self._line.tree.num_children[node])
        start = self._line.offsets[node] + actions * int(flop.live_index[combo])
        return self._line.rows[self._place[flop.flop_class], start : start + actions].tobytes()

    def rows(self, node: int, board: tuple[int, ...]) -> NDArray[np.float64]:
        """Returns float64 (actions, 1326): the bytes of all combos at a node; zeros for combos the flop blocks."""
        flop = flop_view(board)
        return flop.spread(self._blocks(node)[self._place[flop.flop_class]])

    def action_row(self, node: int, board: tuple[int, ...], child: int) -> NDArray[np.float64]:
        """Returns float64 (1326,): the row of :meth:`rows` of one action, the number of a child of the node."""
        row: NDArray[np.float64] = self.rows(node, board)[child]
        return row

    def _blocks(self, node: int) -> NDArray[np.uint8]:
        """Returns the rows (classes, 1176, actions) of a node."""
        start = self._line.offsets[node]
        actions = int(self._line.tree.num_children[node])
        return self._line.rows[:, start : start + FLOP_COMBOS * actions].reshape(-1, FLOP_COMBOS, actions)

    def _mean_row(self, node: int) -> list[float]:
        mean: list[float] = (self._blocks(node).mean(axis=(0, 1)) / SCALE).tolist()
        return mean


StrategySource: TypeAlias = BlueprintSource | ExactFlopLine
"""Stored strategy rows at the decision nodes of a betting tree."""


def street_start_for_betting(tree: BettingTree, betting: str) -> int | None:
    """Returns the first node, in a whole-game tree, of the street that follows a betting string such as ``r250c``.

    Raise sizes are totals over the hand. The result is None if the tree lacks the line, or the line does not end a
    street.
    """
    node = 0
    for token in betting.replace("r", " r").replace("c", " c").split():
        node = next((child for child in tree.children(node) if betting_token(tree, child) == token), -1)
        if node < 0:
            return None
    return int(tree.first_child[node]) if tree.kind[node] == NodeKind.DEAL else None


class ExactFlops:
    """The exact flop solutions of several preflop lines, to be looked up by preflop line and real flop."""

    def __init__(
        self,
        gamedef: GameDef,
        blueprint: BettingTree,
        lines: Iterable[FlopLine],
        mapping: Translation = DEFAULT_MAPPING,
    ) -> None:
        """Finds the preflop lines of flop packs in the blueprint's tree.

        :param gamedef: the game that is played.
        :param blueprint: the betting tree of the blueprint that the packs are to be played with.
        :param lines: the preflop lines of the flop packs.
        :param mapping: how a bet between two sizes of a tree is shared between them.
        :raises PackError: if the blueprint's tree lacks one of the lines.
        """
        self._lines: dict[int, list[ExactFlopLine]] = {}
        for line in lines:
            node = street_start_for_betting(blueprint, line.betting)
            if node is None:
                raise PackError(f"flop line {line.name!r} ({line.betting}) does not exist in the blueprint")
            self._lines.setdefault(node, []).append(ExactFlopLine(gamedef, line, mapping))

    def for_game(self, gamedef: GameDef) -> ExactFlops:
        """Returns the same solutions for the hands of another game."""
        found = copy(self)
        found._lines = {node: [line.for_game(gamedef) for line in lines] for node, lines in self._lines.items()}
        return found

    def find(self, blueprint_node: int, flop: tuple[int, ...]) -> ExactFlopLine | None:
        """Returns the exact flop solutions of a preflop line, or None if they lack the flop.

        :param blueprint_node: the node of the blueprint's tree at which the line reaches the flop.
        :param flop: card ids of the flop.
        """
        for line in self._lines.get(blueprint_node, ()):
            if line.covers(flop):
                return line
        return None
