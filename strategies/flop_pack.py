"""Exact flop packs: strategies of both players on the flop, for several preflop lines and a set of flop classes.

A preflop line called ``NAME`` has these arrays, for C flop classes and B bytes per class:

* ``NAME_tree``, ``NAME_root``: the betting tree of the flop street. A DEAL node is the end of the flop street; it keeps
  one terminal child, because every DEAL node of a tree has a child.
* ``NAME_classes``: ``<i2`` (C,) ascending flop class numbers (:mod:`hedgehog.poker.isomorphism`).
* ``NAME_rows``: ``|u1`` (C, B): for every flop decision node, in node order, a block [1,176 live combos][actions] in
  which each row sums to 255. Live combos share no card with the flop and are in ascending order. Suits are those of the
  class representative.
* ``NAME_ranges``: ``<f4`` (2, 1326) weights of the ranges of OOP and IP before the flop is dealt.
* ``NAME_evs``: ``<f2`` (C, 2, 1176) EV of OOP and IP with each live combo at the start of the flop: chips received at
  the end of the hand less chips put in from the flop on, in pots. NaN for combos that the solve left out.
* ``NAME_quality``: ``<f4`` (C, 2) exploitability in % of the pot, and iterations. Older packs have a third column,
  seconds of solving.
* ``NAME_weights``: ``<f4`` (C,) weight of each class in averages over flops, in any unit. Older packs lack it: the
  number of flops in the class takes its place.

A line may have further arrays:

* ``NAME_node_evs``: ``<f2``, in C order (C, 2, nodes, 1176), like ``NAME_evs`` at every node of ``NAME_tree`` that is
  no placeholder: chips received at the end of the hand less chips put in after the node, in pots at the flop.
* ``NAME_turn_tree`` and others: the strategies on the turn (:mod:`hedgehog.strategies.flop_turns`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.isomorphism import NUM_BOARD_CLASSES, board_classes
from hedgehog.poker.streets import FLOP, FLOP_COMBOS
from hedgehog.strategies.betting_tree import BettingTree, NodeKind, keep_nodes
from hedgehog.strategies.blueprint_pack import BlueprintTable, verify_blueprint
from hedgehog.strategies.flop_turns import TurnRows, block_offsets, read_turn_rows
from hedgehog.strategies.pack import StrategyPack, read_tree
from hedgehog.strategies.quantize import dequantize_rows
from hedgehog.strategies.soundness import count_bad_rows, verify_rows, verify_weights

NUM_FLOP_CLASSES: Final = NUM_BOARD_CLASSES[3]
QUICK_TIER: Final = "quick"
"""Tier of the quick flop packs, whose other arrays :mod:`hedgehog.strategies.quick_flops` describes."""


def flop_street_tree(tree: BettingTree, last: int = FLOP) -> tuple[BettingTree, NDArray[np.int64]]:
    """Returns the flop street of a postflop tree, or the flop and the turn, as a tree of its own.

    :param last: the last street that is kept.
    :returns: the smaller tree, in which the single child of every DEAL node at its end is a SHOWDOWN placeholder, and
        int64 (its nodes,) the number in ``tree`` of each of its nodes.
    """
    kept = tree.street <= last
    deals = np.flatnonzero(kept & (tree.kind == NodeKind.DEAL))
    kept = kept.copy()
    kept[tree.first_child[deals]] = True
    old = np.flatnonzero(kept)
    small = keep_nodes(tree, old)
    placeholder = small.street > last
    small.kind[placeholder] = NodeKind.SHOWDOWN
    small.street[placeholder] = last
    small.player[placeholder] = -1
    small.num_children[placeholder] = 0
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
        """Returns float32 (actions, 1326): action probabilities at a node, zeros for combos that the flop blocks."""
        start = self.offsets[node]
        actions = int(self.tree.num_children[node])
        block = self.rows[start : start + FLOP_COMBOS * actions].reshape(FLOP_COMBOS, actions)
        result = np.zeros((actions, NUM_COMBOS), dtype=np.float32)
        result[:, combo_mask(self.representative)] = dequantize_rows(block).T
        return result


@dataclass(frozen=True, slots=True)
class FlopLine:
    """One preflop line of a flop pack; the module's description explains its arrays."""

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
    weights: NDArray[np.float32]
    """(C,) weight of each class in averages over flops."""
    node_evs: NDArray[np.float16] | None = None
    """(C, 2, nodes, 1176) EVs at every node in pots; None if the pack has those of the root alone."""
    turns: TurnRows | None = None
    """The strategies on the turn; None if the pack has none."""
    source: str = ""
    """The pack's folder, for messages."""
    sound: set[int] = field(default_factory=set)
    """Places of the classes whose rows have been checked."""

    def solution(self, flop_class: int, representative: tuple[int, ...]) -> FlopSolution | None:
        """Returns the stored solution of a flop class, or None if the pack lacks the class.

        :param flop_class: class 0..1754 of the flop.
        :param representative: card ids of the representative of the class.
        :raises PackError: if a row of the class does not sum to one.
        """
        at = int(np.searchsorted(self.classes, flop_class))
        if at == len(self.classes) or int(self.classes[at]) != flop_class:
            return None
        self.verify_class(at)
        return FlopSolution(
            self.tree, representative, self.offsets, self.rows[at], self.evs[at], float(self.quality[at, 0])
        )

    def bad_rows(self, at: int) -> int:
        """Returns the number of rows of a class that do not sum to one; 0 in a sound pack.

        :param at: place of the class in ``classes``.
        """
        actions = self.tree.num_children[list(self.offsets)]
        return count_bad_rows(self.rows[at], np.full(len(actions), FLOP_COMBOS), actions)

    def verify_class(self, at: int) -> None:
        """Checks the rows of a class, unless that has been done.

        :param at: place of the class in ``classes``.
        :raises PackError: if a row does not sum to one.
        """
        if at not in self.sound:
            verify_rows(self.source, f"{self.name}_rows, flop class {self.classes[at]}", self.bad_rows(at))
            self.sound.add(at)


