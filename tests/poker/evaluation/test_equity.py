"""Exact equities against brute force over pairs of hands, known pre-flop match-ups, and symmetry."""

from __future__ import annotations

import math
from itertools import chain, combinations, product
from pathlib import Path

import numpy as np
import phevaluator
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, combo_mask, parse_cards, parse_combo
from hedgehog.poker.evaluation.equity import (
    class_equities,
    class_outcomes,
    count_class_wins,
    equity_vector,
    range_equity,
)
from hedgehog.poker.evaluation.evaluator import rank_hands
from hedgehog.poker.evaluation.matchups import MATCHUP_BOARDS
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES, HAND_CLASS_SIZES
from hedgehog.poker.isomorphism import permute_cards, permute_combos
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import CardError, InputError, RangeError

RANDOM = np.ones(NUM_COMBOS)


def brute_force_win_tie_lose(own: dict[int, float], opponent: dict[int, float], board: list[int]) -> np.ndarray:
    """Weighs every pair of hands on every run-out with phevaluator (lower is better)."""
    totals = np.zeros(3)
    rest = [card for card in range(NUM_CARDS) if card not in board]
    for runout in combinations(rest, 5 - len(board)):
        opponents = live_hands(opponent, [*board, *runout])
        for cards, weight, rank in live_hands(own, [*board, *runout]):
            for other_cards, other_weight, other_rank in opponents:
                if not cards & other_cards:
                    outcome = 0 if rank < other_rank else 1 if rank == other_rank else 2
                    totals[outcome] += weight * other_weight
    return totals / totals.sum()


def live_hands(held: dict[int, float], board: list[int]) -> list[tuple[set[int], float, int]]:
    """Cards, weight and phevaluator's rank of the hands that a river board does not block."""
    hands = [(set(COMBO_CARDS[combo].tolist()), weight) for combo, weight in held.items()]
    return [
        (cards, weight, phevaluator.evaluate_cards(*cards, *board))
        for cards, weight in hands
        if cards.isdisjoint(board)
    ]


def random_range(rng: np.random.Generator, hands: int) -> np.ndarray:
    weights = np.zeros(NUM_COMBOS)
    weights[rng.choice(NUM_COMBOS, hands, replace=False)] = rng.random(hands)
    return weights


def as_dict(weights: np.ndarray) -> dict[int, float]:
    return {int(combo): float(weights[combo]) for combo in np.flatnonzero(weights)}


@pytest.mark.parametrize(
    ("board", "hands"),
    [("QhJh2c7d5s", 150), ("AhKhQhJhTh", 40), ("2c2d2h2s9d", 60), ("QhJh2c7d", 20), ("9h9d4h", 5)],
)
def test_equals_brute_force(board: str, hands: int) -> None:
    rng = np.random.default_rng(hands)
    cards = parse_cards(board)
    own, opponent = random_range(rng, hands), random_range(rng, hands)
    equity = range_equity(own, opponent, cards)
    assert tuple(equity) == pytest.approx(brute_force_win_tie_lose(as_dict(own), as_dict(opponent), cards), abs=1e-12)


@pytest.mark.parametrize(
    ("own", "opponent", "equity"),
    [
        ("AhKs", "QdQc", 0.428352),
        ("AA", "KK", 0.81946),
        ("QdQc", "AhKs", 1 - 0.428352),
    ],
)
def test_known_preflop_equities(own: str, opponent: str, equity: float) -> None:
    result = range_equity(parse_range(own), parse_range(opponent))
    assert result.equity == pytest.approx(equity, abs=5e-6)
    assert sum(result) == pytest.approx(1)


@pytest.mark.slow
def test_preflop_equals_plain_enumeration() -> None:
    """Board classes with relabelled ranges against all 2,598,960 boards, on ranges without any suit symmetry."""
    own, opponent = parse_range("AhKs,7c7d:0.5"), parse_range("QdQc,AcTh:0.25")
    cards = chain.from_iterable(combinations(range(NUM_CARDS), 5))
    boards = np.fromiter(cards, dtype=np.uint8, count=5 * 2_598_960).reshape(-1, 5)
    totals = np.zeros(3)
    for combo, other in product(as_dict(own), as_dict(opponent)):
        dead = np.zeros(NUM_CARDS, dtype=np.bool_)
        dead[[*COMBO_CARDS[combo], *COMBO_CARDS[other]]] = True
        live = boards[~dead[boards].any(axis=1)]
        ranks, other_ranks = (
            rank_hands(np.hstack([np.broadcast_to(COMBO_CARDS[held], (len(live), 2)), live])) for held in (combo, other)
        )
        counts = [(ranks > other_ranks).sum(), (ranks == other_ranks).sum(), (ranks < other_ranks).sum()]
        totals += np.array(counts) * own[combo] * opponent[other]
    expected = totals / totals.sum()
    assert tuple(range_equity(own, opponent)) == pytest.approx(expected, abs=1e-12)
    assert tuple(range_equity(opponent, own)) == pytest.approx(expected[::-1], abs=1e-12)


