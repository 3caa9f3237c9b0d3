"""River kernels: hands by strength, levels of equity, and features of a hand against parts of the opponent's range.

All arithmetic is on integers, so buckets are the same on every machine.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import NUM_RANK_CLASSES, EvaluatorTables, rank_combos_kernel
from hedgehog.runtime._random_kernels import random_below
from hedgehog.runtime.jit import njit
from hedgehog.solver.blueprint.cards._clustering_kernels import Centres, nearest_centre

NUM_OPPONENTS: Final = 990
"""Combos left for the opponent once board and own hand are known on the river."""
NUM_GROUPS: Final = 8
"""Number of groups of hole cards for ``ochs``."""
NUM_RIVER_FEATURES: Final = NUM_GROUPS + 1
"""The features of a river hand: its equity against all hands, and one number for each group of opponents."""
RIVER_SCALE: Final = 4096
"""Value of an equity of 1."""
BLOCKER_SCALE: Final = RIVER_SCALE
"""Value of a share of 1 among the opponent's hands: a difference of shares counts as much as one of equity."""
EQUITY, OCHS, BLOCKERS = 0, 1, 2
"""Kinds of river buckets: levels of equity; equity against groups of hole cards; shares of the strongest hands that
the own cards leave to the opponent."""


class RiverBuckets(NamedTuple):
    """The river buckets as kernels take them."""

    kind: int
    """EQUITY, OCHS or BLOCKERS."""
    num_buckets: int
    """Number of buckets."""
    groups: NDArray[np.uint8]
    """(1326,) group of each combo for OCHS, 0..NUM_GROUPS-1; not used by the other kinds."""
    centres: Centres
    """Centres of OCHS and BLOCKERS with NUM_RIVER_FEATURES features, whose order is that of the mean equity."""
    parts: NDArray[np.int32]
    """(num_buckets, n, NUM_RIVER_FEATURES) centres of the parts of each bucket, if all buckets are cut into n parts,
    which then count as buckets of their own. n is 0 if none is cut. Not used by EQUITY."""


@njit(nogil=True)
def nearest_part(parts: NDArray[np.int32], features: NDArray[np.int32]) -> int:
    """Returns the number of the part of a bucket with the least squared distance, the least of several equal ones.

    :param parts: (n, F) centres, n at least 1.
    :param features: (F,).
    """
    best, least = 0, np.int64(-1)
    for part in range(len(parts)):
        distance = np.int64(0)
        for i in range(parts.shape[1]):
            difference = np.int64(features[i]) - np.int64(parts[part, i])
            distance += difference * difference
        if least < 0 or distance < least:
            best, least = part, distance
    return best