def read_flop_lines(pack: StrategyPack, blueprint: BlueprintTable | None = None) -> list[FlopLine]:
    """Returns the preflop lines of a flop pack after checking that the shapes of all arrays fit together.

    :param blueprint: the blueprint that the pack is to be played with; None checks no blueprint.
    :raises PackError: if the pack is of another kind, was made from another blueprint, or its arrays contradict each
        other.
    """
    if pack.manifest.kind != "flops" or pack.manifest.tier == QUICK_TIER:
        what = f"{pack.manifest.kind} pack of tier {pack.manifest.tier}"
        raise pack.error(f"is a {what}, expected a flops pack of the exact tier")
    if blueprint is not None:
        verify_blueprint(pack, blueprint)
    lines = []
    for entry in pack.manifest.lines:
        tree = read_tree(pack, entry.name)
        offsets, block_bytes = block_offsets(tree, FLOP)

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
            weights=class_weights(pack, entry.name),
            node_evs=_node_evs(pack, entry.name, tree.num_nodes),
            turns=read_turn_rows(pack, entry.name),
            source=str(pack.folder),
        )
        count = len(line.classes)
        columns = line.quality.shape[1] if line.quality.shape[1] in (2, 3) else 2
        shapes = (line.rows.shape, line.ranges.shape, line.evs.shape, line.quality.shape, line.weights.shape)
        expected = ((count, block_bytes), (2, NUM_COMBOS), (count, 2, FLOP_COMBOS), (count, columns), (count,))
        if shapes != expected:
            raise pack.error(f"line {entry.name!r} has array shapes {shapes}, expected {expected}")
        if line.node_evs is not None and len(line.node_evs) != count:
            raise pack.error(f"line {entry.name!r}: node_evs has {len(line.node_evs)} flops")
        classes = line.classes.astype(np.int64)
        if count and (np.any(np.diff(classes) <= 0) or classes[0] < 0 or classes[-1] >= NUM_FLOP_CLASSES):
            raise pack.error(f"line {entry.name!r}: flop classes must ascend within 0..{NUM_FLOP_CLASSES - 1}")
        verify_weights(pack.folder, f"{entry.name}_ranges", line.ranges)
        verify_weights(pack.folder, f"{entry.name}_quality", line.quality)
        if line.turns is not None:
            line.turns.verify(classes, tree, str(pack.folder))
        lines.append(line)
    return lines


def _node_evs(pack: StrategyPack, name: str, nodes: int) -> NDArray[np.float16] | None:
    """Returns (C, 2, nodes, 1176), the EVs at the nodes of a line; None if the pack has none.

    :raises PackError: if their number does not fit the tree.
    """
    if f"{name}_node_evs" not in pack.arrays:
        return None
    flat = pack.array(f"{name}_node_evs", dtype="<f2", ndim=1)
    if len(flat) % (2 * nodes * FLOP_COMBOS):
        raise pack.error(f"line {name!r}: node_evs has {len(flat)} numbers")
    return flat.reshape(-1, 2, nodes, FLOP_COMBOS)


def class_weights(pack: StrategyPack, name: str) -> NDArray[np.float32]:
    """Returns the weights of the classes of a line, of an exact or a quick pack: float32, as many as it states.

    :raises PackError: if they are not positive numbers.
    """
    if f"{name}_weights" in pack.arrays:
        weights = pack.array(f"{name}_weights", dtype="<f4", ndim=1)
        if not (np.isfinite(weights).all() and (weights > 0).all()):
            raise pack.error(f"line {name!r}: weights must be above 0")
        return weights
    classes = pack.array(f"{name}_classes", dtype="<i2", ndim=1).astype(np.int64)
    counts = board_classes(3).multiplicities
    return np.asarray(counts[np.clip(classes, 0, NUM_FLOP_CLASSES - 1)], dtype=np.float32)


def row_faults(line: FlopLine) -> int:
    """Reads everything and returns the number of strategy rows that do not sum to one; 0 in a sound pack."""
    faults = sum(map(line.bad_rows, range(len(line.rows))))
    return faults + (line.turns.row_faults() if line.turns is not None else 0)
