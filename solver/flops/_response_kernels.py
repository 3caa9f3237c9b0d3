"""Kernels of the exact best response on one flop: depth-first over turn and river cards, every hand by itself.

The opponent follows a strategy by flop hand on the flop and by bucket on turn and river; the responder takes the best
action with every single hand. Betting rounds and leaves are those of
:class:`~hedgehog.solver.blueprint._blueprint_kernels.RoundProgram`.

*Flop hands* are the combos that miss the flop, by ascending number; arrays over them are padded to ``WIDTH``. Values
are counterfactual: payoffs times the opponent's reach, times the probability of the cards dealt since the flop.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.streets import FLOP_COMBOS
from hedgehog.runtime.jit import njit
from hedgehog.solver.blueprint._blueprint_kernels import (
    ALL_CARDS,
    MAX_HANDS,
    RoundProgram,
    RoundScratch,
    prepare_board_kernel,
    sum_reach_kernel,
    walk_kernel,
)
from hedgehog.solver.blueprint.cards._abstraction_kernels import AbstractionTables, board_buckets_kernel
from hedgehog.solver.cfr.kernels._simd_kernels import LANES, fma, load, maximum, splat, store, transpose

WIDTH: Final = 1184
"""Flop hands padded to whole vectors."""
TURN_CHANCE: Final = 1 / 45
"""Probability of a turn card given both hands."""
RIVER_CHANCE: Final = 1 / 44


class Dealing(NamedTuple):
    """The hands on a flop and the turn and river cards to deal, with suit-isomorphic cards dealt once.

    A *swap* is a row of ``swaps``: the flop hand that each flop hand becomes when two suits change places. The value of
    a card that is not dealt is the value of the card dealt in its place, with the hands swapped.
    """

    flop: NDArray[np.uint8]
    """(3,) cards of the flop."""
    hand_of: NDArray[np.int64]
    """(1326,) flop hand of every combo, -1 where it holds a flop card."""
    hand_combo: NDArray[np.int64]
    """(FLOP_COMBOS,) combo of every flop hand."""
    swaps: NDArray[np.int64]
    """(S, FLOP_COMBOS); row 0 changes nothing."""
    turns: NDArray[np.uint8]
    """(T,) turn cards."""
    turn_swaps: NDArray[np.int64]
    """(T, 4) swaps of the turn cards that each turn card stands for, then -1."""
    first_river: NDArray[np.int64]
    """(T + 1,) the rivers of turn ``t`` are ``first_river[t] .. first_river[t + 1] - 1``."""
    rivers: NDArray[np.uint8]
    """(R,) river cards, by turn."""
    river_swaps: NDArray[np.int64]
    """(R, 4) swaps of the river cards that each river card stands for on its turn card, then -1."""


class Paths(NamedTuple):
    """The betting rounds below the flop, and where the opponent's reach within each of them is stored."""

    number: NDArray[np.int64]
    """(rounds,) number of the round among the rounds of its street."""
    reach_start: NDArray[np.int64]
    """(rounds,) start in ``leaf_reach`` of each round's block (buckets, leaves)."""
    leaf_reach: NDArray[np.float32]
    """The opponent's probability of each leaf within its round, by bucket (on the flop by hand)."""
    stakes: tuple[NDArray[np.float32], NDArray[np.float32]]
    """For flop and turn, (K padded,): thousands of chips that the better hand wins at each showdown of the street."""
    no_folds: NDArray[np.float32]
    """(K padded,) zeros, in place of the payoffs of folds."""


