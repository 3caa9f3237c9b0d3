"""Matches and tournaments whose seatings an engine plays: the files are those of matches that are played here."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from hedgehog.arena.launch import PlaySettings
from hedgehog.arena.play import ReadyTournament, ready_match, ready_tournament
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.engines.local import LocalEngine, SerialEngine
from hedgehog.runtime.engines.opening import open_engine
from hedgehog.runtime.engines.status import find_status
from hedgehog.runtime.errors import InputError, MatchError, StoppedError
from hedgehog.runtime.watch import Watch


def ready(out: Path, hands: int = 20, *players: str) -> ReadyTournament:
    return ready_tournament(
        players or ["call", "random", "raise"],
        hands=hands,
        out=out,
        seed=3,
        game="kuhn.limit.2p",
        name="t",
        settings=PlaySettings(),
    )


def contents(folder: Path) -> dict[str, bytes]:
    """Returns all files of a tournament, without the times of matches."""
    return {
        str(path.relative_to(folder)): re.sub(rb'"seconds": [0-9.]+', b"", path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("cluster", [False, True])
def test_a_tournament_is_the_same_on_any_engine(tmp_path: Path, cluster: bool) -> None:
    ready(tmp_path / "here").play(jobs=2)
    expected = contents(tmp_path / "here")
    assert len(expected) == 2 + 3 * (1 + 2 * 4)
    ways: list[tuple[str, int, str | None]] = [("one", 1, None), ("two", 2, None)]
    if cluster and find_spec("distributed") is not None:
        ways.append(("dask", 1, "local:2"))
    for name, workers, dask in ways:
        with open_engine(workers, dask, in_process=True) as engine:
            progress = ready(tmp_path / name).play(engine=engine)
        assert (progress.done, progress.failed, progress.hands) == (3, 0, 120)
        assert contents(tmp_path / name) == expected


def test_a_tournament_goes_on_after_its_last_hands(tmp_path: Path) -> None:
    """Finished matches, finished seatings and whole hands are kept."""
    out = tmp_path / "out"
    ready(out).play(engine=SerialEngine())
    expected = contents(out)
    matches = sorted((out / "matches").iterdir())
    kept = [path.stat().st_mtime_ns for path in (matches[0] / "seating_1.log", matches[1] / "seating_1.log")]
    (matches[1] / "match.json").unlink()
    log = matches[1] / "seating_2.log"
    log.write_bytes(log.read_bytes()[:-150])
    ready(out).play(engine=SerialEngine())
    assert contents(out) == expected
    assert kept == [path.stat().st_mtime_ns for path in (matches[0] / "seating_1.log", matches[1] / "seating_1.log")]


@pytest.mark.slow
@pytest.mark.process
def test_over_tcp_with_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker starts dealer and players; it needs the program of a player, and says so if it lacks it."""
    program = tmp_path / "bin" / "mybot"
    program.parent.mkdir()
    command = f"{sys.executable} -m hedgehog.cli play --player raise --game kuhn.limit.2p"
    program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    program.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(program.parent), prepend=":")
        settings = PlaySettings(in_process=False)
        values = {"hands": 3, "seed": 5, "game": "kuhn.limit.2p", "settings": settings, "duplicate": False}
        here = ready_match(["call", "cmd:mybot"], out=tmp_path / "here", **values)
        there = ready_match(["call", "cmd:mybot"], out=tmp_path / "there", **values)
        lacking = ready_match(["call", "cmd:mybot"], out=tmp_path / "lacking", **values)
        played = here.play(jobs=1)
        with LocalEngine(1) as engine:
            again = there.play(engine=engine)
    assert played.logs[0].read_bytes() == again.logs[0].read_bytes()
    names = [sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("here", "there")]
    assert names[0] == names[1]
    with (
        LocalEngine(1) as engine,
        pytest.raises(InputError, match=r"the worker .* cannot play: player 'cmd:mybot': there is no command 'mybot'"),
    ):
        lacking.play(engine=engine)
    assert find_status(tmp_path / "lacking").state == "stopped"


def test_a_player_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its match fails and the others go on; the message names the files at the client."""
    (tmp_path / "mine.py").write_text(
        "from hedgehog.agent.bots import CallBot\n\n\nclass Late(CallBot):\n    def warm_up(self):\n"
        "        raise OSError('no table')\n"
    )
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out"
    progress = ready(out, 20, "call", "raise", "late=py:mine.py:Late").play(engine=SerialEngine())
    failed = [state.record for state in progress.matches if state.record is not None and state.record.failure]
    assert len(failed) == 2
    assert all(record.culprits == ("late",) for record in failed)
    assert f"see {out}/matches/002_call_vs_late/seating_" in failed[0].failure
    settings = PlaySettings()
    one = ready_match(
        ["call", "late=py:mine.py:Late"], hands=3, out=tmp_path / "match", game="kuhn.limit.2p", settings=settings
    )
    with pytest.raises(MatchError, match="late"):
        one.play(engine=SerialEngine())


class StopAfter(Watch):
    """Stops a tournament when it has heard of hands."""

    heard = 0.0

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        self.heard = done

    @property
    def stopped(self) -> bool:
        return self.heard > 0


def test_a_tournament_that_is_stopped_goes_on(tmp_path: Path) -> None:
    ready(tmp_path / "whole").play(engine=SerialEngine())
    out = tmp_path / "out"
    with pytest.raises(StoppedError):
        ready(out).play(engine=SerialEngine(), watch=StopAfter())
    assert find_status(out).state == "interrupted"
    assert 0 < len(list(out.rglob("seating_*.log"))) < 6
    ready(out).play(engine=SerialEngine())
    assert contents(out) == contents(tmp_path / "whole")
    assert not (out / STATUS_FILE).exists()
