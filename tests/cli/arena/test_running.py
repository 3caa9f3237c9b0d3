"""cli.arena.running: the commands that players are started with."""

from __future__ import annotations

import sys
from pathlib import Path

from agent.specs import parse_player_spec
from cli.arena.running import launch_command


def test_launch_commands() -> None:
    game, report = Path("/games/x.game"), Path("/out/report.json")
    external = launch_command(
        parse_player_spec("cmd:./bot 'a b'"), game=game, seed=1, think_ms=2, threads=3, report=report
    )
    assert external == ["./bot", "a b"]
    ours = launch_command(parse_player_spec("call"), game=game, seed=1, think_ms=2, threads=3, report=report)
    assert ours[:5] == [sys.executable, "-P", "-m", "cli", "play"]
    options = dict(zip(ours[5::2], ours[6::2], strict=True))
    assert options == {
        "--player": "call", "--game": "/games/x.game", "--seed": "1", "--think-ms": "2", "--threads": "3",
        "--report": "/out/report.json",
    }  # fmt: skip
