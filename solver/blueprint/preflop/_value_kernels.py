"""Kernel that walks a whole blueprint on random boards and sums up what every action before the flop is worth.

A board is one sample: five random cards, on which the values of all 1,326 hands are computed at once, against all hands
of the opponent. The values differ from board to board mostly by luck: on some boards most hands of a class beat the
opponent's range. This luck is known exactly for every board, and its mean over all boards is known, too, so that
regression takes it out afterwards (:mod:`hedgehog.solver.blueprint.preflop.values`). The kernel therefore records,
beside the values, the luck of each class against some ranges of the opponent (*pairs* and *lead* of :class:`Figures`),
and sums of products of any two figures, which is all that means, errors and regression need. Nothing is kept of a
single board.

What a board costs: two walks of the whole tree, one for each player's values; for each preflop decision one pass over
the hands per range, and 169 x F x F / 2 products, where F is the number of its figures. More ranges take out more luck
and so need fewer boards for the same error, but F grows by two with each of them, and the memory of the products by
its square.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.jit import njit
from hedgehog.solver.blueprint._blueprint_kernels import (
    RoundProgram,
    RoundScratch,
    leave_round_kernel,
    prepare_board_kernel,
    walk_kernel,
)
from hedgehog.solver.blueprint.cards._abstraction_kernels import AbstractionTables
from hedgehog.solver.blueprint.cards._river_kernels import deal_kernel
from hedgehog.solver.cfr.kernels._simd_kernels import LANES

NUM_CLASSES: Final = 169


class Figures(NamedTuple):
    """What is counted on every board, for each decision before the flop and each hand class of the acting player.

    The figures of a decision are the value of each of its actions, and then two for each of some ranges of the
    opponent's: *pairs*, how many of its hands do not meet the class's, and *lead*, how many of these are weaker on the
    board less how many are stronger. Both are sums over the hands of the class.
    """

    num_figures: NDArray[np.int64]
    """(N,) number F of figures of each decision."""
    sum_start: NDArray[np.int64]
    """(N,) start of each decision's block (169, F) in the sums."""
    product_start: NDArray[np.int64]
    """(N,) start of each decision's block (169, F, F) in the sums of products."""
    range_start: NDArray[np.int64]
    """(N + 1,) first range of each decision."""
    ranges: NDArray[np.float64]
    """(ranges, 169) weight of each of the opponent's hands, by class."""


@njit(nogil=True)
def count_range_kernel(
    pairs: NDArray[np.float64],
    lead: NDArray[np.float64],
    by_card: NDArray[np.float64],
    scratch: RoundScratch,
    weights: NDArray[np.float64],
    num_hands: int,
) -> None:
    """Writes the two figures of a range, *pairs* and *lead* of :class:`Figures`, on the board that ``scratch`` holds.

    ``scratch`` has the hands that miss the board from the weakest to the strongest; ``tie_end[h]`` is the first hand
    that is stronger than hand ``h``. They are walked once, one group of ties at a time, while ``weaker`` grows to the
    weight of the range that is not stronger. What shares a card with a hand is taken off by the sums per card in
    ``by_card``, so that no pairs of hands are formed.

    :param pairs: (169,) output.
    :param lead: (169,) output.
    :param by_card: (2, 52) working memory: the range by card, all of it and the part that is weaker so far.
    :param scratch: the hands of the board; ``hand_card`` holds cards times :data:`LANES`.
    :param weights: (169,) the range by class.
    :param num_hands: number of hands that miss the board.
    """
    pairs[:] = 0.0
    lead[:] = 0.0
    by_card[:] = 0.0
    bucket, low_card, high_card = scratch.hand_bucket[0], scratch.hand_card[0], scratch.hand_card[1]
    total = 0.0
    for h in range(num_hands):
        weight = weights[bucket[h]]
        total += weight
        by_card[0, low_card[h] // LANES] += weight
        by_card[0, high_card[h] // LANES] += weight
    weaker = 0.0
    first = 0
    while first < num_hands:
        last = scratch.tie_end[first]
        for h in range(first, last):
            low, high = low_card[h] // LANES, high_card[h] // LANES
            lead[bucket[h]] += weaker - by_card[1, low] - by_card[1, high]
        for h in range(first, last):
            low, high = low_card[h] // LANES, high_card[h] // LANES
            weight = weights[bucket[h]]
            weaker += weight
            by_card[1, low] += weight
            by_card[1, high] += weight
        for h in range(first, last):
            low, high = low_card[h] // LANES, high_card[h] // LANES
            # The hand itself is in the total once and under both cards.
            disjoint = total - by_card[0, low] - by_card[0, high] + weights[bucket[h]]
            not_stronger = weaker - by_card[1, low] - by_card[1, high] + weights[bucket[h]]
            pairs[bucket[h]] += disjoint
            lead[bucket[h]] -= disjoint - not_stronger
        first = last


@njit(nogil=True)
def preflop_values_kernel(
    sums: NDArray[np.float64],
    products: NDArray[np.float64],
    preflop: NDArray[np.float32],
    scratch: RoundScratch,
    table: NDArray[np.float32],
    program: RoundProgram,
    cards: AbstractionTables,
    figures: Figures,
    num_boards: int,
    rng_state: NDArray[np.uint64],
) -> None:
    """Adds up the figures of random boards, and the products of every two figures of a decision.

    For each board and player: the values of the player's actions at all its preflop decisions come from one walk over
    the whole tree, in which both follow the blueprint; then the figures of luck are counted, and everything is added.
    The last step of the walk, up the round before the flop, adds to the regrets that it is given. It gets a copy of
    their rows, so that ``table`` stays as it is.

    :param sums: sums of the figures, laid out by ``figures``, added to. Values are thousands of chips, summed over the
        hands of the class and over those of the opponent, weighted by its strategy.
    :param products: sums of the products, added to; only those of a figure with itself and with later ones.
    :param preflop: working memory as long as the rows of round 0 in ``table``.
    :param table: the strategy of both players in the layout of regrets, of which regret matching gives it back.
    :param rng_state: (1,) state of SplitMix64.
    """
    board = np.empty(5, dtype=np.uint8)
    by_card = np.empty((2, 52), dtype=np.float64)
    most = 0
    for count in figures.num_figures:
        most = max(most, count)
    found = np.empty((most, NUM_CLASSES), dtype=np.float64)
    width = program.street_buckets[0]
    scratch.reach[0, :] = 1.0
    for _ in range(num_boards):
        deal_kernel(board, rng_state)
        num_hands = prepare_board_kernel(scratch, board, cards)
        for player in range(2):
            walk_kernel(table, table, scratch, program, player, False, 0.0, num_hands)
            preflop[:] = table[: len(preflop)]
            leave_round_kernel(preflop, scratch, program, 0, player)
            for node in range(program.round_node[1]):
                if program.node_player[node] != player:
                    continue
                actions, count = program.node_actions[node], figures.num_figures[node]
                for action in range(actions):
                    start = (program.node_first_row[node] + action) * width
                    for b in range(NUM_CLASSES):
                        found[action, b] = scratch.row_values[0, start + b]
                at = actions
                for i in range(figures.range_start[node], figures.range_start[node + 1]):
                    count_range_kernel(found[at], found[at + 1], by_card, scratch, figures.ranges[i], num_hands)
                    at += 2
                for b in range(NUM_CLASSES):
                    one = figures.sum_start[node] + b * count
                    two = figures.product_start[node] + b * count * count
                    for i in range(count):
                        x = found[i, b]
                        sums[one + i] += x
                        for j in range(i, count):
                            products[two + i * count + j] += x * found[j, b]