def test_class_equities() -> None:
    equities = class_equities()
    assert not np.isnan(equities).any()
    np.testing.assert_allclose(equities + equities.T, 1.0, atol=1e-12)
    against_random = equities @ HAND_CLASS_SIZES / NUM_COMBOS
    assert HAND_CLASS_NAMES[int(against_random.argmax())] == "AA"
    assert HAND_CLASS_NAMES[int(against_random.argmin())] == "32o"
    for first, second in [("AA", "KK"), ("AKs", "QQ"), ("76s", "AKo"), ("22", "22"), ("72o", "72s")]:
        equity = range_equity(parse_range(first), parse_range(second)).equity
        assert equities[HAND_CLASS_NAMES.index(first), HAND_CLASS_NAMES.index(second)] == pytest.approx(
            equity, abs=1e-12
        )


@pytest.mark.parametrize(("first", "second"), [("76s", "AKo"), ("22", "22"), ("72s", "72o"), ("72o", "72s")])
@pytest.mark.slow_cases("22-22", "72o-72s")
def test_wins_of_classes(first: str, second: str) -> None:
    wins, pairs = class_outcomes()
    cell = HAND_CLASS_NAMES.index(first), HAND_CLASS_NAMES.index(second)
    expected = range_equity(parse_range(first), parse_range(second)).win
    assert wins[cell] / (MATCHUP_BOARDS * pairs[cell]) == pytest.approx(expected, abs=1e-12)


def test_wins_and_ties_make_the_equity() -> None:
    wins, pairs = class_outcomes()
    ties = MATCHUP_BOARDS * pairs - wins - wins.T
    assert ties.min() > 0
    np.testing.assert_allclose((wins + ties / 2) / (MATCHUP_BOARDS * pairs), class_equities(), atol=1e-14)


@pytest.mark.slow
def test_the_whole_table_of_wins() -> None:
    np.testing.assert_array_equal(class_outcomes().wins, count_class_wins())


def test_a_foreign_table_of_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = tmp_path / "class_wins.npy"
    np.save(foreign, np.zeros(3, dtype=np.uint32))
    monkeypatch.setattr("hedgehog.poker.evaluation.equity._wins_file", lambda: foreign)
    with pytest.raises(InputError, match="is not the table of the hand classes' wins"):
        class_outcomes.__wrapped__()


@pytest.mark.parametrize("board", ["QhJh2c", "QhJh2c7d", "QhJh2c7d5s"])
def test_range_against_itself_is_even(board: str) -> None:
    result = range_equity(RANDOM, RANDOM, parse_cards(board))
    assert result.win == pytest.approx(result.lose)
    assert result.equity == pytest.approx(0.5)


@pytest.mark.parametrize("board", [pytest.param("", marks=pytest.mark.slow), "QhJh2c", "QhJh2c7d", "QhJh2c7d5s"])
def test_mean_equity_of_all_hands_is_half(board: str) -> None:
    cards = parse_cards(board)
    vector = equity_vector(RANDOM, cards)
    # Every hand meets equally many hands of a full range, so the plain mean is the range's equity.
    assert np.nanmean(vector) == pytest.approx(0.5)
    assert np.array_equal(np.isnan(vector), ~combo_mask(cards))


def test_vector_and_range_equity_agree() -> None:
    rng = np.random.default_rng(3)
    cards = parse_cards("Td9d6h")
    opponent = random_range(rng, 30)
    vector = equity_vector(opponent, cards)
    for combo in (parse_combo("AhKh"), parse_combo("Tc9c"), parse_combo("2c2s")):
        own = np.zeros(NUM_COMBOS)
        own[combo] = 0.3
        assert range_equity(own, opponent, cards).equity == pytest.approx(vector[combo])


@settings(max_examples=10)
@given(st.permutations(range(NUM_CARDS)), st.integers(0, 23), st.integers(0, 2**31))
def test_relabelling_suits_relabels_equities(deck: list[int], permutation: int, seed: int) -> None:
    opponent = random_range(np.random.default_rng(seed), 40)
    board = deck[:4]
    moved = equity_vector(permute_combos(opponent, permutation), permute_cards(board, permutation))
    np.testing.assert_allclose(moved, permute_combos(equity_vector(opponent, board), permutation), atol=1e-12)


def test_hand_without_possible_opponent_has_no_equity() -> None:
    vector = equity_vector(parse_range("AhKh"), parse_cards("2c3d4h5s7c"))
    assert math.isnan(vector[parse_combo("AhQh")])
    assert vector[parse_combo("AsKs")] == 0.5
    with pytest.raises(RangeError, match="no two hands"):
        range_equity(parse_range("AhQh"), parse_range("AhKh"))


@pytest.mark.parametrize("board", [[0], [0, 1], list(range(6)), [0, 1, 1], [0, 1, 52]])
def test_bad_boards_are_rejected(board: list[int]) -> None:
    with pytest.raises(CardError):
        range_equity(RANDOM, RANDOM, board)


def test_bad_ranges_are_rejected() -> None:
    with pytest.raises(ValueError, match="shape"):
        equity_vector(np.ones(169))
    with pytest.raises(RangeError):
        equity_vector(-RANDOM)
    with pytest.raises(RangeError):
        range_equity(RANDOM, np.full(NUM_COMBOS, np.nan))
