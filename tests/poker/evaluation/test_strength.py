"""Hand ranks against the worked hand of the publication, another evaluator, and exact equities."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_index, format_card, parse_cards
from hedgehog.poker.evaluation.equity import equity_vector
from hedgehog.poker.evaluation.strength import board_strengths, hand_strength
from hedgehog.runtime.errors import CardError

WORKED = json.loads((Path(__file__).parents[2] / "data" / "judging" / "worked_hand.json").read_text())
BOARDS = ("", "Ks5h3d", "Ks5h3dTc", "Ks5h3dTc4h")


@pytest.mark.parametrize("street", range(4))
@pytest.mark.parametrize("player", ["A", "B"])
def test_the_worked_hand(player: str, street: int) -> None:
    """All 14 printed values, to their four decimals."""
    found = hand_strength(parse_cards(WORKED["players"][player]["cards"]), parse_cards(BOARDS[street]))
    assert round(found.ihr, 4) == WORKED["IHR"][player][street]
    assert round(found.seven_card, 4) == WORKED["7cHR"][player][street]
    assert found.ehr == max(found.ihr, found.seven_card)
    if street == 1:
        assert round(found.six_card, 4) == WORKED["6cHR_flop"][player]
    else:
        assert np.isnan(found.six_card)


def test_two_cards_ignore_suits() -> None:
    assert hand_strength(parse_cards("AcKc")).ihr * 1225 == pytest.approx(1144 + 9 / 2)
    assert hand_strength(parse_cards("7h6h")).ihr * 1225 == pytest.approx(192 + 9 / 2)
    assert hand_strength(parse_cards("AcAd")).ihr * 1225 == pytest.approx(1224 + 1 / 2)


def share_beaten(hole_cards: list[int], board: list[int]) -> float:
    """Compares the hand with every hand of the opponent, with another evaluator (where the lower rank wins)."""

    def rank(cards: tuple[int, ...]) -> int:
        return int(evaluate_cards(*map(format_card, (*cards, *board))))

    own = rank(tuple(hole_cards))
    left = sorted(set(range(52)) - {*hole_cards, *board})
    others = [rank(other) for other in itertools.combinations(left, 2)]
    return sum((other > own) + (other == own) / 2 for other in others) / len(others)


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(52)), st.sampled_from([3, 4, 5]), st.sampled_from([1, 2, 4]))
def test_immediate_rank_against_another_evaluator(order: list[int], size: int, num_suits: int) -> None:
    """With one or two suits most boards have three to five cards of a suit."""
    cards = [card for card in order if card & 3 < num_suits][: size + 2]
    found = hand_strength(cards[:2], cards[2:])
    assert found.ihr == pytest.approx(share_beaten(cards[:2], cards[2:]), abs=1e-12)
    if size == 5:
        assert found.seven_card == found.ihr


@settings(max_examples=12, deadline=None)
@given(st.permutations(range(52)), st.sampled_from([3, 4]), st.sampled_from([1, 2, 4]))
@pytest.mark.slow
def test_seven_card_rank_is_the_equity_against_a_random_hand(order: list[int], size: int, num_suits: int) -> None:
    board = [card for card in order if card & 3 < num_suits][:size]
    everything = np.ones(NUM_COMBOS)
    hand = board_strengths(board)
    np.testing.assert_allclose(hand.seven_card, equity_vector(everything, board), rtol=0, atol=1e-12)


def test_ranks_of_all_combos_are_those_of_single_hands() -> None:
    for text in BOARDS:
        board = parse_cards(text)
        of_all = board_strengths(board)
        for combo in (0, 77, 500, 1101, combo_index(*parse_cards("7h6h"))):
            hand = COMBO_CARDS[combo].tolist()
            if set(hand) & set(board):
                assert np.isnan(of_all.ihr[combo])
                continue
            one = hand_strength(hand, board)
            values = (of_all.ihr[combo], of_all.six_card[combo], of_all.seven_card[combo], of_all.ehr[combo])
            np.testing.assert_array_equal(values, (*one, one.ehr))


def test_preflop_strength_is_the_mean_over_boards() -> None:
    """Random boards agree within four standard errors."""
    random = np.random.default_rng(5)
    hand = parse_cards("7h6h")
    deck = np.setdiff1d(np.arange(52), hand)
    drawn = [hand_strength(hand, random.permuted(deck)[:5].tolist()).ihr for _ in range(4000)]
    error = np.std(drawn, ddof=1) / np.sqrt(len(drawn))
    assert abs(np.mean(drawn) - hand_strength(hand).seven_card) < 4 * error


@pytest.mark.parametrize(
    ("hand", "board"), [([0], []), ([0, 1, 2], []), ([0, 1], [2]), ([0, 1], [1, 2, 3]), ([0, 52], [])]
)
def test_bad_cards(hand: list[int], board: list[int]) -> None:
    with pytest.raises(CardError):
        hand_strength(hand, board)
