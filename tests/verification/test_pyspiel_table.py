"""Our player at OpenSpiel's table: Kaggle's form of the game (blinds 1/2, 200 chips) by its rules, hand after hand."""

from __future__ import annotations

import math
import random

import pyspiel
import pytest

from hedgehog.agent.player import Player
from hedgehog.agent.specs import ready_player
from hedgehog.poker.acpc.chosen_game import chosen_game
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from tests.verification.spiel import load_spiel


def play_hand(gamedef: GameDef, theirs: pyspiel.State, players: list[Player], hand_id: int, rng: random.Random) -> int:
    """Plays a hand in which OpenSpiel deals, says who acts and refuses what is not legal; returns the decisions."""
    ours, cards, decisions = HandState(gamedef), [], 0
    while not theirs.is_terminal():
        if theirs.is_chance_node():
            cards.append(rng.choice(theirs.legal_actions()))
            theirs.apply_action(cards[-1])
            continue
        position = theirs.current_player()
        own = tuple(sorted(cards[2 * position : 2 * position + 2]))
        hole_cards = (own, ()) if position == 0 else ((), own)
        seen = MatchState(position, hand_id, hole_cards, tuple(cards[4:]), ours.copy())
        action = players[position].act(seen, math.inf)
        number = {"f": 0, "c": 1}.get(action.kind, action.size)
        assert number in theirs.legal_actions(), (str(theirs), action)
        theirs.apply_action(number)
        ours.apply((FOLD, CALL)[number] if number < 2 else Action("r", number))
        decisions += 1
    assert sum(theirs.returns()) == 0
    return decisions


def play_hands(stack: str, blinds: str, hands: int, opponent: str) -> int:
    gamedef = load_gamedef(chosen_game(stack, blinds))
    game, rng = load_spiel(gamedef), random.Random(7)
    players = [ready_player(spec, gamedef, seed=seed) for seed, spec in enumerate(("default", opponent))]
    return sum(
        play_hand(gamedef, game.new_initial_state(), players[:: 1 - 2 * (hand % 2)], hand, rng) for hand in range(hands)
    )


@pytest.mark.parametrize(("stack", "blinds"), [("100bb", "1/2"), ("7,30", "1/3"), ("21,9", "2/2"), ("1000bb", "1/2")])
@pytest.mark.parametrize("opponent", ["default", "offtree"])
def test_every_action_is_legal(stack: str, blinds: str, opponent: str) -> None:
    assert play_hands(stack, blinds, 40, opponent) > 60


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["default", "random", "offtree", "minbet"])
def test_ten_thousand_hands_of_kaggles_game(opponent: str) -> None:
    assert play_hands("100bb", "1/2", 10_000, opponent) > 20_000
