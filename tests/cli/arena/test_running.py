"""hedgehog.cli.arena.running: the commands that players are started with."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hedgehog.agent.specs import parse_player_spec
from hedgehog.agent.time_manager import HandTime
from hedgehog.cli.arena.running import launch_command, time_to_think

TIME = HandTime(70, 900)


def test_launch_commands() -> None:
    game, report = Path("/games/x.game"), Path("/out/report.json")
    external = launch_command(
        parse_player_spec("cmd:./bot 'a b'"), game=game, seed=1, think_ms=2, hand_time=TIME, threads=3, report=report
    )
    assert external == ["./bot", "a b"]
    ours = launch_command(
        parse_player_spec("call"), game=game, seed=1, think_ms=2, hand_time=TIME, threads=3, report=report
    )
    assert ours[:5] == [sys.executable, "-P", "-m", "hedgehog.cli", "play"]
    options = dict(zip(ours[5::2], ours[6::2], strict=True))
    assert options == {
        "--player": "call", "--game": "/games/x.game", "--seed": "1", "--think-ms": "2", "--threads": "3",
        "--report": "/out/report.json", "--think-hand-ms": "70", "--t-hand": "900",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, (1500, HandTime(7000, 600_000))),
        ({"t_response": 1000, "t_hand": 4000, "t_per_hand": 500}, (600, HandTime(500, 4000))),
        ({"t_response": 10_000, "t_hand": 60_000, "t_per_hand": 10_000}, (1500, HandTime(7000, 60_000))),
    ],
)
def test_our_players_keep_the_limits_of_the_dealer(given: dict[str, int], expected: tuple[int, HandTime]) -> None:
    limits = {name: given.get(name) for name in ("t_response", "t_hand", "t_per_hand")}
    assert time_to_think(1500, 7000, limits) == expected
