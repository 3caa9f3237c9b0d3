"""Textures of flops, against counts of all 22,100 flops and a slow definition of straights."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.poker.cards import parse_cards
from hedgehog.poker.evaluation.evaluator import hand_category, rank_hand
from hedgehog.poker.isomorphism import board_classes, flop_representative
from hedgehog.poker.textures import KINDS, TEXTURES, flop_textures, parse_textures, texture_table
from hedgehog.runtime.errors import InputError

FLOPS = st.lists(st.integers(0, 51), min_size=3, max_size=3, unique=True)


def test_shares_of_all_flops() -> None:
    counts = board_classes(3).multiplicities @ texture_table()
    found = dict(zip(TEXTURES, counts.tolist(), strict=True))
    assert sum(found[name] for name in KINDS["suits"]) == comb(52, 3)
    assert found["monotone"] == 4 * comb(13, 3)
    assert found["rainbow"] == 4 * 13**3
    assert found["trips"] == 13 * 4
    assert found["paired"] == 13 * comb(4, 2) * 48
    # The highest rank is an ace: all flops less those without aces.
    assert found["ace-high"] == comb(52, 3) - comb(48, 3)
    assert found["low"] == comb(32, 3)
    assert found["connected"] == 64 * len(
        [ranks for ranks in combinations(range(13), 3) if ranks[2] - ranks[0] <= 4 or (ranks[2] == 12 and ranks[1] < 4)]
    )


@given(FLOPS)
def test_names_do_not_depend_on_suits_or_order(flop: list[int]) -> None:
    moved = [card & ~3 | (card + 1) & 3 for card in flop]
    assert flop_textures(flop) == flop_textures(moved[::-1])


@pytest.mark.parametrize("text", ["QhJd2c", "AhKd9c", "Ah5d2c", "9h8d5c", "9h8d4c", "Kh9d9c", "7h6d5c", "Ah4d3c"])
def test_connected_flops_allow_a_straight(text: str) -> None:
    flop = parse_cards(text)
    suits = [1 if card & 3 == 0 else 0 for card in flop]  # hole cards of another suit, so that flushes do not count
    straight = any(
        hand_category(rank_hand([*flop, 4 * low + suits[0], 4 * high + 3])) == "straight"
        for low in range(13)
        for high in range(13)
        if low != high and len({*flop, 4 * low + suits[0], 4 * high + 3}) == 5
    )
    assert (flop_textures(flop)[3] == "connected") == straight


def test_terms() -> None:
    paired, both = parse_textures("Paired, ace-high + rainbow")
    assert (paired.text, both.text) == ("paired", "ace-high+rainbow")
    for term in (paired, both):
        fits = [term.fits(flop_representative(index)) for index in range(1755)]
        np.testing.assert_array_equal(term.classes(), fits)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pared", "unknown texture 'pared', did you mean 'paired'?"),
        ("", "unknown texture '', expected rainbow, "),
        ("paired,", "unknown texture ''"),
        ("paired+monotone", "no flop is paired and monotone"),
    ],
)
def test_bad_filters(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("?", r"\?")):
        parse_textures(text)
