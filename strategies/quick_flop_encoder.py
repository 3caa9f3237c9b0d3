"""Writes the blocks of a quick flop pack: what is stored of a refined strategy, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from poker.cards import NUM_COMBOS
from strategies._quick_flop_kernels import LEAST, LEVELS, NUM_CONTEXTS
from strategies.blueprint_pack import BlueprintTable
from strategies.quantize import SCALE, quantize_rows
from strategies.quick_flop_coding import (
    Block,
    BlockCoder,
    NodeCoding,
    canonical_hands,
    line_decisions,
    node_coding,
    own_hands,
)

MIN_REACH: Final = 0.003
"""Range weight times the probability of the hand's own actions on the flop, below which its row is not stored."""
TOLERANCE: Final = 1 / 32
"""A row is not stored if no probability differs more than this from the blueprint's."""
MODEL_CLASSES: Final = 200
"""Classes, evenly spread, that the coder's starting probabilities are counted on."""
_SMOOTHING: Final = 8.0


@dataclass(frozen=True, slots=True)
class EncodedLine:
    """The arrays of a line without its name: ``nodes``, ``classes``, ``ranges``, ``model``, ``lengths``, ``data``."""

    arrays: dict[str, NDArray[Any]]
    error: float
    """Mean absolute difference between stored and given probabilities, weighted by the hands that get there."""
    stored: float
    """Share of the rows of hands in range that are stored; the others are the blueprint's."""


def encode_line(
    table: BlueprintTable,
    first: int,
    ranges: NDArray[np.float32],
    classes: Sequence[int],
    rows: Sequence[Sequence[NDArray[np.uint8]]],
    buckets: Sequence[NDArray[np.uint8]],
) -> EncodedLine:
    """Encodes the refined strategies of one preflop line.

    :param first: first flop decision of the line in the blueprint tree.
    :param ranges: (2, 1326) range weights of OOP and IP, largest weight 1.
    :param classes: flop classes, ascending.
    :param rows: by class and flop decision (canonical hands, actions), summing to 255.
    :param buckets: by class the flop bucket of each canonical hand.
    """
    encoder = _LineEncoder(table, first, ranges)
    step = max(1, len(classes) // MODEL_CLASSES)
    for i in range(0, len(classes), step):
        encoder.code(classes[i], rows[i], buckets[i], count=True)
    encoder.fit_model()
    blocks = [encoder.code(*each) for each in zip(classes, rows, buckets, strict=True)]
    lengths = np.array([[len(block) for block in of_class] for of_class in blocks], dtype="<u2")
    data = np.frombuffer(b"".join(block for of_class in blocks for block in of_class), dtype=np.uint8)
    arrays: dict[str, NDArray[Any]] = {
        "nodes": encoder.nodes.astype("<i4"),
        "classes": np.array(classes, dtype="<i2"),
        "ranges": ranges.astype("<f4"),
        "model": np.stack([coding.model for coding in encoder.codings]).astype("<u2"),
        "lengths": lengths.reshape(len(classes), len(encoder.nodes)),
        "data": data,
    }
    return EncodedLine(
        arrays, float(encoder.error / max(encoder.weight, 1e-30)), encoder.num_stored / max(encoder.num_rows, 1)
    )


class _LineEncoder:
    def __init__(self, table: BlueprintTable, first: int, ranges: NDArray[np.float32]) -> None:
        self._tree = table.tree
        self._first = first
        self._ranges = ranges
        self._coder = BlockCoder()
        self.nodes = line_decisions(table.tree, first)
        even = np.full(NUM_CONTEXTS, 1 << 15, dtype=np.uint16)
        self.codings: list[NodeCoding] = [node_coding(table, first, int(n), ranges, even) for n in self.nodes]
        self._counts = np.zeros((len(self.nodes), NUM_CONTEXTS, 2))
        self.error = self.weight = 0.0
        self.num_rows = self.num_stored = 0

    def code(
        self,
        index: int,
        rows: Sequence[NDArray[np.uint8]],
        buckets: NDArray[np.uint8],
        count: bool = False,
    ) -> list[bytes]:
        """Returns the blocks of a flop class, or counts the answers for the model instead."""
        coder = self._coder
        canonical = canonical_hands(index)
        own = own_hands(index)
        orbit = np.bincount(canonical[canonical >= 0], minlength=NUM_COMBOS)[own]
        reach = {self._first: self._ranges[:, own].astype(np.float64)}
        blocks = []
        for i, (node, coding, given) in enumerate(zip(self.nodes, self.codings, rows, strict=True)):
            player = int(self._tree.player[node])
            mine = reach[int(node)][player]
            prior = coding.prior[buckets]
            levels = quantize_rows(given, LEVELS)
            far = np.abs(given.astype(np.int64) - prior.astype(np.int64)).max(axis=1) > TOLERANCE * SCALE
            stored = far & (mine >= MIN_REACH)
            played = np.where(stored[:, None], levels / LEVELS, prior / SCALE)
            coder.levels[own, : coding.num_actions] = levels
            coder.kept[own] = ~stored
            if count:
                self._counts[i] += coder.count(Block(coding, canonical, buckets))
            else:
                blocks.append(coder.encode(Block(coding, canonical, buckets)))
                weight = mine * orbit
                self.error += float((np.abs(played - given / SCALE).mean(axis=1) * weight).sum())
                self.weight += float(weight.sum())
                self.num_rows += int(np.count_nonzero(coding.in_range[own]))
                self.num_stored += int(np.count_nonzero(stored))
            for action, child in enumerate(self._tree.children(int(node))):
                after = reach[int(node)].copy()
                after[player] = mine * played[:, action]
                reach[child] = after
        return blocks

    def fit_model(self) -> None:
        """Sets the starting probabilities from the counted answers; rare contexts follow the line as a whole."""
        total = self._counts.sum(axis=0)
        common = (total[:, 1] + 0.5) / (total.sum(axis=1) + 1)
        yes = self._counts[:, :, 1] + _SMOOTHING * common
        model = yes / (self._counts.sum(axis=2) + _SMOOTHING)
        for i, coding in enumerate(self.codings):
            coding.model[:] = np.clip(np.rint(model[i] * 65_536), LEAST, 65_536 - LEAST)
