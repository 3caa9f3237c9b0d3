"""hedgehog.agent.acpc.catch_up: a player that joins late draws the lots it would have drawn had it been there from the
start."""

from __future__ import annotations

import io

import pytest

from hedgehog.agent.acpc.catch_up import catch_up
from hedgehog.agent.play_record import PlayRecord
from hedgehog.agent.player import Player
from hedgehog.agent.registered import ALL_BOTS
from hedgehog.arena.in_process import Seat, play_seating
from hedgehog.runtime.errors import LogError
from tests.golden import HUNL, game


def seat(bot: str, gamedef_name: str, seed: int) -> Seat:
    player = ALL_BOTS[bot]()
    player.new_match(game(gamedef_name), seed)
    return Seat(player, PlayRecord())


@pytest.mark.parametrize("bot", ALL_BOTS)
@pytest.mark.parametrize("name", [HUNL, "holdem.limit.2p.reverse_blinds", "leduc.limit.2p"])
def test_every_bot_goes_on_as_if_it_had_been_there(bot: str, name: str) -> None:
    def play(seats: list[Seat], logged: list[str]) -> list[str]:
        log = io.BytesIO()
        play_seating(game(name), seats, ["a", "b"], num_hands=30, seed=3, log=log, logged=logged)
        return log.getvalue().decode().splitlines()

    whole = play([seat(bot, name, 5), seat("random", name, 6)], [])
    for hands in (1, 14, 29):
        late = [seat(bot, name, 5), seat("random", name, 6)]
        for one, own_name in zip(late, ("a", "b"), strict=True):
            assert isinstance(one.player, Player)
            catch_up(one.player, ["# a header", *whole[:hands]], own_name, game(name))
        assert play(late, whole[:hands]) == whole[hands:]


def test_a_player_that_was_not_there_cannot_catch_up() -> None:
    player = ALL_BOTS["random"]()
    with pytest.raises(LogError, match="expected a hand of 'c', got one of a, b"):
        catch_up(player, ["STATE:0:f:2c2d|3c3d:50|-50:a|b"], "c", game(HUNL))
