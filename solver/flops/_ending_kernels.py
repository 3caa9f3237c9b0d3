"""Kernels of play below a flop where both players keep to fixed strategies on turn and river.

The strategies are flattened once into *endings*: the ways in which a hand can end after a deal of the turn. Whether a
player's own actions lead to an ending depends on the hand's turn bucket and on its river bucket, each with a factor of
its own. So on a board all endings below one leaf of the flop are evaluated without walking a tree: sixteen endings per
vector, hand by hand in order of strength, for both players in the same pass.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.streets import RIVER, TURN
from hedgehog.runtime.jit import njit
from hedgehog.solver.blueprint._blueprint_kernels import (
    MAX_HANDS,
    RoundProgram,
    RoundScratch,
    forward_kernel,
    sum_lanes_kernel,
)
from hedgehog.solver.cfr.kernels._simd_kernels import LANES, fma, load, splat_at, store, zeros

PAIR: Final = 2 * LANES
"""Length of a vector of endings for either player."""


class Endings(NamedTuple):
    """Fixed strategies on turn and river, as the endings below the flop's leaves. A *block* is sixteen endings."""

    first_block: NDArray[np.int64]
    """(D + 1,) first block of each deal of the turn, in the order of the leaves of the flop."""
    leaf: NDArray[np.int64]
    """(16 B,) leaf of the round program that each ending is; -1 for padding."""
    turn: NDArray[np.uint16]
    """(B * 2 * turn buckets * 16,) as half floats, by block, player, bucket and ending: the probability of the player's
    actions on the turn that lead to the ending; 0 for padding."""
    river: NDArray[np.uint16]
    """(B * 2 * river buckets * 16,) the same for actions on the river; 1 for endings on the turn."""


class Payoffs(NamedTuple):
    """What the endings pay, in thousands of chips; 0 for padding."""

    stake: NDArray[np.float32]
    """(16 B,) what the better hand wins at a showdown."""
    fold: NDArray[np.float32]
    """(16 B,) what player 0 wins at a fold, and player 1 loses."""


class EndingScratch(NamedTuple):
    """Working memory of one thread for a board."""

    reach: NDArray[np.float32]
    """(2 * MAX_HANDS,) reach of both players at the deal of the turn, by hand in order of strength."""
    value: NDArray[np.float32]
    """(2 * MAX_HANDS,) values of the hands below the deal."""
    turn_row: NDArray[np.int64]
    """(MAX_HANDS,) sixteen times the turn bucket of each hand."""
    river_row: NDArray[np.int64]
    """(MAX_HANDS,) sixteen times the river bucket of each hand."""
    low_card: NDArray[np.int64]
    """(MAX_HANDS,) where each hand's low card starts in ``by_card``."""
    high_card: NDArray[np.int64]
    """(MAX_HANDS,) the same for the high card."""
    factor: NDArray[np.float32]
    """(32 * MAX_HANDS,) probability of the own actions on turn and river, by hand, player and ending."""
    ahead: NDArray[np.float32]
    """(32 * MAX_HANDS,) each player's reach with weaker hands and with weaker or equal ones, added."""
    by_lane: NDArray[np.float32]
    """(2 * 16 * MAX_HANDS,) values by player and hand, summed over blocks, still in 16 lanes."""
    by_card: NDArray[np.float32]
    """(52 * 32,) each player's reach by card."""


@njit(nogil=True)
def count_endings_kernel(first_block: NDArray[np.int64], program: RoundProgram) -> None:
    """Writes the first block of each deal of the turn, and behind them the number of blocks."""
    block = 0
    for deal in range(program.round_deals[0]):
        first_block[deal] = block
        turn_round = program.leaf_round[program.round_terminals[0] + deal]
        count = program.round_terminals[turn_round]
        first = program.round_leaf[turn_round] + count
        for leaf in range(first, first + program.round_deals[turn_round]):
            count += program.round_terminals[program.leaf_round[leaf]]
        block += (count + LANES - 1) // LANES
    first_block[program.round_deals[0]] = block


