"""hedgehog.cli.arena.tournament_view: progress, state and tables as text."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.table import Table

from hedgehog.arena.records import AgentRecord, MatchRecord, PlannedMatch, TournamentRecord
from hedgehog.arena.seating_log import Progress
from hedgehog.arena.tournament import MatchProgress, TournamentProgress
from hedgehog.cli.arena.tournament_view import draw_winnings, status_line, status_table
from hedgehog.cli.progress import terminal_watch


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


def test_the_progress_of_a_tournament_in_a_line() -> None:
    text = "matches: 2/4 done (1 failed), 1 begun; a +20, c +10, b -17 mbb/h"
    assert some_progress().text(big_blind=10) == text


def test_live_progress_shows_hands_and_winnings(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(
        "hedgehog.cli.progress.Console",
        lambda stderr: Console(file=screen, force_terminal=True, width=120, stderr=stderr),
    )
    with terminal_watch(first_line_after_s=0) as watch:
        watch.begin("cup", 300, "hands", "starting")
        draw_winnings(watch, some_progress(), big_blind=10)
        watch.update(150)
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
