"""``hedgehog status``: a task that runs, one that was killed, and one that is finished."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hedgehog.runtime.engines.pieces import Piece, Pieces, do_pieces
from hedgehog.runtime.engines.running import RunProgress
from hedgehog.runtime.engines.status import parse_status, status_file
from hedgehog.runtime.errors import InputError, StoppedError
from hedgehog.runtime.folder_lock import locked_file
from tests.cli.command import Run


def squares() -> Callable[[int], int]:
    return lambda number: number * number


def nothing() -> str:
    return ""


WORK = Pieces(tuple(Piece(number, f"number {number}") for number in range(4)), squares, nothing, (), "number")


def test_of_a_results_file(run: Run, tmp_path: Path) -> None:
    results = tmp_path / "all.jsonl"
    results.write_text("x\n")
    code, _, error = run("status", results)
    assert (code, error) == (2, f"error: {results}: no task runs here, and none was broken off\n")
    with locked_file(results, InputError("")):
        assert "a task works here that keeps no status" in run("status", results)[2]
    done = do_pieces(WORK, status=status_file(results))
    assert next(done) == 0
    status = tmp_path / "all.jsonl.status"
    with locked_file(results, InputError("")):
        code, text, _ = run("status", results, "--json", "-")
        found = json.loads(text)
    assert (code, found["alive"]) == (0, True)
    assert {key: found["task"][key] for key in ("total", "unit", "process", "host")} == {
        "total": 4,
        "unit": "number",
        "process": os.getpid(),
        "host": socket.gethostname(),
    }
    code, text, _ = run("status", results)
    assert text.startswith(f"{results}: killed: the same command goes on\n  ")
    assert list(done) == [1, 4, 9]
    assert not status.exists()


def test_a_stopped_task_leaves_its_status(tmp_path: Path) -> None:
    status = status_file(tmp_path)

    def stop(now: RunProgress) -> None:
        if now.done == 2:
            raise StoppedError("enough")

    with pytest.raises(StoppedError):
        list(do_pieces(WORK, status=status, progress=stop))
    now = parse_status(status.read_bytes(), "status")
    assert (now.state, now.message, now.total) == ("interrupted", "", 4)
    assert not now.is_alive(tmp_path)
    assert time.time() - now.updated < 60


def test_a_foreign_file_is_not_replaced(tmp_path: Path) -> None:
    status = status_file(tmp_path / "all.jsonl")
    status.write_text("mine")
    with pytest.raises(InputError, match="is not the status of a run"):
        next(do_pieces(WORK, status=status))
    assert status.read_text() == "mine"
