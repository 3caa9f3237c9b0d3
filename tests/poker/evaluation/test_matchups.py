"""The table of preflop matchups against counting, range equity, and published counts."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, parse_cards
from hedgehog.poker.evaluation.equity import range_equity
from hedgehog.poker.evaluation.matchups import (
    MATCHUP_BOARDS,
    NUM_MATCHUPS,
    class_representatives,
    class_strengths,
    count_matchup,
    count_matchups,
    matchup_score,
    matchup_scores,
    read_matchups,
)
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.runtime.errors import CardError


def test_published_counts() -> None:
    """1,029,832 boards won and 7,525 tied by AcKc against 7h6h."""
    assert matchup_score(parse_cards("AcKc"), parse_cards("7h6h")) == 2 * 1_029_832 + 7_525


def test_random_matchups_are_counted_alike() -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        cards = random.choice(52, 4, replace=False).tolist()
        own, other = cards[:2], cards[2:]
        assert matchup_score(own, other) == count_matchup(own, other)
        assert matchup_score(own, other) + matchup_score(other, own) == 2 * MATCHUP_BOARDS


@pytest.mark.slow
def test_class_strength_is_the_equity_against_a_random_hand() -> None:
    own, everything = np.zeros(NUM_COMBOS), np.ones(NUM_COMBOS)
    combo = int(class_representatives()[HAND_CLASS[1000]])
    own[combo] = 1
    expected = range_equity(own, everything).equity
    assert class_strengths()[HAND_CLASS[1000]] == pytest.approx(expected, abs=1e-12)


def test_repeated_cards() -> None:
    with pytest.raises(CardError):
        matchup_score(parse_cards("AcKc"), parse_cards("Ac6h"))
    blocked = COMBO_CARDS[class_representatives()[0]]
    assert matchup_scores()[0, (blocked[0] == COMBO_CARDS).any(axis=1)].max() == 0


@pytest.mark.slow
def test_the_whole_table() -> None:
    counts = count_matchups()
    assert len(counts) == NUM_MATCHUPS
    np.testing.assert_array_equal(read_matchups(), counts)
