"""Kernels of all-in expectation: the payoffs of a showdown added up over every board that can still come.

:func:`rollout_kernel` goes through the boards one by one, for any game. Before the flop of hold'em there are 1.1 to 1.7
million boards, and :func:`preflop_rollout_kernel` counts them by classes instead.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import RANK_KEYS, EvaluatorTables, lookup_rank
from hedgehog.poker.evaluation._showdown_kernels import pay_showdown, rank_hand_of_any_size
from hedgehog.runtime.jit import njit

_CHOOSE: Final = np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0], [1, 4, 6, 4, 1]])


class RankMultisets(NamedTuple):
    """All M multisets of up to five ranks, at most four cards of a rank, in ascending order of size."""

    counts: NDArray[np.int8]
    """(M, 13) number of cards of each rank."""
    keys: NDArray[np.uint64]
    """(M,) sum of the rank keys of the evaluator's kernels over the cards of each multiset."""
    starts: NDArray[np.int64]
    """(7,) index of the first multiset of each size 0..5, and M at the end."""


@njit
def rollout_kernel(
    totals: NDArray[np.float64],
    hands: NDArray[np.uint8],
    deck: NDArray[np.uint8],
    spent: NDArray[np.int64],
    folded: NDArray[np.bool_],
    missing: int,
    tables: EvaluatorTables,
) -> int:
    """Adds up the payoffs of a showdown on every board that can come; returns the number of boards.

    Sets of cards are taken in descending colexicographic order. That is the order of the official ACPC tool
    ``all_in_expectation``, so sums of fractions are rounded as there.

    :param totals: (N,) output: chips won or lost per position are added to it.
    :param hands: (N, C) cards per position at the showdown: hole cards, known board, and ``missing`` free places at the
        end, which are overwritten.
    :param deck: (D,) cards that can still come, ascending.
    :param spent: (N,) chips put in per position.
    :param folded: (N,) True for positions that have folded.
    :param missing: number of board cards still to come.
    :param tables: the look-up tables of the evaluator.
    """
    num_players, num_cards = hands.shape
    known = num_cards - missing
    counts = np.empty(13, dtype=np.int8)
    suit_masks = np.empty(4, dtype=np.int64)
    values = np.empty(num_players, dtype=np.float64)
    left = np.empty(num_players, dtype=np.int64)
    ranks = np.zeros(num_players, dtype=np.int64)
    chosen = np.arange(len(deck) - missing, len(deck))
    boards = 0
    while True:
        for p in range(num_players):
            if not folded[p]:
                for i in range(missing):
                    hands[p, known + i] = deck[chosen[i]]
                ranks[p] = rank_hand_of_any_size(hands[p], counts, suit_masks, tables)
        pay_showdown(values, left, spent, folded, ranks)
        for p in range(num_players):
            totals[p] += values[p]
        boards += 1
        i = 0
        while i < missing and chosen[i] == i:
            i += 1
        if i == missing:
            return boards
        chosen[i] -= 1
        while i > 0:
            i -= 1
            chosen[i] = chosen[i + 1] - 1


