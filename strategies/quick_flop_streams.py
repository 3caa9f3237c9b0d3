"""The streams of a quick flop pack: which hands a stream holds, in which order, and the codes of their rows.

A *canonical* hand is the first of the hands that the suit symmetries of a flop make equal. The row of a canonical hand
is either the blueprint's own row of the hand's bucket, which has code 0, or a row in sixteenths, whose code is its
place in the table of the decision, the most frequent row first. A stream holds the codes of one decision on
:data:`GROUP` consecutive flop classes, compressed by LZMA: the low bytes, and then, if the table needs them, the high
bytes. Hands that the acting player never has at the flop are left out. The others stand in the order of their buckets,
so that hands that play alike are neighbours.
"""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, SUIT_PERMUTATIONS, board_classes, frozen
from hedgehog.poker.streets import FLOP
from hedgehog.strategies.betting_tree import BettingTree, subtree
from hedgehog.strategies.blueprint_pack import BlueprintTable
from hedgehog.strategies.flop_pack import NUM_FLOP_CLASSES
from hedgehog.strategies.flop_turns import decisions_on
from hedgehog.strategies.quantize import SCALE, quantize_rows

LEVELS: Final = 16
MAX_ACTIONS: Final = 8
"""Most actions of a flop decision."""
GROUP: Final = 128
"""Flop classes of a stream: more make smaller packs and slower first looks."""
MIN_REACH: Final = 0.003
"""Range weight times the probability of the hand's own actions on the flop, below which its row is not stored."""
TOLERANCE: Final = 1 / 32
"""A row is not stored if no probability differs more than this from the blueprint's."""
_LZMA: Final = {
    "id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 20, "lc": 0, "lp": 0, "pb": 0,
}  # fmt: skip


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
    canonical = _canonical(tuple(kept.tolist()))
    return frozen(np.where(combo_mask(tuple(board.tolist())), canonical, -1).astype(np.int16))


def own_hands(flop_class: int) -> NDArray[np.int64]:
    """Returns the combos that are their own canonical hands on a flop class, ascending."""
    return np.flatnonzero(canonical_hands(flop_class) == np.arange(NUM_COMBOS))


@lru_cache(maxsize=NUM_FLOP_CLASSES)
def hand_numbers(flop_class: int) -> NDArray[np.int16]:
    """Returns the place of every combo's canonical hand among :func:`own_hands`: int16 (1326,), -1 where blocked."""
    canonical = canonical_hands(flop_class)
    return np.where(canonical >= 0, np.searchsorted(own_hands(flop_class), canonical), -1).astype(np.int16)


def line_decisions(tree: BettingTree, first: int) -> NDArray[np.int64]:
    """Returns the flop decisions of the preflop line whose first flop decision is ``first``, ascending."""
    small, originals = subtree(tree, first)
    return originals[decisions_on(small, FLOP)].astype(np.int64)