@njit(nogil=True)
def _write_factor(
    target: NDArray[np.float32], slots: NDArray[np.float32], program: RoundProgram, leaf: int, width: int, lane: int
) -> None:
    """Writes the probabilities by bucket of both players' actions to a leaf of a round into one lane of a block."""
    for player in range(2):
        source = program.leaf_slot[player, leaf] * width
        start = player * width * LANES + lane
        for bucket in range(width):
            target[start + bucket * LANES] = slots[source + bucket]


@njit(nogil=True)
def write_endings_kernel(
    endings: Endings,
    tables: NDArray[np.float32],
    sums: NDArray[np.float32],
    scratch: RoundScratch,
    program: RoundProgram,
) -> None:
    """Writes the endings of fixed strategies.

    :param endings: output; ``first_block`` is read.
    :param tables: the probabilities of all rounds on turn and river.
    :param sums: any array; it is not changed.
    """
    turn_width, river_width = program.street_buckets[TURN], program.street_buckets[RIVER]
    turn_block = np.zeros(2 * turn_width * LANES, dtype=np.float32)
    river_block = np.zeros(2 * river_width * LANES, dtype=np.float32)
    turn_slots, river_slots = scratch.slots[TURN], scratch.slots[RIVER]
    endings.leaf[:] = -1
    for deal in range(program.round_deals[0]):
        ending = LANES * endings.first_block[deal]
        last = LANES * endings.first_block[deal + 1]
        turn_round = program.leaf_round[program.round_terminals[0] + deal]
        forward_kernel(sums, turn_slots, tables, scratch.bucket_weight, program, turn_round, -1, 0.0)
        first_leaf = program.round_leaf[turn_round]
        terminals = program.round_terminals[turn_round]
        for turn_leaf in range(first_leaf, first_leaf + terminals + program.round_deals[turn_round]):
            river_round = program.leaf_round[turn_leaf]
            if river_round < 0:
                first, count = turn_leaf, 1
            else:
                first, count = program.round_leaf[river_round], program.round_terminals[river_round]
                forward_kernel(sums, river_slots, tables, scratch.bucket_weight, program, river_round, -1, 0.0)
            for leaf in range(first, first + count):
                lane = ending % LANES
                endings.leaf[ending] = leaf
                _write_factor(turn_block, turn_slots, program, turn_leaf, turn_width, lane)
                if river_round >= 0:
                    _write_factor(river_block, river_slots, program, leaf, river_width, lane)
                else:
                    river_block[lane::LANES] = np.float32(1.0)
                ending += 1
                if ending % LANES == 0:
                    _flush(endings, turn_block, river_block, ending // LANES - 1)
        if ending < last:
            _flush(endings, turn_block, river_block, last // LANES - 1)


@njit(nogil=True)
def _flush(endings: Endings, turn_block: NDArray[np.float32], river_block: NDArray[np.float32], block: int) -> None:
    """Stores a finished block and clears its working memory."""
    for at in range(0, len(turn_block), LANES):
        store(endings.turn, block * len(turn_block) + at, load(turn_block, at))
    for at in range(0, len(river_block), LANES):
        store(endings.river, block * len(river_block) + at, load(river_block, at))
    turn_block[:] = np.float32(0.0)
    river_block[:] = np.float32(0.0)


@njit(nogil=True)
def place_hands_kernel(ending: EndingScratch, scratch: RoundScratch, num_hands: int) -> None:
    """Writes where the hands of a board find their buckets and cards."""
    for h in range(num_hands):
        ending.turn_row[h] = LANES * scratch.hand_bucket[TURN, h]
        ending.river_row[h] = LANES * scratch.hand_bucket[RIVER, h]
        ending.low_card[h] = 2 * scratch.hand_card[0, h]
        ending.high_card[h] = 2 * scratch.hand_card[1, h]


@njit(nogil=True)
def endings_kernel(
    ending: EndingScratch,
    endings: Endings,
    payoffs: Payoffs,
    scratch: RoundScratch,
    program: RoundProgram,
    deal: int,
    num_hands: int,
) -> None:
    """Writes the value of every hand of both players at a deal of the turn, from their reach there.

    :param ending: ``reach`` is read, ``value`` is written.
    :param scratch: the hands of the board by strength.
    :param deal: number of the deal among the leaves of the flop.
    """
    turn_width, river_width = program.street_buckets[TURN], program.street_buckets[RIVER]
    reach, factor, ahead, by_card, by_lane = ending.reach, ending.factor, ending.ahead, ending.by_card, ending.by_lane
    tie_end = scratch.tie_end
    turn_row, river_row, low_card, high_card = ending.turn_row, ending.river_row, ending.low_card, ending.high_card
    second = LANES * MAX_HANDS
    padded = num_hands + LANES
    by_lane[: padded * LANES] = np.float32(0.0)
    by_lane[second : second + padded * LANES] = np.float32(0.0)
    for block in range(endings.first_block[deal], endings.first_block[deal + 1]):
        turn_0 = 2 * block * turn_width * LANES
        turn_1 = turn_0 + turn_width * LANES
        river_0 = 2 * block * river_width * LANES
        river_1 = river_0 + river_width * LANES
        for card in range(0, 52 * PAIR, LANES):
            store(by_card, card, zeros())
        total_0, total_1 = zeros(), zeros()
        first = 0
        while first < num_hands:
            last = tie_end[first]
            for h in range(first, last):
                low, high = low_card[h], high_card[h]
                store(ahead, h * PAIR, total_0 - load(by_card, low) - load(by_card, high))
                store(ahead, h * PAIR + LANES, total_1 - load(by_card, low + LANES) - load(by_card, high + LANES))
            for h in range(first, last):
                low, high = low_card[h], high_card[h]
                own = load(endings.turn, turn_0 + turn_row[h]) * load(endings.river, river_0 + river_row[h])
                store(factor, h * PAIR, own)
                x = splat_at(reach, h) * own
                total_0 = total_0 + x
                store(by_card, low, load(by_card, low) + x)
                store(by_card, high, load(by_card, high) + x)
                own = load(endings.turn, turn_1 + turn_row[h]) * load(endings.river, river_1 + river_row[h])
                store(factor, h * PAIR + LANES, own)
                x = splat_at(reach, MAX_HANDS + h) * own
                total_1 = total_1 + x
                store(by_card, low + LANES, load(by_card, low + LANES) + x)
                store(by_card, high + LANES, load(by_card, high + LANES) + x)
            for h in range(first, last):
                low, high = low_card[h], high_card[h]
                equal = total_0 - load(by_card, low) - load(by_card, high)
                store(ahead, h * PAIR, load(ahead, h * PAIR) + equal)
                equal = total_1 - load(by_card, low + LANES) - load(by_card, high + LANES)
                store(ahead, h * PAIR + LANES, load(ahead, h * PAIR + LANES) + equal)
            first = last
        stake = load(payoffs.stake, block * LANES)
        fold = load(payoffs.fold, block * LANES)
        for h in range(num_hands):
            low, high = low_card[h], high_card[h]
            factor_0, factor_1 = load(factor, h * PAIR), load(factor, h * PAIR + LANES)
            everything = total_1 - load(by_card, low + LANES) - load(by_card, high + LANES)
            # The hand itself is in the total once and under both cards, hence added back for the fold.
            disjoint = fma(splat_at(reach, MAX_HANDS + h), factor_1, everything)
            value = fma(stake, load(ahead, h * PAIR + LANES) - everything, fold * disjoint)
            store(by_lane, h * LANES, fma(factor_0, value, load(by_lane, h * LANES)))
            everything = total_0 - load(by_card, low) - load(by_card, high)
            disjoint = fma(splat_at(reach, h), factor_0, everything)
            value = stake * (load(ahead, h * PAIR) - everything) - fold * disjoint
            at = second + h * LANES
            store(by_lane, at, fma(factor_1, value, load(by_lane, at)))
    for player in range(2):
        sum_lanes_kernel(ending.value, player * MAX_HANDS, by_lane, scratch, num_hands)
