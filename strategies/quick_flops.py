"""Quick-tier flop packs: the blueprint's flop decisions, refined for the exact hands of every flop class.

A quick pack has no betting tree: it overrides decisions of one blueprint, whose digest stands in its configuration as
``blueprint_digest``. Beside it stands :data:`VERSION` as ``quick_version``. The rows of the hands that the suit
symmetries of a flop leave different are stored in compressed streams (:mod:`hedgehog.strategies.quick_flop_streams`). A
row is either stored, in sixteenths, or it is the blueprint's own row of the hand's bucket: where the hand's range
weight is zero, where its own actions on the flop hardly ever lead to the decision, and where the two rows are nearly
the same.

Arrays, for all lines (C classes):

* ``quick_classes``: ``<i2`` (C,) ascending flop class numbers; the groups of the streams count from the first of them.
* ``quick_buckets``: ``|u1``, flop bucket of every canonical hand, class by class, hands in combo order.

Arrays of a line called ``NAME`` (L classes, N flop decisions, G groups, B bytes):

* ``NAME_nodes``: ``<i4`` (N,) blueprint nodes: all flop decisions of the line, ascending.
* ``NAME_classes``: ``<i2`` (L,) ascending flop class numbers, some of ``quick_classes``.
* ``NAME_ranges``: ``<f4`` (2, 1326) range weights of OOP and IP at the flop, before cards on the flop are removed.
* ``NAME_row_counts``: ``<i4`` (N,) different rows that are stored of each decision.
* ``NAME_rows``: ``|u1``, these rows, decision by decision, each summing to 255; the first has code 1.
* ``NAME_lengths``: ``<i4`` (N, G) bytes of each stream; ``NAME_data``: ``|u1`` (B,) the streams in that order.
* ``NAME_quality``: ``<f4`` (L, figures) as named by ``config["figures"]``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.runtime.errors import PackError
from hedgehog.strategies.betting_tree import NodeKind, betting_text
from hedgehog.strategies.blueprint_pack import BlueprintTable, recorded_blueprint, verify_blueprint
from hedgehog.strategies.flop_pack import NUM_FLOP_CLASSES, QUICK_TIER
from hedgehog.strategies.pack import StrategyPack
from hedgehog.strategies.quantize import SCALE
from hedgehog.strategies.quick_flop_streams import GROUP, PackHands, decompress, hand_numbers, line_decisions
from hedgehog.strategies.soundness import verify_weights

VERSION: Final = 2
VERSION_KEY: Final = "quick_version"
CACHED_BYTES: Final = 48 << 20
"""Bytes of decompressed streams that a reader keeps at most, besides the last one."""
_MAX_BUCKETS: Final = 256


@dataclass(frozen=True, slots=True)
class QuickLine:
    """One preflop line of a quick pack."""

    name: str
    betting: str
    pot: int
    nodes: NDArray[np.int64]
    classes: NDArray[np.int16]
    ranges: NDArray[np.float32]
    rows: list[NDArray[np.uint8]]
    """(codes, actions) by decision; the row of code 0, which stands for the blueprint's row, is empty."""
    data: NDArray[np.uint8]
    ends: NDArray[np.int64]
    """(decisions * groups + 1,) stream ``i`` is ``ends[i] .. ends[i + 1]`` of ``data``."""
    quality: NDArray[np.float32]
    class_at: NDArray[np.int64]
    """(1755,) index of each flop class, -1 where the line lacks it."""