class Buffers(NamedTuple):
    """Working memory of one response."""

    turn_reach: NDArray[np.float32]
    """(turn rounds, WIDTH) the opponent's reach at the start of every round, by flop hand."""
    turn_value: NDArray[np.float32]
    """(turn rounds, WIDTH) the responder's value, summed over the turn cards so far."""
    river_reach: NDArray[np.float32]
    """(river rounds, WIDTH) the opponent's reach at the start of every round, for the current turn card."""
    river_value: NDArray[np.float32]
    """(river rounds, WIDTH) the responder's value, summed over the river cards so far."""
    showdown_reach: tuple[NDArray[np.float32], NDArray[np.float32]]
    """For flop and turn, (WIDTH * K padded,): the opponent's reach at the showdowns, by flop hand."""
    showdown_value: tuple[NDArray[np.float32], NDArray[np.float32]]
    """For flop and turn, (WIDTH * K padded,): the responder's values at the showdowns."""
    row_values: NDArray[np.float32]
    """((rows + 1) * WIDTH,) values by row of one round."""
    result: NDArray[np.float32]
    """(WIDTH,) values at the start of one round."""
    hand_at_position: NDArray[np.int64]
    """(MAX_HANDS,) flop hands in order of strength."""
    hand_row: NDArray[np.int64]
    """(WIDTH,) where the bucket of every hand starts."""
    hand_bucket: NDArray[np.int64]
    """(WIDTH,) turn bucket of every hand."""
    reach: NDArray[np.float32]
    """(WIDTH,) the opponent's reach at one leaf."""
    entry: NDArray[np.float32]
    """(WIDTH,) the opponent's reach at the start of a turn round."""
    ones: NDArray[np.float32]
    """(WIDTH,) ones."""
    live: NDArray[np.float32]
    """(WIDTH,) 1 for the flop hands that miss the turn card, else 0."""
    turn_bucket: NDArray[np.uint16]
    """(1326,) turn bucket of every combo."""
    row_at: NDArray[np.int64]
    """(leaves,) offset of each leaf's row in ``row_values``."""


@njit(nogil=True)
def settle_kernel(
    by_hand: NDArray[np.float32],
    by_card: NDArray[np.float32],
    opponent_reach: NDArray[np.float32],
    stakes: NDArray[np.float32],
    fold_payoffs: NDArray[np.float32],
    reach: NDArray[np.float32],
    hand_row: NDArray[np.int64],
    low_card: NDArray[np.int64],
    high_card: NDArray[np.int64],
    num_hands: int,
    first_leaf: int,
) -> None:
    """Turns the sums that ``sum_reach_kernel`` leaves into values of sixteen leaves, in place."""
    total = load(by_card, ALL_CARDS)
    stake = load(stakes, first_leaf)
    fold_payoff = load(fold_payoffs, first_leaf)
    for h in range(num_hands):
        everything = total - load(by_card, low_card[h]) - load(by_card, high_card[h])
        # The hand itself is in the total once and under both cards, hence added back for the fold.
        disjoint = fma(splat(reach[h]), load(opponent_reach, hand_row[h] + first_leaf), everything)
        value = fma(stake, load(by_hand, h * LANES) - everything, fold_payoff * disjoint)
        store(by_hand, h * LANES, value)


@njit(nogil=True)
def climb_kernel(
    result: NDArray[np.float32],
    row_values: NDArray[np.float32],
    program: RoundProgram,
    this_round: int,
    responder: int,
    num_hands: int,
    table: NDArray[np.float32],
    buckets: NDArray[np.int64],
    following: bool,
) -> None:
    """Carries the values of the leaves up to ``result``. The responder takes the best action with every hand.

    :param row_values: ((rows + 1) * WIDTH,) rows that end in leaves are given, the others written here.
    :param buckets: (num_hands or more,) bucket of every hand; not read unless ``following``.
    :param following: the responder does not choose in this round but follows ``table``.
    """
    rows_start = program.round_table[this_round]
    width = program.street_buckets[program.round_street[this_round]]
    for node in range(program.round_node[this_round + 1] - 1, program.round_node[this_round] - 1, -1):
        values = program.node_first_row[node] * WIDTH
        last = values + program.node_actions[node] * WIDTH
        target = program.node_row[node] * WIDTH
        responding = program.node_player[node] == responder
        if responding and following:
            for action in range(program.node_actions[node]):
                probabilities = table[rows_start + (program.node_first_row[node] + action) * width :]
                for h in range(num_hands):
                    row_values[values + action * WIDTH + h] *= probabilities[buckets[h]]
            responding = False
        for h in range(0, num_hands, LANES):
            value = load(row_values, values + h)
            for row in range(values + WIDTH, last, WIDTH):
                other = load(row_values, row + h)
                value = maximum(value, other) if responding else value + other
            if target >= 0:
                store(row_values, target + h, value)
            else:
                store(result, h, value)


