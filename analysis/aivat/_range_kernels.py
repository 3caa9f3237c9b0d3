"""Kernels of AIVAT over the ranges of both players: equities of all pairs of hands, and features of two ranges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._equity_kernels import sort_by_rank_kernel, sweep_kernel
from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables, rank_combos_kernel
from hedgehog.runtime.jit import njit

NUM_RANGE_FEATURES = 9
TILE = 128
"""Number of hands whose counts of one other hand stay in registers."""
_BLOCKED = 32_767


@njit
def runout_ranks_kernel(
    ranks: NDArray[np.int16], board: NDArray[np.uint8], hands: NDArray[np.int16], tables: EvaluatorTables
) -> None:
    """Ranks hands on all run-outs of a board.

    :param ranks: (tiles, B, 128) output: rank 1..7462 of every hand on every river board, 32,767 where the board blocks
        it and beyond the last hand; hand h stands at ``[h // 128, :, h % 128]``.
    :param board: (3..5,) card ids.
    :param hands: (H,) combos.
    :param tables: the look-up tables of the evaluator.
    """
    known = len(board)
    full_board = np.empty(5, dtype=np.uint8)
    full_board[:known] = board
    dead = np.zeros(52, dtype=np.bool_)
    for card in board:
        dead[card] = True
    all_ranks = np.empty(1326, dtype=np.int32)
    ranks[:] = _BLOCKED
    row = 0
    for turn in range(52 if known == 3 else 1):
        if known == 3:
            if dead[turn]:
                continue
            full_board[3] = turn
        for river in range(turn + 1 if known == 3 else 0, 52 if known < 5 else 1):
            if known < 5:
                if dead[river]:
                    continue
                full_board[4] = river
            rank_combos_kernel(all_ranks, full_board, tables)
            for i in range(len(hands)):
                rank = all_ranks[hands[i]]
                if rank >= 0:
                    ranks[i // TILE, row, i % TILE] = rank
            row += 1


@njit
def equities_kernel(
    equities: NDArray[np.float32],
    ranks: NDArray[np.int16],
    hands: NDArray[np.int16],
    combo_cards: NDArray[np.uint8],
    runouts: int,
) -> None:
    """Computes the equity of every hand against every other hand.

    :param equities: (1326, 1326) output: equity of the row's combo, ties counted half; 0 for pairs that share a card.
        Rows and columns of combos that are not in ``hands`` are left alone.
    :param ranks: (tiles, B, 128) ranks of all run-outs (:func:`runout_ranks_kernel`).
    :param hands: (H,) combos.
    :param combo_cards: (1326, 2) card ids of every combo.
    :param runouts: number of boards that block neither of two given hands.
    """
    count = len(hands)
    points = np.zeros(TILE, dtype=np.int16)
    for i in range(count):
        own = ranks[i // TILE, :, i % TILE]
        first = hands[i]
        low, high = combo_cards[first, 0], combo_cards[first, 1]
        for tile in range(i // TILE, ranks.shape[0]):
            others = ranks[tile]
            points[:] = 0
            for board in range(others.shape[0]):
                rank = own[board]
                if rank == _BLOCKED:
                    continue
                for j in range(TILE):
                    points[j] += np.int16(rank > others[board, j]) + np.int16(rank >= others[board, j])
            for j in range(max(tile * TILE, i + 1), min((tile + 1) * TILE, count)):
                second = hands[j]
                if low in combo_cards[second] or high in combo_cards[second]:
                    equities[first, second] = 0.0
                    equities[second, first] = 0.0
                    continue
                equity = points[j - tile * TILE] / (2.0 * runouts)
                equities[first, second] = equity
                equities[second, first] = 1.0 - equity
        equities[first, first] = 0.0


@njit
def met_kernel(met: NDArray[np.float64], weights: NDArray[np.float64], combo_cards: NDArray[np.uint8]) -> None:
    """Sums, for every combo, the weights of all combos that share no card with it.

    :param met: (1326,) output.
    :param weights: (1326,) weights.
    :param combo_cards: (1326, 2) card ids of every combo.
    """
    card_sums = np.zeros(52)
    total = 0.0
    for hand in range(1326):
        total += weights[hand]
        card_sums[combo_cards[hand, 0]] += weights[hand]
        card_sums[combo_cards[hand, 1]] += weights[hand]
    for hand in range(1326):
        # The combo itself was subtracted with both of its cards.
        met[hand] = total - card_sums[combo_cards[hand, 0]] - card_sums[combo_cards[hand, 1]] + weights[hand]


@njit
def wins_kernel(wins: NDArray[np.float32], weights: NDArray[np.float32], equities: NDArray[np.float32]) -> None:
    """Sums, for every combo, the weights of the combos of the other player times the equity of these.

    :param wins: (1326,) output.
    :param weights: (1326,) weights of the other player's combos.
    :param equities: (1326, 1326) equity of the row's combo against the column's; 0 where they share a card.
    """
    wins[:] = 0.0
    for hand in range(1326):
        weight = weights[hand]
        if weight > 0:
            row = equities[hand]
            for combo in range(1326):
                wins[combo] += weight * row[combo]


@njit
def features_kernel(
    features: NDArray[np.float64],
    own: NDArray[np.float64],
    own_met: NDArray[np.float64],
    own_wins: NDArray[np.float64],
    other: NDArray[np.float64],
    other_met: NDArray[np.float64],
    other_wins: NDArray[np.float64],
    price: float,
) -> float:
    """Computes the features of two ranges, and returns the sum of the weights of all pairs of hands.

    :param features: (9,) output; 0 if no pair is possible.
    :param own: (1326,) weights of the player to act.
    :param own_met: (1326,) weight of the other player's hands that every own hand can meet.
    :param own_wins: (1326,) the same weight times the equity of the own hand.
    :param other: (1326,) weights of the other player; ``other_met`` and ``other_wins`` as for the own hands.
    :param price: chips that each player has in the pot after a call, divided by those of the player to act; 0 if there
        is no bet to be answered.
    """
    floor, factor = (-1.0, price) if price > 0 else (0.0, 1.0)
    mass = wins = square = best = 0.0
    for hand in range(len(own)):
        if own[hand] > 0 and own_met[hand] > 0:
            won = own[hand] * own_wins[hand]
            met = own[hand] * own_met[hand]
            mass += met
            wins += won
            square += won * own_wins[hand] / own_met[hand]
            best += max(floor * met, factor * (2 * won - met))
    features[:] = 0.0
    if mass <= 0:
        return 0.0
    other_square = other_best = 0.0
    for hand in range(len(other)):
        if other[hand] > 0 and other_met[hand] > 0:
            won = other[hand] * other_wins[hand]
            other_square += won * other_wins[hand] / other_met[hand]
            other_best += max(0.0, 2 * won - other[hand] * other_met[hand])
    equity = wins / mass
    edge = 2 * equity - 1
    spread = 4 * (square / mass - equity * equity)
    other_spread = 4 * (other_square / mass - (1 - equity) * (1 - equity))
    features[0] = 1.0
    features[1] = edge
    features[2] = edge * edge
    features[3] = spread
    features[4] = other_spread
    features[5] = edge * spread
    features[6] = edge * other_spread
    features[7] = best / mass
    features[8] = other_best / mass
    return mass


@njit
def next_card_features_kernel(
    features: NDArray[np.float64],
    board: NDArray[np.uint8],
    own: NDArray[np.float64],
    other: NDArray[np.float64],
    combos: NDArray[np.int16],
    combo_cards: NDArray[np.uint8],
    tables: EvaluatorTables,
) -> None:
    """Averages the features of two ranges over the next card, turn or river, as they are after the card.

    :param features: (9,) output.
    :param board: (3,) or (4,) card ids of the board before the card.
    :param own: (1326,) weights of the player to act after the card, 0 where the board blocks a combo.
    :param other: (1326,) weights of the other player.
    :param combos: (1326,) the numbers 0..1325.
    :param combo_cards: (1326, 2) card ids of every combo.
    :param tables: the look-up tables of the evaluator.
    """
    known = len(board)
    dead = np.zeros(52, dtype=np.bool_)
    for card in board:
        dead[card] = True
    full_board = np.empty(5, dtype=np.uint8)
    full_board[:known] = board
    order, buffer = np.empty(1326, dtype=np.int16), np.empty(1326, dtype=np.int16)
    ranks = np.empty(1326, dtype=np.int32)
    card_sums = np.empty(52)
    weights = np.zeros((2, 52, 1326))
    met, wins = np.zeros((2, 52, 1326)), np.zeros((2, 52, 1326))
    for card in range(52):
        if dead[card]:
            continue
        for combo in range(1326):
            if combo_cards[combo, 0] != card and combo_cards[combo, 1] != card:
                weights[0, card, combo] = own[combo]
                weights[1, card, combo] = other[combo]
        met_kernel(met[0, card], weights[1, card], combo_cards)
        met_kernel(met[1, card], weights[0, card], combo_cards)
    for turn in range(52):
        if dead[turn]:
            continue
        full_board[known] = turn
        if known == 4:
            rank_combos_kernel(ranks, full_board, tables)
            live = sort_by_rank_kernel(order, buffer, combos, ranks)
            for side in range(2):
                won, others = wins[side, turn], weights[1 - side, turn]
                sweep_kernel(won, won, card_sums, order[:live], ranks, others, combo_cards, 0.5)  # ties count half
            continue
        for river in range(turn + 1, 52):
            if dead[river]:
                continue
            full_board[4] = river
            rank_combos_kernel(ranks, full_board, tables)
            live = sort_by_rank_kernel(order, buffer, combos, ranks)
            for side in range(2):
                for card in (turn, river):
                    # After a turn card, two given hands meet 44 rivers.
                    won, others = wins[side, card], weights[1 - side, card]
                    sweep_kernel(won, won, card_sums, order[:live], ranks, others, combo_cards, 0.5 / 44)
    found = np.empty(len(features))
    features[:] = 0.0
    total = 0.0
    for card in range(52):
        if dead[card]:
            continue
        mass = features_kernel(
            found,
            weights[0, card],
            met[0, card],
            wins[0, card],
            weights[1, card],
            met[1, card],
            wins[1, card],
            0.0,
        )
        total += mass
        features += mass * found
    if total > 0:
        features /= total
