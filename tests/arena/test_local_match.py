"""hedgehog.arena.local_match: a match from Python is the match of the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hedgehog.agent.bots import RaiseBot
from hedgehog.arena.local_match import play_match, play_tournament
from hedgehog.poker.acpc.handlog import verify_log
from hedgehog.runtime.errors import InputError
from tests.golden import game


class MyRaiser(RaiseBot):
    name = "mine"


def test_the_logs_are_those_of_the_command_line(tmp_path: Path) -> None:
    arguments = ["random", "me=offtree", "--hands", "30", "--seed", "7", "--in-process", "--out", str(tmp_path / "cli")]
    subprocess.run([sys.executable, "-m", "hedgehog.cli", "match", *arguments], check=True, capture_output=True)
    played = play_match(["random", "me=offtree"], hands=30, seed=7, out=tmp_path / "python")
    assert played.names == ("random", "me")
    assert len(played.logs) == 2
    for log in played.logs:
        assert log.read_bytes() == (tmp_path / "cli" / log.name).read_bytes()
        assert verify_log(log).faults == ()


def test_a_class_plays_as_it_is(tmp_path: Path) -> None:
    mine = play_match([MyRaiser, "call"], hands=10, seed=2, out=tmp_path / "mine", duplicate=False)
    shipped = play_match(["mine=raise", "call"], hands=10, seed=2, out=tmp_path / "shipped", duplicate=False)
    assert mine.names == ("mine", "call")
    assert [log.read_bytes() for log in mine.logs] == [log.read_bytes() for log in shipped.logs]


def test_other_games_are_played(tmp_path: Path) -> None:
    played = play_match(["call", "raise", "fold"], hands=4, out=tmp_path / "out", game="kuhn.limit.3p")
    assert played.gamedef == game("kuhn.limit.3p")
    assert len(played.logs) == 6


def test_nothing_is_overwritten_and_nobody_else_is_started(tmp_path: Path) -> None:
    play_match(["call", "fold"], hands=2, out=tmp_path / "match")
    before = (tmp_path / "match" / "seating_1.log").read_bytes()
    with pytest.raises(InputError, match="holds a match already"):
        play_match(["call", "fold"], hands=3, out=tmp_path / "match")
    assert (tmp_path / "match" / "seating_1.log").read_bytes() == before
    with pytest.raises(InputError, match="a program of its own"):
        play_match(["call", "cmd:./bot"], hands=2, out=tmp_path / "other")
    with pytest.raises(InputError, match="the game is for 2 players, got 3"):
        play_match(["call", "call", "call"], hands=2, out=tmp_path / "other")
    assert not (tmp_path / "other").exists()


@pytest.mark.process
def test_a_tournament_goes_on_where_it_stopped(tmp_path: Path) -> None:
    def play() -> list[bytes]:
        progress = play_tournament(["raise", "call", "fold"], hands=4, seed=1, out=tmp_path / "three")
        assert [match.failed for match in progress.matches] == [False, False, False]
        return [log.read_bytes() for log in logs()]

    def logs() -> list[Path]:
        return sorted((tmp_path / "three").glob("matches/*/*.log"))

    first = play()
    assert len(first) == 6
    (logs()[0].parent / "match.json").unlink()
    logs()[0].unlink()
    kept = logs()[-1].stat().st_mtime_ns
    assert play() == first
    assert logs()[-1].stat().st_mtime_ns == kept
