"""Kernels that play hands of a solved spot with real cards: deal, sample actions, compare, pay.

The kernels share nothing with the solver except the arrays that hold its strategies
(:mod:`hedgehog.solver.cfr.strategy_table`).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables, rank7_kernel
from hedgehog.poker.streets import FLOP, TURN
from hedgehog.runtime._random_kernels import next_random, random_below, random_unit
from hedgehog.runtime.jit import njit

HANDS_PER_BLOCK: Final = 4096
"""Number of hands that share one stream of random numbers."""
NOBODY: Final = -1
"""Value of ``Lines.actor`` at nodes where the hand is over."""


class Lines(NamedTuple):
    """The betting lines of a spot as arrays over its N nodes."""

    actor: NDArray[np.int8]
    """(N,) player to act, or :data:`NOBODY` where the hand is over."""
    street: NDArray[np.int8]
    """(N,) street: 1 flop, 2 turn, 3 river."""
    first_child: NDArray[np.int32]
    """(N,) the node after the first action."""
    num_children: NDArray[np.int32]
    """(N,) number of actions."""
    after_deals: NDArray[np.int32]
    """(N,) the node where play goes on after cards are dealt; the node itself if none are dealt."""
    shown: NDArray[np.bool_]
    """(N,) whether the hand ends there with a showdown."""
    payoff: NDArray[np.float64]
    """(N, 3, 2) chips won by each player, less half the pot at the root. The middle index is 0, 1 or 2 if player 0 has
    the weaker, an equal or the stronger hand."""


class Seat(NamedTuple):
    """The strategy of one player, and where the row of a hand is stored.

    The first four fields are those of :class:`~hedgehog.solver.cfr.strategy_table.StrategyTable`.
    """

    weights: NDArray[Any]
    first: NDArray[np.int64]
    board_stride: NDArray[np.int64]
    block_stride: NDArray[np.int64]
    halves: NDArray[np.float32] | None
    """(65536,) value of every half float if the weights are uint16, else None."""
    turn_board: NDArray[np.int32]
    """(52,) the stored board for each turn card."""
    turn_permutation: NDArray[np.uint8]
    """(52,) the suit permutation that turns the real board into the stored one, for each turn card."""
    river_board: NDArray[np.int32]
    """(52, 52) the stored board for each turn and river card."""
    river_permutation: NDArray[np.uint8]
    """(52, 52) the suit permutation that turns the real board into the stored one, for each turn and river card."""
    hand_of: NDArray[np.int16]
    """(24, 1326) index of the stored hand for each suit permutation and combo."""


class Pairs(NamedTuple):
    """The joint distribution of both players' combos as an alias table; cell ``i * len(second) + j`` is a pair."""

    first: NDArray[np.int16]
    """(A,) combos of player 0."""
    second: NDArray[np.int16]
    """(B,) combos of player 1."""
    keep: NDArray[np.float64]
    """(A * B,) probability of keeping a cell that was drawn."""
    alias: NDArray[np.int32]
    """(A * B,) the cell that is taken if the drawn cell is not kept."""


@njit
def fill_alias_table(keep: NDArray[np.float64], alias: NDArray[np.int32], todo: NDArray[np.int32]) -> None:
    """Turns weights into an alias table (Vose, IEEE Transactions on Software Engineering 17, 1991).

    :param keep: (M,) weights with mean 1; replaced by the probabilities of keeping a drawn cell.
    :param alias: (M,) output: the cell that is taken if the drawn cell is not kept.
    :param todo: (M,) scratch: cells below the mean from the left, the others from the right.
    """
    low = 0
    high = len(keep)
    for cell in range(len(keep)):
        alias[cell] = cell
        if keep[cell] < 1.0:
            todo[low] = cell
            low += 1
        else:
            high -= 1
            todo[high] = cell
    while low > 0 and high < len(keep):
        low -= 1
        small, large = todo[low], todo[high]
        alias[small] = large
        keep[large] -= 1.0 - keep[small]
        if keep[large] < 1.0:
            high += 1
            todo[low] = large
            low += 1
    # The remaining weights differ from 1 by rounding only, but an impossible cell must stay impossible.
    for i in range(high, len(keep)):
        keep[todo[i]] = 1.0
    for i in range(low):
        if keep[todo[i]] > 0.5:
            keep[todo[i]] = 1.0


@njit
def weight_at(weights: NDArray[Any], halves: NDArray[np.float32] | None, index: int) -> float:
    """Returns a stored weight as float. A negative weight counts as 0.

    :param weights: the stored weights, float or half float as uint16.
    :param halves: (65536,) value of every half float, or None if the weights are floats.
    """
    if halves is None:  # numba compiles only one of the two branches
        return max(np.float64(weights[index]), 0.0)
    return max(np.float64(halves[weights[index]]), 0.0)


