"""Card-abstraction kernels: histograms of river equity over run-outs, and bucket look-ups.

All arithmetic is on integers, so the same seed gives the same buckets on every machine.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker._isomorphism_kernels import BoardClasses, board_index_kernel
from hedgehog.poker.evaluation._evaluator_kernels import NUM_RANK_CLASSES, EvaluatorTables, rank_combos_kernel
from hedgehog.runtime._random_kernels import random_below
from hedgehog.runtime.jit import njit
from hedgehog.solver.blueprint.cards._clustering_kernels import Centres, nearest_centre
from hedgehog.solver.blueprint.cards._river_kernels import (
    EQUITY,
    NUM_RIVER_FEATURES,
    RiverBuckets,
    combo_level_kernel,
    nearest_part,
    river_bucket,
    river_features_kernel,
    river_levels_kernel,
    sort_combos_kernel,
    sorted_river_buckets_kernel,
)

NUM_BINS: Final = 24
"""Bins of the river-equity histogram."""
NUM_QUANTILE_BINS: Final = 250
"""Bins of the river-equity histogram from which quantiles are taken."""
NUM_FEATURES: Final = NUM_BINS - 1
"""A hand's features: its cumulative histogram without the last bin, which is always full; or as many quantiles."""
FEATURE_SCALE: Final = 4096
"""Value of a full cumulative histogram; a squared distance stays below 2^31."""
BLOCKED: Final = 65535
"""Bucket of a combo that holds a board card; in tables of bytes it is 255."""


class AbstractionTables(NamedTuple):
    """The read-only tables from which kernels look up buckets."""

    hand_class: NDArray[np.uint8]
    """(1326,) preflop bucket 0..168."""
    flop: NDArray[np.unsignedinteger]
    """uint8 or uint16 (1755, 1326) bucket by flop class and combo on the representative; where blocked, the largest
    value of the type."""
    turn: NDArray[np.unsignedinteger]
    """(16432, 1326) bucket by class of four board cards and combo on the representative, of the type of ``flop``."""
    flop_classes: BoardClasses
    turn_classes: BoardClasses
    combo_permutations: NDArray[np.int16]
    """(24, 1326) the combo that each combo becomes under each suit permutation."""
    binomials: NDArray[np.int32]
    """(53, 6) binomial coefficients."""
    combo_cards: NDArray[np.uint8]
    """(1326, 2) low and high card of each combo."""
    evaluator: EvaluatorTables
    river: RiverBuckets


@njit(nogil=True)
def largest_value(table: NDArray[np.unsignedinteger]) -> int:
    """Returns the largest value of a table's type, which is the bucket of blocked combos in it."""
    return 255 if table.itemsize == 1 else BLOCKED


@njit(nogil=True)
def river_bins_kernel(
    bins: NDArray[np.uint8],
    boards: NDArray[np.uint8],
    num_bins: int,
    combo_cards: NDArray[np.uint8],
    evaluator: EvaluatorTables,
    first: int,
    last: int,
) -> None:
    """Writes the histogram bin of every combo on ``boards[first:last]``.

    :param bins: (M, 1326) output: 0..num_bins-1, num_bins where blocked.
    :param boards: (M, 5) the river boards.
    :param num_bins: at most 255.
    """
    ranks = np.empty(1326, dtype=np.int32)
    order = np.empty(1326, dtype=np.int32)
    counts = np.empty(NUM_RANK_CLASSES + 2, dtype=np.int32)
    levels = np.empty(1326, dtype=np.uint16)
    for board in range(first, last):
        rank_combos_kernel(ranks, boards[board], evaluator)
        num_combos = sort_combos_kernel(order, counts, ranks)
        river_levels_kernel(levels, order, ranks, combo_cards, num_combos, num_bins)
        bins[board] = num_bins
        for i in range(num_combos):
            bins[board, order[i]] = levels[order[i]]


