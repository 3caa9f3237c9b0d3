"""Random games are valid: their text parses back to the same game."""

from __future__ import annotations

import random

from hypothesis import given

from hedgehog.poker.acpc.gamedef import GameDef, format_gamedef, parse_gamedef
from tests.verification.gamedefs import Family, gamedefs, random_gamedef


@given(gamedefs(Family(chip_free=True)))
def test_games_format_and_parse_back(gamedef: GameDef) -> None:
    assert parse_gamedef(format_gamedef(gamedef)) == gamedef


def test_seeded_games_vary_and_repeat() -> None:
    games = [random_gamedef(random.Random(seed)) for seed in range(200)]
    assert games == [random_gamedef(random.Random(seed)) for seed in range(200)]
    assert {game.num_players for game in games} == set(range(2, 11))
    assert {game.no_limit for game in games} == {True, False}
    assert len(set(games)) == len(games)
