"""Strategies of one's own for small games."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from hedgehog.analysis.games.sources import find_game
from hedgehog.gametheory.files import parse_matrix
from hedgehog.gametheory.normal_games import matrix_game, normal_form
from hedgehog.gametheory.profiles import parse_mixtures, parse_profile, rate_mixtures, rate_profile
from hedgehog.gametheory.solutions import matrix_document, solve_game
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


def mixtures(**players: dict[str, float]) -> str:
    return json.dumps({"strategies": [{"player": name, "actions": actions} for name, actions in players.items()]})


def test_a_matrix_is_rated_like_its_tree() -> None:
    """Mixtures of the normal form of a tree: behaviour of one information set is a mixture of the same actions."""
    tree = game_of("rock-paper-scissors")
    form = normal_form(tree)
    rng = np.random.default_rng(1)
    for _ in range(5):
        profile = drawn(tree, int(rng.integers(1000)))
        found = rate_mixtures(form, tuple(behaviour[1:] for behaviour in profile), "rps").document
        expected = rate_profile(tree, profile).document
        for key in ("payoffs", "gains"):
            assert found[key] == pytest.approx(expected[key], abs=1e-12)
        assert found["unique_value"]


def test_the_solution_of_a_matrix_gives_nothing_away() -> None:
    form = normal_form(game_of("jqk"))
    profile = parse_mixtures(json.dumps(matrix_document(form, "jqk")), form)
    rating = rate_mixtures(form, profile, "jqk").document
    assert rating["payoffs"] == pytest.approx([1 / 18, -1 / 18])
    assert rating["exploitability"] == pytest.approx(0, abs=1e-9)


def test_three_coins_are_not_safe_in_equilibrium() -> None:
    tree = game_of("three-coins")
    half = np.array([1, 0.5, 0.5])
    assert gains(tree, (half,) * 3).tolist() == [0, 0, 0]
    heads = np.array([1, 1.0, 0.0])
    assert expected_payoffs(tree, (heads, heads, half)).tolist() == [0.25, 0.25, -0.5]
    form = normal_form(tree)
    rating = rate_mixtures(form, (heads[1:], heads[1:], half[1:]), "coins")
    assert rating.document["payoffs"] == [0.25, 0.25, -0.5]
    assert rating.document["gains"] == [0, 0, 0.5]
    assert (rating.losses[0].player, rating.losses[0].loss) == ("p3", 0.5)
    assert not rating.document["unique_value"]


def test_the_dilemma_is_rated_though_it_is_not_zero_sum() -> None:
    form = parse_matrix(",silent,confess\nsilent,-1;-1,-3;0\nconfess,0;-3,-2;-2\n")
    rating = rate_mixtures(form, parse_mixtures(mixtures(p1={"silent": 1}, p2={"silent": 1}), form), "dilemma")
    assert rating.document["gains"] == [1, 1]
    assert not rating.document["unique_value"]
    assert [row.best for row in rating.losses] == ["confess", "confess"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (mixtures(p1={"1": 1}), "the strategy of p2 is missing"),
        (mixtures(p1={"1": 1}, p3={"1": 1}), "players p1, p2 and no player 'p3'"),
        (mixtures(p1={"1": 0.5}, p2={"1": 1}), "add up to 1"),
        (mixtures(p1={"7": 1}, p2={"1": 1}), "expected the actions 1, 2, got '7'"),
        ('{"strategies": [{"player": "p1", "infoset": "J", "actions": {"1": 1}}]}', "no information set 'J'"),
        ("[]", "expected an object with the key 'strategies'"),
    ],
)
def test_bad_mixtures_are_refused(text: str, message: str) -> None:
    with pytest.raises(GameError, match=message) as error:
        parse_mixtures(text, matrix_game([[1, 2], [3, 4]]), "mixed.json")
    assert str(error.value).startswith("mixed.json: ")
