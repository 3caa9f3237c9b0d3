"""The blocks of a quick flop pack: canonical hands, what is known of a decision beforehand, and the coder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask
from poker.isomorphism import COMBO_PERMUTATIONS, SUIT_PERMUTATIONS, board_classes
from poker.streets import FLOP_COMBOS
from strategies import _quick_flop_kernels as kernels
from strategies.betting_tree import BettingTree, subtree
from strategies.blueprint_pack import BlueprintTable
from strategies.flop_pack import NUM_FLOP_CLASSES, flop_decisions
from strategies.quantize import SCALE

MAX_BUCKETS: Final = 256
_REACH_BOUNDS: Final = np.array([0.003, 0.03, 0.3])
_CLASS_BOUNDS: Final = np.array([0.01, 0.05, 0.15, 0.35, 0.65, 0.85, 0.95, 0.99])


@cache
def _canonical(permutations: tuple[int, ...]) -> NDArray[np.int16]:
    """Returns the first of the combos that a group of suit permutations makes equal, for every combo."""
    lowest: NDArray[np.int16] = COMBO_PERMUTATIONS[list(permutations)].min(axis=0)
    return lowest


@lru_cache(maxsize=NUM_FLOP_CLASSES)
def canonical_hands(flop_class: int) -> NDArray[np.int16]:
    """Returns the canonical hand of every combo on the representative of a flop class: the lowest equal combo.

    :returns: read-only int16 (1326,); -1 where the flop blocks the combo.
    """
    board = board_classes(3).representatives[flop_class]
    moved = np.sort((board & ~np.uint8(3)) | SUIT_PERMUTATIONS[:, board & 3], axis=1)
    kept = np.flatnonzero((moved == np.sort(board)).all(axis=1))
    result = np.where(combo_mask(tuple(board.tolist())), _canonical(tuple(kept.tolist())), -1).astype(np.int16)
    result.flags.writeable = False
    return result


def own_hands(flop_class: int) -> NDArray[np.int64]:
    """Returns the combos that are their own canonical hands on a flop class, ascending."""
    return np.flatnonzero(canonical_hands(flop_class) == np.arange(NUM_COMBOS))


def line_decisions(tree: BettingTree, first: int) -> NDArray[np.int64]:
    """Returns the flop decisions of the preflop line whose first flop decision is ``first``, ascending."""
    small, originals = subtree(tree, first)
    return originals[flop_decisions(small)].astype(np.int64)


@dataclass(frozen=True, slots=True)
class NodeCoding:
    """What the coder knows about a decision before it reads a block; all from the blueprint."""

    num_actions: int
    prior: NDArray[np.uint8]
    """(buckets, actions) the blueprint's rows."""
    prior_levels: NDArray[np.uint8]
    prior_classes: NDArray[np.uint8]
    reach_classes: NDArray[np.uint8]
    in_range: NDArray[np.bool_]
    """(1326,) combos the acting player gets to the flop with."""
    model: NDArray[np.uint16]


def node_coding(
    table: BlueprintTable, first: int, node: int, ranges: NDArray[np.float32], model: NDArray[np.uint16]
) -> NodeCoding:
    """Prepares the coding of a flop decision.

    :param first: first flop decision of the line.
    :param ranges: (2, 1326) range weights of the line.
    """
    tree = table.tree
    prior = np.ascontiguousarray(table.block(node))
    left = np.cumsum(prior[:, ::-1].astype(np.int64), axis=1)[:, ::-1]
    shares = prior / np.maximum(left, 1)
    levels = np.zeros((len(prior), kernels.MAX_ACTIONS), dtype=np.uint8)
    classes = np.zeros_like(levels)
    levels[:, : prior.shape[1]] = np.rint(shares * kernels.LEVELS)
    classes[:, : prior.shape[1]] = np.searchsorted(_CLASS_BOUNDS, shares)
    reach = np.ones(len(prior))
    at = node
    while at != first:
        parent = int(tree.parent[at])
        if tree.player[parent] == tree.player[node]:
            reach *= table.block(parent)[:, at - int(tree.first_child[parent])] / SCALE
        at = parent
    return NodeCoding(
        num_actions=prior.shape[1],
        prior=prior,
        prior_levels=levels,
        prior_classes=classes,
        reach_classes=np.searchsorted(_REACH_BOUNDS, reach).astype(np.uint8),
        in_range=ranges[int(tree.player[node])] > 0,
        model=np.clip(model, kernels.LEAST, 65_536 - kernels.LEAST).astype(np.uint16),
    )


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