@njit(nogil=True)
def features_kernel(
    features: NDArray[np.int32],
    histogram: NDArray[np.int32],
    board: NDArray[np.uint8],
    river_bins: NDArray[np.uint8],
    river_classes: BoardClasses,
    combo_permutations: NDArray[np.int16],
    binomials: NDArray[np.int32],
) -> None:
    """Writes the features of every combo on a flop or turn board, from the histogram over all run-outs.

    The features are the cumulative histogram if it has NUM_BINS bins. With more bins they are quantiles of the cube of
    the equity. The cube counts differences of equity near 1 for more than those near 0.

    :param features: (1326, NUM_FEATURES) output, 0..FEATURE_SCALE; zero for blocked combos.
    :param histogram: (1326, bins + 1) scratch; the last bin takes the run-outs that hit the combo.
    :param board: (3,) or (4,) cards.
    :param river_bins: (134459, 1326) by :func:`river_bins_kernel` over the representatives.
    """
    histogram[:] = 0
    known = len(board)
    cards = np.empty(5, dtype=np.uint8)
    cards[:known] = board
    used = np.zeros(52, dtype=np.bool_)
    for card in board:
        used[card] = True
    for turn in range(52 if known == 3 else 1):  # on a turn board: once, for no card
        if known == 3:
            if used[turn]:
                continue
            cards[3] = turn
        for river in range(turn + 1 if known == 3 else 0, 52):
            if used[river]:
                continue
            cards[4] = river
            index = board_index_kernel(cards, binomials)
            row = river_bins[river_classes.class_of[index]]
            permutation = combo_permutations[river_classes.permutation_of[index]]
            for combo in range(1326):
                histogram[combo, row[permutation[combo]]] += 1
    num_runouts = 46 if known == 4 else 1081
    num_bins = histogram.shape[1] - 1
    if num_bins != NUM_BINS:
        for combo in range(1326):
            below = 0
            i = 0
            for bin_number in range(num_bins):
                below += histogram[combo, bin_number]
                value = FEATURE_SCALE * (2 * bin_number + 1) ** 3 // (2 * num_bins) ** 3
                while i < NUM_FEATURES and 2 * NUM_FEATURES * below >= (2 * i + 1) * num_runouts:
                    features[combo, i] = value
                    i += 1
            if below == 0:  # blocked
                features[combo] = 0
        return
    for combo in range(1326):
        below = 0
        for i in range(NUM_FEATURES):
            below += histogram[combo, i]
            features[combo, i] = below * FEATURE_SCALE // num_runouts


@njit(nogil=True)
def assign_kernel(
    buckets: NDArray[np.unsignedinteger],
    boards: NDArray[np.uint8],
    centres: Centres,
    num_bins: int,
    river_bins: NDArray[np.uint8],
    river_classes: BoardClasses,
    combo_permutations: NDArray[np.int16],
    combo_cards: NDArray[np.uint8],
    binomials: NDArray[np.int32],
    first: int,
    last: int,
) -> None:
    """Writes the number of the nearest centre of every combo on ``boards[first:last]``.

    :param buckets: uint8 or uint16 (M, 1326) output; where the combo holds a board card, the largest value of the type.
    :param boards: (M, 3) or (M, 4).
    """
    features = np.empty((1326, NUM_FEATURES), dtype=np.int32)
    histogram = np.empty((1326, num_bins + 1), dtype=np.int32)
    blocked = largest_value(buckets)
    used = np.zeros(52, dtype=np.bool_)
    for index in range(first, last):
        board = boards[index]
        features_kernel(features, histogram, board, river_bins, river_classes, combo_permutations, binomials)
        used[:] = False
        for card in board:
            used[card] = True
        for combo in range(1326):
            if used[combo_cards[combo, 0]] or used[combo_cards[combo, 1]]:
                buckets[index, combo] = blocked
            else:
                buckets[index, combo] = nearest_centre(centres, features[combo])


@njit(nogil=True)
def sample_features_kernel(
    sample: NDArray[np.int32],
    boards: NDArray[np.uint8],
    cumulative: NDArray[np.int64],
    hands_per_board: int,
    num_bins: int,
    river_bins: NDArray[np.uint8],
    river_classes: BoardClasses,
    combo_permutations: NDArray[np.int16],
    combo_cards: NDArray[np.uint8],
    binomials: NDArray[np.int32],
    rng_state: NDArray[np.uint64],
) -> None:
    """Writes the features of random hands on random boards.

    A board class is drawn with probability proportional to the number of its boards.

    :param sample: (S, NUM_FEATURES) output, S a multiple of ``hands_per_board``.
    :param cumulative: (M,) running total of the multiplicities of ``boards``.
    """
    features = np.empty((1326, NUM_FEATURES), dtype=np.int32)
    histogram = np.empty((1326, num_bins + 1), dtype=np.int32)
    used = np.zeros(52, dtype=np.bool_)
    for start in range(0, len(sample), hands_per_board):
        board = boards[np.searchsorted(cumulative, random_below(cumulative[-1], rng_state), side="right")]
        features_kernel(features, histogram, board, river_bins, river_classes, combo_permutations, binomials)
        used[:] = False
        for card in board:
            used[card] = True
        taken = 0
        while taken < hands_per_board:
            combo = random_below(1326, rng_state)
            if not (used[combo_cards[combo, 0]] or used[combo_cards[combo, 1]]):
                sample[start + taken] = features[combo]
                taken += 1