@njit(nogil=True)
def fold_kernel(
    values: NDArray[np.float32],
    by_card: NDArray[np.float32],
    reach: NDArray[np.float32],
    payoff: float,
    hand_combo: NDArray[np.int64],
    combo_cards: NDArray[np.uint8],
) -> None:
    """Writes the value of a fold for every flop hand.

    :param values: (FLOP_COMBOS,) output.
    :param by_card: (at least 52,) scratch.
    :param reach: (FLOP_COMBOS,) the opponent's reach at the fold.
    """
    by_card[:52] = 0.0
    total = np.float32(0.0)
    for h in range(FLOP_COMBOS):
        combo = hand_combo[h]
        total += reach[h]
        by_card[combo_cards[combo, 0]] += reach[h]
        by_card[combo_cards[combo, 1]] += reach[h]
    for h in range(FLOP_COMBOS):
        combo = hand_combo[h]
        disjoint = total + reach[h] - by_card[combo_cards[combo, 0]] - by_card[combo_cards[combo, 1]]
        values[h] = np.float32(payoff) * disjoint


@njit(nogil=True)
def enter_kernel(
    next_reach: NDArray[np.float32],
    showdown_reach: NDArray[np.float32],
    buffers: Buffers,
    paths: Paths,
    program: RoundProgram,
    this_round: int,
    entry: NDArray[np.float32],
    first_showdown: int,
    num_showdowns: int,
) -> int:
    """Spreads the opponent's reach at the start of a flop or turn round over its deals and showdowns.

    :param next_reach: (rounds of the next street, WIDTH) output.
    :param showdown_reach: (WIDTH * num_showdowns,) output.
    :param entry: (WIDTH,) reach at the start of the round; ``buffers.hand_row`` has the buckets' rows.
    :param first_showdown: where this round's showdowns stand among those of the street.
    :returns: where the next round's showdowns stand.
    """
    first_leaf = program.round_leaf[this_round]
    num_terminals = program.round_terminals[this_round]
    start = paths.reach_start[this_round]
    for leaf in range(num_terminals + program.round_deals[this_round]):
        source = start + leaf
        if leaf >= num_terminals:
            target = next_reach[paths.number[program.leaf_round[first_leaf + leaf]]]
            for h in range(FLOP_COMBOS):
                target[h] = entry[h] * paths.leaf_reach[source + buffers.hand_row[h]]
        elif program.leaf_stake[first_leaf + leaf] > 0.0:
            for h in range(FLOP_COMBOS):
                reach = entry[h] * paths.leaf_reach[source + buffers.hand_row[h]]
                showdown_reach[h * num_showdowns + first_showdown] = reach
            first_showdown += 1
    return first_showdown


