"""Kernels of the flop refinement: exact hands on the flop, sampled run-outs, the blueprint's play on turn and river.

Betting rounds are those of :mod:`hedgehog.solver.blueprint._blueprint_kernels`. The first round is the flop, whose
"buckets" are the 1,176 live combos. One run-out gives every hand's value at every leaf of the flop, with much noise
from whether the hand improves. A *control variate* removes most of this noise: the average value of all hands by their
equity on the river (``baseline``). Its expectation over all run-outs is known, because the distribution of every hand's
river equity is known (``histogram``). Folds need no run-out at all.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.streets import FLOP, FLOP_COMBOS
from hedgehog.runtime.jit import njit
from hedgehog.solver.blueprint._blueprint_kernels import (
    MAX_HANDS,
    RoundProgram,
    RoundScratch,
    leave_round_kernel,
    prepare_board_kernel,
    walk_kernel,
)
from hedgehog.solver.blueprint.cards._abstraction_kernels import AbstractionTables
from hedgehog.solver.blueprint.cards._river_kernels import NUM_OPPONENTS, equity_bin

PAIRS_LIVE: Final = np.float32(NUM_OPPONENTS / FLOP_COMBOS)
"""Share of the run-outs that hit neither of two disjoint hands."""


class FlopTables(NamedTuple):
    """Tables of a flop that do not depend on sampled run-outs."""

    live_of_combo: NDArray[np.int64]
    """(1326,) number of the combo among the live ones, -1 if the flop blocks it."""
    live_cards: NDArray[np.int64]
    """(1176, 2) low and high card of the live combos."""
    orbit: NDArray[np.int64]
    """(1176,) the lowest live combo that each one becomes by a suit permutation which keeps the flop."""
    orbit_size: NDArray[np.float32]
    """(1176,) number of combos with this ``orbit``; 0 for combos that are not the lowest of theirs."""
    histogram: NDArray[np.float32]
    """(1176, bins) share of the run-outs that give the hand a river equity in the bin; blocked run-outs give none."""


class Sample(NamedTuple):
    """Working memory for one sampled run-out."""

    hand_live: NDArray[np.int64]
    """(MAX_HANDS,) number among the live combos, of the hands in order of strength."""
    hand_bin: NDArray[np.int64]
    """(MAX_HANDS,) bin of the river equity."""
    baseline: NDArray[np.float32]
    """(2, bins, leaves) average value by traverser, bin and leaf."""
    totals: NDArray[np.float32]
    """(2, bins, leaves) the sum behind ``baseline``."""
    counts: NDArray[np.float32]
    """(2, bins) number of hands in ``totals`` by traverser and bin, older run-outs counting less."""
    by_card: NDArray[np.float32]
    """(53, leaves) scratch."""


@njit(nogil=True)
def prepare_flop_board_kernel(
    scratch: RoundScratch, sample: Sample, board: NDArray[np.uint8], cards: AbstractionTables, flop: FlopTables
) -> int:
    """Writes the hands of a river board by strength, with their buckets, and returns the number of hands.

    On the flop a hand's bucket is its number among the live combos.
    """
    num_hands = prepare_board_kernel(scratch, board, cards)
    num_bins = flop.histogram.shape[1]
    for h in range(num_hands):
        live = flop.live_of_combo[scratch.hand_combo[h]]
        sample.hand_live[h] = live
        sample.hand_bin[h] = equity_bin(scratch.hand_bucket[3, h], num_bins, cards.river)
        scratch.hand_bucket[FLOP, h] = live
    return num_hands


@njit(nogil=True)
def histogram_kernel(
    histogram: NDArray[np.float32],
    board: NDArray[np.uint8],
    cards: AbstractionTables,
    live_of_combo: NDArray[np.int64],
    scratch: RoundScratch,
) -> None:
    """Writes how often every live combo ends in every bin of river equity, over all 1,176 run-outs.

    :param board: (5,) the flop; the rest is scratch.
    """
    num_bins = histogram.shape[1]
    histogram[:] = 0.0
    share = np.float32(1.0 / FLOP_COMBOS)
    for turn in range(52):
        if turn == board[0] or turn == board[1] or turn == board[2]:
            continue
        board[3] = turn
        for river in range(turn + 1, 52):
            if river == board[0] or river == board[1] or river == board[2]:
                continue
            board[4] = river
            num_hands = prepare_board_kernel(scratch, board, cards)
            for h in range(num_hands):
                live = live_of_combo[scratch.hand_combo[h]]
                histogram[live, equity_bin(scratch.hand_bucket[3, h], num_bins, cards.river)] += share


@njit(nogil=True)
def set_reach_kernel(scratch: RoundScratch, sample: Sample, ranges: NDArray[np.float32], num_hands: int) -> None:
    """Writes both ranges, (2, 1176) by live combo, in order of strength."""
    for player in range(2):
        for h in range(num_hands):
            scratch.reach[FLOP, player * MAX_HANDS + h] = ranges[player, sample.hand_live[h]]


@njit(nogil=True)
def reduce_noise_kernel(
    leaf_values: NDArray[np.float32],
    sample: Sample,
    flop: FlopTables,
    traverser: int,
    trust: float,
    memory: float,
    num_hands: int,
    stride: int,
) -> None:
    """Replaces the values on one run-out by estimates of the values over all run-outs.

    :param leaf_values: (combos, leaves) input and output.
    :param trust: share that is kept of the part of a value which the baseline does not explain. 1 is unbiased.
    :param memory: factor by which the weight of older run-outs in the baseline shrinks.
    """
    num_bins = flop.histogram.shape[1]
    totals, counts, baseline = sample.totals[traverser], sample.counts[traverser], sample.baseline[traverser]
    totals *= np.float32(memory)
    counts *= np.float32(memory)
    for h in range(num_hands):
        b = sample.hand_bin[h]
        at = sample.hand_live[h] * stride
        counts[b] += np.float32(1.0)
        for leaf in range(stride):
            totals[b, leaf] += leaf_values[at + leaf]
    for b in range(num_bins):
        scale = np.float32(1.0) / max(counts[b], np.float32(1.0))
        for leaf in range(stride):
            baseline[b, leaf] = totals[b, leaf] * scale
    kept = np.float32(trust)
    for h in range(num_hands):
        b = sample.hand_bin[h]
        at = sample.hand_live[h] * stride
        for leaf in range(stride):
            leaf_values[at + leaf] = kept * (leaf_values[at + leaf] - baseline[b, leaf])
    for live in range(FLOP_COMBOS):
        at = live * stride
        if kept == np.float32(0.0):
            leaf_values[at : at + stride] = 0.0
        for b in range(num_bins):
            share = flop.histogram[live, b]
            if share > np.float32(0.0):
                for leaf in range(stride):
                    leaf_values[at + leaf] += share * baseline[b, leaf]


@njit(nogil=True)
def exact_folds_kernel(
    leaf_values: NDArray[np.float32],
    leaf_reach: NDArray[np.float32],
    sample: Sample,
    flop: FlopTables,
    program: RoundProgram,
    ranges: NDArray[np.float32],
    traverser: int,
    stride: int,
) -> None:
    """Writes the expected values of the flop's folds.

    :param leaf_reach: (combos, leaves) the opponent's reach within the flop.
    """
    by_card = sample.by_card
    by_card[:] = 0.0
    opponent = 1 - traverser
    for live in range(FLOP_COMBOS):
        weight = ranges[opponent, live]
        low, high = flop.live_cards[live, 0], flop.live_cards[live, 1]
        at = live * stride
        for leaf in range(stride):
            x = weight * leaf_reach[at + leaf]
            by_card[52, leaf] += x
            by_card[low, leaf] += x
            by_card[high, leaf] += x
    payoffs = program.leaf_fold[traverser]
    for live in range(FLOP_COMBOS):
        weight = ranges[opponent, live]
        low, high = flop.live_cards[live, 0], flop.live_cards[live, 1]
        at = live * stride
        for leaf in range(program.round_terminals[0]):
            if payoffs[leaf] != np.float32(0.0):
                disjoint = by_card[52, leaf] - by_card[low, leaf] - by_card[high, leaf]
                disjoint += weight * leaf_reach[at + leaf]
                leaf_values[at + leaf] = payoffs[leaf] * disjoint * PAIRS_LIVE


@njit(nogil=True)
def symmetrise_kernel(leaf_values: NDArray[np.float32], flop: FlopTables, stride: int) -> None:
    """Gives hands that a suit permutation of the flop exchanges the mean of their values."""
    for live in range(FLOP_COMBOS):
        first = flop.orbit[live]
        if first != live:
            for leaf in range(stride):
                leaf_values[first * stride + leaf] += leaf_values[live * stride + leaf]
    for live in range(FLOP_COMBOS):
        if flop.orbit_size[live] > np.float32(1.0):
            scale = np.float32(1.0) / flop.orbit_size[live]
            for leaf in range(stride):
                leaf_values[live * stride + leaf] *= scale
    for live in range(FLOP_COMBOS):
        first = flop.orbit[live]
        if first != live:
            leaf_values[live * stride : (live + 1) * stride] = leaf_values[first * stride : (first + 1) * stride]


@njit(nogil=True)
def refine_kernel(
    tables: NDArray[np.float32],
    sums: NDArray[np.float32],
    values: NDArray[np.float32],
    scratch: RoundScratch,
    sample: Sample,
    program: RoundProgram,
    cards: AbstractionTables,
    flop: FlopTables,
    ranges: NDArray[np.float32],
    boards: NDArray[np.uint8],
    first: int,
    last: int,
    trust: float,
    memory: float,
    discount: float,
    power: float,
) -> None:
    """Runs iterations ``first`` to ``last`` - 1, one per run-out, in which first player 0 and then player 1 learns.

    Player 1 takes the run-outs in another order, because its values would be too low on a run-out to which player 0 has
    just adapted.

    :param tables: tables of all rounds: regrets on the flop, which are updated, and probabilities on turn and river.
    :param sums: (flop rows, combos) summed strategies, added to.
    :param values: (2, 1176) summed values of the hands with the weights of the strategies, added to.
    :param ranges: (2, 1176) weights of both ranges.
    :param boards: (n, 5) the flop with a run-out in each row.
    :param first: number of iterations done before; 0 also clears the average values by equity.
    :param discount: iteration t of n multiplies the regrets by 1 - discount / (t + 1).
    :param power: iteration t counts (t / n) ** power in the averages.
    """
    width = program.street_buckets[FLOP]
    stride = program.round_leaf[1]
    num_rows = program.round_table[1] // width
    size = width * stride
    if first == 0:
        sample.baseline[:] = 0.0
        sample.totals[:] = 0.0
        sample.counts[:] = 0.0
    num_boards = len(boards)
    for i in range(first, last):
        weight = np.float32(((i + 1) / num_boards) ** power)
        for traverser in range(2):
            board = boards[(i + traverser * (num_boards // 2)) % num_boards]
            num_hands = prepare_flop_board_kernel(scratch, sample, board, cards, flop)
            set_reach_kernel(scratch, sample, ranges, num_hands)
            walk_kernel(tables, sums, scratch, program, traverser, False, 0.0, num_hands)
            leaf_values = scratch.leaf_values[FLOP]
            reduce_noise_kernel(leaf_values, sample, flop, traverser, trust, memory, num_hands, stride)
            own_start, opponent_start = traverser * size, (1 - traverser) * size
            leaf_reach = scratch.leaf_reach[FLOP]
            exact_folds_kernel(
                leaf_values, leaf_reach[opponent_start : opponent_start + size], sample, flop, program, ranges,
                traverser, stride,
            )  # fmt: skip
            symmetrise_kernel(leaf_values, flop, stride)
            for live in range(FLOP_COMBOS):
                total = np.float32(0.0)
                for leaf in range(stride):
                    at = live * stride + leaf
                    total += leaf_reach[own_start + at] * leaf_values[at]
                values[traverser, live] += weight * total
            slots = scratch.slots[FLOP]
            for node in range(program.round_node[1]):
                if program.node_player[node] == traverser:
                    first_row = program.node_first_row[node]
                    for row in range(first_row, first_row + program.node_actions[node]):
                        for b in range(width):
                            sums[row * width + b] += weight * slots[(row + 1) * width + b]
            leave_round_kernel(tables, scratch, program, 0, traverser)
        keep = np.float32(1.0 - discount / (i + 2.0))
        for at in range(num_rows * width):
            tables[at] *= keep
