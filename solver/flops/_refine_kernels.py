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
    round_terminals_kernel,
    spread_reach_kernel,
)
from hedgehog.solver.blueprint.cards._abstraction_kernels import AbstractionTables, river_bins_kernel
from hedgehog.solver.blueprint.cards._river_kernels import NUM_OPPONENTS
from hedgehog.solver.cfr.kernels._simd_kernels import LANES, fma, load, splat, splat_at, store, zeros
from hedgehog.solver.flops._ending_kernels import Endings, EndingScratch, Payoffs, endings_kernel, place_hands_kernel

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
    """(2, bins * leaves) average value by traverser, bin and leaf."""
    totals: NDArray[np.float32]
    """(2, bins * leaves) the sum behind ``baseline``."""
    counts: NDArray[np.float32]
    """(2, bins) number of hands in ``totals`` by traverser and bin, older run-outs counting less."""
    by_card: NDArray[np.float32]
    """(53 * leaves,) scratch."""
    leaf_values: NDArray[np.float32]
    """(2, combos * leaves) values on the run-out by traverser, live combo and leaf of the flop."""
    endings: EndingScratch
    """Working memory for turn and river."""


@njit(nogil=True)
def prepare_flop_board_kernel(
    scratch: RoundScratch, sample: Sample, board: NDArray[np.uint8], cards: AbstractionTables, flop: FlopTables
) -> int:
    """Writes the hands of a river board by strength, with their buckets, and returns the number of hands.

    On the flop a hand's bucket is its number among the live combos.
    """
    num_hands = prepare_board_kernel(scratch, board, cards)
    bins = np.empty((1, 1326), dtype=np.uint8)
    river_bins_kernel(bins, board.reshape(1, 5), flop.histogram.shape[1], cards.combo_cards, cards.evaluator, 0, 1)
    for h in range(num_hands):
        combo = scratch.hand_combo[h]
        live = flop.live_of_combo[combo]
        sample.hand_live[h] = live
        sample.hand_bin[h] = bins[0, combo]
        scratch.hand_bucket[FLOP, h] = live
    return num_hands


@njit(nogil=True)
def histogram_kernel(
    histogram: NDArray[np.float32],
    board: NDArray[np.uint8],
    cards: AbstractionTables,
    live_of_combo: NDArray[np.int64],
) -> None:
    """Writes how often every live combo ends in every bin of river equity, over all 1,176 run-outs.

    :param board: (5,) the flop; the rest is scratch.
    """
    num_bins = histogram.shape[1]
    bins = np.empty((1, 1326), dtype=np.uint8)
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
            river_bins_kernel(bins, board.reshape(1, 5), num_bins, cards.combo_cards, cards.evaluator, 0, 1)
            for combo in range(1326):
                if bins[0, combo] < num_bins:
                    histogram[live_of_combo[combo], bins[0, combo]] += share


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
        at, total = sample.hand_live[h] * stride, b * stride
        counts[b] += np.float32(1.0)
        for leaf in range(0, stride, LANES):
            store(totals, total + leaf, load(totals, total + leaf) + load(leaf_values, at + leaf))
    for b in range(num_bins):
        scale = splat(np.float32(1.0) / max(counts[b], np.float32(1.0)))
        for at in range(b * stride, (b + 1) * stride, LANES):
            store(baseline, at, load(totals, at) * scale)
    kept = splat(np.float32(trust))
    for h in range(num_hands):
        at, mean = sample.hand_live[h] * stride, sample.hand_bin[h] * stride
        for leaf in range(0, stride, LANES):
            store(leaf_values, at + leaf, kept * (load(leaf_values, at + leaf) - load(baseline, mean + leaf)))
    shares = np.empty(num_bins, dtype=np.float32)
    means = np.empty(num_bins, dtype=np.int64)
    for live in range(FLOP_COMBOS):
        used = 0
        for b in range(num_bins):
            if flop.histogram[live, b] > np.float32(0.0):
                shares[used] = flop.histogram[live, b]
                means[used] = b * stride
                used += 1
        for leaf in range(0, stride, LANES):
            value = load(leaf_values, live * stride + leaf)
            for i in range(used):
                value = fma(splat_at(shares, i), load(baseline, means[i] + leaf), value)
            store(leaf_values, live * stride + leaf, value)


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
    everything = 52 * stride
    num_terminals = program.round_terminals[0]
    for live in range(FLOP_COMBOS):
        weight = splat(ranges[opponent, live])
        low, high = flop.live_cards[live, 0] * stride, flop.live_cards[live, 1] * stride
        for leaf in range(0, num_terminals, LANES):
            x = weight * load(leaf_reach, live * stride + leaf)
            store(by_card, everything + leaf, load(by_card, everything + leaf) + x)
            store(by_card, low + leaf, load(by_card, low + leaf) + x)
            store(by_card, high + leaf, load(by_card, high + leaf) + x)
    payoffs = program.leaf_fold[traverser]
    for live in range(FLOP_COMBOS):
        weight = ranges[opponent, live]
        low, high = flop.live_cards[live, 0] * stride, flop.live_cards[live, 1] * stride
        at = live * stride
        for leaf in range(num_terminals):
            if payoffs[leaf] != np.float32(0.0):
                disjoint = by_card[everything + leaf] - by_card[low + leaf] - by_card[high + leaf]
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
def runout_values_kernel(
    scratch: RoundScratch,
    sample: Sample,
    program: RoundProgram,
    endings: Endings,
    payoffs: Payoffs,
    num_hands: int,
) -> None:
    """Writes what the hands of both players are worth on the run-out at every leaf of the flop, except at folds.

    Hands that the run-out blocks are worth 0. The reach at the flop's leaves is in ``scratch.leaf_reach``.
    """
    stride = program.round_leaf[1]
    size = program.street_buckets[FLOP] * stride
    for traverser in range(2):
        round_terminals_kernel(scratch, program, 0, traverser, num_hands)
        sample.leaf_values[traverser] = scratch.leaf_values[FLOP, :size]
    place_hands_kernel(sample.endings, scratch, num_hands)
    leaf_reach = scratch.leaf_reach[FLOP]
    below = sample.endings
    for deal in range(program.round_deals[0]):
        leaf = program.round_terminals[0] + deal
        for player in range(2):
            for h in range(num_hands):
                at = player * MAX_HANDS + h
                below.reach[at] = (
                    scratch.reach[FLOP, at] * leaf_reach[player * size + sample.hand_live[h] * stride + leaf]
                )
        endings_kernel(below, endings, payoffs, scratch, program, deal, num_hands)
        for player in range(2):
            for h in range(num_hands):
                at = sample.hand_live[h] * stride + leaf
                sample.leaf_values[player, at] = below.value[player * MAX_HANDS + h]