@njit(nogil=True)
def leave_kernel(
    buffers: Buffers,
    paths: Paths,
    scratch: RoundScratch,
    program: RoundProgram,
    dealing: Dealing,
    combo_cards: NDArray[np.uint8],
    next_value: NDArray[np.float32],
    showdown_value: NDArray[np.float32],
    this_round: int,
    entry: NDArray[np.float32],
    responder: int,
    deal_chance: float,
    showdown_chance: float,
    first_showdown: int,
    num_showdowns: int,
    table: NDArray[np.float32],
    following: bool,
) -> int:
    """Writes the responder's values at the start of a flop or turn round into ``buffers.result``.

    :param next_value: (rounds of the next street, WIDTH) sums over the cards dealt.
    :param showdown_value: (WIDTH * num_showdowns,) sums over the run-outs.
    :param deal_chance: probability of each card.
    :param showdown_chance: probability of each run-out.
    :returns: where the next round's showdowns stand.
    """
    first_leaf = program.round_leaf[this_round]
    num_terminals = program.round_terminals[this_round]
    start = paths.reach_start[this_round]
    reach = buffers.reach
    for leaf in range(num_terminals + program.round_deals[this_round]):
        row = program.leaf_row[first_leaf + leaf] * WIDTH
        values = buffers.row_values[row : row + WIDTH]
        if leaf >= num_terminals:
            source = next_value[paths.number[program.leaf_round[first_leaf + leaf]]]
            for h in range(FLOP_COMBOS):
                values[h] = source[h] * np.float32(deal_chance)
        elif program.leaf_stake[first_leaf + leaf] > 0.0:
            for h in range(FLOP_COMBOS):
                values[h] = showdown_value[h * num_showdowns + first_showdown] * np.float32(showdown_chance)
            first_showdown += 1
        else:
            for h in range(FLOP_COMBOS):
                reach[h] = entry[h] * paths.leaf_reach[start + leaf + buffers.hand_row[h]]
            payoff = program.leaf_fold[responder, first_leaf + leaf]
            fold_kernel(values, scratch.by_card, reach, payoff, dealing.hand_combo, combo_cards)
    climb_kernel(
        buffers.result, buffers.row_values, program, this_round, responder, WIDTH, table, buffers.hand_bucket, following
    )
    return first_showdown


@njit(nogil=True)
def add_showdowns_kernel(
    buffers: Buffers,
    paths: Paths,
    scratch: RoundScratch,
    dealing: Dealing,
    street: int,
    turn: int,
    river: int,
    num_hands: int,
) -> None:
    """Adds the values of the flop's or the turn's showdowns on one river board.

    :param street: 0 flop, 1 turn.
    """
    count = len(paths.stakes[street])
    values = buffers.showdown_value[street]
    hand_row = scratch.hand_row[0]
    for h in range(num_hands):
        hand_row[h] = buffers.hand_at_position[h] * count
    for first in range(0, count, LANES):
        sum_reach_kernel(
            scratch.by_hand, scratch.by_card, buffers.showdown_reach[street], buffers.ones, hand_row,
            scratch.hand_card[0], scratch.hand_card[1], scratch.tie_end, num_hands, first,
        )  # fmt: skip
        settle_kernel(
            scratch.by_hand, scratch.by_card, buffers.showdown_reach[street], paths.stakes[street], paths.no_folds,
            buffers.ones, hand_row, scratch.hand_card[0], scratch.hand_card[1], num_hands, first,
        )  # fmt: skip
        for twin in dealing.river_swaps[river]:
            if twin < 0:
                break
            swap = dealing.swaps[twin]
            if street == 1:
                for h in range(num_hands):
                    at = swap[buffers.hand_at_position[h]] * count + first
                    store(values, at, load(values, at) + load(scratch.by_hand, h * LANES))
            else:
                for turn_twin in dealing.turn_swaps[turn]:
                    if turn_twin < 0:
                        break
                    turn_swap = dealing.swaps[turn_twin]
                    for h in range(num_hands):
                        at = turn_swap[swap[buffers.hand_at_position[h]]] * count + first
                        store(values, at, load(values, at) + load(scratch.by_hand, h * LANES))


