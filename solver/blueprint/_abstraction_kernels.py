"""Card-abstraction kernels: river equities, histograms over run-outs, integer k-means, bucket look-ups.

All arithmetic is on integers, so the same seed gives the same buckets on every machine.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poker._evaluator_kernels import NUM_RANK_CLASSES, EvaluatorTables, rank_combos_kernel
from poker._isomorphism_kernels import BoardClasses, board_index_kernel
from runtime._random_kernels import next_random, random_below
from runtime.jit import njit

NUM_BINS: Final = 24
"""Bins of the river-equity histogram."""
NUM_FEATURES: Final = NUM_BINS - 1
"""A hand's features: its cumulative histogram without the last bin, which is always full."""
FEATURE_SCALE: Final = 4096
"""Value of a full cumulative histogram; a squared distance stays below 2^31."""
BLOCKED: Final = 65535
"""Bucket of a combo that holds a board card."""
BLOCKED_BYTE: Final = 255
NUM_OPPONENTS: Final = 990
"""Combos left for the opponent once board and own hand are known on the river."""


class AbstractionTables(NamedTuple):
    """The read-only tables from which kernels look up buckets."""

    hand_class: NDArray[np.uint8]
    """(1326,) preflop bucket 0..168."""
    flop: NDArray[np.uint8]
    """(1755, 1326) bucket by flop class and combo on the representative, 255 where blocked."""
    turn: NDArray[np.uint8]
    """(16432, 1326) bucket by class of four board cards and combo on the representative, 255 where blocked."""
    flop_classes: BoardClasses
    turn_classes: BoardClasses
    combo_permutations: NDArray[np.int16]
    """(24, 1326) the combo that each combo becomes under each suit permutation."""
    binomials: NDArray[np.int32]
    """(53, 6) binomial coefficients."""
    combo_cards: NDArray[np.uint8]
    """(1326, 2) low and high card of each combo."""
    evaluator: EvaluatorTables
    num_river: int
    """Number of buckets on the river."""


@njit(nogil=True)
def sort_combos_kernel(order: NDArray[np.int32], counts: NDArray[np.int32], ranks: NDArray[np.int32]) -> int:
    """Writes the unblocked combos by ascending rank, equal ranks in combo order, and returns their number.

    :param order: (1326,) output.
    :param counts: (NUM_RANK_CLASSES + 2,) scratch.
    :param ranks: (1326,) rank 1..7462, negative where blocked.
    """
    counts[:] = 0
    for combo in range(len(ranks)):
        if ranks[combo] > 0:
            counts[ranks[combo] + 1] += 1
    for rank in range(1, len(counts)):
        counts[rank] += counts[rank - 1]
    for combo in range(len(ranks)):
        if ranks[combo] > 0:
            order[counts[ranks[combo]]] = combo
            counts[ranks[combo]] += 1
    return int(counts[NUM_RANK_CLASSES])


@njit(nogil=True)
def river_levels_kernel(
    levels: NDArray[np.uint16],
    order: NDArray[np.int32],
    ranks: NDArray[np.int32],
    combo_cards: NDArray[np.uint8],
    num_combos: int,
    num_levels: int,
) -> None:
    """Writes the level of every combo's equity on a river board, with the range 0 to 1 cut into equal levels.

    The equity is against a uniformly random hand, with ties counted half and exact card removal.

    :param levels: (1326,) output, 0..num_levels-1; entries of blocked combos are not changed.
    :param order: (1326,) the ``num_combos`` unblocked combos by ascending rank.
    """
    below_by_card = np.zeros(52, dtype=np.int32)
    wins = np.empty(len(order), dtype=np.int32)
    below = 0
    first = 0
    while first < num_combos:
        last = first
        rank = ranks[order[first]]
        while last < num_combos and ranks[order[last]] == rank:
            combo = order[last]
            wins[last] = below - below_by_card[combo_cards[combo, 0]] - below_by_card[combo_cards[combo, 1]]
            last += 1
        for i in range(first, last):
            below_by_card[combo_cards[order[i], 0]] += 1
            below_by_card[combo_cards[order[i], 1]] += 1
        below += last - first
        for i in range(first, last):
            combo = order[i]
            # The hand itself is in all three sums, hence the + 1.
            not_losses = below - below_by_card[combo_cards[combo, 0]] - below_by_card[combo_cards[combo, 1]] + 1
            level = (wins[i] + not_losses) * num_levels // (2 * NUM_OPPONENTS)
            levels[combo] = min(level, num_levels - 1)
        first = last


