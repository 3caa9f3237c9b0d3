"""Hand ranks against phevaluator and by hand for small hands; side pots."""

from __future__ import annotations

import itertools
import random

import pytest
from phevaluator import evaluate_cards

from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.cards import format_card, parse_cards
from hedgehog.poker.evaluation.showdown import hand_rank, payoffs
from tests.golden import game


def ranked(*hands: str) -> list[int]:
    return [hand_rank(parse_cards(hand)) for hand in hands]


@pytest.mark.parametrize("num_cards", [5, 6, 7])
def test_same_order_as_phevaluator(num_cards: int) -> None:
    rng = random.Random(num_cards)
    hands = [rng.sample(range(52), num_cards) for _ in range(3000)]
    # Few ranks make quads, full houses and straight flushes common.
    hands += [rng.sample(range(32, 52), num_cards) for _ in range(3000)]
    pairs = sorted((-evaluate_cards(*map(format_card, hand)), hand_rank(hand)) for hand in hands)
    for (theirs, ours), (their_next, our_next) in itertools.pairwise(pairs):
        assert (theirs == their_next) == (ours == our_next)
        assert ours <= our_next


@pytest.mark.parametrize(
    "hands",
    [
        ("2c", "3c", "Ac"),  # one card: its rank
        ("3c2c", "AcKc", "2c2d", "AcAd"),  # two cards: no flush, a pair wins
        ("4c3c2c", "AcKcQc", "2c2d3h", "AcAdKh", "2c2d2h", "AcAdAh"),  # three cards: no straight
        ("5c4c3c2c", "AcKcQcJc", "2c2d4h3h", "2c2d3h3d", "AcAdKhKd", "2c2d2h3h", "AcAdAhKh", "2c2d2h2s"),
        (  # ten cards: the best five of them
            "Ac2c3d5h6s8c9dTcJsKd",  # ace-high
            "AcAd3d4h6s7c9dTcJsKd",  # a pair
            "AcKcQdJd9c7c5s4s3h2s",  # the wheel
            "AcKcQcJc9c7c5s4s3h2s",  # a flush beats it
            "AcAdAh2c2d2h5s7s9sJd",  # two trips: a full house
            "AcAdAhAs2d2h5s7s9sJd",  # quads
            "2c3c4c5c6c9dTdJdQdAd",  # the lower of two suits holds the straight flush
        ),
    ],
)
def test_ascending(hands: tuple[str, ...]) -> None:
    ranks = ranked(*hands)
    assert ranks == sorted(set(ranks))


def test_ties_ignore_suits_and_cards_beyond_five() -> None:
    first, second = ranked("AcKcQdJd9c2h3h", "AdKdQcJc9s4s5s")
    assert first == second
    first, second = ranked("7c7d7h7sAc2d2h", "7c7d7h7sAdKdKh")
    assert first == second
    assert ranked("Ac2c3d4h5s")[0] < ranked("2c3c4d5h6s")[0]  # the wheel is the lowest straight


def test_side_pots() -> None:
    # A golden hand. Positions 0 and 5 are all-in for 300 and 123 with the same straight: they share the main pot,
    # position 0 takes the side pot, and position 1 gets back what nobody could call.
    gamedef = game("custom.nolimit.6p.sidepots")
    state = parse_betting("ccfr45r300cccc/r724ff/", gamedef)
    hole_cards = [(card,) for card in parse_cards("JcAsJdAdQsJh")]
    assert payoffs(state, hole_cards, parse_cards("AcKsQcTh")) == [715.5, -300.0, -300.0, -300.0, 0.0, 184.5]
