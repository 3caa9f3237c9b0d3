"""Strategies of one's own for small games."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from hedgehog.analysis.games.sources import find_game
from hedgehog.gametheory.profiles import parse_profile, rate_profile
from hedgehog.gametheory.solutions import solve_game
from hedgehog.gametheory.strategies import Profile, expected_payoffs, gains
from hedgehog.gametheory.tree import ExtensiveGame
from hedgehog.runtime.errors import GameError


def game_of(name: str) -> ExtensiveGame:
    game = find_game(name, ())
    assert isinstance(game, ExtensiveGame)
    return game


def drawn(game: ExtensiveGame, seed: int) -> Profile:
    rng = np.random.default_rng(seed)
    profile = []
    for side in game.sequences:
        behaviour = np.ones(side.number)
        for first, size in zip(side.first.tolist(), side.size.tolist(), strict=True):
            behaviour[first : first + size] = rng.dirichlet(np.full(size, 0.5))
        profile.append(behaviour)
    return tuple(profile)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "one-street"])
def test_losses_add_up_to_what_best_responses_gain(name: str) -> None:
    game = game_of(name)
    for seed in range(3):
        profile = drawn(game, seed)
        rating = rate_profile(game, profile)
        assert rating.document["gains"] == pytest.approx(gains(game, profile).tolist(), abs=1e-12)
        assert rating.document["payoffs"] == expected_payoffs(game, profile).tolist()
        for player, gain in zip(game.players, rating.document["gains"], strict=True):
            assert sum(row.loss for row in rating.losses if row.player == player) == pytest.approx(gain, abs=1e-12)


def test_a_solution_is_read_back_and_gives_nothing_away() -> None:
    game = game_of("kuhn")
    solution = solve_game(game)
    profile = parse_profile(json.dumps(solution.document), game)
    for ours, theirs in zip(profile, solution.profile, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-15)
    rating = rate_profile(game, profile)
    assert rating.document["exploitability"] == pytest.approx(0, abs=1e-12)
    assert rating.document["unique_value"]


def jqk(**changes: Any) -> str:
    strategies = {
        ("p1", "J"): {"raise": 0.5, "not": 0.5},
        ("p1", "Q"): {"not": 1},
        ("p1", "K"): {"raise": 1},
        ("p2", "J raise"): {"fold": 1},
        ("p2", "Q raise"): {"fold": 1},
        ("p2", "K raise"): {"call": 1},
    }
    entries = [{"player": who, "infoset": name, "actions": one} for (who, name), one in strategies.items()]
    return json.dumps({"strategies": [entry | changes if entry["infoset"] == "J" else entry for entry in entries]})


def test_the_costliest_information_set_comes_first() -> None:
    """Player 2 folds Q, although the raise is J more often than K.

    Calling wins 2 against J (half of 1 in 6 deals) and loses 2 against K (1 in 6), where folding loses 1 each time:
    1/12 (2 + 1) - 1/6 (2 - 1) = 1/12.
    """
    game = game_of("jqk")
    rating = rate_profile(game, parse_profile(jqk(), game))
    of_player_2 = [row for row in rating.losses if row.player == "p2" and row.loss > 1e-12]
    assert [(row.infoset, row.best) for row in of_player_2] == [("Q raise", "call")]
    assert of_player_2[0].reach == pytest.approx(1 / 12 + 1 / 6)
    assert of_player_2[0].loss == pytest.approx(1 / 12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "expected strategies as JSON"),
        ("[]", "expected an object with the key 'strategies'"),
        ('{"strategies": [3]}', "entry 1: expected an object with player, infoset and actions"),
        ('{"strategies": []}', "the information set 'J' of p1 is missing"),
        (jqk(actions={"check": 1}), "'J': expected the actions raise, not, got 'check'"),
        (jqk(actions={"raise": 0.5}), "'J': expected probabilities that add up to 1, got 0.5"),
        (jqk(actions={"raise": -1, "not": 2}), "'J': expected probabilities from 0 to 1, got -1"),
        (jqk(infoset="Q"), "the information set 'Q' of p1 stands there twice"),
        (jqk()[:-2] + ', {"player": "p1", "infoset": "A", "actions": {}}]}', "no information set 'A' of p1"),
    ],
)
def test_a_profile_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        parse_profile(text, game_of("jqk"), "mine.json")
