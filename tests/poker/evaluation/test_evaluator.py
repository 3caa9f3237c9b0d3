"""The evaluator against phevaluator, hand-made boundary cases, and the exhaustive counts of seven-card hands."""

from __future__ import annotations

import numpy as np
import phevaluator
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, combo_mask, parse_cards
from hedgehog.poker.evaluation import _evaluator_kernels as kernels
from hedgehog.poker.evaluation.evaluator import (
    CATEGORIES,
    NUM_RANK_CLASSES,
    evaluator_tables,
    hand_category,
    rank_combos,
    rank_hand,
    rank_hands,
)
from hedgehog.runtime.errors import CardError

# Number of seven-card hands in each category of CATEGORIES (C(52, 7) = 133,784,560 in all).
SEVEN_CARD_COUNTS = [23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848, 41_584]


def rank_of(text: str) -> int:
    return rank_hand(parse_cards(text))


def deal(rng: np.random.Generator, count: int, num_cards: int) -> np.ndarray:
    return rng.random((count, NUM_CARDS)).argsort(axis=1)[:, :num_cards].astype(np.uint8)


@pytest.mark.parametrize("num_cards", [5, 6, 7])
def test_ranks_equal_phevaluator(num_cards: int) -> None:
    hands = deal(np.random.default_rng(num_cards), 50_000, num_cards).tolist()
    # phevaluator counts downwards from 7462 (worst) to 1.
    expected = [NUM_RANK_CLASSES + 1 - phevaluator.evaluate_cards(*hand) for hand in hands]
    assert [rank_hand(hand) for hand in hands] == expected


def test_batch_equals_single_hands() -> None:
    hands = deal(np.random.default_rng(0), 20_000, 7)
    # The sample holds every category, flushes included.
    ranks = rank_hands(hands)
    assert ranks.dtype == np.int32
    assert ranks.tolist() == [rank_hand(hand) for hand in hands.tolist()]
    assert {hand_category(rank) for rank in ranks.tolist()} == set(CATEGORIES)


@pytest.mark.parametrize(
    ("text", "category", "best_five"),
    [
        ("Ac2d3h4s5c9dKh", "straight", "5c4s3h2dAc"),  # the wheel
        ("Ac2d3h4s5c6dKh", "straight", "6d5c4s3h2d"),  # six high beats the wheel
        ("AcKdQhJsTc9d8h", "straight", "AcKdQhJsTc"),  # seven in a row
        ("KcAd2h3s4cJdTh", "high card", "AdKcJdTh4c"),  # no straight around the ace
        ("Ah2h3h4h5hKhKd", "straight flush", "5h4h3h2hAh"),  # the steel wheel, not the ace-high flush
        ("Ah2h3h4h5h6h7c", "straight flush", "6h5h4h3h2h"),
        ("AsKsQsJsTsTcTd", "straight flush", "AsKsQsJsTs"),
        ("9h8h7h6h2hTcJc", "flush", "9h8h7h6h2h"),  # straight and flush, but no straight flush
        ("AhQhTh8h6h4h2c", "flush", "AhQhTh8h6h"),  # six of a suit
        ("AhQhTh8h6h4h2h", "flush", "AhQhTh8h6h"),  # seven of a suit
        ("AhAcAdQhTh8h6h", "flush", "AhQhTh8h6h"),  # flush over trips
        ("KcKdQcQdJcJdAs", "two pair", "KcKdQcQdAs"),  # three pairs: the ace is the kicker
        ("KcKdQcQdJcJd2s", "two pair", "KcKdQcQdJc"),  # ... or the third pair is
        ("9c9d9h4c4d4h2s", "full house", "9c9d9h4c4d"),  # two sets of trips
        ("9c9d9h4c4dKsKh", "full house", "9c9d9hKsKh"),  # trips and two pairs
        ("7c7d7h7sAcKdQh", "four of a kind", "7c7d7h7sAc"),
        ("7c7d7h7sKcKdKh", "four of a kind", "7c7d7h7sKc"),
        ("AcAdKhQsJc9d7h", "pair", "AcAdKhQsJc"),
        ("8c8d8hAsKc5d2h", "three of a kind", "8c8d8hAsKc"),
        ("2c3d4h5s7c8d9h", "high card", "9h8d7c5s4h"),
    ],
)
def test_best_five_of_seven(text: str, category: str, best_five: str) -> None:
    rank = rank_of(text)
    assert hand_category(rank) == category
    assert rank == rank_of(best_five)