@njit(nogil=True)
def river_bucket(features: NDArray[np.int32], river: RiverBuckets) -> int:
    """Returns the bucket of a hand, or of its part if buckets are cut, by its features.

    :param features: (NUM_RIVER_FEATURES,).
    """
    bucket = nearest_centre(river.centres, features)
    parts = river.parts.shape[1]
    return bucket if parts == 0 else bucket * parts + nearest_part(river.parts[bucket], features)


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
def combo_level_kernel(combo: int, ranks: NDArray[np.int32], combo_cards: NDArray[np.uint8], num_levels: int) -> int:
    """Returns the level of equity of one combo that misses the river board (:func:`river_levels_kernel`).

    :param ranks: (1326,) ranks of all combos on the board, negative where blocked.
    """
    rank = ranks[combo]
    held = np.zeros(52, dtype=np.bool_)
    held[combo_cards[combo, 0]] = held[combo_cards[combo, 1]] = True
    # Against every combo that shares no card: two for a win, one for a tie.
    points = 0
    for other in range(1326):
        shares = held[combo_cards[other, 0]] or held[combo_cards[other, 1]]
        if 0 < ranks[other] <= rank and not shares:
            points += 1 + (ranks[other] < rank)
    return min(points * num_levels // (2 * NUM_OPPONENTS), num_levels - 1)


@njit(nogil=True)
def strength_groups_kernel(
    groups: NDArray[np.uint8], order: NDArray[np.int32], ranks: NDArray[np.int32], num_combos: int
) -> None:
    """Writes the group of every combo by its strength on a river board, for BLOCKERS.

    Group 0 is the strongest 1/64 of all combos, group 1 the rest of the strongest 1/32, then 1/16, 1/8, 1/4 and 1/2.
    Group 6 is the half below, group 7 the weakest 1/4. Equal hands are in one group, by the best place among them.

    :param groups: (1326,) output; entries of blocked combos are not changed.
    :param order: (1326,) the ``num_combos`` unblocked combos by ascending rank.
    """
    place = num_combos
    while place > 0:
        last = place
        rank = ranks[order[last - 1]]
        while place > 0 and ranks[order[place - 1]] == rank:
            place -= 1
        better = num_combos - last
        group = 0
        while group < 6 and better >= num_combos >> (6 - group):
            group += 1
        if 4 * better >= 3 * num_combos:
            group = 7
        for i in range(place, last):
            groups[order[i]] = group


@njit(nogil=True)
def river_features_kernel(
    features: NDArray[np.int32],
    order: NDArray[np.int32],
    ranks: NDArray[np.int32],
    combo_cards: NDArray[np.uint8],
    num_combos: int,
    river: RiverBuckets,
) -> None:
    """Writes the features of every combo on a river board, with exact card removal.

    The first feature is the equity against all hands. The others are the equities against the groups of ``river``
    (OCHS) or the shares of the groups by strength among all hands that the opponent can hold (BLOCKERS).

    :param features: (1326, NUM_RIVER_FEATURES) output; rows of blocked combos are not changed.
    :param order: (1326,) the ``num_combos`` unblocked combos by ascending rank.
    """
    groups = np.empty(1326, dtype=np.uint8)
    if river.kind == BLOCKERS:
        strength_groups_kernel(groups, order, ranks, num_combos)
    else:
        groups[:] = river.groups
    # Combos of each group: all, by card, and of those so far.
    total = np.zeros(NUM_GROUPS, dtype=np.int32)
    total_by_card = np.zeros((52, NUM_GROUPS), dtype=np.int32)
    below = np.zeros(NUM_GROUPS, dtype=np.int32)
    below_by_card = np.zeros((52, NUM_GROUPS), dtype=np.int32)
    points = np.empty((1326, NUM_GROUPS), dtype=np.int32)
    for i in range(num_combos):
        combo = order[i]
        group = groups[combo]
        total[group] += 1
        total_by_card[combo_cards[combo, 0], group] += 1
        total_by_card[combo_cards[combo, 1], group] += 1
    first = 0
    while first < num_combos:
        last = first
        rank = ranks[order[first]]
        while last < num_combos and ranks[order[last]] == rank:
            low, high = combo_cards[order[last], 0], combo_cards[order[last], 1]
            for g in range(NUM_GROUPS):
                points[last, g] = below[g] - below_by_card[low, g] - below_by_card[high, g]
            last += 1
        for i in range(first, last):
            group = groups[order[i]]
            below[group] += 1
            below_by_card[combo_cards[order[i], 0], group] += 1
            below_by_card[combo_cards[order[i], 1], group] += 1
        for i in range(first, last):
            combo = order[i]
            low, high = combo_cards[combo, 0], combo_cards[combo, 1]
            all_points = 0
            for g in range(NUM_GROUPS):
                # The hand itself is in all three sums, hence the + 1.
                own = 1 if groups[combo] == g else 0
                of_group = points[i, g] + below[g] - below_by_card[low, g] - below_by_card[high, g] + own
                left = total[g] - total_by_card[low, g] - total_by_card[high, g] + own
                all_points += of_group
                if river.kind == BLOCKERS:
                    features[combo, 1 + g] = left * BLOCKER_SCALE // NUM_OPPONENTS
                else:
                    features[combo, 1 + g] = of_group * RIVER_SCALE // (2 * max(left, 1))
            features[combo, 0] = all_points * RIVER_SCALE // (2 * NUM_OPPONENTS)
        first = last


@njit(nogil=True)
def deal_kernel(cards: NDArray[np.uint8], rng_state: NDArray[np.uint64]) -> None:
    """Fills ``cards`` with different random cards."""
    for i in range(len(cards)):
        while True:
            card = random_below(52, rng_state)
            fresh = True
            for j in range(i):
                if cards[j] == card:
                    fresh = False
            if fresh:
                cards[i] = card
                break


@njit(nogil=True)
def sample_rivers_kernel(
    sample: NDArray[np.int32],
    hands_per_board: int,
    combo_cards: NDArray[np.uint8],
    evaluator: EvaluatorTables,
    river: RiverBuckets,
    rng_state: NDArray[np.uint64],
) -> None:
    """Writes the features of random hands on random river boards.

    :param sample: (S, NUM_RIVER_FEATURES) output, S a multiple of ``hands_per_board``.
    """
    ranks = np.empty(1326, dtype=np.int32)
    order = np.empty(1326, dtype=np.int32)
    counts = np.empty(NUM_RANK_CLASSES + 2, dtype=np.int32)
    features = np.empty((1326, NUM_RIVER_FEATURES), dtype=np.int32)
    board = np.empty(5, dtype=np.uint8)
    for start in range(0, len(sample), hands_per_board):
        deal_kernel(board, rng_state)
        rank_combos_kernel(ranks, board, evaluator)
        num_combos = sort_combos_kernel(order, counts, ranks)
        river_features_kernel(features, order, ranks, combo_cards, num_combos, river)
        for i in range(hands_per_board):
            sample[start + i] = features[order[random_below(num_combos, rng_state)]]


@njit(nogil=True)
def hand_class_histogram_kernel(
    histogram: NDArray[np.int64],
    num_boards: int,
    hand_class: NDArray[np.uint8],
    combo_cards: NDArray[np.uint8],
    evaluator: EvaluatorTables,
    rng_state: NDArray[np.uint64],
) -> None:
    """Writes how often the hands of every class end on each level of river equity, over random boards.

    :param histogram: (169, levels) output.
    """
    ranks = np.empty(1326, dtype=np.int32)
    order = np.empty(1326, dtype=np.int32)
    counts = np.empty(NUM_RANK_CLASSES + 2, dtype=np.int32)
    levels = np.empty(1326, dtype=np.uint16)
    board = np.empty(5, dtype=np.uint8)
    histogram[:] = 0
    for _ in range(num_boards):
        deal_kernel(board, rng_state)
        rank_combos_kernel(ranks, board, evaluator)
        num_combos = sort_combos_kernel(order, counts, ranks)
        river_levels_kernel(levels, order, ranks, combo_cards, num_combos, histogram.shape[1])
        for i in range(num_combos):
            histogram[hand_class[order[i]], levels[order[i]]] += 1


@njit(nogil=True)
def sorted_river_buckets_kernel(
    buckets: NDArray[np.uint16],
    order: NDArray[np.int32],
    ranks: NDArray[np.int32],
    combo_cards: NDArray[np.uint8],
    num_combos: int,
    river: RiverBuckets,
) -> None:
    """Writes the buckets of all combos on a river board.

    :param buckets: (1326,) output; entries of blocked combos are not changed.
    :param order: (1326,) the ``num_combos`` unblocked combos by ascending rank.
    """
    if river.kind == EQUITY:
        river_levels_kernel(buckets, order, ranks, combo_cards, num_combos, river.num_buckets)
        return
    features = np.empty((1326, NUM_RIVER_FEATURES), dtype=np.int32)
    river_features_kernel(features, order, ranks, combo_cards, num_combos, river)
    # Most hands of equal rank have equal features: each search serves all of them.
    searched = np.empty(1326, dtype=np.int32)
    num_searched = 0
    rank = -1
    for i in range(num_combos):
        combo = order[i]
        if ranks[combo] != rank:
            rank = ranks[combo]
            num_searched = 0
        twin = -1
        for j in range(num_searched):
            equal = True
            for f in range(NUM_RIVER_FEATURES):
                if features[searched[j], f] != features[combo, f]:
                    equal = False
                    break
            if equal:
                twin = searched[j]
                break
        if twin >= 0:
            buckets[combo] = buckets[twin]
        else:
            buckets[combo] = river_bucket(features[combo], river)
            searched[num_searched] = combo
            num_searched += 1
