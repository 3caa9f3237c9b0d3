"""hedgehog.arena.play: a match from Python is the match of the command line."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from hedgehog.agent.bots import RaiseBot
from hedgehog.arena.launch import PlaySettings
from hedgehog.arena.play import play_match, play_tournament, ready_match
from hedgehog.arena.seating_log import Progress
from hedgehog.poker.acpc.handlog import verify_log
from hedgehog.poker.acpc.matchstate import MatchState
from hedgehog.poker.state import CALL, Action
from hedgehog.runtime.engines.status import find_status
from hedgehog.runtime.errors import InputError, StoppedError
from hedgehog.runtime.watch import Watch
from tests.cli.command import hedgehog
from tests.golden import game


class MyRaiser(RaiseBot):
    name = "mine"


@pytest.mark.process
def test_the_logs_are_those_of_the_command_line(tmp_path: Path) -> None:
    arguments = [
        "random",
        "me=offtree",
        "--hands",
        30,
        "--seed",
        7,
        "--in-process",
        "--jobs",
        1,
        "--out",
        tmp_path / "cli",
    ]
    assert hedgehog("match", *arguments).returncode == 0
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


@pytest.mark.slow
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


class Listener(Watch):
    """Keeps what it hears, and stops the task once it has heard of some hands."""

    def __init__(self, stop_at: float = float("inf")) -> None:
        self.heard: list[str] = []
        self.hands: list[float] = []
        self._stop_at = stop_at

    def begin(self, what: str, total: float | None = None, unit: str = "", text: str = "") -> None:
        self.heard.append(f"{what} {total} {unit} {text}")

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        self.hands.append(done)
        self.heard.append(str(text))

    def note(self, text: str) -> None:
        self.heard.append(text)

    @property
    def stopped(self) -> bool:
        return bool(self.hands) and self.hands[-1] >= self._stop_at


def test_winnings_are_in_mbb_per_hand() -> None:
    assert Progress().winnings_text(100) == ""
    # 50 chips of 100 per big blind in 4 hands: 125 mbb per hand
    assert Progress(4, {"a": 50.0, "b": -50.0}).winnings_text(100) == "a +125, b -125 mbb/h"


def test_a_watch_hears_of_hands_and_winnings(tmp_path: Path) -> None:
    watch = Listener()
    play_match(["fold", "call"], hands=4, out=tmp_path / "match", watch=watch)
    assert watch.heard[0] == " 8 hands starting"
    assert (watch.hands[-1], watch.heard[-1]) == (8, "fold -250, call +250 mbb/h")  # half a blind in every other hand


class SlowCaller(RaiseBot):
    name = "slow"

    def act(self, matchstate: MatchState, deadline: float) -> Action:
        time.sleep(0.02)
        return CALL


def test_a_stopped_match_goes_on_here(tmp_path: Path) -> None:
    def play(watch: Watch, *, resume: bool) -> None:
        play_match([SlowCaller, "call"], hands=12, out=tmp_path / "m", duplicate=False, watch=watch, resume=resume)

    with pytest.raises(StoppedError):
        play(Listener(stop_at=1), resume=False)
    assert 0 < (tmp_path / "m" / "seating_1.log").read_text().count("STATE:") < 12
    status = find_status(tmp_path / "m")
    assert (status.state, status.unit, status.total) == ("interrupted", "hand", 12)
    again = Listener()
    play(again, resume=True)
    with pytest.raises(InputError, match="no task runs here"):
        find_status(tmp_path / "m")
    assert "SlowCaller" in again.heard[0] or "slow" in again.heard[0]  # a class may remember hands: it starts anew
    whole = play_match(["slow=call", "call"], hands=12, out=tmp_path / "whole", duplicate=False)
    assert (tmp_path / "m" / "seating_1.log").read_bytes() == whole.logs[0].read_bytes()


def test_a_stopped_match_of_processes_leaves_nobody_behind_and_goes_on(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {
        "hands": 300,
        "out": tmp_path / "m",
        "seed": 3,
        "in_process": False,
        "duplicate": False,
    }
    with pytest.raises(StoppedError):
        play_match(["random", "call"], watch=Listener(stop_at=1), **arguments)
    assert (tmp_path / "m" / "seating_1.log").read_text().count("SCORE:") == 0
    assert find_status(tmp_path / "m").state == "interrupted"
    played = play_match(["random", "call"], resume=True, **arguments)
    here = play_match(["random", "call"], **arguments | {"out": tmp_path / "here", "in_process": True})
    assert played.logs[0].read_bytes() == here.logs[0].read_bytes()


def test_jobs_play_where_an_event_loop_runs(tmp_path: Path) -> None:
    async def in_a_notebook() -> list[bytes]:
        played = play_match(["random", "call"], hands=5, out=tmp_path / "jobs", jobs=2)
        return [log.read_bytes() for log in played.logs]

    here = play_match(["random", "call"], hands=5, out=tmp_path / "here")
    assert asyncio.run(in_a_notebook()) == [log.read_bytes() for log in here.logs]
    with pytest.raises(InputError, match="a class can only play in this process"):
        play_match([MyRaiser, "call"], hands=5, out=tmp_path / "other", jobs=2)
    with pytest.raises(InputError, match="a class can only play in this process"):
        play_match([MyRaiser, "call"], hands=5, out=tmp_path / "other", in_process=False)


def test_a_ready_match_has_changed_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ready = ready_match(["fold", "call"], hands=2, settings=PlaySettings())
    assert not list(tmp_path.iterdir())
    ready.play()
    assert ready.plan.out.parent == tmp_path / "runs"
    assert (ready.plan.out / "seating_1.log").exists()
