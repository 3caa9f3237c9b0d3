"""Identity tests: which hands have equal values on a set of completed boards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime._random_kernels import mix_bits
from hedgehog.runtime.jit import njit

Values = NDArray[np.uint64]


@njit
def histograms_kernel(out: Values, values: Values, rows: NDArray[np.int64]) -> None:
    """Adds to ``out`` (hands) a number per hand that stands for the multiset of its values on some boards.

    :param values: (boards, hands) mixed values, 0 where a hand is blocked.
    :param rows: the boards; a board may be listed several times.
    """
    for row in rows:
        for hand in range(len(out)):
            out[hand] += values[row, hand]


@njit
def nested_histograms_kernel(
    out: Values, values: Values, rows: NDArray[np.int64], class_start: NDArray[np.int64]
) -> None:
    """Writes per hand a number that stands for the multiset of its histograms, one histogram per class of boards.

    :param rows: the boards of the classes, class by class.
    :param class_start: (classes + 1) where each class starts in ``rows``.
    """
    inner = np.empty(len(out), dtype=np.uint64)
    out[:] = 0
    for k in range(len(class_start) - 1):
        inner[:] = 0
        histograms_kernel(inner, values, rows[class_start[k] : class_start[k + 1]])
        for hand in range(len(out)):
            # A class on which the hand is always blocked has the empty histogram.
            out[hand] += mix_bits(inner[hand] + np.uint64(1))


@njit
def live_kernel(out: NDArray[np.bool_], values: Values, rows: NDArray[np.int64]) -> None:
    """Marks the hands (hands) that miss at least one of the boards ``rows``."""
    out[:] = False
    for row in rows:
        for hand in range(len(out)):
            if values[row, hand] != 0:
                out[hand] = True


@njit
def equal_on_boards(values: Values, rows: NDArray[np.int64], a: int, b: int) -> bool:
    """Returns whether two hands have equal values on every board that both miss, and equal histograms on the others."""
    rest = np.uint64(0)
    for row in rows:
        first, second = values[row, a], values[row, b]
        if first != second:
            if first != 0 and second != 0:
                return False
            # One of the two is 0.
            rest += first
            rest -= second
    return bool(rest == 0)


@njit
def split_kernel(
    out: NDArray[np.int32],
    keys: Values,
    live: NDArray[np.bool_],
    values: Values,
    rows: NDArray[np.int64],
    compare: bool,
) -> int:
    """Writes the group of every hand, numbered by the first hand of each group, and returns the number of groups.

    :param out: (hands,), -1 for hands that are not live.
    :param keys: (hands,) hands of one group have equal keys.
    :param compare: whether hands of one group must also be equal on the boards (:func:`equal_on_boards`). Each hand is
        compared with the first hand of every group that has its key.
    """
    order = np.argsort(keys, kind="mergesort")
    firsts = np.empty(len(keys), dtype=np.int64)
    out[:] = -1
    start = 0
    while start < len(order):
        end = start
        found = 0
        while end < len(order) and keys[order[end]] == keys[order[start]]:
            hand = order[end]
            end += 1
            if not live[hand]:
                continue
            place = -1
            for k in range(found):
                if not compare or equal_on_boards(values, rows, firsts[k], hand):
                    place = k
                    break
            if place < 0:
                firsts[found] = hand
                place = found
                found += 1
            # Mergesort is stable: the first hand of a group is its lowest.
            out[hand] = firsts[place]
        start = end
    # Numbers from 0, in the order of the first hands.
    numbers = np.full(len(keys), -1, dtype=np.int32)
    groups = 0
    for hand in range(len(keys)):
        first = out[hand]
        if first >= 0:
            if numbers[first] < 0:
                numbers[first] = groups
                groups += 1
            out[hand] = numbers[first]
    return groups