def test_ladder_of_hands_rises() -> None:
    """From the worst hand to the best over every category boundary."""
    ladder = [
        "7c5d4h3s2c",
        "8c5d4h3s2c",
        "AcKdQhJs9c",
        "2c2d5h4s3c",
        "AcAdKhQsJc",
        "3c3d2h2s4c",
        "AcAdKhKsQc",
        "2c2d2h4s3c",
        "AcAdAhKsQc",
        "Ac2d3h4s5c",
        "2c3d4h5s6c",
        "AcKdQhJsTc",
        "7c5c4c3c2c",
        "AcKcQcJc9c",
        "2c2d2h3s3c",
        "AcAdAhKsKc",
        "2c2d2h2s3c",
        "AcAdAhAsKc",
        "Ac2c3c4c5c",
        "2c3c4c5c6c",
        "AcKcQcJcTc",
    ]
    ranks = [rank_of(text) for text in ladder]
    assert ranks == sorted(set(ranks))
    assert (ranks[0], ranks[-1]) == (1, NUM_RANK_CLASSES)


@given(st.permutations(range(NUM_CARDS)), st.permutations(range(4)), st.integers(5, 7))
def test_rank_ignores_order_and_names_of_suits(deck: list[int], suits: list[int], num_cards: int) -> None:
    hand = deck[:num_cards]
    relabelled = [card & ~3 | suits[card & 3] for card in hand]
    assert rank_hand(hand) == rank_hand(hand[::-1]) == rank_hand(relabelled)


@given(st.permutations(range(NUM_CARDS)))
def test_more_cards_never_make_a_hand_worse(deck: list[int]) -> None:
    assert rank_hand(deck[:5]) <= rank_hand(deck[:6]) <= rank_hand(deck[:7])


def boards() -> list[list[int]]:
    rng = np.random.default_rng(7)
    named = [
        "2c2d2h2sAs",  # quads on the board: combos of five deuces must not reach the table
        "AcAdAhAs2c",
        "AcAdAhKcKd",
        "2c3d4h5s6c",
        "AhKhQhJhTh",  # everybody plays the board
        "2h5h7h9hJc",
        "2h5h7h9dJc",
        "2h5h7h9hJh",
    ]
    low_cards = [rng.permutation(24)[:5].tolist() for _ in range(20)]  # many pairs and trips
    one_suit = [(4 * rng.permutation(13)[:5] + 2).tolist() for _ in range(10)]
    return [parse_cards(text) for text in named] + low_cards + one_suit + deal(rng, 30, 5).tolist()


@pytest.mark.parametrize("board", boards(), ids=str)
def test_rank_combos_equals_single_hands(board: list[int]) -> None:
    free = combo_mask(board)
    hands = np.hstack([COMBO_CARDS[free], np.tile(np.array(board, dtype=np.uint8), (int(free.sum()), 1))])
    ranks = rank_combos(board)
    assert ranks.dtype == np.int32
    assert (ranks[~free] == -1).all()
    assert np.array_equal(ranks[free], rank_hands(hands))


def test_single_hand_kernels_agree() -> None:
    tables = evaluator_tables()
    for hand in deal(np.random.default_rng(11), 500, 7):
        assert kernels.rank7_kernel(hand, tables) == kernels.rank_cards_kernel(hand, tables)


def test_tables_are_small_and_read_only() -> None:
    tables = evaluator_tables()
    assert sum(table.nbytes for table in tables) < 512 * 1024  # they are meant to live in the L2 cache
    assert not any(table.flags.writeable for table in tables)


@pytest.mark.parametrize(
    "cards", [[], [0, 1, 2, 3], list(range(8)), [0, 1, 2, 3, 3], [0, 1, 2, 3, 52], [-1, 1, 2, 3, 4]]
)
def test_rank_hand_rejects_bad_cards(cards: list[int]) -> None:
    with pytest.raises(CardError):
        rank_hand(cards)


@pytest.mark.parametrize("board", [[0, 1, 2, 3], [0, 1, 2, 3, 3], [0, 1, 2, 3, 99]])
def test_rank_combos_rejects_bad_boards(board: list[int]) -> None:
    with pytest.raises(CardError):
        rank_combos(board)


def test_rank_hands_rejects_bad_arrays() -> None:
    with pytest.raises(ValueError, match="shape"):
        rank_hands(np.zeros((3, 5), dtype=np.uint8))
    with pytest.raises(CardError):
        rank_hands(np.full((1, 7), 52, dtype=np.uint8))
    assert len(rank_hands(np.zeros((0, 7), dtype=np.uint8))) == 0


@pytest.mark.parametrize("rank", [0, NUM_RANK_CLASSES + 1])
def test_hand_category_rejects_ranks_out_of_range(rank: int) -> None:
    with pytest.raises(ValueError, match="rank"):
        hand_category(rank)


def test_all_seven_card_hands() -> None:
    counts = np.zeros(NUM_RANK_CLASSES + 1, dtype=np.int64)
    kernels.count_all_hands_kernel(counts, evaluator_tables())
    assert counts.sum() == 133_784_560
    assert np.count_nonzero(counts) == 4824
    by_category = dict.fromkeys(CATEGORIES, 0)
    for rank in np.flatnonzero(counts).tolist():
        by_category[hand_category(rank)] += int(counts[rank])
    assert list(by_category.values()) == SEVEN_CARD_COUNTS
