"""Kernels of exact equity: sort the hands of a river board by rank, sweep over them once, add up the run-outs.

The kernels work on ``hands``, the combos that take part (int16, any subset of 0..1325 in any order). Their results are
weights of the opponent's hands, summed over boards in three float64 arrays over all 1326 combos ``h``:

* ``below[h]``: the opponent's hands that ``h`` beats;
* ``upto[h]``: the opponent's hands that ``h`` beats or ties;
* ``possible[h]``: the opponent's hands that share no card with ``h`` or the board.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables, rank_combos_kernel
from hedgehog.runtime.jit import njit


@njit
def sort_by_rank_kernel(
    order: NDArray[np.int16], buffer: NDArray[np.int16], hands: NDArray[np.int16], ranks: NDArray[np.int32]
) -> int:
    """Sorts by ascending rank the hands that a board does not block (two radix passes); returns their number.

    :param order: (1326,) output: the first entries are the sorted combos.
    :param buffer: (1326,) scratch memory.
    :param hands: (H,) combos to sort.
    :param ranks: (1326,) rank 1..7462 of every combo, negative where blocked.
    """
    low_starts = np.zeros(129, dtype=np.int64)
    high_starts = np.zeros(65, dtype=np.int64)
    live = 0
    for hand in hands:
        rank = ranks[hand]
        if rank >= 0:
            low_starts[(rank & 127) + 1] += 1
            high_starts[(rank >> 7) + 1] += 1
            live += 1
    for i in range(128):
        low_starts[i + 1] += low_starts[i]
    for i in range(64):
        high_starts[i + 1] += high_starts[i]
    for hand in hands:
        rank = ranks[hand]
        if rank >= 0:
            buffer[low_starts[rank & 127]] = hand
            low_starts[rank & 127] += 1
    for i in range(live):
        hand = buffer[i]
        place = ranks[hand] >> 7
        order[high_starts[place]] = hand
        high_starts[place] += 1
    return live


@njit
def sweep_kernel(
    below: NDArray[np.float64],
    upto: NDArray[np.float64],
    card_sums: NDArray[np.float64],
    order: NDArray[np.int16],
    ranks: NDArray[np.int32],
    opponent: NDArray[np.float64],
    combo_cards: NDArray[np.uint8],
    weight: float,
) -> float:
    """Adds one river board to the weights of the opponent's hands that each combo beats or ties.

    It sweeps once over the hands in rank order. Sums per card remove the hands that share a card.

    :param below: (1326,) output, added to: weight of the opponent's hands that each combo beats.
    :param upto: (1326,) output, added to: weight of the opponent's hands that each combo beats or ties. It may be the
        same array as ``below``.
    :param card_sums: (52,) output: weight of the opponent's hands with each card.
    :param order: (L,) combos that the board does not block, by ascending rank.
    :param ranks: (1326,) rank of every combo.
    :param opponent: (1326,) weights of the opponent's range.
    :param combo_cards: (1326, 2) the cards of every combo.
    :param weight: weight of the board; everything added to ``below`` and ``upto`` is multiplied by it.
    :returns: the weight of all hands of the opponent.
    """
    card_sums[:] = 0.0
    total = 0.0
    start = 0
    while start < len(order):
        rank = ranks[order[start]]
        stop = start
        while stop < len(order) and ranks[order[stop]] == rank:
            hand = order[stop]
            low, high = combo_cards[hand, 0], combo_cards[hand, 1]
            below[hand] += weight * (total - card_sums[low] - card_sums[high])
            stop += 1
        for i in range(start, stop):
            hand = order[i]
            low, high = combo_cards[hand, 0], combo_cards[hand, 1]
            total += opponent[hand]
            card_sums[low] += opponent[hand]
            card_sums[high] += opponent[hand]
        for i in range(start, stop):
            hand = order[i]
            low, high = combo_cards[hand, 0], combo_cards[hand, 1]
            # The hand itself was subtracted with both of its cards.
            upto[hand] += weight * (total - card_sums[low] - card_sums[high] + opponent[hand])
        start = stop
    return total


@njit
def showdown_kernel(
    below: NDArray[np.float64],
    upto: NDArray[np.float64],
    possible: NDArray[np.float64],
    card_sums: NDArray[np.float64],
    order: NDArray[np.int16],
    ranks: NDArray[np.int32],
    opponent: NDArray[np.float64],
    combo_cards: NDArray[np.uint8],
    weight: float,
) -> None:
    """Adds one river board to the weights of the opponent's hands that each combo beats, ties or can meet.

    The parameters are those of :func:`sweep_kernel`, and:

    :param possible: (1326,) output, added to: weight of the opponent's hands that share no card with each combo.
    """
    total = sweep_kernel(below, upto, card_sums, order, ranks, opponent, combo_cards, weight)
    for i in range(len(order)):
        hand = order[i]
        low, high = combo_cards[hand, 0], combo_cards[hand, 1]
        possible[hand] += weight * (total - card_sums[low] - card_sums[high] + opponent[hand])


@njit
def runout_equity_kernel(
    below: NDArray[np.float64],
    upto: NDArray[np.float64],
    possible: NDArray[np.float64],
    board: NDArray[np.uint8],
    hands: NDArray[np.int16],
    opponent: NDArray[np.float64],
    combo_cards: NDArray[np.uint8],
    tables: EvaluatorTables,
) -> None:
    """Adds all run-outs of a board to the weights of the opponent's hands that each combo beats, ties or can meet.

    :param below: (1326,) output, added to: weight of the opponent's hands that each combo beats.
    :param upto: (1326,) output, added to: weight of the opponent's hands that each combo beats or ties.
    :param possible: (1326,) output, added to: weight of the opponent's hands that share no card with each combo.
    :param board: (k,) the known board cards, three to five.
    :param hands: (H,) combos that take part.
    :param opponent: (1326,) weights of the opponent's range.
    :param combo_cards: (1326, 2) the cards of every combo.
    :param tables: the look-up tables of the evaluator.
    """
    full_board = np.empty(5, dtype=np.uint8)
    dead = np.zeros(52, dtype=np.bool_)
    known = len(board)
    for i in range(known):
        full_board[i] = board[i]
        dead[board[i]] = True
    ranks = np.empty(1326, dtype=np.int32)
    order = np.empty(1326, dtype=np.int16)
    buffer = np.empty(1326, dtype=np.int16)
    card_sums = np.empty(52, dtype=np.float64)
    # If the turn or river card is known, the loop over it runs once and sets no card.
    for turn in range(52 if known <= 3 else 1):
        if known <= 3:
            if dead[turn]:
                continue
            full_board[3] = turn
        for river in range(turn + 1 if known <= 3 else 0, 52 if known <= 4 else 1):
            if known <= 4:
                if dead[river]:
                    continue
                full_board[4] = river
            rank_combos_kernel(ranks, full_board, tables)
            live = sort_by_rank_kernel(order, buffer, hands, ranks)
            showdown_kernel(below, upto, possible, card_sums, order[:live], ranks, opponent, combo_cards, 1.0)


@njit
def preflop_equity_kernel(
    below: NDArray[np.float64],
    upto: NDArray[np.float64],
    possible: NDArray[np.float64],
    representatives: NDArray[np.uint8],
    multiplicities: NDArray[np.int32],
    hands: NDArray[np.int16],
    opponents: NDArray[np.float64],
    combo_cards: NDArray[np.uint8],
    tables: EvaluatorTables,
) -> None:
    """Adds one river board of every suit class to the weights of the opponent's hands that each combo beats or meets.

    Each board is weighted with the size of its class and swept once for every relabelling of the opponent's range.

    :param below: (V, 1326) output, added to: weight of the opponent's hands that each combo beats, per range.
    :param upto: (V, 1326) output, added to: weight of the opponent's hands that each combo beats or ties.
    :param possible: (V, 1326) output, added to: weight of the opponent's hands that share no card with each combo.
    :param representatives: (C, 5) one river board of every class.
    :param multiplicities: (C,) number of boards in every class.
    :param hands: (H,) combos that take part.
    :param opponents: (V, 1326) the different ranges that suit relabelling makes of the opponent's range.
    :param combo_cards: (1326, 2) the cards of every combo.
    :param tables: the look-up tables of the evaluator.
    """
    board = np.empty(5, dtype=np.uint8)
    ranks = np.empty(1326, dtype=np.int32)
    order = np.empty(1326, dtype=np.int16)
    buffer = np.empty(1326, dtype=np.int16)
    card_sums = np.empty(52, dtype=np.float64)
    for index in range(len(representatives)):
        for i in range(5):
            board[i] = representatives[index, i]
        rank_combos_kernel(ranks, board, tables)
        live = sort_by_rank_kernel(order, buffer, hands, ranks)
        weight = float(multiplicities[index])
        for row in range(len(opponents)):
            showdown_kernel(
                below[row],
                upto[row],
                possible[row],
                card_sums,
                order[:live],
                ranks,
                opponents[row],
                combo_cards,
                weight,
            )


@njit
def class_wins_kernel(
    wins: NDArray[np.int32],
    representatives: NDArray[np.uint8],
    multiplicities: NDArray[np.int32],
    hands: NDArray[np.int16],
    hand_class: NDArray[np.uint8],
    combo_cards: NDArray[np.uint8],
    tables: EvaluatorTables,
) -> None:
    """Counts for every pair of preflop hand classes how often the first class beats the second.

    One count is a pair of combos, one of each class and without a common card, on one river board.

    :param wins: (169, W) output, added to, with W >= 169 (a multiple of 16 suits the vector unit). No count exceeds
        144 pairs of combos times 1,712,304 boards, which fits into 32 bits.
    :param representatives: (C, 5) one river board of every class.
    :param multiplicities: (C,) number of boards in every class.
    :param hands: (1326,) all combos.
    :param hand_class: (1326,) class of every combo.
    :param combo_cards: (1326, 2) the cards of every combo.
    :param tables: the look-up tables of the evaluator.
    """
    width = wins.shape[1]
    board = np.empty(5, dtype=np.uint8)
    ranks = np.empty(1326, dtype=np.int32)
    order = np.empty(1326, dtype=np.int16)
    buffer = np.empty(1326, dtype=np.int16)
    below = np.empty(width, dtype=np.int32)  # weaker combos by class, weighted with the board's multiplicity
    below_by_card = np.empty((52, width), dtype=np.int32)  # the same weight of the combos that hold a card
    for index in range(len(representatives)):
        for i in range(5):
            board[i] = representatives[index, i]
        rank_combos_kernel(ranks, board, tables)
        live = sort_by_rank_kernel(order, buffer, hands, ranks)
        below[:] = 0
        below_by_card[:] = 0
        start = 0
        while start < live:
            rank = ranks[order[start]]
            stop = start
            while stop < live and ranks[order[stop]] == rank:
                hand = order[stop]
                own, low, high = hand_class[hand], combo_cards[hand, 0], combo_cards[hand, 1]
                row, holding_low, holding_high = wins[own], below_by_card[low], below_by_card[high]
                for other in range(width):
                    row[other] += below[other] - holding_low[other] - holding_high[other]
                stop += 1
            for i in range(start, stop):
                hand = order[i]
                own = hand_class[hand]
                below[own] += multiplicities[index]
                below_by_card[combo_cards[hand, 0], own] += multiplicities[index]
                below_by_card[combo_cards[hand, 1], own] += multiplicities[index]
            start = stop
