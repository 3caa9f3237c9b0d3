"""Hand evaluation kernels: table construction, single hands, batches, and all combos on a river board.

Every card has a 64-bit key, and the keys of a hand are added. The low 24 bits of the sum identify the multiset of
ranks: the rank keys were chosen so that different multisets of equally many cards have different sums. The bits above
count the suits. A hand without a flush takes one look-up of its rank sum in a table that is compressed by row
displacement. A hand with a flush takes one look-up of the 13-bit rank mask of its suit. All tables together take about
450 KB, so they stay in the L2 cache.

Hand ranks go from 1 (7-5-4-3-2) to 7462 (royal flush). A rank is the order number of the best five cards among all
classes of five-card hands, so hands of five, six and seven cards can be compared with each other.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker._combo_kernels import combo_kernel
from hedgehog.runtime.jit import njit

NUM_RANK_CLASSES: Final = 7462
"""Number of distinguishable five-card hands."""

# Keys and table indices are unsigned: numba adds a test for negative indices to every signed one, which costs up to
# half the speed. Both operands must be unsigned: uint64 with int64 becomes int64 in bit operations, float64 in sums.
# All multisets of seven ranks, at most four of each, have different sums of these keys. The same holds for multisets of
# five and of six ranks.
RANK_KEYS: Final = np.array([0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181], dtype=np.uint64)
RANK_SUM_MASK: Final = np.uint64(0xFFFFFF)
SUIT_SHIFT: Final = np.uint64(24)
# Each suit has four bits that start at 3: the highest of them is set once the suit has five cards.
SUIT_START: Final = np.uint64(0x3333 << 24)
FLUSH_BITS: Final = np.uint64(0x8888 << 24)
ONE_OF_EACH_SUIT: Final = np.uint64(0x1111 << 24)
# A rank sum is split into the row (high bits) and the column (low bits) of a sparse table.
ROW_BITS: Final = np.uint64(9)
COLUMN_MASK: Final = np.uint64(511)
NUM_ROWS: Final = (4 * 1479181 + 3 * 636345 >> 9) + 1

# The categories of `rank_code`, weakest first.
HIGH_CARD: Final = 0
PAIR: Final = 1
TWO_PAIR: Final = 2
TRIPS: Final = 3
STRAIGHT: Final = 4
FLUSH: Final = 5
FULL_HOUSE: Final = 6
QUADS: Final = 7
STRAIGHT_FLUSH: Final = 8


class EvaluatorTables(NamedTuple):
    """The look-up tables of the evaluator as read-only arrays; kernels take this tuple as an argument."""

    card_keys: NDArray[np.uint64]
    """(52,) additive key of every card: rank key in bits 0..23, suit counter above."""
    row_starts: NDArray[np.uint32]
    """(3, NUM_ROWS) index into ``ranks`` of column 0 of each row of rank sums, for hands of 5, 6 and 7 cards."""
    ranks: NDArray[np.uint16]
    """(M,) ranks 1..7462 of hands without a flush; rows of rank sums fill the gaps of other rows."""
    flush_ranks: NDArray[np.uint16]
    """(8192,) rank of the best flush or straight flush in a 13-bit mask of ranks; 0 for masks of fewer than 5 ranks."""


# --- table construction -----------------------------------------------------------------------------------------


@njit
def straight_high(mask: int) -> int:
    """Returns the highest rank 3..12 (five to ace) of the best straight in a 13-bit rank mask, or -1 if it has none."""
    for high in range(12, 3, -1):
        window = 0b11111 << (high - 4)
        if mask & window == window:
            return high
    return 3 if mask & 0b1000000001111 == 0b1000000001111 else -1


@njit
def highest_ranks(mask: int, count: int) -> int:
    """Returns the ``count`` highest ranks of a 13-bit rank mask as digits of base 16, highest rank first."""
    code = 0
    rank = 12
    while count > 0 and rank >= 0:
        if mask >> rank & 1:
            code = code << 4 | rank
            count -= 1
        rank -= 1
    return code


@njit
def flush_code(mask: int) -> int:
    """Returns the order code ``category << 20 | tie-breakers`` of the best flush in a 13-bit mask of suited ranks.

    :param mask: at least five ranks of one suit.
    """
    high = straight_high(mask)
    if high >= 0:
        return STRAIGHT_FLUSH << 20 | high
    return FLUSH << 20 | highest_ranks(mask, 5)


@njit
def rank_code(counts: NDArray[np.int8]) -> int:
    """Returns the order code ``category << 20 | tie-breakers`` of the best five cards, suits ignored.

    :param counts: (13,) number of cards of each rank, 5 to 7 cards in all.
    """
    mask = 0
    for rank in range(13):
        if counts[rank] > 0:
            mask |= 1 << rank
    quads = trips = pair = second_pair = -1
    for rank in range(12, -1, -1):
        count = counts[rank]
        if count == 4 and quads < 0:
            quads = rank
        elif count == 3 and trips < 0:
            trips = rank
        elif count >= 2:  # a second set of trips serves as a pair
            if pair < 0:
                pair = rank
            elif second_pair < 0:
                second_pair = rank
    if quads >= 0:
        return QUADS << 20 | quads << 4 | highest_ranks(mask & ~(1 << quads), 1)
    if trips >= 0 and pair >= 0:
        return FULL_HOUSE << 20 | trips << 4 | pair
    high = straight_high(mask)
    if high >= 0:
        return STRAIGHT << 20 | high
    if trips >= 0:
        return TRIPS << 20 | trips << 8 | highest_ranks(mask & ~(1 << trips), 2)
    if second_pair >= 0:
        rest = mask & ~(1 << pair) & ~(1 << second_pair)
        return TWO_PAIR << 20 | pair << 8 | second_pair << 4 | highest_ranks(rest, 1)
    if pair >= 0:
        return PAIR << 20 | pair << 12 | highest_ranks(mask & ~(1 << pair), 3)
    return HIGH_CARD << 20 | highest_ranks(mask, 5)


@njit
def enumerate_rank_sums(
    sums: NDArray[np.int32], codes: NDArray[np.int32], rank_keys: NDArray[np.uint64], num_cards: int
) -> int:
    """Writes the rank sum and the order code of every multiset of ``num_cards`` ranks; returns the number of multisets.

    :param sums: (M,) output: sum of the rank keys of each multiset.
    :param codes: (M,) output: order code (:func:`rank_code`) of each multiset.
    :param rank_keys: (13,) key of every rank.
    :param num_cards: 5, 6 or 7.
    """
    found = 0
    counts = np.zeros(13, dtype=np.int8)
    rank = 0
    left = num_cards
    # Odometer: counts[:rank] are chosen, `left` cards remain for the ranks from `rank` on.
    counts[0] = -1
    while rank >= 0:
        counts[rank] += 1
        left -= 1 if counts[rank] > 0 else 0
        if counts[rank] > 4 or left < 0:
            left += counts[rank]
            rank -= 1
        elif left == 0 or rank == 12:
            if left == 0:
                counts[rank + 1 :] = 0
                total = 0
                for i in range(13):
                    total += np.int64(rank_keys[i]) * counts[i]
                sums[found] = total
                codes[found] = rank_code(counts)
                found += 1
        else:
            rank += 1
            counts[rank] = -1
    return found


@njit
def pack_rows(
    row_starts: NDArray[np.uint32],
    ranks: NDArray[np.uint16],
    columns: NDArray[np.int64],
    values: NDArray[np.uint16],
    first: NDArray[np.int64],
    order: NDArray[np.int64],
    row_length: int,
) -> int:
    """Packs the rows of a sparse table into the array ``ranks`` by first fit.

    :param row_starts: (R,) output: the value of a row's column ``c`` is ``ranks[row_starts[row] + c]``.
    :param ranks: (M,) output, zeros where free; values are positive.
    :param columns: (N,) columns of the entries, row by row and ascending in each row.
    :param values: (N,) value of each entry.
    :param first: (R + 1,) start of every row in ``columns``.
    :param order: (R,) the order in which the rows are placed (fullest first packs best).
    :param row_length: number of columns; nothing is placed below this index, so that no start is negative.
    :returns: the end of the used part of ``ranks``, or -1 if the array is too small.
    """
    end = 0
    free = row_length  # all places from row_length up to this one are taken
    place = 0
    size = 0
    for row in order:
        begin, stop = first[row], first[row + 1]
        if begin == stop:
            continue
        while free < len(ranks) and ranks[free] != 0:
            free += 1
        # Places where a row of this size did not fit are not tried again: ten times faster, hardly less dense.
        if stop - begin != size:
            place = free
            size = stop - begin
        place = max(place, free)
        while True:
            start = place - columns[begin]
            if start + columns[stop - 1] >= len(ranks):
                return -1
            fits = True
            for i in range(begin, stop):
                if ranks[start + columns[i]] != 0:
                    fits = False
                    break
            if fits:
                break
            place += 1
        for i in range(begin, stop):
            ranks[start + columns[i]] = values[i]
        row_starts[row] = start
        end = max(end, start + columns[stop - 1] + 1)
    return end


# --- evaluation -------------------------------------------------------------------------------------------------


@njit
def lookup_rank(key_sum: np.uint64, size: int, tables: EvaluatorTables) -> np.int32:
    """Returns the rank 1..7462 of a hand without a flush.

    :param key_sum: sum of the card keys of the hand.
    :param size: number of cards minus five.
    :param tables: the look-up tables of the evaluator.
    """
    rank_sum = key_sum & RANK_SUM_MASK
    start = tables.row_starts[size, rank_sum >> ROW_BITS]
    return np.int32(tables.ranks[start + (rank_sum & COLUMN_MASK)])


@njit
def flush_rank(cards: NDArray[np.uint8], key_sum: np.uint64, tables: EvaluatorTables) -> np.int32:
    """Returns the rank 1..7462 of a hand that holds a flush.

    :param cards: five to seven different card ids.
    :param key_sum: sum of the card keys of the hand.
    :param tables: the look-up tables of the evaluator.
    """
    flush_bits = np.int64((key_sum & FLUSH_BITS) >> SUIT_SHIFT)
    suit = 0
    while flush_bits >> (3 + 4 * suit) & 1 == 0:
        suit += 1
    mask = 0
    for i in range(len(cards)):
        if cards[i] & 3 == suit:
            mask |= 1 << (cards[i] >> 2)
    return np.int32(tables.flush_ranks[mask])


@njit
def rank_cards_kernel(cards: NDArray[np.uint8], tables: EvaluatorTables) -> np.int32:
    """Returns the rank 1..7462 of five to seven different cards, given as an integer array."""
    key_sum = SUIT_START
    for i in range(len(cards)):
        key_sum += tables.card_keys[cards[i]]
    if key_sum & FLUSH_BITS:
        return flush_rank(cards, key_sum, tables)
    return lookup_rank(key_sum, len(cards) - 5, tables)


@njit
def rank7_kernel(cards: NDArray[np.uint8], tables: EvaluatorTables) -> np.int32:
    """Returns the rank 1..7462 of seven different cards, given as an integer array of shape (7,).

    Slicing a row out of a matrix costs several times the evaluation: in a loop keep the cards in one small array.
    """
    keys = tables.card_keys
    key_sum = SUIT_START
    for i in range(7):
        key_sum += keys[cards[i]]
    if key_sum & FLUSH_BITS:
        return flush_rank(cards, key_sum, tables)
    return lookup_rank(key_sum, 2, tables)


@njit
def rank_hands_kernel(out: NDArray[np.int32], cards: NDArray[np.uint8], tables: EvaluatorTables) -> None:
    """Ranks a batch of seven-card hands.

    :param out: (N,) output: rank 1..7462 of every hand.
    :param cards: (N, 7) card ids; the cards of a row must differ.
    :param tables: the look-up tables of the evaluator.
    """
    keys = tables.card_keys
    for i in range(len(out)):
        key_sum = SUIT_START
        for j in range(7):
            key_sum += keys[cards[i, j]]
        if key_sum & FLUSH_BITS:
            out[i] = flush_rank(cards[i], key_sum, tables)
        else:
            out[i] = lookup_rank(key_sum, 2, tables)


@njit
def rank_combos_kernel(out: NDArray[np.int32], board: NDArray[np.uint8], tables: EvaluatorTables) -> None:
    """Ranks every combo on a river board.

    Without a flush a combo's rank depends on its two ranks alone, so 91 look-ups serve all combos.

    :param out: (1326,) output: rank 1..7462, or -1 where the combo holds a board card.
    :param board: (5,) different card ids.
    :param tables: the look-up tables of the evaluator.
    """
    keys = tables.card_keys
    board_sum = SUIT_START
    rank_counts = np.zeros(13, dtype=np.int64)
    for i in range(5):
        board_sum += keys[board[i]]
        rank_counts[board[i] >> 2] += 1

    row = np.empty(52, dtype=np.int32)  # rank of (card, other) for every other card
    for low_rank in range(13):
        rank_counts[low_rank] += 1
        low_sum = board_sum + keys[4 * low_rank]
        for high_rank in range(low_rank, 13):
            rank = np.int32(-1)
            # Five cards of a rank are in no table; all such combos are blocked.
            if rank_counts[high_rank] < 4 and rank_counts[low_rank] <= 4:
                rank = lookup_rank(low_sum + keys[4 * high_rank], 2, tables)
            for suit in range(4):
                row[4 * high_rank + suit] = rank
        for i in range(5):
            row[board[i]] = -1
        for low in range(4 * low_rank, 4 * low_rank + 4):
            start = combo_kernel(low, 0)
            for high in range(low + 1, 52):
                out[start + high] = row[high]
        rank_counts[low_rank] -= 1
    for i in range(5):
        card = np.int64(board[i])  # unsigned and signed integers would mix to floats
        row_start = combo_kernel(card, 0)
        for high in range(card + 1, 52):
            out[row_start + high] = -1

    suit_counts = np.int64(board_sum >> SUIT_SHIFT)
    for suit in range(4):
        count = (suit_counts >> (4 * suit) & 15) - 3
        if count >= 3:
            overwrite_flushes(out, board, count, suit, tables)


@njit
def overwrite_flushes(
    out: NDArray[np.int32], board: NDArray[np.uint8], count: np.int64, suit: int, tables: EvaluatorTables
) -> None:
    """Writes the ranks of the combos that make a flush on a river board.

    Five suited cards among seven leave no room for a full house or quads, so the flush is always the best hand.

    :param out: (1326,) output: the rank is written for combos with a flush; other entries stay as they are.
    :param board: (5,) different card ids.
    :param count: number of board cards of the flush suit, 3 to 5.
    :param suit: the flush suit 0..3.
    :param tables: the look-up tables of the evaluator.
    """
    flush_ranks = tables.flush_ranks
    board_mask = 0
    for i in range(5):
        if board[i] & 3 == suit:
            board_mask |= 1 << (board[i] >> 2)
    if count == 5:
        board_rank = np.int32(flush_ranks[board_mask])
        for combo in range(len(out)):
            if out[combo] >= 0:
                out[combo] = board_rank
    for high_rank in range(13):
        if board_mask >> high_rank & 1:
            continue
        high_mask = board_mask | 1 << high_rank
        high = 4 * high_rank + suit
        if count >= 4:
            rank = np.int32(flush_ranks[high_mask])
            for other in range(52):
                if other != high:
                    low, top = min(other, high), max(other, high)
                    combo = combo_kernel(low, top)
                    if out[combo] >= 0:
                        out[combo] = rank
        for low_rank in range(high_rank):
            if board_mask >> low_rank & 1 == 0:
                low = 4 * low_rank + suit
                out[combo_kernel(low, high)] = flush_ranks[high_mask | 1 << low_rank]


@njit
def count_all_hands_kernel(counts: NDArray[np.int64], tables: EvaluatorTables) -> None:
    """Ranks all 133,784,560 seven-card hands one by one and counts them by rank.

    :param counts: (7463,) output, added to: number of hands of each rank.
    :param tables: the look-up tables of the evaluator.
    """
    keys = tables.card_keys
    cards = np.empty(7, dtype=np.uint8)
    for a in range(46):
        cards[0] = a
        sum_1 = SUIT_START + keys[a]
        for b in range(a + 1, 47):
            cards[1] = b
            sum_2 = sum_1 + keys[b]
            for c in range(b + 1, 48):
                cards[2] = c
                sum_3 = sum_2 + keys[c]
                for d in range(c + 1, 49):
                    cards[3] = d
                    sum_4 = sum_3 + keys[d]
                    for e in range(d + 1, 50):
                        cards[4] = e
                        sum_5 = sum_4 + keys[e]
                        for f in range(e + 1, 51):
                            cards[5] = f
                            sum_6 = sum_5 + keys[f]
                            # Only with four of a suit among six cards can the seventh make a flush.
                            if sum_6 + ONE_OF_EACH_SUIT & FLUSH_BITS:
                                for g in range(f + 1, 52):
                                    cards[6] = g
                                    key_sum = sum_6 + keys[g]
                                    if key_sum & FLUSH_BITS:
                                        counts[flush_rank(cards, key_sum, tables)] += 1
                                    else:
                                        counts[lookup_rank(key_sum, 2, tables)] += 1
                            else:
                                for g in range(f + 1, 52):
                                    counts[lookup_rank(sum_6 + keys[g], 2, tables)] += 1
