"""Fixtures of the command-line tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hedgehog.arena import table_process
from hedgehog.arena.runner import SeatingRunner
from hedgehog.arena.seating_log import ExpectedLog, Progress
from hedgehog.cli.main import main
from tests.cli.command import Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Returns a function that runs the command line and returns exit code, stdout and stderr."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as raised:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return int(raised.value.code or 0), captured.out, captured.err

    return call


@pytest.fixture
def tables_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plays seatings ``--in-process`` in this process: one that starts with numba takes a second of CPU time.

    How the command uses processes of their own, and names what ends them, tests of matches without this fixture see.
    """

    async def play(
        _: SeatingRunner, job: str, expected: ExpectedLog, progress: Progress, on_progress: Callable[[], None]
    ) -> None:
        follow = progress.follower(expected.names)

        def say(line: str) -> None:
            played, *won = line.split()
            follow(int(played), [*map(float, won)])
            on_progress()

        expected.path.with_suffix(".table.err").touch()
        table_process.play(json.loads(job), say)

    monkeypatch.setattr(SeatingRunner, "_play_at_table", play)
