"""Kernels of hand strength: one hand against all hands of a random opponent, on the board as it is and at the showdown.

Opponents are counted by the ranks of their cards. On a board with fewer than three cards of a suit nobody has a flush,
and 91 look-ups serve all opponents. Otherwise the opponents with cards of this suit are looked at one by one.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import RANK_KEYS, EvaluatorTables, lookup_rank
from hedgehog.runtime.jit import njit

NO_SUIT: Final = -1


@njit
def score(own: int | np.int64, other: int | np.int64) -> int:
    """Returns 2 if the rank ``own`` is the higher, 1 if both are equal, else 0."""
    return 2 if own > other else 1 if own == other else 0


@njit
def flush_suit(board: NDArray[np.uint8]) -> int:
    """Returns the suit 0..3 of which a board of at most five cards has three or more, else -1."""
    counts = np.int64(0)
    for card in board:
        counts += 1 << 4 * (np.int64(card) & 3)
    for suit in range(4):
        if counts >> 4 * suit & 15 >= 3:
            return suit
    return NO_SUIT


@njit
def beaten_kernel(
    hole_cards: NDArray[np.uint8], board: NDArray[np.uint8], left: NDArray[np.int64], tables: EvaluatorTables
) -> int:
    """Returns twice the number of opponents' hands that a hand beats on a board plus the number of hands it ties.

    There are 1081 opponents' hands on a flop, 1035 on a turn and 990 on a river.

    :param hole_cards: (2,) card ids.
    :param board: (k,) card ids of three to five board cards.
    :param left: (14,) work space.
    :param tables: the look-up tables of the evaluator.
    """
    size = len(board) - 3
    left[:13] = 4
    board_key = np.uint64(0)
    for card in board:
        board_key += RANK_KEYS[card >> 2]
        left[card >> 2] -= 1
    own_key = board_key
    for card in hole_cards:
        own_key += RANK_KEYS[card >> 2]
        left[card >> 2] -= 1
    own = np.int64(lookup_rank(own_key, size, tables))
    suit = flush_suit(board)
    if suit == NO_SUIT:
        return count_by_ranks(own, board_key, left, size, tables)

    board_mask = np.int64(0)
    in_suit = 0
    for card in board:
        if np.int64(card) & 3 == suit:
            board_mask |= 1 << (np.int64(card) >> 2)
            in_suit += 1
    own_mask = board_mask
    for card in hole_cards:
        if np.int64(card) & 3 == suit:
            own_mask |= 1 << (np.int64(card) >> 2)
    # The table gives 0 to fewer than five cards; a flush beats whatever else up to seven cards can be with it.
    own = max(own, np.int64(tables.flush_ranks[own_mask]))

    total = 0
    if in_suit == 3:  # only an opponent with two cards of the suit has a flush
        total = count_by_ranks(own, board_key, left, size, tables)
        for high in range(1, 13):
            if own_mask >> high & 1 == 0:
                for low in range(high):
                    if own_mask >> low & 1 == 0:
                        plain = lookup_rank(board_key + RANK_KEYS[high] + RANK_KEYS[low], size, tables)
                        flush = tables.flush_ranks[board_mask | 1 << high | 1 << low]
                        total += score(own, np.int64(flush)) - score(own, np.int64(plain))
        return total
    others = 0  # cards of other suits
    for rank in range(13):
        left[rank] -= 1 - (own_mask >> rank & 1)
        others += left[rank]
    for high in range(13):
        if own_mask >> high & 1 == 0:
            total += others * score(own, np.int64(tables.flush_ranks[board_mask | 1 << high]))
            for low in range(high):
                if own_mask >> low & 1 == 0:
                    total += score(own, np.int64(tables.flush_ranks[board_mask | 1 << high | 1 << low]))
    if in_suit == 5:
        return total + others * (others - 1) // 2 * score(own, np.int64(tables.flush_ranks[board_mask]))
    return total + count_by_ranks(own, board_key, left, size, tables)


@njit
def count_by_ranks(
    own: int | np.int64, board_key: np.uint64, left: NDArray[np.int64], size: int, tables: EvaluatorTables
) -> int:
    """Returns twice the pairs of cards that lose to a hand plus those that tie it, flushes aside.

    :param own: rank of the hand.
    :param board_key: sum of the rank keys of the board.
    :param left: (13 or more,) number of cards of each rank that the pairs are made of.
    :param size: number of board cards minus three.
    :param tables: the look-up tables of the evaluator.
    """
    total = 0
    for high in range(13):
        if left[high] == 0:
            continue
        high_key = board_key + RANK_KEYS[high]
        if left[high] > 1:
            other = np.int64(lookup_rank(high_key + RANK_KEYS[high], size, tables))
            total += left[high] * (left[high] - 1) // 2 * score(own, other)
        for low in range(high):
            if left[low]:
                other = np.int64(lookup_rank(high_key + RANK_KEYS[low], size, tables))
                total += left[high] * left[low] * score(own, other)
    return total


@njit
def turn_showdown_kernel(
    hole_cards: NDArray[np.uint8], board: NDArray[np.uint8], left: NDArray[np.int64], tables: EvaluatorTables
) -> int:
    """Returns the sum of :func:`beaten_kernel` over the 46 rivers that can follow a turn board.

    :param hole_cards: (2,) card ids.
    :param board: (5,) card ids of four board cards, and a free place that is overwritten.
    :param left: (14,) work space.
    :param tables: the look-up tables of the evaluator.
    """
    dead = dead_cards(hole_cards, board[:4])
    total = 0
    for river in range(52):
        if dead >> river & 1 == 0:
            board[4] = river
            total += beaten_kernel(hole_cards, board, left, tables)
    return total


@njit
def flop_showdown_kernel(
    hole_cards: NDArray[np.uint8],
    board: NDArray[np.uint8],
    left: NDArray[np.int64],
    known: NDArray[np.int64],
    tables: EvaluatorTables,
) -> int:
    """Returns the sum of :func:`beaten_kernel` over the 1081 pairs of turn and river that can follow a flop.

    Pairs with equal ranks and equally many cards of a flush suit are counted once.

    :param hole_cards: (2,) card ids.
    :param board: (5,) card ids of the flop, and two free places that are overwritten.
    :param left: (14,) work space.
    :param known: (2, 13, 13) work space.
    :param tables: the look-up tables of the evaluator.
    """
    dead = dead_cards(hole_cards, board[:3])
    known[:] = -1
    total = 0
    for turn in range(1, 52):
        if dead >> turn & 1:
            continue
        board[3] = turn
        for river in range(turn):
            if dead >> river & 1:
                continue
            board[4] = river
            suit = flush_suit(board)
            of_turn, of_river = turn & 3 == suit, river & 3 == suit
            if of_turn and of_river:
                total += beaten_kernel(hole_cards, board, left, tables)
                continue
            # With one card of the flush suit it comes first; else the higher card does.
            first, second = (river >> 2, turn >> 2) if of_river else (turn >> 2, river >> 2)
            kind = int(of_turn or of_river)
            if known[kind, first, second] < 0:
                known[kind, first, second] = beaten_kernel(hole_cards, board, left, tables)
            total += known[kind, first, second]
    return total


@njit
def dead_cards(hole_cards: NDArray[np.uint8], board: NDArray[np.uint8]) -> np.int64:
    """Returns a 52-bit mask of the cards of a hand and a board."""
    dead = np.int64(0)
    for card in hole_cards:
        dead |= np.int64(1) << np.int64(card)
    for card in board:
        dead |= np.int64(1) << np.int64(card)
    return dead


@njit
def next_card_kernel(
    hole_cards: NDArray[np.uint8],
    board: NDArray[np.uint8],
    num_board: int,
    left: NDArray[np.int64],
    tables: EvaluatorTables,
) -> int:
    """Returns the sum of :func:`beaten_kernel` over the cards that can come next.

    :param hole_cards: (2,) card ids.
    :param board: (5,) card ids of ``num_board`` board cards, and free places that are overwritten.
    :param num_board: number of board cards, 3 or 4.
    :param left: (14,) work space.
    :param tables: the look-up tables of the evaluator.
    """
    dead = dead_cards(hole_cards, board[:num_board])
    total = 0
    for card in range(52):
        if dead >> card & 1 == 0:
            board[num_board] = card
            total += beaten_kernel(hole_cards, board[: num_board + 1], left, tables)
    return total


@njit
def two_card_kernel(hole_cards: NDArray[np.uint8]) -> int:
    """Returns twice the opponents' hands that hole cards beat without a board plus those they tie, out of 1225.

    Two cards are a pair or two ranks; suits do not matter.
    """
    first, second = np.int64(hole_cards[0]) >> 2, np.int64(hole_cards[1]) >> 2
    own = two_card_rank(max(first, second), min(first, second))
    total = 0
    for high in range(13):
        of_high = 4 - int(first == high) - int(second == high)
        total += of_high * (of_high - 1) // 2 * score(own, two_card_rank(high, high))
        for low in range(high):
            of_low = 4 - int(first == low) - int(second == low)
            total += of_high * of_low * score(own, two_card_rank(high, low))
    return total


@njit
def two_card_rank(high: int | np.int64, low: int | np.int64) -> int | np.int64:
    """Returns a number that orders hole cards as hands of two cards; the arguments are ranks, the higher one first."""
    return 169 * int(high == low) + 13 * high + low


@njit
def hand_strength_kernel(
    out: NDArray[np.float64],
    hole_cards: NDArray[np.uint8],
    board: NDArray[np.uint8],
    num_board: int,
    preflop_strength: float,
    left: NDArray[np.int64],
    known: NDArray[np.int64],
    tables: EvaluatorTables,
) -> None:
    """Writes the immediate hand rank and the seven-card hand rank of a hand.

    :param out: (2,) output: both ranks, from 0 to 1.
    :param hole_cards: (2,) card ids.
    :param board: (5,) card ids of ``num_board`` board cards, and free places that are overwritten.
    :param num_board: number of board cards: 0, 3, 4 or 5.
    :param preflop_strength: equity of the hand against a random hand before the flop, used without a board.
    :param left: (14,) work space.
    :param known: (2, 13, 13) work space.
    :param tables: the look-up tables of the evaluator.
    """
    if num_board == 0:
        out[0] = two_card_kernel(hole_cards) / 2450
        out[1] = preflop_strength
        return
    num_left = 50 - num_board
    out[0] = beaten_kernel(hole_cards, board[:num_board], left, tables) / (num_left * (num_left - 1))
    if num_board == 5:
        out[1] = out[0]
    elif num_board == 4:
        out[1] = turn_showdown_kernel(hole_cards, board, left, tables) / (46 * 1980)
    else:
        out[1] = flop_showdown_kernel(hole_cards, board, left, known, tables) / (1081 * 1980)


@njit
def board_strengths_kernel(
    out: NDArray[np.float64],
    board: NDArray[np.uint8],
    num_board: int,
    class_strengths: NDArray[np.float64],
    combo_cards: NDArray[np.uint8],
    tables: EvaluatorTables,
) -> None:
    """Writes the hand ranks of all combos on a board.

    :param out: (1326, 3) output: immediate, six-card and seven-card hand rank; NaN for combos that hold a board card,
        and as six-card rank on other boards than flops.
    :param board: (5,) card ids of ``num_board`` board cards, and free places that are overwritten.
    :param num_board: number of board cards: 0, 3, 4 or 5.
    :param class_strengths: (1326,) equity of every combo against a random hand before the flop.
    :param combo_cards: (1326, 2) the cards of every combo.
    :param tables: the look-up tables of the evaluator.
    """
    left = np.empty(14, dtype=np.int64)
    known = np.empty((2, 13, 13), dtype=np.int64)
    both = np.empty(2)
    on_board = np.int64(0)
    for i in range(num_board):
        on_board |= np.int64(1) << np.int64(board[i])
    out[:] = np.nan
    for combo in range(len(out)):
        hand = combo_cards[combo]
        if on_board >> np.int64(hand[0]) & 1 or on_board >> np.int64(hand[1]) & 1:
            continue
        hand_strength_kernel(both, hand, board, num_board, class_strengths[combo], left, known, tables)
        out[combo, 0] = both[0]
        out[combo, 2] = both[1]
        if num_board == 3:
            out[combo, 1] = next_card_kernel(hand, board, 3, left, tables) / (47 * 2070)