class QuickFlops:
    """The refined flop strategies of one pack, for one thread."""

    def __init__(
        self,
        source: str,
        blueprint: BlueprintTable,
        lines: Sequence[QuickLine],
        figures: Sequence[str],
        hands: PackHands,
    ) -> None:
        """
        :param source: the pack's folder, for messages.
        :param figures: names of the columns of each line's ``quality``.
        """
        self.blueprint = blueprint
        self.lines = tuple(lines)
        self.figures = tuple(figures)
        self._source = source
        self._hands = hands
        self._where = {int(node): (line, i) for line in lines for i, node in enumerate(line.nodes)}
        self._streams: dict[tuple[int, int], NDArray[Any]] = {}
        self._cached_bytes = 0

    def covers(self, node: int, flop_class: int) -> bool:
        """Tells whether the pack has rows for a blueprint node on a flop class."""
        found = self._where.get(node)
        return found is not None and found[0].class_at[flop_class] >= 0

    def block(self, node: int, flop_class: int) -> NDArray[np.uint8]:
        """Returns the rows of a blueprint node on a flop class that it covers.

        :returns: uint8 (1176, actions), rows summing to 255: the live combos of the class representative, ascending.
        :raises KeyError: if the pack does not cover them.
        :raises PackError: if the stream is damaged.
        """
        rows, codes, buckets = self._coded(node, flop_class)
        own = np.where((codes > 0)[:, None], rows[codes], self.blueprint.block(node)[buckets])
        numbers = hand_numbers(flop_class)
        return own[numbers[numbers >= 0]]

    def row(self, node: int, flop_class: int, combo: int) -> NDArray[np.uint8]:
        """Returns one row of :meth:`block`: uint8 (actions,).

        :param combo: a combo that misses the class representative.
        """
        rows, codes, buckets = self._coded(node, flop_class)
        hand = hand_numbers(flop_class)[combo]
        code = codes[hand]
        found: NDArray[np.uint8] = rows[code] if code else self.blueprint.block(node)[buckets[hand]]
        return found

    def _coded(self, node: int, flop_class: int) -> tuple[NDArray[np.uint8], NDArray[Any], NDArray[np.uint8]]:
        """Returns the rows by code of a node, and the codes and buckets of the canonical hands of a flop class."""
        line, index = self._where[node]
        if line.class_at[flop_class] < 0:
            raise KeyError((node, flop_class))
        place = int(self._hands.place[flop_class])
        start, end = self._hands.starts[place : place + 2].tolist()
        group = place // GROUP
        codes = self._streams.pop((node, group), None)
        if codes is None:
            codes = self._decompress(line, index, group)
            self._cached_bytes += codes.nbytes
            while self._streams and self._cached_bytes > CACHED_BYTES:
                self._cached_bytes -= self._streams.pop(next(iter(self._streams))).nbytes
        self._streams[node, group] = codes  # the last of the dictionary is the last used
        first = self._hands.span(group).start
        return line.rows[index], codes[start - first : end - first], self._hands.buckets[start:end]

    def _decompress(self, line: QuickLine, index: int, group: int) -> NDArray[Any]:
        """Returns the codes of all hands of a group of classes."""
        node = int(line.nodes[index])
        in_range = line.ranges[int(self.blueprint.tree.player[node])] > 0
        hands = self._hands.stream(group, line.classes, in_range)
        stream = index * self._hands.num_groups + group
        data = line.data[int(line.ends[stream]) : int(line.ends[stream + 1])]
        try:
            codes = decompress(data, len(hands), len(line.rows[index]))
        except ValueError as error:
            message = f"line {line.name!r}: the stream of node {node}, group {group}, is damaged: {error}"
            raise PackError(message, source=self._source) from None
        span = self._hands.span(group)
        found = np.zeros(span.stop - span.start, dtype=codes.dtype)
        found[hands] = codes
        return found

    def row_faults(self, on_progress: Callable[[float], None] = lambda share: None) -> int:
        """Decodes everything and counts the rows that do not sum to 255 (0 in a sound pack on a sound blueprint).

        :param on_progress: called with the share that is decoded, from 0 to 1.
        :raises PackError: if a stream is damaged.
        """
        faults = 0
        for done, (node, (line, _)) in enumerate(self._where.items()):
            on_progress(done / len(self._where))
            for flop_class in line.classes.tolist():
                faults += int(np.count_nonzero(self.block(node, flop_class).sum(axis=1, dtype=np.int64) != SCALE))
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
    version = manifest.config.get(VERSION_KEY, 1)
    again = f"this program reads version {VERSION}: build the pack again with `hedgehog pack build`"
    check(version == VERSION, f"quick flops of version {version!r}, {again}")
    figures = manifest.config.get("figures")
    if not (isinstance(figures, list) and all(isinstance(name, str) for name in figures)):
        raise PackError(f"config.figures is {figures!r}, expected a list of names", source=source)
    num_buckets = blueprint.buckets[1]
    check(num_buckets <= _MAX_BUCKETS, f"the blueprint has {num_buckets} flop buckets, expected at most {_MAX_BUCKETS}")

    def classes_of(name: str) -> NDArray[np.int16]:
        classes = np.asarray(pack.array(name, dtype="<i2", ndim=1))
        sound = not len(classes) or (
            classes[0] >= 0 and classes[-1] < NUM_FLOP_CLASSES and bool(np.all(classes[1:] > classes[:-1]))
        )
        check(sound, f"array {name!r}: flop classes must ascend within 0..{NUM_FLOP_CLASSES - 1}")
        return classes

    covered = classes_of("quick_classes")
    buckets = np.asarray(pack.array("quick_buckets", dtype="|u1", ndim=1))
    hands = PackHands(covered.tolist(), buckets)
    check(
        len(buckets) == hands.starts[-1],
        f"quick_buckets has {len(buckets)} entries, the classes need {hands.starts[-1]}",
    )
    check(not len(buckets) or int(buckets.max()) < num_buckets, f"quick_buckets must be below {num_buckets}")

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
        check(entry.pot == tree.pot(first), f"{what}the pot is {entry.pot}, the blueprint's is {tree.pot(first)}")
        classes = classes_of(f"{entry.name}_classes")
        check(bool(np.all(hands.place[classes] >= 0)), f"{what}a class has no buckets")
        ranges = np.asarray(pack.array(f"{entry.name}_ranges", dtype="<f4", ndim=2))
        counts = np.asarray(pack.array(f"{entry.name}_row_counts", dtype="<i4", ndim=1)).astype(np.int64)
        stored = np.asarray(pack.array(f"{entry.name}_rows", dtype="|u1", ndim=1))
        lengths = np.asarray(pack.array(f"{entry.name}_lengths", dtype="<i4", ndim=2)).astype(np.int64)
        data = np.asarray(pack.array(f"{entry.name}_data", dtype="|u1", ndim=1))
        quality = np.asarray(pack.array(f"{entry.name}_quality", dtype="<f4", ndim=2))
        shapes = (ranges.shape, counts.shape, lengths.shape, quality.shape)
        expected = (
            (2, NUM_COMBOS),
            (len(nodes),),
            (len(nodes), hands.num_groups),
            (len(classes), len(figures)),
        )
        check(shapes == expected, f"{what}array shapes {shapes}, expected {expected}")
        verify_weights(source, f"{entry.name}_ranges", ranges)
        verify_weights(source, f"{entry.name}_quality", quality)
        ends = np.concatenate([[0], np.cumsum(lengths)])
        check(
            bool(np.all(lengths >= 0)) and ends[-1] == len(data),
            f"{what}{len(data)} bytes of data, the lengths add up to {ends[-1]}",
        )
        actions = tree.num_children[nodes].astype(np.int64)
        check(
            bool(np.all(counts >= 0)) and int(counts @ actions) == len(stored),
            f"{what}{len(stored)} bytes of rows, the counts and actions do not give that",
        )
        rows = [
            np.concatenate([np.zeros((1, count), np.uint8), part.reshape(-1, count)])
            for part, count in zip(np.split(stored, np.cumsum(counts * actions)[:-1]), actions.tolist(), strict=True)
        ]
        check(
            all(bool(np.all(part[1:].sum(axis=1, dtype=np.int64) == SCALE)) for part in rows),
            f"{what}a row does not sum to {SCALE}",
        )
        class_at = np.full(NUM_FLOP_CLASSES, -1, dtype=np.int64)
        class_at[classes] = np.arange(len(classes))
        lines.append(
            QuickLine(entry.name, entry.betting, entry.pot, nodes, classes, ranges, rows, data, ends, quality, class_at)
        )
    return QuickFlops(source, blueprint, lines, figures, hands)
