"""Kernels of the AIVAT value function: strength and equity of all combos, averages over the next card."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poker._equity_kernels import sort_by_rank_kernel
from poker._evaluator_kernels import EvaluatorTables, rank_cards_kernel, rank_combos_kernel
from runtime.jit import njit

NUM_FEATURES = 12


@njit
def rank_board_kernel(
    ranks: NDArray[np.int32], board: NDArray[np.uint8], combo_cards: NDArray[np.uint8], tables: EvaluatorTables
) -> None:
    """Ranks every combo on a board of three to five cards, with the cards that are there.

    :param ranks: (1326,) output: rank 1..7462, -1 where the combo holds a board card.
    """
    if len(board) == 5:
        rank_combos_kernel(ranks, board, tables)
        return
    dead = np.zeros(52, dtype=np.bool_)
    cards = np.empty(len(board) + 2, dtype=np.uint8)
    for i in range(len(board)):
        dead[board[i]] = True
        cards[i] = board[i]
    for combo in range(len(ranks)):
        low, high = combo_cards[combo, 0], combo_cards[combo, 1]
        if dead[low] or dead[high]:
            ranks[combo] = -1
        else:
            cards[-2] = low
            cards[-1] = high
            ranks[combo] = rank_cards_kernel(cards, tables)


@njit
def strength_kernel(
    strength: NDArray[np.float64],
    ranks: NDArray[np.int32],
    order: NDArray[np.int16],
    buffer: NDArray[np.int16],
    board: NDArray[np.uint8],
    hands: NDArray[np.int16],
    combo_cards: NDArray[np.uint8],
    tables: EvaluatorTables,
) -> None:
    """Says for every combo which share of all combos the board leaves is weaker now, ties half.

    :param strength: (1326,) output, 0..1; 0 where the combo holds a board card.
    :param ranks: (1326,) output: ranks on the board, -1 where the combo holds a board card.
    :param order: (1326,) scratch, as ``buffer``.
    :param hands: (1326,) 0..1325.
    """
    rank_board_kernel(ranks, board, combo_cards, tables)
    live = sort_by_rank_kernel(order, buffer, hands, ranks)
    strength[:] = 0.0
    start = 0
    while start < live:
        stop = start
        while stop < live and ranks[order[stop]] == ranks[order[start]]:
            stop += 1
        for i in range(start, stop):
            strength[order[i]] = (start + stop) / (2 * live)
        start = stop


@njit
def runouts_kernel(
    doubled_wins: NDArray[np.int16],
    board: NDArray[np.uint8],
    opponent: int,
    dead: NDArray[np.bool_],
    tables: EvaluatorTables,
) -> None:
    """Plays out a flop against one hand, for every combo and every turn card.

    :param doubled_wins: (52, 1326) added to: rivers on which the combo wins after the turn card, counted twice, and
        those that are tied, counted once. Of no meaning for combos that hold one of the ``dead`` cards.
    :param board: (3,) the flop.
    :param opponent: combo of the opponent.
    :param dead: (52,) True for the cards of the flop and of the opponent.
    """
    full_board = np.empty(5, dtype=np.uint8)
    full_board[:3] = board
    ranks = np.empty(1326, dtype=np.int32)
    for turn in range(52):
        if dead[turn]:
            continue
        full_board[3] = turn
        for river in range(turn + 1, 52):
            if dead[river]:
                continue
            full_board[4] = river
            rank_combos_kernel(ranks, full_board, tables)
            theirs = ranks[opponent]
            after_turn, after_river = doubled_wins[turn], doubled_wins[river]
            for combo in range(1326):
                # Combos the board blocks have rank -1: they would lose, which leaves their counts as they are.
                points = np.int16(ranks[combo] > theirs) + np.int16(ranks[combo] >= theirs)
                after_turn[combo] += points
                after_river[combo] += points


@njit
def features_kernel(features: NDArray[np.float64], equity: float, own: float, other: float) -> None:
    """Writes the basis of the value function: the quadratics in both strengths, times 1 and the equity.

    :param features: (12,) output.
    :param equity: of the player to act against the other.
    :param own: strength of the player to act, ``other`` of the other.
    """
    features[0] = 1.0
    features[1] = own
    features[2] = other
    features[3] = own * own
    features[4] = other * other
    features[5] = own * other
    for i in range(6):
        features[6 + i] = equity * features[i]


@njit
def basis_kernel(
    basis: NDArray[np.float64], equities: NDArray[np.float64], strength: NDArray[np.float64], opponent: float
) -> None:
    """Writes the features of all combos against one hand, seen from either side.

    :param basis: (2, 12, 1326) output: [0] the combo is to act, [1] the opponent is.
    :param equities: (1326,) of every combo against the opponent's hand.
    :param strength: (1326,) of every combo, ``opponent`` of the opponent's hand.
    """
    features = np.empty(NUM_FEATURES)
    for combo in range(basis.shape[2]):
        features_kernel(features, equities[combo], strength[combo], opponent)
        basis[0, :, combo] = features
        features_kernel(features, 1.0 - equities[combo], opponent, strength[combo])
        basis[1, :, combo] = features


@njit
def next_card_kernel(
    expected: NDArray[np.float64],
    board: NDArray[np.uint8],
    opponent: int,
    dead: NDArray[np.bool_],
    equities: NDArray[np.float64],
    coefficients: NDArray[np.float64],
    bound: float,
    opponent_acts: bool,
    hands: NDArray[np.int16],
    combo_cards: NDArray[np.uint8],
    tables: EvaluatorTables,
) -> None:
    """Averages the value for the player to act over the next card, turn or river, for every combo.

    :param expected: (1326,) output; of no meaning for combos that hold one of the ``dead`` cards.
    :param board: (3,) or (4,) board now.
    :param opponent: combo of the opponent.
    :param dead: (52,) True for the cards of the board and of the opponent.
    :param equities: (52, 1326) after every turn card; not used for the river.
    :param coefficients: (12,) of the value function after the card, whose values are cut off at ``bound``.
    """
    known = len(board)
    longer = np.empty(known + 1, dtype=np.uint8)
    longer[:known] = board
    strength = np.empty(1326)
    ranks = np.empty(1326, dtype=np.int32)
    order = np.empty(1326, dtype=np.int16)
    buffer = np.empty(1326, dtype=np.int16)
    features = np.empty(NUM_FEATURES)
    expected[:] = 0.0
    for card in range(52):
        if dead[card]:
            continue
        longer[known] = card
        strength_kernel(strength, ranks, order, buffer, longer, hands, combo_cards, tables)
        theirs = ranks[opponent]
        for combo in range(1326):
            rank = ranks[combo]
            if rank < 0:
                continue
            equity = equities[card, combo]
            if known == 4:
                equity = 0.5 * (np.int64(rank > theirs) + np.int64(rank >= theirs))
            if opponent_acts:
                features_kernel(features, 1.0 - equity, strength[opponent], strength[combo])
            else:
                features_kernel(features, equity, strength[combo], strength[opponent])
            value = 0.0
            for i in range(NUM_FEATURES):
                value += coefficients[i] * features[i]
            expected[combo] += min(max(value, -bound), bound)
    # A combo that shares no card with board or opponent leaves so many cards.
    expected /= 52 - known - 4
