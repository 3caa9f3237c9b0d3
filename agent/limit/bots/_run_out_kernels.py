"""Kernels of equities over run-outs: powers of a hand's equity on the final board against one random hand.

The chance to beat n random hands is taken as the n-th power of the equity against one, on each final board by itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker._isomorphism_kernels import BoardClasses, board_index_kernel
from hedgehog.poker.evaluation._evaluator_kernels import NUM_RANK_CLASSES, EvaluatorTables, rank_combos_kernel
from hedgehog.poker.evaluation._strength_kernels import beaten_kernel, dead_cards
from hedgehog.runtime.jit import njit
from hedgehog.solver.blueprint.cards._river_kernels import river_levels_kernel, sort_combos_kernel

OPPONENTS = 990
"""Hands that an opponent can hold on a river beside two known cards."""


@njit(nogil=True)
def flop_moments_kernel(
    moments: NDArray[np.uint16],
    flops: NDArray[np.uint8],
    river_bins: NDArray[np.uint8],
    river_classes: BoardClasses,
    combo_permutations: NDArray[np.int16],
    binomials: NDArray[np.int32],
    num_bins: int,
    first: int,
    last: int,
) -> None:
    """Writes the mean equity and the mean squared equity of every combo over the run-outs of ``flops[first:last]``.

    :param moments: (M, 1326, 2) output in 1/65535; 0 for blocked combos.
    :param flops: (M, 3) card ids.
    :param river_bins: (134459, 1326) bin of the equity of every combo on every class of river boards, or ``num_bins``
        where the board blocks the combo.
    """
    sums = np.empty((2, 1326))
    cards = np.empty(5, dtype=np.uint8)
    value = np.zeros((2, num_bins + 1))
    for number in range(num_bins):
        value[0, number] = (number + 0.5) / num_bins
        value[1, number] = value[0, number] ** 2
    for flop in range(first, last):
        sums[:] = 0.0
        cards[:3] = flops[flop]
        for turn in range(1, 52):
            if turn in flops[flop]:
                continue
            cards[3] = turn
            for river in range(turn):
                if river in flops[flop]:
                    continue
                cards[4] = river
                index = board_index_kernel(cards, binomials)
                row = river_bins[river_classes.class_of[index]]
                permutation = combo_permutations[river_classes.permutation_of[index]]
                for combo in range(1326):
                    number = row[permutation[combo]]
                    sums[0, combo] += value[0, number]
                    sums[1, combo] += value[1, number]
        blocked = np.int64(0)
        for card in flops[flop]:
            blocked |= np.int64(1) << np.int64(card)
        combo = 0
        for low in range(52):
            for high in range(low + 1, 52):
                held = np.int64(1) << low | np.int64(1) << high
                for power in range(2):
                    mean = 0.0 if blocked & held else sums[power, combo] / 1081
                    moments[flop, combo, power] = np.uint16(round(65535 * mean))
                combo += 1


@njit(nogil=True)
def late_moment_kernel(
    hole_cards: NDArray[np.uint8],
    board: NDArray[np.uint8],
    num_board: int,
    power: int,
    left: NDArray[np.int64],
    tables: EvaluatorTables,
) -> float:
    """Returns the mean of a power of a hand's equity over the rivers, exactly.

    :param hole_cards: (2,) card ids.
    :param board: (5,) card ids of ``num_board`` board cards, 4 or 5; the place of a river to come is overwritten.
    :param left: (14,) work space.
    :param tables: the look-up tables of the evaluator.
    """
    if num_board == 5:
        return (beaten_kernel(hole_cards, board, left, tables) / (2 * OPPONENTS)) ** power
    dead = dead_cards(hole_cards, board[:4])
    total = 0.0
    for river in range(52):
        if dead >> river & 1 == 0:
            board[4] = river
            total += (beaten_kernel(hole_cards, board, left, tables) / (2 * OPPONENTS)) ** power
    return total / 46


@njit(nogil=True)
def late_moments_kernel(
    out: NDArray[np.float64],
    board: NDArray[np.uint8],
    num_board: int,
    power: int,
    combo_cards: NDArray[np.uint8],
    tables: EvaluatorTables,
) -> None:
    """Writes the mean of a power of every combo's equity over the rivers, exactly; NaN for blocked combos.

    :param out: (1326,) output.
    :param board: (5,) card ids of ``num_board`` board cards, 4 or 5; the place of a river to come is overwritten.
    :param combo_cards: (1326, 2) the cards of every combo.
    :param tables: the look-up tables of the evaluator.
    """
    ranks = np.empty(1326, dtype=np.int32)
    order = np.empty(1326, dtype=np.int32)
    counts = np.empty(NUM_RANK_CLASSES + 2, dtype=np.int32)
    levels = np.empty(1326, dtype=np.uint16)
    used = np.zeros(52, dtype=np.bool_)
    for i in range(num_board):
        used[board[i]] = True
    for combo in range(1326):
        out[combo] = np.nan if used[combo_cards[combo, 0]] or used[combo_cards[combo, 1]] else 0.0
    rivers = 0
    for river in range(52):
        if num_board == 5 and river > 0:
            break
        if num_board == 4:
            if used[river]:
                continue
            board[4] = river
        rivers += 1
        rank_combos_kernel(ranks, board, tables)
        num_combos = sort_combos_kernel(order, counts, ranks)
        # Two levels for each point, of which a hand has two per opponent it beats: nothing is lost by the levels.
        river_levels_kernel(levels, order, ranks, combo_cards, num_combos, 4 * OPPONENTS)
        for i in range(num_combos):
            points = (np.int64(levels[order[i]]) + 1) // 2
            out[order[i]] += (points / (2 * OPPONENTS)) ** power
    for combo in range(1326):
        out[combo] /= 46 if num_board == 4 else 1
