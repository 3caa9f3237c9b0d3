"""Quick-tier flop packs: the blueprint's flop decisions, refined for the exact hands of every flop class.

A quick pack has no betting tree: it overrides decisions of one blueprint, whose digest stands in its configuration as
``blueprint_digest``. Per preflop line, flop class and flop decision there is one compressed block
(:mod:`strategies._quick_flop_kernels`) with the rows of the *canonical* hands, those that come first among the hands
that the suit symmetries of the flop make equal. A row is either stored, in sixteenths, or it is the blueprint's own row
of the hand's bucket: where the hand's range weight is zero, where its own actions on the flop hardly ever lead to the
decision, and where the two rows are nearly the same.

Arrays, for all lines (C classes):

* ``quick_classes``: ``<i2`` (C,) ascending flop class numbers, those of any line.
* ``quick_buckets``: ``|u1``, flop bucket of every canonical hand, class by class, hands in combo order.

Arrays of a line called ``NAME`` (L classes, N flop decisions, B bytes):

* ``NAME_nodes``: ``<i4`` (N,) blueprint nodes: all flop decisions of the line, ascending.
* ``NAME_classes``: ``<i2`` (L,) ascending flop class numbers.
* ``NAME_ranges``: ``<f4`` (2, 1326) range weights of OOP and IP at the flop, before cards on the flop are removed.
* ``NAME_model``: ``<u2`` (N, contexts) probabilities that the coder starts each block of a decision from.
* ``NAME_lengths``: ``<u2`` (L, N) bytes of each block; ``NAME_data``: ``|u1`` (B,) the blocks in that order.
* ``NAME_quality``: ``<f4`` (L, figures) as named by ``config["figures"]``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from poker.cards import NUM_COMBOS
from runtime.errors import PackError
from strategies._quick_flop_kernels import MAX_ACTIONS, NUM_CONTEXTS
from strategies.betting_tree import NodeKind, betting_text
from strategies.blueprint_pack import BlueprintTable, recorded_blueprint, verify_blueprint
from strategies.flop_pack import NUM_FLOP_CLASSES, QUICK_TIER
from strategies.pack import StrategyPack
from strategies.quantize import SCALE
from strategies.quick_flop_coding import (
    MAX_BUCKETS,
    Block,
    BlockCoder,
    NodeCoding,
    canonical_hands,
    line_decisions,
    node_coding,
    own_hands,
)

CACHED_BLOCKS: Final = 512


@dataclass(frozen=True, slots=True)
class QuickLine:
    """One preflop line of a quick pack."""

    name: str
    betting: str
    pot: int
    nodes: NDArray[np.int64]
    classes: NDArray[np.int16]
    ranges: NDArray[np.float32]
    model: NDArray[np.uint16]
    data: NDArray[np.uint8]
    ends: NDArray[np.int64]
    """(classes * nodes + 1,) block ``i`` is ``ends[i] .. ends[i + 1]`` of ``data``."""
    quality: NDArray[np.float32]
    class_at: NDArray[np.int64]
    """(1755,) index of each flop class, -1 where the line lacks it."""


class QuickFlops:
    """The refined flop strategies of one pack, for one thread."""

    def __init__(
        self,
        blueprint: BlueprintTable,
        lines: Sequence[QuickLine],
        figures: Sequence[str],
        class_buckets: Sequence[NDArray[np.uint8] | None],
    ) -> None:
        """
        :param figures: names of the columns of each line's ``quality``.
        :param class_buckets: flop buckets of the canonical hands of each of the 1,755 classes, None where unused.
        """
        self.blueprint = blueprint
        self.lines = tuple(lines)
        self.figures = tuple(figures)
        self._class_buckets = class_buckets
        self._where = {int(node): (line, i) for line in lines for i, node in enumerate(line.nodes)}
        self._coder = BlockCoder()
        self._codings: dict[int, NodeCoding] = {}
        self._blocks: dict[tuple[int, int], NDArray[np.uint8]] = {}

    def covers(self, node: int, flop_class: int) -> bool:
        """Tells whether the pack has rows for a blueprint node on a flop class."""
        found = self._where.get(node)
        return found is not None and found[0].class_at[flop_class] >= 0

    def block(self, node: int, flop_class: int) -> NDArray[np.uint8]:
        """Returns the rows of a blueprint node on a flop class that it covers.

        :returns: read-only uint8 (1176, actions), rows summing to 255: the live combos of the class representative,
            ascending.
        :raises KeyError: if the pack does not cover them.
        """
        key = (node, flop_class)
        found = self._blocks.get(key)
        if found is None:
            found = self._decode(node, flop_class)
            if len(self._blocks) >= CACHED_BLOCKS:
                del self._blocks[next(iter(self._blocks))]
            self._blocks[key] = found
        return found

    def row(self, node: int, flop_class: int, combo: int) -> NDArray[np.uint8]:
        """Returns one row of :meth:`block`, decoding no more than it needs: uint8 (actions,).

        :param combo: a combo that misses the class representative.
        """
        return self._coder.decode_row(self.stored(node, flop_class), combo)

    def _decode(self, node: int, flop_class: int) -> NDArray[np.uint8]:
        rows = self._coder.decode(self.stored(node, flop_class))
        rows.flags.writeable = False
        return rows

    def stored(self, node: int, flop_class: int) -> Block:
        """Returns the block of a blueprint node on a flop class, coded.

        :raises KeyError: if the pack does not cover them.
        """
        line, index = self._where[node]
        at = int(line.class_at[flop_class])
        buckets = self._class_buckets[flop_class]
        if at < 0 or buckets is None:
            raise KeyError((node, flop_class))
        coding = self._codings.get(node)
        if coding is None:
            first = int(line.nodes[0])
            coding = node_coding(self.blueprint, first, node, line.ranges, line.model[index])
            self._codings[node] = coding
        block = at * len(line.nodes) + index
        start, end = int(line.ends[block]), int(line.ends[block + 1])
        return Block(coding, canonical_hands(flop_class), buckets, line.data, start, end)

    def row_faults(self, on_progress: Callable[[float], None] = lambda share: None) -> int:
        """Decodes everything and counts the rows that do not sum to 255 (0 in a sound pack on a sound blueprint).

        :param on_progress: called with the share that is decoded, from 0 to 1.
        """
        faults = done = 0
        flops = sum(len(line.classes) for line in self.lines)
        for line in self.lines:
            for flop_class in line.classes:
                on_progress(done / flops)
                done += 1
                for node in line.nodes:
                    rows = self._decode(int(node), int(flop_class))
                    faults += int(np.count_nonzero(rows.sum(axis=1, dtype=np.int64) != SCALE))
        return faults


def read_quick_flops(pack: StrategyPack, blueprint: BlueprintTable) -> QuickFlops:
    """Reads a quick flop pack and checks that it fits the blueprint and that all shapes fit together.

    :param blueprint: the blueprint whose decisions the pack overrides.
    :raises PackError: if the pack is of another kind or tier, belongs to another blueprint, or its arrays contradict
        each other or the blueprint.
    """
    source = str(pack.folder)

    def check(good: bool, message: str) -> None:
        if not good:
            raise PackError(message, source=source)

    manifest = pack.manifest
    check(
        manifest.kind == "flops" and manifest.tier == QUICK_TIER,
        f"is a {manifest.kind} pack of tier {manifest.tier}, expected a flops pack of tier {QUICK_TIER}",
    )
    check(recorded_blueprint(pack) is not None, "does not record the blueprint it belongs to")
    verify_blueprint(pack, blueprint)
    figures = manifest.config.get("figures")
    if not (isinstance(figures, list) and all(isinstance(name, str) for name in figures)):
        raise PackError(f"config.figures is {figures!r}, expected a list of names", source=source)
    num_buckets = blueprint.buckets[1]
    check(num_buckets <= MAX_BUCKETS, f"the blueprint has {num_buckets} flop buckets, expected at most {MAX_BUCKETS}")

    def classes_of(name: str) -> NDArray[np.int16]:
        classes = np.asarray(pack.array(name, dtype="<i2", ndim=1))
        sound = not len(classes) or (
            classes[0] >= 0 and classes[-1] < NUM_FLOP_CLASSES and bool(np.all(classes[1:] > classes[:-1]))
        )
        check(sound, f"array {name!r}: flop classes must ascend within 0..{NUM_FLOP_CLASSES - 1}")
        return classes

    covered = classes_of("quick_classes")
    buckets = np.asarray(pack.array("quick_buckets", dtype="|u1", ndim=1))
    sizes = [len(own_hands(int(flop_class))) for flop_class in covered]
    check(len(buckets) == sum(sizes), f"quick_buckets has {len(buckets)} entries, the classes need {sum(sizes)}")
    check(not len(buckets) or int(buckets.max()) < num_buckets, f"quick_buckets must be below {num_buckets}")
    class_buckets: list[NDArray[np.uint8] | None] = [None] * NUM_FLOP_CLASSES
    for flop_class, part in zip(covered, np.split(buckets, np.cumsum(sizes)[:-1]), strict=True):
        class_buckets[int(flop_class)] = part

    lines = []
    seen: set[int] = set()
    for entry in manifest.lines:
        what = f"line {entry.name!r}: "
        nodes = np.asarray(pack.array(f"{entry.name}_nodes", dtype="<i4", ndim=1)).astype(np.int64)
        check(len(nodes) > 0 and 0 < nodes[0] < blueprint.tree.num_nodes, f"{what}has no first node in the blueprint")
        first = int(nodes[0])
        tree = blueprint.tree
        check(
            tree.kind[tree.parent[first]] == NodeKind.DEAL
            and tree.street[first] == 1
            and betting_text(tree, first) == entry.betting,
            f"{what}node {first} of the blueprint is not where {entry.betting} leads",
        )
        check(np.array_equal(nodes, line_decisions(tree, first)), f"{what}nodes are not the flop decisions of the line")
        check(first not in seen, f"{what}is there twice")
        seen.add(first)
        most = int(tree.num_children[nodes].max())
        check(most <= MAX_ACTIONS, f"{what}{most} actions, at most {MAX_ACTIONS} can be stored")
        check(entry.pot == tree.pot(first), f"{what}the pot is {entry.pot}, the blueprint's is {tree.pot(first)}")
        classes = classes_of(f"{entry.name}_classes")
        check(all(class_buckets[int(c)] is not None for c in classes), f"{what}a class has no buckets")
        ranges = np.asarray(pack.array(f"{entry.name}_ranges", dtype="<f4", ndim=2))
        model = np.asarray(pack.array(f"{entry.name}_model", dtype="<u2", ndim=2))
        lengths = np.asarray(pack.array(f"{entry.name}_lengths", dtype="<u2", ndim=2))
        data = np.asarray(pack.array(f"{entry.name}_data", dtype="|u1", ndim=1))
        quality = np.asarray(pack.array(f"{entry.name}_quality", dtype="<f4", ndim=2))
        shapes = (ranges.shape, model.shape, lengths.shape, quality.shape)
        expected = (
            (2, NUM_COMBOS),
            (len(nodes), NUM_CONTEXTS),
            (len(classes), len(nodes)),
            (len(classes), len(figures)),
        )
        check(shapes == expected, f"{what}array shapes {shapes}, expected {expected}")
        ends = np.concatenate([[0], np.cumsum(lengths.ravel(), dtype=np.int64)])
        check(ends[-1] == len(data), f"{what}{len(data)} bytes of data, the lengths add up to {ends[-1]}")
        class_at = np.full(NUM_FLOP_CLASSES, -1, dtype=np.int64)
        class_at[classes] = np.arange(len(classes))
        lines.append(
            QuickLine(
                entry.name, entry.betting, entry.pot, nodes, classes, ranges, model, data, ends, quality, class_at
            )
        )
    return QuickFlops(blueprint, lines, figures, class_buckets)