@njit(nogil=True)
def cut_kernel(
    parts: NDArray[np.uint16],
    buckets: NDArray[np.unsignedinteger],
    boards: NDArray[np.uint8],
    centres: NDArray[np.int32],
    num_bins: int,
    river_bins: NDArray[np.uint8],
    river_classes: BoardClasses,
    combo_permutations: NDArray[np.int16],
    binomials: NDArray[np.int32],
    first: int,
    last: int,
) -> None:
    """Writes the part of its bucket of every combo on ``boards[first:last]``: n times the bucket plus the part.

    :param parts: (M, 1326) output; BLOCKED where the combo holds a board card.
    :param buckets: (M, 1326) by :func:`assign_kernel`.
    :param boards: (M, 3) or (M, 4).
    :param centres: (K, n, NUM_FEATURES) centres of the n parts of each bucket.
    """
    features = np.empty((1326, NUM_FEATURES), dtype=np.int32)
    histogram = np.empty((1326, num_bins + 1), dtype=np.int32)
    blocked = largest_value(buckets)
    for index in range(first, last):
        features_kernel(features, histogram, boards[index], river_bins, river_classes, combo_permutations, binomials)
        for combo in range(1326):
            bucket = int(buckets[index, combo])
            if bucket == blocked:
                parts[index, combo] = BLOCKED
            else:
                parts[index, combo] = bucket * centres.shape[1] + nearest_part(centres[bucket], features[combo])


@njit(nogil=True)
def board_buckets_kernel(
    buckets: NDArray[np.uint16], cards: NDArray[np.uint8], table: NDArray[np.unsignedinteger], tables: AbstractionTables
) -> None:
    """Writes the flop or turn buckets of all combos, BLOCKED where a combo holds a board card.

    :param buckets: (1326,) output.
    :param cards: (3,) or (4,) board cards in any order.
    :param table: ``tables.flop`` or ``tables.turn``.
    """
    classes = tables.flop_classes if len(cards) == 3 else tables.turn_classes
    index = board_index_kernel(cards, tables.binomials)
    row = table[classes.class_of[index]]
    blocked = largest_value(table)
    permutation = tables.combo_permutations[classes.permutation_of[index]]
    for combo in range(1326):
        bucket = row[permutation[combo]]
        buckets[combo] = BLOCKED if bucket == blocked else bucket


@njit(nogil=True)
def river_buckets_kernel(buckets: NDArray[np.uint16], cards: NDArray[np.uint8], tables: AbstractionTables) -> None:
    """Writes the river buckets of all combos, BLOCKED where a combo holds a board card.

    :param buckets: (1326,) output.
    :param cards: (5,) board cards.
    """
    ranks = np.empty(1326, dtype=np.int32)
    order = np.empty(1326, dtype=np.int32)
    counts = np.empty(NUM_RANK_CLASSES + 2, dtype=np.int32)
    rank_combos_kernel(ranks, cards, tables.evaluator)
    num_combos = sort_combos_kernel(order, counts, ranks)
    buckets[:] = BLOCKED
    sorted_river_buckets_kernel(buckets, order, ranks, tables.combo_cards, num_combos, tables.river)


@njit(nogil=True)
def combo_river_bucket_kernel(combo: int, ranks: NDArray[np.int32], tables: AbstractionTables) -> int:
    """Returns the river bucket of one combo that misses the board.

    :param ranks: (1326,) ranks of all combos on the board, negative where blocked.
    """
    if tables.river.kind == EQUITY:
        return combo_level_kernel(combo, ranks, tables.combo_cards, tables.river.num_buckets)
    order = np.empty(1326, dtype=np.int32)
    counts = np.empty(NUM_RANK_CLASSES + 2, dtype=np.int32)
    features = np.empty((1326, NUM_RIVER_FEATURES), dtype=np.int32)
    num_combos = sort_combos_kernel(order, counts, ranks)
    river_features_kernel(features, order, ranks, tables.combo_cards, num_combos, tables.river)
    return river_bucket(features[combo], tables.river)


@njit(nogil=True)
def combo_bucket_kernel(combo: int, cards: NDArray[np.uint8], tables: AbstractionTables) -> int:
    """Returns the flop, turn or river bucket of one combo that misses the board.

    :param cards: (3,), (4,) or (5,) board cards in any order.
    """
    if len(cards) == 5:
        ranks = np.empty(1326, dtype=np.int32)
        rank_combos_kernel(ranks, cards, tables.evaluator)
        return combo_river_bucket_kernel(combo, ranks, tables)
    classes, table = tables.turn_classes, tables.turn
    if len(cards) == 3:
        classes, table = tables.flop_classes, tables.flop
    index = board_index_kernel(cards, tables.binomials)
    permuted = tables.combo_permutations[classes.permutation_of[index], combo]
    return int(table[classes.class_of[index], permuted])
