"""Integer k-means: the nearest of many centres, and the centres of a sample.

All arithmetic is on integers, so the same seed gives the same centres on every machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime._random_kernels import next_random, random_below
from hedgehog.runtime.jit import njit


class Centres(NamedTuple):
    """Centres in the order in which :func:`nearest_centre` searches them. :func:`sort_centres` makes them."""

    points: NDArray[np.int32]
    """(K, F) features of the centres, by ascending sum."""
    sums: NDArray[np.int64]
    """(K,) sum of the first ``num_summed`` features of each centre, ascending."""
    numbers: NDArray[np.int64]
    """(K,) number of each centre."""
    num_summed: int
    """Number of features in ``sums``. Any number gives the same nearest centres, but not in the same time."""


@njit(nogil=True)
def sort_centres(centres: NDArray[np.int32], num_summed: int) -> Centres:
    """Returns centres in search order.

    :param centres: (K, F) features by the number of the centre. The squared distance of two points with features in
        their range, times F, must stay below 2^63.
    :param num_summed: number of leading features by whose sum the centres are searched: all of them if they rise and
        fall together, or those on which the distance depends most.
    """
    sums = np.zeros(len(centres), dtype=np.int64)
    for k in range(len(centres)):
        for i in range(num_summed):
            sums[k] += centres[k, i]
    numbers = np.argsort(sums, kind="mergesort")
    return Centres(centres[numbers], sums[numbers], numbers, num_summed)


@njit(nogil=True)
def nearest_centre(centres: Centres, features: NDArray[np.int32]) -> int:
    """Returns the number of the centre with the least squared distance, the least of several equal ones.

    The search starts at the centres whose sums are closest to the sum of the features. The squared difference of two
    sums of n features is at most n times the squared distance (Cauchy and Schwarz), so it ends where all others are
    too far.

    :param features: (F,).
    """
    num_centres, num_features = centres.points.shape
    total = np.int64(0)
    for i in range(centres.num_summed):
        total += features[i]
    above = np.searchsorted(centres.sums, total)
    below = above - 1
    best = np.int64(-1)
    least = np.int64(0)
    while below >= 0 or above < num_centres:
        if above >= num_centres or (below >= 0 and total - centres.sums[below] <= centres.sums[above] - total):
            k = below
            below -= 1
        else:
            k = above
            above += 1
        gap = centres.sums[k] - total
        if best >= 0 and gap * gap > centres.num_summed * least:
            break
        distance = np.int64(0)
        for i in range(num_features):
            difference = np.int64(features[i]) - np.int64(centres.points[k, i])
            distance += difference * difference
        number = centres.numbers[k]
        if best < 0 or distance < least or (distance == least and number < best):
            best, least = number, distance
    return int(best)


@njit(nogil=True)
def k_means_kernel(
    centres: NDArray[np.int32],
    sample: NDArray[np.int32],
    num_summed: int,
    num_rounds: int,
    rng_state: NDArray[np.uint64],
) -> None:
    """Writes the k-means centres of a sample by squared distance.

    It starts from well-spread samples (k-means++) and runs ``num_rounds`` of Lloyd's iteration. Reference: D. Arthur
    and S. Vassilvitskii, "k-means++: The Advantages of Careful Seeding", SODA 2007.

    :param centres: (K, F) output.
    :param sample: (S, F).
    :param num_summed: as in :func:`sort_centres`.
    """
    num_centres, num_features = centres.shape
    size = len(sample)
    nearest = np.empty(size, dtype=np.int64)
    choice = random_below(size, rng_state)
    for k in range(num_centres):
        centres[k] = sample[choice]
        total = 0
        for s in range(size):
            distance = 0
            for i in range(num_features):
                difference = int(sample[s, i]) - int(centres[k, i])
                distance += difference * difference
            nearest[s] = distance if k == 0 else min(nearest[s], distance)
            total += int(nearest[s])
        # The next centre: a sample drawn in proportion to its squared distance.
        target = int(np.int64(next_random(rng_state) % np.uint64(max(total, 1))))
        choice = 0
        while choice < size - 1 and target >= nearest[choice]:
            target -= int(nearest[choice])
            choice += 1

    sums = np.empty((num_centres, num_features), dtype=np.int64)
    counts = np.empty(num_centres, dtype=np.int64)
    for _ in range(num_rounds):
        sums[:] = 0
        counts[:] = 0
        ordered = sort_centres(centres, num_summed)
        for s in range(size):
            k = nearest_centre(ordered, sample[s])
            counts[k] += 1
            for i in range(num_features):
                sums[k, i] += sample[s, i]
        for k in range(num_centres):
            if counts[k] > 0:
                for i in range(num_features):
                    centres[k, i] = sums[k, i] // counts[k]