_NO_DATA: Final[NDArray[np.uint8]] = _frozen(np.zeros(0, dtype=np.uint8))


class Block(NamedTuple):
    """One decision on one flop: what it is coded with, and its bytes, if there are any yet."""

    coding: NodeCoding
    canonical: NDArray[np.int16]
    """(1326,) :func:`canonical_hands` of the flop."""
    buckets: NDArray[np.uint8]
    """Flop bucket of every canonical hand, in combo order."""
    data: NDArray[np.uint8] = _NO_DATA
    """Holds the block from ``start`` to ``end``."""
    start: int = 0
    end: int = 0


class BlockCoder:
    """The working memory of the coder; not to be shared between threads."""

    def __init__(self) -> None:
        self.levels = np.zeros((NUM_COMBOS, kernels.MAX_ACTIONS), dtype=np.uint8)
        """(1326, MAX_ACTIONS) rows in sixteenths, of canonical hands."""
        self.kept = np.zeros(NUM_COMBOS, dtype=np.uint8)
        """(1326,) 1 where a canonical hand's row is the blueprint's."""
        self._shares = np.zeros((NUM_COMBOS, kernels.MAX_ACTIONS), dtype=np.uint8)
        self._last_kept = np.zeros(MAX_BUCKETS, dtype=np.uint8)
        self._last_shares = np.zeros((MAX_BUCKETS, kernels.MAX_ACTIONS), dtype=np.uint8)
        self._probabilities = np.zeros(kernels.NUM_CONTEXTS, dtype=np.int64)
        self._out = np.zeros(kernels.MAX_BLOCK_BYTES, dtype=np.uint8)
        self._at = np.zeros(NUM_COMBOS, dtype=np.int16)

    def _run(self, block: Block, mode: int, last: int = NUM_COMBOS - 1) -> int:
        coding, canonical, buckets, data, start, end = block
        return kernels.code_block_kernel(
            self.levels, self.kept, self._shares, self._last_kept, self._last_shares, self._probabilities, self._out,
            data, start, end, last, coding.model, canonical, buckets, coding.in_range, coding.prior_levels,
            coding.prior_classes, coding.reach_classes, COMBO_CARDS, coding.num_actions, mode,
        )  # fmt: skip

    def decode(self, block: Block) -> NDArray[np.uint8]:
        """Returns the rows (1176, actions) of live combos."""
        self._run(block, kernels.DECODE)
        rows = np.empty((FLOP_COMBOS, block.coding.num_actions), dtype=np.uint8)
        prior = block.coding.prior
        kernels.rows_kernel(rows, self.levels, self.kept, self._at, block.canonical, block.buckets, prior)
        return rows

    def decode_row(self, block: Block, combo: int) -> NDArray[np.uint8]:
        """Returns the row (actions,) of one combo; the block is decoded only as far as that needs."""
        hand = int(block.canonical[combo])
        self._run(block, kernels.DECODE, hand)
        row = np.empty(block.coding.num_actions, dtype=np.uint8)
        kernels.row_kernel(row, hand, self.levels, self.kept, block.canonical, block.buckets, block.coding.prior)
        return row

    def encode(self, block: Block) -> bytes:
        """Returns the bytes of the rows in :attr:`levels` and :attr:`kept`."""
        self._out[:] = 0
        length = self._run(block, kernels.ENCODE)
        if length > len(self._out):
            raise ValueError(f"a block of {length} bytes")
        return self._out[:length].tobytes()

    def count(self, block: Block) -> NDArray[np.int64]:
        """Returns how often the rows in :attr:`levels` and :attr:`kept` answer no and yes: (NUM_CONTEXTS, 2)."""
        self._run(block, kernels.COUNT)
        return np.stack([self._probabilities & 0xFFFFFFFF, self._probabilities >> 32], axis=1)