@njit(nogil=True)
def add_river_round_kernel(
    buffers: Buffers,
    paths: Paths,
    scratch: RoundScratch,
    program: RoundProgram,
    dealing: Dealing,
    this_round: int,
    river: int,
    responder: int,
    num_hands: int,
    table: NDArray[np.float32],
    following: bool,
) -> None:
    """Adds the responder's values of one river round on one board to ``buffers.river_value``."""
    number = paths.number[this_round]
    entry = buffers.river_reach[number]
    reach = buffers.reach
    largest = np.float32(0.0)
    for h in range(num_hands):
        reach[h] = entry[buffers.hand_at_position[h]]
        largest = max(largest, reach[h])
    if largest <= 0.0:
        return
    first_leaf = program.round_leaf[this_round]
    stride = program.round_leaf[this_round + 1] - first_leaf
    start = paths.reach_start[this_round]
    leaf_reach = paths.leaf_reach[start : start + stride * program.street_buckets[3]]
    stakes = program.leaf_stake[first_leaf : first_leaf + stride]
    folds = program.leaf_fold[responder, first_leaf : first_leaf + stride]
    hand_row = scratch.hand_row[3]
    for h in range(num_hands):
        hand_row[h] = scratch.hand_bucket[3, h] * stride
    for i in range(stride):
        buffers.row_at[i] = program.leaf_row[first_leaf + i] * WIDTH
    for first in range(0, stride, LANES):
        sum_reach_kernel(
            scratch.by_hand, scratch.by_card, leaf_reach, reach, hand_row, scratch.hand_card[0], scratch.hand_card[1],
            scratch.tie_end, num_hands, first,
        )  # fmt: skip
        settle_kernel(
            scratch.by_hand, scratch.by_card, leaf_reach, stakes, folds, reach, hand_row, scratch.hand_card[0],
            scratch.hand_card[1], num_hands, first,
        )  # fmt: skip
        for h in range(0, num_hands, LANES):
            transpose(buffers.row_values, h, buffers.row_at, first, scratch.by_hand, scratch.hand_at, h)
    climb_kernel(
        buffers.result, buffers.row_values, program, this_round, responder, num_hands, table, scratch.hand_bucket[3],
        following,
    )  # fmt: skip
    target = buffers.river_value[number]
    for twin in dealing.river_swaps[river]:
        if twin < 0:
            break
        swap = dealing.swaps[twin]
        for h in range(num_hands):
            target[swap[buffers.hand_at_position[h]]] += buffers.result[h]


@njit(nogil=True)
def respond_kernel(
    values: NDArray[np.float32],
    buffers: Buffers,
    scratch: RoundScratch,
    paths: Paths,
    program: RoundProgram,
    dealing: Dealing,
    cards: AbstractionTables,
    opponent_range: NDArray[np.float32],
    responder: int,
    table: NDArray[np.float32],
    following: bool,
) -> None:
    """Writes the value of a best response for every flop hand.

    :param values: (WIDTH,) output.
    :param table: the responder's own strategy, which it follows on turn and river if ``following``.
    :param paths: of the opponent.
    :param opponent_range: (WIDTH,) by flop hand, padding 0.
    """
    num_rounds = len(program.round_street)
    combo_cards = cards.combo_cards
    board = np.empty(5, dtype=np.uint8)
    board[:3] = dealing.flop
    num_showdowns = (len(paths.stakes[0]), len(paths.stakes[1]))
    flop_stride = program.round_leaf[1]
    for h in range(FLOP_COMBOS):
        buffers.hand_row[h] = h * flop_stride
    enter_kernel(
        buffers.turn_reach, buffers.showdown_reach[0], buffers, paths, program, 0, opponent_range, 0, num_showdowns[0]
    )
    buffers.turn_value[:] = 0.0
    buffers.showdown_value[0][:] = 0.0
    for turn in range(len(dealing.turns)):
        board[3] = dealing.turns[turn]
        board_buckets_kernel(buffers.turn_bucket, board[:4], cards.turn, cards)
        for h in range(FLOP_COMBOS):
            combo = dealing.hand_combo[h]
            dead = combo_cards[combo, 0] == board[3] or combo_cards[combo, 1] == board[3]
            buffers.live[h] = 0.0 if dead else 1.0
        buffers.river_value[:] = 0.0
        buffers.showdown_value[1][:] = 0.0
        showdown = 0
        for this_round in range(num_rounds):
            if program.round_street[this_round] == 2:
                number = paths.number[this_round]
                turn_rows_kernel(buffers, program, dealing, this_round)
                for h in range(FLOP_COMBOS):
                    buffers.entry[h] = buffers.turn_reach[number, h] * buffers.live[h]
                showdown = enter_kernel(
                    buffers.river_reach, buffers.showdown_reach[1], buffers, paths, program, this_round, buffers.entry,
                    showdown, num_showdowns[1],
                )  # fmt: skip

        for river in range(dealing.first_river[turn], dealing.first_river[turn + 1]):
            board[4] = dealing.rivers[river]
            num_hands = prepare_board_kernel(scratch, board, cards)
            for h in range(num_hands):
                buffers.hand_at_position[h] = dealing.hand_of[scratch.hand_combo[h]]
            for street in range(2):
                add_showdowns_kernel(buffers, paths, scratch, dealing, street, turn, river, num_hands)
            for this_round in range(num_rounds):
                if program.round_street[this_round] == 3:
                    add_river_round_kernel(
                        buffers, paths, scratch, program, dealing, this_round, river, responder, num_hands, table,
                        following,
                    )  # fmt: skip

        showdown = 0
        for this_round in range(num_rounds):
            if program.round_street[this_round] == 2:
                number = paths.number[this_round]
                turn_rows_kernel(buffers, program, dealing, this_round)
                for h in range(FLOP_COMBOS):
                    buffers.entry[h] = buffers.turn_reach[number, h] * buffers.live[h]
                showdown = leave_kernel(
                    buffers, paths, scratch, program, dealing, combo_cards, buffers.river_value,
                    buffers.showdown_value[1], this_round, buffers.entry, responder, RIVER_CHANCE, RIVER_CHANCE,
                    showdown, num_showdowns[1], table, following,
                )  # fmt: skip
                for twin in dealing.turn_swaps[turn]:
                    if twin < 0:
                        break
                    swap = dealing.swaps[twin]
                    for h in range(FLOP_COMBOS):
                        buffers.turn_value[number, swap[h]] += buffers.live[h] * buffers.result[h]

    for h in range(FLOP_COMBOS):
        buffers.hand_row[h] = h * flop_stride
    leave_kernel(
        buffers, paths, scratch, program, dealing, combo_cards, buffers.turn_value, buffers.showdown_value[0], 0,
        opponent_range, responder, TURN_CHANCE, TURN_CHANCE * RIVER_CHANCE, 0, num_showdowns[0], table, False,
    )  # fmt: skip
    values[:] = buffers.result


