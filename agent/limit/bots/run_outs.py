"""Equities of hands over the boards to come, raised to the number of opponents.

On a final board a hand has an equity q against one random hand. Its equity against n random hands is taken as the n-th
power of q, and the mean over all boards that can come is taken of the power. On turn and river the mean is exact. On
the flop and before it a table serves, which cuts q on the final board into 255 equal steps.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit.bots import _run_out_kernels as kernels
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_index, combo_mask
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.poker.isomorphism import BINOMIALS, COMBO_PERMUTATIONS, NUM_BOARD_CLASSES, board_classes, flop_class
from hedgehog.runtime.jit import cache_home
from hedgehog.runtime.machine import num_processors
from hedgehog.solver.blueprint.cards._abstraction_kernels import river_bins_kernel
from hedgehog.solver.blueprint.cards.card_tables import StoredTable, load_or_build, over_parts

MOST_OPPONENTS: Final = 2
NUM_BINS: Final = 255
SCALE: Final = 65535
_VERSION: Final = 1
_MOST_KEPT: Final = 100_000


def _build(say: Callable[[str], None]) -> NDArray[np.uint16]:
    say("run-out table: building (once per machine)")
    rivers, flops = board_classes(5), board_classes(3)
    bins = np.empty((NUM_BOARD_CLASSES[5], NUM_COMBOS), dtype=np.uint8)
    moments = np.empty((NUM_BOARD_CLASSES[3], NUM_COMBOS, MOST_OPPONENTS), dtype=np.uint16)
    threads = num_processors()
    over_parts(threads, river_bins_kernel, bins, rivers.representatives, NUM_BINS, COMBO_CARDS, evaluator_tables())
    over_parts(
        threads,
        kernels.flop_moments_kernel,
        *(moments, flops.representatives, bins, rivers, COMBO_PERMUTATIONS, BINOMIALS, NUM_BINS),
    )
    return moments


@cache
def flop_moments() -> NDArray[np.uint16]:
    """Returns the table of the flop: uint16 (1755, 1326, 2), mean powers of the equity in 1/65535.

    It is read from the cache of this machine, or built in about half a minute and stored there.
    """
    kind = StoredTable(f"run-outs-v{_VERSION}", (NUM_BOARD_CLASSES[3], NUM_COMBOS, MOST_OPPONENTS), np.uint16, _build)
    say = partial(print, file=sys.stderr, flush=True)
    table: NDArray[np.uint16] = load_or_build(kind, cache_home() / "tables", say)[0]
    return table


@cache
def preflop_moments() -> NDArray[np.float64]:
    """Returns the mean powers of the equity of every hand class over all boards, float64 (169, 2)."""
    classes = board_classes(3)
    free = np.stack([combo_mask(flop.tolist()) for flop in classes.representatives]).astype(np.float64)
    weights = free * classes.multiplicities[:, np.newaxis]
    sums = np.einsum("fc,fcn->cn", weights, flop_moments() / SCALE)
    means = sums / weights.sum(axis=0)[:, np.newaxis]
    # A combo's flops are those of its class with other suits, so that all combos of a class share their flops.
    totals = np.zeros((NUM_HAND_CLASSES, MOST_OPPONENTS))
    np.add.at(totals, HAND_CLASS, means * weights.sum(axis=0)[:, np.newaxis])
    counts = np.bincount(HAND_CLASS, weights=weights.sum(axis=0))
    return totals / counts[:, np.newaxis]


class RunOuts:
    """Looks up or computes equities over run-outs, and keeps them."""

    def __init__(self) -> None:
        self._preflop = preflop_moments()
        self._flop = flop_moments()
        self._left = np.empty(14, dtype=np.int64)
        self.equity = lru_cache(_MOST_KEPT)(self._equity)
        """Returns the mean n-th power of a hand's equity, given its two card ids, those of the board, none or three to
        five, and the number n of opponents, 1 or 2."""

    def _equity(self, hole_cards: tuple[int, ...], board: tuple[int, ...], opponents: int) -> float:
        low, high = hole_cards
        if not board:
            return float(self._preflop[HAND_CLASS[combo_index(low, high)], opponents - 1])
        if len(board) == 3:
            number, permutation = flop_class(board)
            combo = COMBO_PERMUTATIONS[permutation, combo_index(low, high)]
            return float(self._flop[number, combo, opponents - 1]) / SCALE
        cards = np.zeros(5, dtype=np.uint8)
        cards[: len(board)] = board
        hand = np.array(hole_cards, dtype=np.uint8)
        return float(kernels.late_moment_kernel(hand, cards, len(board), opponents, self._left, evaluator_tables()))

    def equities(self, board: Sequence[int], opponents: int) -> NDArray[np.float64]:
        """Returns what :meth:`equity` returns, for all combos: float64 (1326,), NaN where the board blocks it."""
        if not board:
            return np.asarray(self._preflop[HAND_CLASS, opponents - 1])
        if len(board) == 3:
            number, permutation = flop_class(board)
            values = self._flop[number, COMBO_PERMUTATIONS[permutation], opponents - 1] / SCALE
            return np.where(combo_mask(board), values, np.nan)
        cards = np.zeros(5, dtype=np.uint8)
        cards[: len(board)] = board
        out = np.empty(NUM_COMBOS)
        kernels.late_moments_kernel(out, cards, len(board), opponents, COMBO_CARDS, evaluator_tables())
        return out