@njit(nogil=True)
def river_bins_kernel(
    bins: NDArray[np.uint8],
    boards: NDArray[np.uint8],
    combo_cards: NDArray[np.uint8],
    evaluator: EvaluatorTables,
    first: int,
    last: int,
) -> None:
    """Writes the histogram bin of every combo on ``boards[first:last]``.

    :param bins: (M, 1326) output: 0..NUM_BINS-1, NUM_BINS where blocked.
    :param boards: (M, 5) the river boards.
    """
    ranks = np.empty(1326, dtype=np.int32)
    order = np.empty(1326, dtype=np.int32)
    counts = np.empty(NUM_RANK_CLASSES + 2, dtype=np.int32)
    levels = np.empty(1326, dtype=np.uint16)
    for board in range(first, last):
        rank_combos_kernel(ranks, boards[board], evaluator)
        num_combos = sort_combos_kernel(order, counts, ranks)
        levels[:] = NUM_BINS
        river_levels_kernel(levels, order, ranks, combo_cards, num_combos, NUM_BINS)
        for combo in range(1326):
            bins[board, combo] = levels[combo]


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
    """Writes the features of every combo on a flop or turn board: the cumulative histogram over all run-outs.

    :param features: (1326, NUM_FEATURES) output, 0..FEATURE_SCALE; zero for blocked combos.
    :param histogram: (1326, NUM_BINS + 1) scratch; the last bin takes the run-outs that hit the combo.
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
    for combo in range(1326):
        below = 0
        for i in range(NUM_FEATURES):
            below += histogram[combo, i]
            features[combo, i] = below * FEATURE_SCALE // num_runouts


@njit(nogil=True)
def nearest_centre(distances: NDArray[np.int32], centres: NDArray[np.int32], features: NDArray[np.int32]) -> int:
    """Returns the number of the centre with the least squared distance, the first of several equal ones.

    :param distances: (K,) scratch and output: the squared distances.
    :param centres: (NUM_FEATURES, K).
    :param features: (NUM_FEATURES,).
    """
    distances[:] = 0
    for i in range(len(features)):
        value = features[i]
        for k in range(len(distances)):
            difference = value - centres[i, k]
            distances[k] += difference * difference
    best = 0
    for k in range(1, len(distances)):
        if distances[k] < distances[best]:
            best = k
    return best


@njit(nogil=True)
def assign_kernel(
    buckets: NDArray[np.uint8],
    boards: NDArray[np.uint8],
    centres: NDArray[np.int32],
    river_bins: NDArray[np.uint8],
    river_classes: BoardClasses,
    combo_permutations: NDArray[np.int16],
    combo_cards: NDArray[np.uint8],
    binomials: NDArray[np.int32],
    first: int,
    last: int,
) -> None:
    """Writes the number of the nearest centre of every combo on ``boards[first:last]``.

    :param buckets: (M, 1326) output, BLOCKED_BYTE where the combo holds a board card.
    :param boards: (M, 3) or (M, 4).
    :param centres: (NUM_FEATURES, K).
    """
    features = np.empty((1326, NUM_FEATURES), dtype=np.int32)
    histogram = np.empty((1326, NUM_BINS + 1), dtype=np.int32)
    distances = np.empty(centres.shape[1], dtype=np.int32)
    used = np.zeros(52, dtype=np.bool_)
    for index in range(first, last):
        board = boards[index]
        features_kernel(features, histogram, board, river_bins, river_classes, combo_permutations, binomials)
        used[:] = False
        for card in board:
            used[card] = True
        for combo in range(1326):
            if used[combo_cards[combo, 0]] or used[combo_cards[combo, 1]]:
                buckets[index, combo] = BLOCKED_BYTE
            else:
                buckets[index, combo] = nearest_centre(distances, centres, features[combo])


@njit(nogil=True)
def sample_features_kernel(
    sample: NDArray[np.int32],
    boards: NDArray[np.uint8],
    cumulative: NDArray[np.int64],
    hands_per_board: int,
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
    histogram = np.empty((1326, NUM_BINS + 1), dtype=np.int32)
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
def k_means_kernel(
    centres: NDArray[np.int32], sample: NDArray[np.int32], num_rounds: int, rng_state: NDArray[np.uint64]
) -> None:
    """Writes the k-means centres of a sample by squared distance, ordered by ascending equity.

    It starts by k-means++ and runs ``num_rounds`` of Lloyd's iteration.

    :param centres: (NUM_FEATURES, K) output.
    :param sample: (S, NUM_FEATURES).
    """
    num_features, num_centres = centres.shape
    size = len(sample)
    nearest = np.empty(size, dtype=np.int64)
    choice = random_below(size, rng_state)
    for k in range(num_centres):
        centres[:, k] = sample[choice]
        total = 0
        for s in range(size):
            distance = 0
            for i in range(num_features):
                difference = int(sample[s, i]) - int(centres[i, k])
                distance += difference * difference
            nearest[s] = distance if k == 0 else min(nearest[s], distance)
            total += int(nearest[s])
        # The next centre: a sample drawn in proportion to its squared distance.
        target = int(np.int64(next_random(rng_state) % np.uint64(max(total, 1))))
        choice = 0
        while choice < size - 1 and target >= nearest[choice]:
            target -= int(nearest[choice])
            choice += 1

    distances = np.empty(num_centres, dtype=np.int32)
    sums = np.empty((num_features, num_centres), dtype=np.int64)
    counts = np.empty(num_centres, dtype=np.int64)
    for _ in range(num_rounds):
        sums[:] = 0
        counts[:] = 0
        for s in range(size):
            k = nearest_centre(distances, centres, sample[s])
            counts[k] += 1
            for i in range(num_features):
                sums[i, k] += sample[s, i]
        for k in range(num_centres):
            if counts[k] > 0:
                for i in range(num_features):
                    centres[i, k] = sums[i, k] // counts[k]
    # Much weight in the low bins means a low equity.
    by_equity = np.argsort(-centres.sum(axis=0), kind="mergesort")
    centres[:] = centres[:, by_equity].copy()


@njit(nogil=True)
def board_buckets_kernel(
    buckets: NDArray[np.uint16], cards: NDArray[np.uint8], table: NDArray[np.uint8], tables: AbstractionTables
) -> None:
    """Writes the flop or turn buckets of all combos, BLOCKED where a combo holds a board card.

    :param buckets: (1326,) output.
    :param cards: (3,) or (4,) board cards in any order.
    :param table: ``tables.flop`` or ``tables.turn``.
    """
    classes = tables.flop_classes if len(cards) == 3 else tables.turn_classes
    index = board_index_kernel(cards, tables.binomials)
    row = table[classes.class_of[index]]
    permutation = tables.combo_permutations[classes.permutation_of[index]]
    for combo in range(1326):
        bucket = row[permutation[combo]]
        buckets[combo] = BLOCKED if bucket == BLOCKED_BYTE else bucket


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
    river_levels_kernel(buckets, order, ranks, tables.combo_cards, num_combos, tables.num_river)


@njit(nogil=True)
def combo_level_kernel(combo: int, ranks: NDArray[np.int32], tables: AbstractionTables) -> int:
    """Returns the river bucket of one combo that misses the board.

    :param ranks: (1326,) ranks of all combos on the board, negative where blocked.
    """
    rank = ranks[combo]
    held = np.zeros(52, dtype=np.bool_)
    held[tables.combo_cards[combo, 0]] = held[tables.combo_cards[combo, 1]] = True
    # Against every combo that shares no card: two for a win, one for a tie.
    points = 0
    for other in range(1326):
        shares = held[tables.combo_cards[other, 0]] or held[tables.combo_cards[other, 1]]
        if 0 < ranks[other] <= rank and not shares:
            points += 1 + (ranks[other] < rank)
    return min(points * tables.num_river // (2 * NUM_OPPONENTS), tables.num_river - 1)


@njit(nogil=True)
def combo_bucket_kernel(combo: int, cards: NDArray[np.uint8], tables: AbstractionTables) -> int:
    """Returns the flop, turn or river bucket of one combo that misses the board.

    :param cards: (3,), (4,) or (5,) board cards in any order.
    """
    if len(cards) == 5:
        ranks = np.empty(1326, dtype=np.int32)
        rank_combos_kernel(ranks, cards, tables.evaluator)
        return int(combo_level_kernel(combo, ranks, tables))
    classes, table = tables.turn_classes, tables.turn
    if len(cards) == 3:
        classes, table = tables.flop_classes, tables.flop
    index = board_index_kernel(cards, tables.binomials)
    permuted = tables.combo_permutations[classes.permutation_of[index], combo]
    return int(table[classes.class_of[index], permuted])