@njit(nogil=True)
def turn_rows_kernel(buffers: Buffers, program: RoundProgram, dealing: Dealing, this_round: int) -> None:
    """Writes the turn buckets of all flop hands. Hands that hold the turn card get bucket 0 and have no reach."""
    stride = program.round_leaf[this_round + 1] - program.round_leaf[this_round]
    for h in range(FLOP_COMBOS):
        bucket = np.int64(buffers.turn_bucket[dealing.hand_combo[h]])
        buffers.hand_bucket[h] = bucket if buffers.live[h] > 0.0 else 0
        buffers.hand_row[h] = buffers.hand_bucket[h] * stride


@njit(nogil=True)
def play_kernel(
    results: NDArray[np.float64],
    table: NDArray[np.float32],
    sums: NDArray[np.float32],
    scratch: RoundScratch,
    program: RoundProgram,
    cards: AbstractionTables,
    hand_of: NDArray[np.int64],
    ranges: NDArray[np.float32],
    boards: NDArray[np.uint8],
    player: int,
) -> None:
    """Writes what a player wins on each board if both players follow ``table``, summed over all pairs by weight.

    :param results: (B,) output, thousands of chips times the weight of the pairs of hands.
    :param sums: any array; it is not changed.
    :param ranges: (2, 1326).
    :param boards: (B, 5) the flop, a turn and a river card.
    """
    for i in range(len(boards)):
        num_hands = prepare_board_kernel(scratch, boards[i], cards)
        for h in range(num_hands):
            combo = scratch.hand_combo[h]
            scratch.hand_bucket[1, h] = hand_of[combo]
            scratch.reach[1, h] = ranges[0, combo]
            scratch.reach[1, MAX_HANDS + h] = ranges[1, combo]
        walk_kernel(table, sums, scratch, program, player, False, 0.0, num_hands)
        total = 0.0
        for h in range(num_hands):
            total += np.float64(scratch.value[1, h]) * scratch.reach[1, player * MAX_HANDS + h]
        results[i] = total