@njit
def choose_action(
    seat: Seat, node: int, num_actions: int, street: int, turn: int, river: int, combo: int, point: float
) -> int:
    """Returns the index of the action that a player draws from its strategy at a decision.

    :param street: 1 flop, 2 turn, 3 river.
    :param turn: turn card, if dealt.
    :param river: river card, if dealt.
    :param combo: the player's hole cards, 0..1325.
    :param point: random number in [0, 1).
    """
    board = np.int64(0)
    permutation = np.int64(0)
    if street > TURN:
        board = np.int64(seat.river_board[turn, river])
        permutation = np.int64(seat.river_permutation[turn, river])
    elif street > FLOP:
        board = np.int64(seat.turn_board[turn])
        permutation = np.int64(seat.turn_permutation[turn])
    hand = np.int64(seat.hand_of[permutation, combo])
    row = seat.first[node] + board * seat.board_stride[node] + (hand >> 4) * seat.block_stride[node] + (hand & 15)
    total = 0.0
    for action in range(num_actions):
        total += weight_at(seat.weights, seat.halves, row + 16 * action)
    if total <= 0.0:
        return int(point * num_actions)
    point *= total
    chosen = 0
    for action in range(num_actions):
        weight = weight_at(seat.weights, seat.halves, row + 16 * action)
        if weight > 0.0:
            chosen = action
            point -= weight
            if point < 0.0:
                break
    return chosen


@njit(nogil=True)
def play_blocks(
    sums: NDArray[np.float64],
    lines: Lines,
    oop: Seat,
    ip: Seat,
    pairs: Pairs,
    combo_cards: NDArray[np.uint8],
    known: NDArray[np.uint8],
    tables: EvaluatorTables,
    start: int,
    seed: int,
    first_block: int,
    last_block: int,
    num_hands: int,
) -> None:
    """Plays the hands of a range of blocks. Every block has random numbers of its own.

    :param sums: (blocks, 4) output: for each block the chips won by players 0 and 1, and the sums of their squares.
    :param combo_cards: (1326, 2) card ids of each combo.
    :param known: (3..5,) card ids of the board at the start.
    :param start: node at which the hands start.
    :param num_hands: number of hands in all blocks, also of other calls. Only the last block may be smaller.
    """
    state = np.empty(1, dtype=np.uint64)
    hand_0 = np.empty(7, dtype=np.uint8)
    hand_1 = np.empty(7, dtype=np.uint8)
    num_known = len(known)
    known_mask = np.int64(0)
    for i in range(num_known):
        known_mask |= np.int64(1) << np.int64(known[i])
        hand_0[2 + i] = known[i]
    num_second = len(pairs.second)
    num_cells = len(pairs.keep)
    for block in range(first_block, last_block):
        state[0] = np.uint64(seed)
        state[0] = next_random(state) + np.uint64(block)
        state[0] = next_random(state)
        won_0 = won_1 = square_0 = square_1 = 0.0
        for _ in range(min(HANDS_PER_BLOCK, num_hands - block * HANDS_PER_BLOCK)):
            cell = random_below(num_cells, state)
            if random_unit(state) >= pairs.keep[cell]:
                cell = int(np.int64(pairs.alias[cell]))
            combo_0 = pairs.first[cell // num_second]
            combo_1 = pairs.second[cell % num_second]
            mask = known_mask
            for i in range(2):
                hand_0[i] = combo_cards[combo_0, i]
                hand_1[i] = combo_cards[combo_1, i]
                mask |= np.int64(1) << np.int64(hand_0[i]) | np.int64(1) << np.int64(hand_1[i])
            dealt = num_known
            while dealt < 5:
                card = random_below(52, state)
                if mask >> card & 1 == 0:
                    mask |= np.int64(1) << card
                    hand_0[2 + dealt] = card
                    dealt += 1
            turn = int(np.int64(hand_0[5]))
            river = int(np.int64(hand_0[6]))

            node = start
            while lines.actor[node] != NOBODY:
                num_actions = lines.num_children[node]
                street = lines.street[node]
                point = random_unit(state)
                if lines.actor[node] == 0:
                    action = choose_action(oop, node, num_actions, street, turn, river, combo_0, point)
                else:
                    action = choose_action(ip, node, num_actions, street, turn, river, combo_1, point)
                node = int(np.int64(lines.after_deals[lines.first_child[node] + action]))

            outcome = 1
            if lines.shown[node]:
                for i in range(2, 7):
                    hand_1[i] = hand_0[i]
                rank_0 = rank7_kernel(hand_0, tables)
                rank_1 = rank7_kernel(hand_1, tables)
                outcome = 0 if rank_0 < rank_1 else 2 if rank_0 > rank_1 else 1
            chips_0 = lines.payoff[node, outcome, 0]
            chips_1 = lines.payoff[node, outcome, 1]
            won_0 += chips_0
            won_1 += chips_1
            square_0 += chips_0 * chips_0
            square_1 += chips_1 * chips_1
        sums[block, 0] = won_0
        sums[block, 1] = won_1
        sums[block, 2] = square_0
        sums[block, 3] = square_1