@njit
def preflop_rollout_kernel(
    totals: NDArray[np.float64],
    hole_cards: NDArray[np.uint8],
    spent: NDArray[np.int64],
    folded: NDArray[np.bool_],
    tables: EvaluatorTables,
    multisets: RankMultisets,
) -> int:
    """Adds up the payoffs of a hold'em showdown on every five-card board; returns the number of boards.

    Boards are counted by the order that they give the hands, and every order is paid once. Without flushes only the
    ranks of a board matter. There are 6,175 multisets of five ranks, and each counts as many boards as the cards left
    in the deck allow. Then the boards that give somebody a flush are moved to their true order, suit by suit. They have
    at least three cards of the suit, so no board is moved twice, and only the ranks of their other cards matter.

    :param totals: (N,) output: chips won or lost per position are added to it.
    :param hole_cards: (N, 2) card ids per position, from the deck of 52 cards.
    :param spent: (N,) chips put in per position.
    :param folded: (N,) True for positions that have folded; at most four have not.
    :param tables: the look-up tables of the evaluator.
    :param multisets: all multisets of up to five ranks.
    """
    in_deck = np.ones((4, 13), dtype=np.bool_)
    for hand in hole_cards:
        for card in hand:
            in_deck[card & 3, card >> 2] = False
    live = np.flatnonzero(~folded)
    keys = np.zeros(len(live), dtype=np.uint64)
    suit_masks = np.zeros((4, len(live)), dtype=np.int64)
    for i in range(len(live)):
        for card in hole_cards[live[i]]:
            keys[i] += RANK_KEYS[card >> 2]
            suit_masks[card & 3, i] |= 1 << np.int64(card >> 2)
    ranks = np.zeros(len(live), dtype=np.int64)
    flush_ranks = np.zeros(len(live), dtype=np.int64)
    num_orders = 3 ** (len(live) * (len(live) - 1) // 2)
    counts = np.zeros(num_orders, dtype=np.int64)
    ranks_of_order = np.zeros((num_orders, len(live)), dtype=np.int64)
    left_of_rank = in_deck.sum(axis=0)
    ways = np.empty(len(multisets.keys), dtype=np.int64)

    boards = 0
    count_ways(ways, left_of_rank, multisets, multisets.starts[5], multisets.starts[6])
    for row in range(multisets.starts[5], multisets.starts[6]):
        if ways[row] == 0:  # the look-up below knows no hand with five cards of a rank
            continue
        for i in range(len(live)):
            ranks[i] = np.int64(lookup_rank(keys[i] + multisets.keys[row], 2, tables))
        order = order_of(ranks)
        ranks_of_order[order] = ranks
        counts[order] += ways[row]
        boards += ways[row]

    for suit in range(4):
        most_suited = 0
        for i in range(len(live)):
            most_suited = max(most_suited, count_bits(suit_masks[suit, i]))
        # With three or more cards of the suit, two or fewer others.
        count_ways(ways, left_of_rank - in_deck[suit], multisets, 0, multisets.starts[3])
        deck_mask = 0
        for rank in range(13):
            deck_mask |= int(in_deck[suit, rank]) << rank
        mask = deck_mask  # ranks of the board's cards of this suit, every subset of the cards in the deck
        while mask > 0:
            length = count_bits(mask)
            if 5 - most_suited <= length <= 5:
                suit_key = np.uint64(0)
                for rank in range(13):
                    if mask >> rank & 1:
                        suit_key += RANK_KEYS[rank]
                for i in range(len(live)):
                    # The table gives 0 to fewer than five cards; a flush beats whatever else its seven cards can be.
                    flush_ranks[i] = np.int64(tables.flush_ranks[suit_masks[suit, i] | mask])
                for row in range(multisets.starts[5 - length], multisets.starts[6 - length]):
                    if ways[row] == 0:
                        continue
                    for i in range(len(live)):
                        ranks[i] = np.int64(lookup_rank(keys[i] + suit_key + multisets.keys[row], 2, tables))
                    counts[order_of(ranks)] -= ways[row]
                    for i in range(len(live)):
                        ranks[i] = max(ranks[i], flush_ranks[i])
                    order = order_of(ranks)
                    ranks_of_order[order] = ranks
                    counts[order] += ways[row]
            mask = (mask - 1) & deck_mask

    values = np.empty(len(folded), dtype=np.float64)
    left = np.empty(len(folded), dtype=np.int64)
    all_ranks = np.zeros(len(folded), dtype=np.int64)
    for order in range(num_orders):
        if counts[order]:
            all_ranks[live] = ranks_of_order[order]
            pay_showdown(values, left, spent, folded, all_ranks)
            totals += counts[order] * values
    return boards


@njit
def order_of(ranks: NDArray[np.int64]) -> int:
    """Returns a number that encodes for every pair of hands which one is better, or that they are equal.

    :param ranks: (H,) hand ranks.
    :returns: an integer from 0 to 3 ** (H * (H - 1) / 2) - 1.
    """
    order = 0
    for i in range(len(ranks)):
        for j in range(i):
            order = 3 * order + int(ranks[i] > ranks[j]) + 2 * int(ranks[i] < ranks[j])
    return order


@njit
def count_ways(
    ways: NDArray[np.int64], left_of_rank: NDArray[np.int64], multisets: RankMultisets, start: int, stop: int
) -> None:
    """Counts how many sets of cards have each of the multisets of ranks ``start`` to ``stop`` - 1.

    :param ways: (M,) output: number of sets of cards per multiset.
    :param left_of_rank: (13,) number of cards of each rank that can come.
    :param multisets: all multisets of up to five ranks.
    """
    for row in range(start, stop):
        product = np.int64(1)
        for rank in range(13):
            product *= _CHOOSE[left_of_rank[rank], multisets.counts[row, rank]]
        ways[row] = product


@njit
def count_bits(mask: int) -> int:
    """Returns the number of bits that are set in a non-negative integer."""
    bits = 0
    while mask > 0:
        mask &= mask - 1
        bits += 1
    return bits
