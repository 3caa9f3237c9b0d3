"""Random play here and in OpenSpiel's ``universal_poker``: same actors, legal actions, betting text, boards and values.

The games are all shipped ones and generated ones (2..10 players, odd blinds, short and uneven stacks, raise caps, small
decks, any first player, board cards in any round). OpenSpiel ignores the stacks of limit games and loads no limit game
of more than four players, so those stay out; golden logs cover limit games with short stacks.
"""

from __future__ import annotations

import random

import pyspiel
import pytest

from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, GameDef, format_gamedef, shipped_gamedefs
from tests.golden import game
from tests.verification.gamedefs import Family, random_gamedef
from tests.verification.spiel import load_spiel, play_in_both


def loadable(gamedef: GameDef) -> bool:
    """Tells whether OpenSpiel plays a game by the official rules."""
    return gamedef.no_limit or (gamedef.num_players <= 4 and set(gamedef.stacks) == {UNLIMITED_STACK})


SHIPPED = [name for name in sorted(shipped_gamedefs()) if loadable(game(name))]
ACTIONS_PER_GENERATED_GAME = 200


def play_actions(gamedef: GameDef, theirs: pyspiel.Game, seed: str, least: int) -> tuple[int, int]:
    """Plays whole hands until at least ``least`` actions are done; returns the numbers of hands and actions."""
    rng = random.Random(seed)
    hands = actions = 0
    while actions < least:
        actions += play_in_both(gamedef, theirs.new_initial_state(), rng)
        hands += 1
    return hands, actions


def play_generated_games(seeds: range) -> tuple[int, int, int]:
    """Plays one generated game per seed; returns the numbers of games, hands and actions."""
    games = hands = actions = 0
    for seed in seeds:
        gamedef = random_gamedef(random.Random(seed), Family(limit_stacks=False))
        if not loadable(gamedef):
            continue
        try:
            played = play_actions(gamedef, load_spiel(gamedef), str(seed), ACTIONS_PER_GENERATED_GAME)
        except AssertionError as error:
            error.add_note(f"seed {seed}:\n{format_gamedef(gamedef)}")
            raise
        games += 1
        hands += played[0]
        actions += played[1]
    return games, hands, actions


def test_only_limit_games_with_stacks_stay_out() -> None:
    assert set(shipped_gamedefs()) - set(SHIPPED) == {"custom.limit.4p.shortstacks"}


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_games(name: str) -> None:
    play_actions(game(name), load_spiel(game(name)), name, 700)


def test_generated_games() -> None:
    games, _, actions = play_generated_games(range(60))
    assert games >= 30
    assert actions >= 30 * ACTIONS_PER_GENERATED_GAME


@pytest.mark.slow
def test_a_million_actions(capsys: pytest.CaptureFixture[str]) -> None:
    """Plays at least a million actions and prints how many in which game."""
    total = 0
    with capsys.disabled():
        print(f"\n{'game':36}{'hands':>10}{'actions':>10}")
        for name in SHIPPED:
            hands, actions = play_actions(game(name), load_spiel(game(name)), f"slow {name}", 50_000)
            print(f"{name:36}{hands:10}{actions:10}")
            total += actions
        games, hands, actions = play_generated_games(range(1_000, 5_200))
        print(f"{f'{games} generated games':36}{hands:10}{actions:10}")
        total += actions
        print(f"{'all':46}{total:10}")
    assert total >= 1_000_000
