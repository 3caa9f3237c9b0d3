"""Kernels of the AIVAT value function: strength and equity of all combos, and averages over the next card."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._equity_kernels import sort_by_rank_kernel
from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables, rank_cards_kernel, rank_combos_kernel
from hedgehog.runtime.jit import njit

NUM_FEATURES = 12


@njit
def rank_board_kernel(
    ranks: NDArray[np.int32], board: NDArray[np.uint8], combo_cards: NDArray[np.uint8], tables: EvaluatorTables
) -> None:
    """Ranks every combo by the best hand it makes with a board of three to five cards.

    :param ranks: (1326,) output: rank 1..7462, or -1 where the combo holds a board card.
    :param board: (3..5,) card ids.
    :param combo_cards: (1326, 2) card ids of every combo.
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
    """Computes for every combo the share of all combos that are weaker on a board, counting ties half.

    Combos that hold a board card are left out.

    :param strength: (1326,) output, 0..1; 0 where the combo holds a board card.
    :param ranks: (1326,) output: ranks on the board, -1 where the combo holds a board card.
    :param order: (1326,) scratch.
    :param buffer: (1326,) scratch.
    :param board: (3..5,) card ids.
    :param hands: (1326,) the numbers 0..1325.
    :param combo_cards: (1326, 2) card ids of every combo.
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
    """Counts on how many run-outs of a flop every combo beats one hand, for every turn card.

    :param doubled_wins: (52, 1326) added to, by turn card and combo: 2 for every river on which the combo wins and 1
        for every river on which it ties. Entries of combos that hold one of the ``dead`` cards have no meaning.
    :param board: (3,) card ids of the flop.
    :param opponent: combo of the opponent, 0..1325.
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
                # Combos that hold a board card have rank -1. They lose here, which leaves their counts unchanged.
                points = np.int16(ranks[combo] > theirs) + np.int16(ranks[combo] >= theirs)
                after_turn[combo] += points
                after_river[combo] += points


@njit
def features_kernel(features: NDArray[np.float64], equity: float, own: float, other: float) -> None:
    """Writes the features of the value function: six terms quadratic in both strengths, times 1 and times the equity.

    :param features: (12,) output.
    :param equity: equity of the player to act against the other player's hand, 0..1.
    :param own: strength of the player to act, 0..1.
    :param other: strength of the other player, 0..1.
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

    :param basis: (2, 12, 1326) output: [0] if the combo is to act, [1] if the opponent is to act.
    :param equities: (1326,) equity of every combo against the opponent's hand, 0..1.
    :param strength: (1326,) strength of every combo, 0..1.
    :param opponent: strength of the opponent's hand, 0..1.
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

    :param expected: (1326,) output; entries of combos that hold one of the ``dead`` cards have no meaning.
    :param board: (3,) or (4,) card ids of the board before the card.
    :param opponent: combo of the opponent, 0..1325.
    :param dead: (52,) True for the cards of the board and of the opponent.
    :param equities: (52, 1326) equity of every combo after every turn card; not used for the river.
    :param coefficients: (12,) coefficients of the value function after the card.
    :param bound: values of larger magnitude are cut off at this number.
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
    # The number of cards left when a combo shares no card with the board or the opponent.
    expected /= 52 - known - 4
