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
from hedgehog.runtime.engines.status import find_status, parse_status, status_file
from hedgehog.runtime.engines.watched_status import watched_status
from hedgehog.runtime.errors import InputError, StoppedError
from hedgehog.runtime.folder_lock import locked_file
from hedgehog.runtime.watch import SILENT
from tests.cli.command import Run
from tests.dask_cluster import dask_cluster, wait_for


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


def test_earlier_runs_count(tmp_path: Path) -> None:
    """A task that goes on shows all of its pieces."""
    done = do_pieces(WORK, status=status_file(tmp_path), before=6)
    next(done)
    done.close()
    now = find_status(tmp_path)
    assert (now.done, now.total, now.state) == (7, 10, "interrupted")


def test_of_a_task_that_is_not_on_the_engine(run: Run, tmp_path: Path) -> None:
    """What a task tells its watch is its status, from the moment on at which it holds its folder."""
    status = status_file(tmp_path)

    def work() -> None:
        with watched_status(SILENT, status, engine="two hands", workers=2) as told:
            told.begin("", 400, "hands", "starting")
            assert not status.exists()
            told.open()
            told.warn("a player is slow")
            assert find_status(tmp_path).state == "starting"
            told.update(0)
            told.update(100, "call +5 mbb/h")
            raise StoppedError("enough")

    with pytest.raises(StoppedError):
        work()
    code, text, _ = run("status", tmp_path)
    assert code == 0
    lines = text.splitlines()
    assert lines[0] == f"{tmp_path}: interrupted"
    assert lines[1].startswith("  100 of 400 hands done (25.0 %), ")
    assert "  2 workers, two hands" in lines
    assert lines[-2:] == ["  a player is slow", "  call +5 mbb/h"]
    with watched_status(SILENT, status) as told:
        told.open()
    assert not status.exists()


def test_of_a_file_or_a_cluster(run: Run, tmp_path: Path) -> None:
    for words in ((), (tmp_path, "--dask", "tcp://127.0.0.1:1")):
        code, _, error = run("status", *words)
        assert (code, "expected a FILE or DIR, or --dask ADDRESS" in error) == (2, True)
    pytest.importorskip("distributed")
    assert "only a scheduler can be asked" in run("status", "--dask", "local:2")[2]


@pytest.mark.slow
@pytest.mark.process
def test_of_a_cluster(run: Run, tmp_path: Path) -> None:
    """Asked where neither file nor folder can be seen; a task that is finished is forgotten."""
    pytest.importorskip("distributed")
    from hedgehog.runtime.engines.dask_engine import DaskEngine, published_statuses

    asked: list[tuple[int, str]] = []

    def progress(now: RunProgress) -> None:
        if now.done == 2 and not asked:
            wait_for(lambda: bool(published_statuses(cluster.address)))
            asked.append(run("status", "--dask", cluster.address, "--json", "-")[:2])

    with dask_cluster(tmp_path / "cluster") as cluster:
        cluster.worker()
        assert run("status", "--dask", cluster.address)[1] == f"no task works on the cluster of {cluster.address}\n"
        status = tmp_path / "all.jsonl.status"
        with DaskEngine(cluster.address) as engine:
            assert sorted(do_pieces(WORK, engine, status=status, progress=progress)) == [0, 1, 4, 9]
        wait_for(lambda: not published_statuses(cluster.address))
    ((code, text),) = asked
    (task,) = json.loads(text)["tasks"]
    assert (code, task["target"], task["alive"]) == (0, f"{socket.gethostname()}:{status}", True)
    assert (task["task"]["total"], task["task"]["engine"]) == (4, f"dask {cluster.address}")