class PackHands:
    """The canonical hands of all flop classes of a pack, class by class, in combo order."""

    def __init__(self, classes: Sequence[int], buckets: NDArray[np.uint8]) -> None:
        """
        :param classes: flop classes, ascending.
        :param buckets: (hands,) flop bucket of every hand.
        """
        own = [own_hands(flop_class) for flop_class in classes]
        self.combos = np.concatenate([np.zeros(0, np.int64), *own]).astype(np.int16)
        self.starts = np.cumsum([0, *map(len, own)])
        """(classes + 1,) first hand of each class."""
        self.place = np.full(NUM_FLOP_CLASSES, -1)
        """(1755,) place of each flop class among those of the pack, -1 where it is missing."""
        self.place[list(classes)] = np.arange(len(classes))
        self.num_groups = -(-len(classes) // GROUP)
        self.buckets = buckets
        self._orders: dict[int, NDArray[np.int64]] = {}

    def span(self, group: int) -> slice:
        """Returns which hands belong to a group of classes."""
        first = group * GROUP
        return slice(int(self.starts[first]), int(self.starts[min(first + GROUP, len(self.starts) - 1)]))

    def of_classes(self, classes: NDArray[Any], group: int) -> NDArray[np.bool_]:
        """Tells which hands of a group belong to some of the pack's classes."""
        chosen = np.zeros(len(self.starts) - 1, dtype=np.bool_)
        chosen[self.place[classes]] = True
        part = slice(group * GROUP, (group + 1) * GROUP)
        return np.repeat(chosen[part], np.diff(self.starts)[part])

    def stream(self, group: int, classes: NDArray[Any], in_range: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Returns the hands of a stream in its order, counted from the first of the group.

        :param classes: the line's flop classes.
        :param in_range: (1326,) the combos that the acting player can have.
        """
        span = self.span(group)
        if group not in self._orders:
            self._orders[group] = np.argsort(self.buckets[span], kind="stable")
        order = self._orders[group]
        kept = in_range[self.combos[span]] & self.of_classes(classes, group)
        return order[kept[order]]


def compress(codes: NDArray[Any], num_rows: int) -> bytes:
    """Returns a stream.

    :param codes: below ``num_rows``.
    """
    planes = [codes & 255, codes >> 8] if num_rows > 256 else [codes]
    return lzma.compress(np.concatenate(planes).astype(np.uint8).tobytes(), lzma.FORMAT_RAW, filters=[_LZMA])


def decompress(data: NDArray[np.uint8], count: int, num_rows: int) -> NDArray[Any]:
    """Returns the ``count`` codes of a stream, all below ``num_rows``: uint8, or uint16 if that is not enough.

    :raises ValueError: if the stream holds anything else.
    """
    num_bytes = 2 * count if num_rows > 256 else count
    decoder = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[_LZMA])
    try:
        found = np.frombuffer(decoder.decompress(data.tobytes(), num_bytes + 1), dtype=np.uint8)
    except lzma.LZMAError as error:
        raise ValueError(str(error)) from None
    if len(found) != num_bytes or not decoder.eof or decoder.unused_data:
        raise ValueError(f"expected {num_bytes} bytes")
    codes = found[:count] | found[count:].astype(np.uint16) << 8 if num_rows > 256 else found
    if count and int(codes.max()) >= num_rows:
        raise ValueError(f"expected codes below {num_rows}")
    return codes


def level_keys(levels: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Returns one number above 0 for each row (hands, actions) in sixteenths; different rows have different ones."""
    keys: NDArray[np.int32] = 1 + levels[:, :-1].astype(np.int32) @ (LEVELS + 1) ** np.arange(
        levels.shape[1] - 1, dtype=np.int32
    )
    return keys


def rows_of_keys(keys: NDArray[np.int32], num_actions: int) -> NDArray[np.uint8]:
    """Returns the rows of :func:`level_keys` as bytes that sum to 255."""
    levels = (keys[:, None] - 1) // (LEVELS + 1) ** np.arange(num_actions - 1) % (LEVELS + 1)
    ends = (np.cumsum(levels, axis=1) * SCALE + LEVELS // 2) // LEVELS
    return np.diff(ends, axis=1, prepend=0, append=SCALE).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class EncodedLine:
    """The arrays of a line without its name: ``nodes``, ``classes``, ``ranges``, ``row_counts``, ``rows``, ``lengths``,
    ``data``."""

    arrays: dict[str, NDArray[Any]]
    error: float
    """Mean absolute difference between stored and given probabilities, weighted by the hands that get there."""
    stored: float
    """Share of the rows of hands in range that are stored; the others are the blueprint's."""


def encode_line(
    table: BlueprintTable,
    first: int,
    ranges: NDArray[np.float32],
    hands: PackHands,
    classes: NDArray[Any],
    rows: Sequence[Sequence[NDArray[np.uint8]]],
) -> EncodedLine:
    """Encodes the refined strategies of one preflop line.

    :param first: first flop decision of the line in the blueprint tree.
    :param ranges: (2, 1326) range weights of OOP and IP, largest weight 1.
    :param hands: of all classes of the pack, with their buckets.
    :param classes: flop classes of the line, ascending.
    :param rows: by class and flop decision (canonical hands, actions), summing to 255.
    """
    tree = table.tree
    nodes = line_decisions(tree, first)
    keys = np.zeros((len(nodes), len(hands.combos)), dtype=np.int32)
    error = weight = 0.0
    num_rows = num_stored = 0
    for flop_class, of_class in zip(classes, rows, strict=True):
        place = int(hands.place[flop_class])
        span = slice(int(hands.starts[place]), int(hands.starts[place + 1]))
        own, canonical = hands.combos[span], canonical_hands(int(flop_class))
        orbit = np.bincount(canonical[canonical >= 0], minlength=NUM_COMBOS)[own]
        reach = {first: ranges[:, own].astype(np.float64)}
        for i, (node, given) in enumerate(zip(nodes.tolist(), of_class, strict=True)):
            player = int(tree.player[node])
            mine = reach[node][player]
            prior = table.block(node)[hands.buckets[span]]
            levels = quantize_rows(given, LEVELS)
            far = np.abs(given.astype(np.int64) - prior.astype(np.int64)).max(axis=1) > TOLERANCE * SCALE
            stored = far & (mine >= MIN_REACH)
            played = np.where(stored[:, None], levels / LEVELS, prior / SCALE)
            keys[i, span] = np.where(stored, level_keys(levels), 0)
            error += float((np.abs(played - given / SCALE).mean(axis=1) * mine * orbit).sum())
            weight += float((mine * orbit).sum())
            num_rows += int(np.count_nonzero(ranges[player, own] > 0))
            num_stored += int(np.count_nonzero(stored))
            for action, child in enumerate(tree.children(node)):
                after = reach[node].copy()
                after[player] = mine * played[:, action]
                reach[child] = after
    arrays = line_arrays(tree, nodes, ranges, hands, classes, keys)
    return EncodedLine(arrays, error / max(weight, 1e-30), num_stored / max(num_rows, 1))


def line_arrays(
    tree: BettingTree,
    nodes: NDArray[np.int64],
    ranges: NDArray[np.float32],
    hands: PackHands,
    classes: NDArray[Any],
    keys: NDArray[np.int32],
) -> dict[str, NDArray[Any]]:
    """Returns the arrays of a line, see :class:`EncodedLine`.

    :param keys: (decisions, hands of the pack) :func:`level_keys` of the stored rows, 0 where there is none.
    """
    streams: list[bytes] = []
    tables = []
    for node, of_node in zip(nodes.tolist(), keys, strict=True):
        in_range = ranges[int(tree.player[node])] > 0
        parts = [of_node[hands.span(g)][hands.stream(g, classes, in_range)] for g in range(hands.num_groups)]
        found, codes, counts = np.unique(np.concatenate([[0], *parts]), return_inverse=True, return_counts=True)
        counts[0] = len(of_node) + 2  # the blueprint's rows come first
        order = np.argsort(-counts, kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        tables.append(rows_of_keys(found[order[1:]], int(tree.num_children[node])))
        ends = np.cumsum([len(part) for part in parts])
        streams += [compress(part, len(order)) for part in np.split(rank[codes[1:]], ends[:-1])]
    return {
        "nodes": nodes.astype("<i4"),
        "classes": np.asarray(classes, dtype="<i2"),
        "ranges": ranges.astype("<f4"),
        "row_counts": np.array([len(rows) for rows in tables], dtype="<i4"),
        "rows": np.concatenate([rows.ravel() for rows in tables]),
        "lengths": np.array([len(stream) for stream in streams], dtype="<i4").reshape(len(nodes), hands.num_groups),
        "data": np.frombuffer(b"".join(streams), dtype=np.uint8),
    }
