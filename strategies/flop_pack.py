"""Flop packs: for each preflop line, flop-street strategies of both players for a set of flop classes.

Arrays of a line called ``NAME`` (C classes, B bytes per class):

* ``NAME_tree``, ``NAME_root``: the flop-street betting tree; its DEAL nodes are leaves of the flop street, kept with
  one terminal child so that the tree stays a tree.
* ``NAME_classes``: ``<i2`` (C,) ascending flop class numbers (:mod:`poker.isomorphism`).
* ``NAME_rows``: ``|u1`` (C, B): for every flop decision node in node order a block [1,176 live combos][actions], live
  combos ascending, each row summing to 255. Suits are those of the class representative.
* ``NAME_ranges``: ``<f4`` (2, 1326) range weights of OOP and IP at the flop, before cards on the flop are removed.
* ``NAME_evs``: ``<f2`` (C, 2, 1176) expected share of the pot won per combo, in pots.
* ``NAME_quality``: ``<f4`` (C, 3) exploitability in % of the pot, iterations, seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from poker.cards import NUM_COMBOS, combo_mask
from poker.isomorphism import NUM_BOARD_CLASSES
from poker.streets import FLOP, FLOP_COMBOS
from runtime.errors import PackError
from strategies.betting_tree import BettingTree, NodeKind
from strategies.blueprint_pack import BlueprintTable, verify_blueprint
from strategies.pack import StrategyPack, read_tree
from strategies.quantize import SCALE, dequantize_rows

NUM_FLOP_CLASSES: Final = NUM_BOARD_CLASSES[3]
QUICK_TIER: Final = "quick"
"""Tier of the flop packs of :mod:`strategies.quick_flops`, which have other arrays."""


def flop_decisions(tree: BettingTree) -> NDArray[np.int64]:
    """Returns the flop-street decision nodes in node order, the order of the stored blocks."""
    return np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == FLOP))


def block_offsets(tree: BettingTree) -> tuple[dict[int, int], int]:
    """Returns the byte offset of every flop decision node's block, and the bytes per class."""
    offsets: dict[int, int] = {}
    total = 0
    for node in flop_decisions(tree):
        offsets[int(node)] = total
        total += FLOP_COMBOS * int(tree.num_children[node])
    return offsets, total


def flop_street_tree(tree: BettingTree) -> tuple[BettingTree, NDArray[np.int64]]:
    """Cuts a postflop tree down to its flop street.

    :returns: the smaller tree, in which the single child of every DEAL node is a SHOWDOWN placeholder, and the node of
        ``tree`` that each of its nodes stands for.
    """
    kept = tree.street == FLOP
    deals = np.flatnonzero(kept & (tree.kind == NodeKind.DEAL))
    kept = kept.copy()
    kept[tree.first_child[deals]] = True
    old = np.flatnonzero(kept)
    new = np.full(tree.num_nodes + 1, -1, dtype=np.int32)  # the extra slot maps -1 to -1
    new[old] = np.arange(len(old))
    placeholder = tree.street[old] != FLOP
    small = BettingTree(
        kind=np.where(placeholder, np.int8(NodeKind.SHOWDOWN), tree.kind[old]).astype(np.int8),
        street=np.full(len(old), FLOP, dtype=np.int8),
        player=np.where(placeholder, np.int8(-1), tree.player[old]).astype(np.int8),
        parent=new[tree.parent[old]],
        first_child=np.where(placeholder, np.int32(-1), new[tree.first_child[old]]).astype(np.int32),
        num_children=np.where(placeholder, np.int32(0), tree.num_children[old]).astype(np.int32),
        action=tree.action[old].copy(),
        amount=tree.amount[old].copy(),
        committed=tree.committed[old].copy(),
        root_pot=tree.root_pot,
        stack=tree.stack,
    )
    return small, old


