"""hedgehog.arena.launch: the commands that players are started with, and their time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hedgehog.agent.specs import parse_player_spec
from hedgehog.agent.time_manager import HandTime
from hedgehog.arena.launch import DealerLimits, PlaySettings, launch_command, recorded_names
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.runtime.errors import InputError


def test_launch_commands() -> None:
    game, report = Path("/games/x.game"), Path("/out/report.json")
    settings = PlaySettings(2, 70, 3, limits=DealerLimits(t_hand=900))
    external = launch_command(parse_player_spec("cmd:./bot 'a b'"), settings, game=game, seed=1, report=report)
    assert external == ["./bot", "a b"]
    ours = launch_command(parse_player_spec("call"), settings, game=game, seed=1, report=report)
    assert ours[:5] == [sys.executable, "-P", "-m", "hedgehog.cli", "play"]
    options = dict(zip(ours[5::2], ours[6::2], strict=True))
    assert options == {
        "--player": "call", "--game": "/games/x.game", "--seed": "1", "--think-ms": "2", "--threads": "3",
        "--report": "/out/report.json", "--think-hand-ms": "70", "--t-hand": "900",
    }  # fmt: skip


def test_limits_of_the_dealer_are_its_options() -> None:
    assert DealerLimits().options() == ("--start_timeout=1800000",)
    limits = DealerLimits(t_response=5, t_per_hand=6, t_start=7, t_version=8)
    assert limits.options() == ("--start_timeout=7", "--t_response=5", "--t_per_hand=6", "--version_timeout=8")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, (1500, HandTime(7000, 600_000))),
        ({"t_response": 1000, "t_hand": 4000, "t_per_hand": 500}, (600, HandTime(500, 4000))),
        ({"t_response": 10_000, "t_hand": 60_000, "t_per_hand": 10_000}, (1500, HandTime(7000, 60_000))),
    ],
)
def test_our_players_keep_the_limits_of_the_dealer(given: dict[str, int], expected: tuple[int, HandTime]) -> None:
    assert PlaySettings(1500, limits=DealerLimits(**given)).time_to_think() == expected


def test_a_time_of_its_own_keeps_the_limits_of_the_dealer() -> None:
    slow, fast = parse_player_spec("default?think_ms=601"), parse_player_spec("default?think_ms=600")
    PlaySettings().verify_specs([slow])
    limited = PlaySettings(limits=DealerLimits(t_response=1000))
    limited.verify_specs([fast])
    with pytest.raises(InputError, match=r"'default\?think_ms=601' thinks longer .* 1000 ms .* at most 600"):
        limited.verify_specs([fast, slow])


def test_who_solves_is_recorded() -> None:
    specs = [parse_player_spec(text) for text in ("default", "default?think_ms=9", "call")]

    def recorded(think_ms: int, record: bool | None = None) -> list[str]:
        return recorded_names(specs, ["a", "b", "c"], load_gamedef(), think_ms=think_ms, record=record)

    assert (recorded(0), recorded(5)) == (["b"], ["a", "b"])
    assert (recorded(0, True), recorded(5, False)) == (["a", "b"], [])
