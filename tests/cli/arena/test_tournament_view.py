"""hedgehog.cli.arena.tournament_view: progress with a clock set by the test, state and tables as text."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console
from rich.table import Table

from hedgehog.arena.records import AgentRecord, MatchRecord, PlannedMatch, TournamentRecord
from hedgehog.arena.seating_log import Progress
from hedgehog.arena.tournament import MatchProgress, TournamentProgress
from hedgehog.cli.arena.tournament_view import show_tournament_progress, status_line, status_table


def match(
    number: int, *players: str, won: float = 0, hands: int = 0, record: MatchRecord | None = None
) -> MatchProgress:
    a, b = players
    return MatchProgress(PlannedMatch(f"{number:03}", players, number), 100, Progress(hands, {a: won, b: -won}), record)


def some_progress() -> TournamentProgress:
    return TournamentProgress(
        [
            match(1, "a", "b", won=20, hands=100, record=MatchRecord(("seating_1.log",), seconds=2.5)),
            match(2, "a", "c", won=99, hands=30, record=MatchRecord((), "seat 1: a has crashed", ("a",))),
            match(3, "b", "c", won=-5, hands=50),
            match(4, "b", "d"),
        ]
    )


def as_text(table: Table) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(table)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_failed_matches_count_for_nobody() -> None:
    progress = some_progress()
    assert (progress.done, progress.failed, progress.running) == (2, 1, 1)
    assert (progress.hands, progress.total_hands) == (150, 300)
    assert progress.chips_per_hand() == {"a": 0.2, "b": pytest.approx(-25 / 150), "c": 0.1}


def test_plain_progress_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 1000.0
    monkeypatch.setattr("hedgehog.cli.progress._LOOK_EVERY_S", 60)  # lines come with the updates alone
    monkeypatch.setattr(time, "monotonic", lambda: now)
    progress = some_progress()
    with show_tournament_progress("cup", big_blind=10) as update:
        now = 1008.0
        update(progress)
        now = 1013.0
        progress.matches[2].play.add(25, {"b": 0, "c": 0})
        update(progress)
        now = 1014.0
        update(progress)
    # 25 hands in 5 s, 125 are left
    assert capsys.readouterr().err == (
        "cup: starting\ncup: 175/300 hands, ETA 0:25, matches: 2/4 done (1 failed), 1 begun; a +20, c +7, b -14 mbb/h\n"
    )


def test_live_progress_shows_hands_and_winnings(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(
        "hedgehog.cli.progress.Console",
        lambda stderr: Console(file=screen, force_terminal=True, width=120, stderr=stderr),
    )
    with show_tournament_progress("cup", big_blind=10) as update:
        update(some_progress())
    for text in ("cup", "150/300 hands", "matches: 2/4 done (1 failed), 1 begun", "+20", "-17"):
        assert text in screen.getvalue()


def test_status() -> None:
    progress = some_progress()
    record = TournamentRecord("cup", "g", 50, True, 1, (AgentRecord("a", "call"),), (), {})
    line = status_line(record, progress, running=False)
    assert line == "cup: interrupted; matches: 2/4 done (1 failed), 1 begun; 150 of 300 hands"
    assert status_line(record, progress, running=True).startswith("cup: running;")
    done = TournamentProgress(progress.matches[:2])
    assert status_line(record, done, running=False).startswith("cup: finished;")
    rows = [
        [cell.strip() for cell in row.split("│")[1:4]] for row in as_text(status_table(progress)).splitlines()[3:-1]
    ]
    assert rows == [
        ["001", "100/100", "done in 2.5 s"],
        ["002", "30/100", "failed: seat 1: a has crashed"],
        ["003", "50/100", "begun"],
        ["004", "0/100", ""],
    ]