@dataclass(frozen=True, slots=True)
class FlopSolution:
    """The stored strategies of one flop class in one preflop line, in the suits of the class representative."""

    tree: BettingTree
    representative: tuple[int, ...]
    offsets: dict[int, int]
    rows: NDArray[np.uint8]
    evs: NDArray[np.float16]
    exploitability_pct_pot: float

    def strategy(self, node: int) -> NDArray[np.float32]:
        """Returns float32 (actions, 1326): action probabilities of every combo; zero where the flop blocks it."""
        start = self.offsets[node]
        actions = int(self.tree.num_children[node])
        block = self.rows[start : start + FLOP_COMBOS * actions].reshape(FLOP_COMBOS, actions)
        result = np.zeros((actions, NUM_COMBOS), dtype=np.float32)
        result[:, combo_mask(self.representative)] = dequantize_rows(block).T
        return result


@dataclass(frozen=True, slots=True)
class FlopLine:
    """One preflop line of a flop pack."""

    name: str
    betting: str
    pot: int
    stack: int
    tree: BettingTree
    classes: NDArray[np.int16]
    rows: NDArray[np.uint8]
    ranges: NDArray[np.float32]
    evs: NDArray[np.float16]
    quality: NDArray[np.float32]
    offsets: dict[int, int]

    def solution(self, flop_class: int, representative: tuple[int, ...]) -> FlopSolution | None:
        """Returns the stored solution of a flop class, or None when the pack lacks it."""
        at = int(np.searchsorted(self.classes, flop_class))
        if at == len(self.classes) or int(self.classes[at]) != flop_class:
            return None
        return FlopSolution(
            self.tree, representative, self.offsets, self.rows[at], self.evs[at], float(self.quality[at, 0])
        )


def read_flop_lines(pack: StrategyPack, blueprint: BlueprintTable | None = None) -> list[FlopLine]:
    """Reads the lines of a flop pack and checks that all shapes fit together.

    :param blueprint: the blueprint that the pack is to be played with, if any.
    :raises PackError: if the pack is of another kind, belongs to another blueprint, or its arrays contradict each
        other.
    """
    if pack.manifest.kind != "flops" or pack.manifest.tier == QUICK_TIER:
        what = f"is a {pack.manifest.kind} pack of tier {pack.manifest.tier}, expected a flops pack of the exact tier"
        raise PackError(what, source=str(pack.folder))
    if blueprint is not None:
        verify_blueprint(pack, blueprint)
    lines = []
    for entry in pack.manifest.lines:
        tree = read_tree(pack, entry.name)
        offsets, block_bytes = block_offsets(tree)

        def array(field: str, dtype: str, ndim: int, name: str = entry.name) -> NDArray[Any]:
            return pack.array(f"{name}_{field}", dtype=dtype, ndim=ndim)

        line = FlopLine(
            name=entry.name,
            betting=entry.betting,
            pot=entry.pot,
            stack=entry.stack,
            tree=tree,
            classes=array("classes", "<i2", 1),
            rows=array("rows", "|u1", 2),
            ranges=array("ranges", "<f4", 2),
            evs=array("evs", "<f2", 3),
            quality=array("quality", "<f4", 2),
            offsets=offsets,
        )
        count = len(line.classes)
        shapes = (line.rows.shape, line.ranges.shape, line.evs.shape, line.quality.shape)
        expected = ((count, block_bytes), (2, NUM_COMBOS), (count, 2, FLOP_COMBOS), (count, 3))
        if shapes != expected:
            raise PackError(
                f"line {entry.name!r} has array shapes {shapes}, expected {expected}", source=str(pack.folder)
            )
        classes = line.classes.astype(np.int64)
        if count and (np.any(np.diff(classes) <= 0) or classes[0] < 0 or classes[-1] >= NUM_FLOP_CLASSES):
            what = f"line {entry.name!r}: flop classes must ascend within 0..{NUM_FLOP_CLASSES - 1}"
            raise PackError(what, source=str(pack.folder))
        lines.append(line)
    return lines


def row_faults(line: FlopLine) -> int:
    """Counts the strategy rows that do not sum to 255 (0 in a sound pack)."""
    faults = 0
    for node, start in line.offsets.items():
        actions = int(line.tree.num_children[node])
        block = line.rows[:, start : start + FLOP_COMBOS * actions].reshape(-1, actions)
        faults += int(np.count_nonzero(block.sum(axis=1, dtype=np.int64) != SCALE))
    return faults
