"""Hand evaluation: ranks of hands of five to seven cards, of batches of hands, and of all combos on a river board.

A hand rank is an integer 1 (7-5-4-3-2) to 7462 (royal flush); the higher hand wins, equal hands have equal ranks.
Kernels in other packages call the functions of :mod:`hedgehog.poker.evaluation._evaluator_kernels` and take the result
of :func:`evaluator_tables` as an argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, format_cards
from hedgehog.poker.evaluation import _evaluator_kernels as kernels
from hedgehog.poker.evaluation._evaluator_kernels import NUM_RANK_CLASSES, EvaluatorTables
from hedgehog.poker.evaluation.hand_categories import CATEGORIES
from hedgehog.runtime.errors import CardError

__all__ = [
    "CATEGORIES",
    "NUM_RANK_CLASSES",
    "EvaluatorTables",
    "checked_cards",
    "evaluator_tables",
    "hand_category",
    "rank_combos",
    "rank_hand",
    "rank_hands",
]

# Number of five-card hand classes in each category, in the order of CATEGORIES.
_CATEGORY_SIZES: Final = (1277, 2860, 858, 858, 10, 1277, 156, 156, 10)
_CATEGORY_LAST_RANK: Final = np.cumsum(_CATEGORY_SIZES)


@cache
def evaluator_tables() -> EvaluatorTables:
    """Returns the evaluator's look-up tables as read-only arrays; the first call in a process takes about 50 ms."""
    sums_by_size = []
    codes_by_size = []
    for num_cards in (5, 6, 7):
        sums = np.empty(50_000, dtype=np.int32)
        codes = np.empty(50_000, dtype=np.int32)
        found = kernels.enumerate_rank_sums(sums, codes, kernels.RANK_KEYS, num_cards)
        sums_by_size.append(sums[:found].astype(np.int64))
        codes_by_size.append(codes[:found])

    masks = [mask for mask in range(1 << 13) if mask.bit_count() >= 5]
    flush_codes = np.array([kernels.flush_code(mask) for mask in masks], dtype=np.int32)
    # Rank r is the r-th smallest code; five-card hands have every code there is, longer hands no other.
    classes = np.unique(np.concatenate([codes_by_size[0], flush_codes]))

    flush_ranks = np.zeros(1 << 13, dtype=np.uint16)
    flush_ranks[masks] = np.searchsorted(classes, flush_codes) + 1
    row_starts, ranks = _compress(sums_by_size, [np.searchsorted(classes, codes) + 1 for codes in codes_by_size])

    cards = np.arange(NUM_CARDS)
    suit_keys = np.uint64(1) << (kernels.SUIT_SHIFT + (4 * (cards & 3)).astype(np.uint64))
    tables = EvaluatorTables(kernels.RANK_KEYS[cards >> 2] + suit_keys, row_starts, ranks, flush_ranks)
    for table in tables:
        table.flags.writeable = False
    return tables


def _compress(
    sums_by_size: Sequence[NDArray[np.int64]], ranks_by_size: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
    """Packs rank sums of 5, 6 and 7 cards into one table; returns ``row_starts`` and ``ranks``."""
    num_rows, row_length = kernels.NUM_ROWS, int(kernels.COLUMN_MASK) + 1
    sums = np.concatenate([sums + size * num_rows * row_length for size, sums in enumerate(sums_by_size)])
    order = np.argsort(sums)
    rows, columns = np.divmod(sums[order], row_length)
    values = np.concatenate(ranks_by_size)[order].astype(np.uint16)
    first = np.searchsorted(rows, np.arange(3 * num_rows + 1))
    fullest_first = np.argsort(first[:-1] - first[1:], kind="stable")

    row_starts = np.zeros(3 * num_rows, dtype=np.uint32)
    ranks = np.zeros(4 * len(sums), dtype=np.uint16)
    used = kernels.pack_rows(row_starts, ranks, columns, values, first, fullest_first, row_length)
    if used < 0:
        raise AssertionError("the rank table does not fit into the space reserved for it")
    return row_starts.reshape(3, num_rows), ranks[:used].copy()


def rank_hand(cards: Sequence[int]) -> int:
    """Returns the rank 1..7462 of five to seven cards; the higher rank wins.

    :param cards: different card ids in any order.
    :raises CardError: if there are fewer or more cards, a card is repeated, or a number is not a card id.
    """
    hand = checked_cards(cards)
    if not 5 <= len(hand) <= 7:
        raise CardError(f"expected five to seven cards, got {len(hand)}")
    return int(kernels.rank_cards_kernel(hand, evaluator_tables()))


def hand_category(rank: int) -> str:
    """Returns the name of the category of a hand rank 1..7462, for example ``full house``."""
    if not 1 <= rank <= NUM_RANK_CLASSES:
        raise ValueError(f"a hand rank is 1 to {NUM_RANK_CLASSES}, got {rank}")
    return CATEGORIES[int(np.searchsorted(_CATEGORY_LAST_RANK, rank))]


def rank_hands(cards: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Returns the ranks of many seven-card hands.

    :param cards: uint8 card ids 0..51 of shape (N, 7); the cards of a row must differ, which is not checked.
    :returns: int32 ranks 1..7462 of shape (N,).
    """
    hands = np.ascontiguousarray(cards, dtype=np.uint8)
    if hands.ndim != 2 or hands.shape[1] != 7:
        raise ValueError(f"expected an array of shape (N, 7), got {hands.shape}")
    if hands.size and int(hands.max()) >= NUM_CARDS:
        raise CardError(f"card ids are 0 to {NUM_CARDS - 1}, got {int(hands.max())}")
    ranks = np.empty(len(hands), dtype=np.int32)
    kernels.rank_hands_kernel(ranks, hands, evaluator_tables())
    return ranks


def rank_combos(board: Sequence[int]) -> NDArray[np.int32]:
    """Returns the ranks of all 1326 combos on a river board.

    :param board: five different card ids.
    :returns: int32 ranks 1..7462 of shape (1326,), -1 where the combo holds a board card.
    :raises CardError: if the board is not five different cards.
    """
    cards = checked_cards(board)
    if len(cards) != 5:
        raise CardError(f"expected a board of five cards, got {len(cards)}")
    ranks = np.empty(NUM_COMBOS, dtype=np.int32)
    kernels.rank_combos_kernel(ranks, cards, evaluator_tables())
    return ranks


def checked_cards(cards: Sequence[int]) -> NDArray[np.uint8]:
    """Returns card ids as a uint8 array of shape (number of cards,).

    :raises CardError: if a card is repeated, or a number is not a card id.
    """
    ids = [int(card) for card in cards]
    for card in ids:
        if not 0 <= card < NUM_CARDS:
            raise CardError(f"card ids are 0 to {NUM_CARDS - 1}, got {card}")
    if len(set(ids)) != len(ids):
        raise CardError(f"a card is repeated in {format_cards(ids)!r}")
    return np.array(ids, dtype=np.uint8)
