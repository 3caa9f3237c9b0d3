"""Actions, streets and positions in words, in games of several kinds."""

from __future__ import annotations

import pytest

from hedgehog.analysis.histories.hand_words import (
    action_words,
    made_hand,
    position_name,
    position_names,
    street_names,
)
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action
from tests.golden import game

NO_LIMIT, LIMIT, LEDUC = "holdem.nolimit.2p.reverse_blinds", "holdem.limit.2p.reverse_blinds", "leduc.limit.2p"


@pytest.mark.parametrize(
    ("game_name", "betting", "action", "words"),
    [
        (NO_LIMIT, "", FOLD, ("fold", 0, False)),
        (NO_LIMIT, "", CALL, ("call", 50, False)),
        (NO_LIMIT, "c", CALL, ("check", 0, False)),
        (NO_LIMIT, "r250c/", Action("r", 600), ("bet", 350, False)),
        (NO_LIMIT, "r250c/r600", Action("r", 1200), ("raise", 950, False)),
        (NO_LIMIT, "r250c/r600", Action("r", 20000), ("raise", 19750, True)),
        (NO_LIMIT, "r20000", CALL, ("call", 19900, True)),
        (LIMIT, "", LIMIT_RAISE, ("raise", 20, False)),  # a blind is a bet
        (LIMIT, "cc/", LIMIT_RAISE, ("bet", 10, False)),
        (LIMIT, "cc/r", LIMIT_RAISE, ("raise", 20, False)),
        (LEDUC, "", LIMIT_RAISE, ("bet", 2, False)),  # an ante is none
        (LEDUC, "r", LIMIT_RAISE, ("raise", 4, False)),
    ],
)
def test_actions(game_name: str, betting: str, action: Action, words: tuple[str, int, bool]) -> None:
    assert action_words(action, parse_betting(betting, game(game_name))) == words


def test_streets() -> None:
    assert street_names(game(LEDUC)) == ("round 1", "round 2")
    assert street_names(game("holdem.limit.3p")) == ("preflop", "flop", "turn", "river")


def test_positions_in_tables() -> None:
    assert position_names(game("kuhn.limit.2p")) == ["position 1", "position 2"]
    assert position_names(game("custom.nolimit.6p.sidepots")) == [
        "small blind", "big blind", "position 3", "position 4", "position 5", "button",
    ]  # fmt: skip


def test_positions_of_two_players() -> None:
    """With reverse blinds position 0 posts the big blind and acts last before the flop only."""
    assert [position_name(game(NO_LIMIT), position) for position in (0, 1)] == ["big blind", "button"]
    assert [position_name(game(LEDUC), position) for position in (0, 1)] == ["first to act", "button"]
    assert position_name(game("kuhn.limit.2p"), 1) == "position 2"


def test_made_hands() -> None:
    assert made_hand((*parse_cards("AsKs"), *parse_cards("4c5c6c7d8h"))) == "straight"
    assert made_hand((*parse_cards("KsKh"),)) == "pair"
    assert made_hand((*parse_cards("KsQh"),)) == ""