@njit(nogil=True)
def refine_kernel(
    regrets: NDArray[np.float32],
    sums: NDArray[np.float32],
    values: NDArray[np.float32],
    scratch: RoundScratch,
    sample: Sample,
    program: RoundProgram,
    cards: AbstractionTables,
    flop: FlopTables,
    endings: Endings,
    payoffs: Payoffs,
    ranges: NDArray[np.float32],
    boards: NDArray[np.uint8],
    first: int,
    last: int,
    trust: float,
    memory: float,
    discount: float,
    power: float,
) -> None:
    """Runs iterations ``first`` to ``last`` - 1, one per run-out, in which both players learn at the same time.

    :param regrets: (flop rows, combos), updated.
    :param sums: (flop rows, combos) summed strategies, added to.
    :param values: (2, 1176) summed values of the hands with the weights of the strategies, added to.
    :param endings: the fixed strategies on turn and river.
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
    lanes_of = np.empty(LANES, dtype=np.float32)
    for i in range(first, last):
        weight = np.float32(((i + 1) / num_boards) ** power)
        num_hands = prepare_flop_board_kernel(scratch, sample, boards[i], cards, flop)
        set_reach_kernel(scratch, sample, ranges, num_hands)
        spread_reach_kernel(regrets, sums, scratch, program, 0, -1, 0.0)
        runout_values_kernel(scratch, sample, program, endings, payoffs, num_hands)
        slots = scratch.slots[FLOP]
        for row in range(num_rows):
            for b in range(width):
                sums[row * width + b] += weight * slots[(row + 1) * width + b]
        leaf_reach = scratch.leaf_reach[FLOP]
        for traverser in range(2):
            leaf_values = sample.leaf_values[traverser]
            reduce_noise_kernel(leaf_values, sample, flop, traverser, trust, memory, num_hands, stride)
            own_start, opponent_start = traverser * size, (1 - traverser) * size
            exact_folds_kernel(
                leaf_values, leaf_reach[opponent_start : opponent_start + size], sample, flop, program, ranges,
                traverser, stride,
            )  # fmt: skip
            symmetrise_kernel(leaf_values, flop, stride)
            for live in range(FLOP_COMBOS):
                lanes = zeros()
                for at in range(live * stride, (live + 1) * stride, LANES):
                    lanes = fma(load(leaf_reach, own_start + at), load(leaf_values, at), lanes)
                store(lanes_of, 0, lanes)
                total = np.float32(0.0)
                for lane in range(LANES):
                    total += lanes_of[lane]
                values[traverser, live] += weight * total
            scratch.leaf_values[FLOP, :size] = leaf_values
            leave_round_kernel(regrets, scratch, program, 0, traverser)
        keep = np.float32(1.0 - discount / (i + 2.0))
        for at in range(num_rows * width):
            regrets[at] *= keep
