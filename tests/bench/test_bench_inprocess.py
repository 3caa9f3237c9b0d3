"""Speed of matches without sockets (``make bench``)."""

from __future__ import annotations

import io

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from agent.client import MatchRecord
from arena.bot_table import play_bots
from arena.in_process import Seat, play_seating
from tests.dealer.wire import make_bots
from tests.golden import HUNL, game

COMPILED_HANDS = 50_000
PYTHON_HANDS = 300


@pytest.mark.parametrize("logged", [False, True])
@pytest.mark.parametrize("bot", ["call", "random"])
def test_compiled_bots(benchmark: BenchmarkFixture, bot: str, logged: bool) -> None:
    def play() -> int:
        log = io.BytesIO() if logged else None
        played = play_bots(game(HUNL), [bot, bot], num_hands=COMPILED_HANDS, seed=1, bot_seeds=[1, 2], log=log)
        return int(played.decisions[:, 0].sum())

    assert benchmark(play) >= COMPILED_HANDS
    benchmark.extra_info["hands_per_second"] = COMPILED_HANDS / benchmark.stats["min"]


@pytest.mark.parametrize("bot", ["call", "random"])
def test_python_players(benchmark: BenchmarkFixture, bot: str) -> None:
    def play() -> int:
        seats = [Seat(player, MatchRecord()) for player in make_bots([bot, bot], game(HUNL), [1, 2])]
        play_seating(game(HUNL), seats, "AB", num_hands=PYTHON_HANDS, seed=1, log=io.BytesIO())
        return sum(seat.record.decisions for seat in seats)

    decisions = benchmark(play)
    assert decisions >= PYTHON_HANDS
    benchmark.extra_info["decisions_per_second"] = decisions / benchmark.stats["min"]
