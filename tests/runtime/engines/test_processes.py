"""Worker processes of this machine: what they return, and what is said when they die."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hedgehog.runtime.engines import processes
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.engines.local import LocalEngine, SerialEngine
from hedgehog.runtime.engines.processes import ChildProcess, WorkerDiedError, as_task
from hedgehog.runtime.engines.running import Run, RunProgress, run_jobs
from hedgehog.runtime.engines.status import parse_status
from hedgehog.runtime.errors import InputError, ResourceError
from tests import engine_work
from tests.dask_cluster import ROOT, wait_for
from tests.engine_work import Squares, expected

pytestmark = pytest.mark.process


def told(data: bytes | None, *words: object) -> tuple[object, ...]:
    print("on standard output, which is the client's")
    return data, words, os.getpid()


def exits(data: bytes | None) -> None:
    os._exit(3)


def fails(data: bytes | None) -> None:
    raise InputError("no such file", source="x.yaml", line=3)


def test_a_process_answers_calls_and_is_started_again_after_it_has_died(capfd: pytest.CaptureFixture[str]) -> None:
    child = ChildProcess()
    try:
        data, words, first = pickle.loads(child.call(as_task(told, 1, "two"), b"large"))
        assert (data, words) == (b"large", (1, "two"))
        assert pickle.loads(child.call(as_task(told)))[2] == first != os.getpid()
        with pytest.raises(InputError, match=r"^x\.yaml:3: no such file$") as found:
            child.call(as_task(fails))
        assert "in fails" in str(found.value.__cause__)
        with pytest.raises(WorkerDiedError, match=r"^it ended with exit code 3$"):
            child.call(as_task(exits))
        assert pickle.loads(child.call(as_task(told)))[2] != first
        with pytest.raises(WorkerDiedError, match=r"ended by SIGABRT; its last line: LLVM ERROR: Symbol not found"):
            child.call(as_task(engine_work.aborts_with_words, 1))
        assert capfd.readouterr().out == ""
    finally:
        child.end()
    with pytest.raises(WorkerDiedError, match="closed"):
        child.call(as_task(told))


def test_too_much_memory_is_named_with_the_limit() -> None:
    child = ChildProcess()
    child.limit = 500e6
    try:
        with pytest.raises(WorkerDiedError, match=r"^it took \S+ .B of memory and may have 500\.0 MB$"):
            child.call(as_task(engine_work.greedy, 1))
    finally:
        child.end()


def test_a_process_that_stands_still_loses_its_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "STILL_S", 1.0)
    work = Squares(tmp_path / "work", do=engine_work.stands_still_once, exchange=str(tmp_path))
    with LocalEngine(2) as engine:
        run_jobs(work, engine)
    assert (tmp_path / "stopped").exists()
    assert work.results() == expected()


@pytest.mark.parametrize("workers", [0, 1, 2])
@pytest.mark.slow_cases("1")
def test_the_same_files_whatever_the_number_of_workers(tmp_path: Path, workers: int) -> None:
    work = Squares(tmp_path / "work", 40)
    with LocalEngine(workers) if workers else SerialEngine() as engine:
        run_jobs(work, engine)
    assert work.results() == expected(40)
    status = parse_status((tmp_path / "work" / STATUS_FILE).read_bytes(), "x")
    assert (status.state, status.done, status.total, status.is_alive(tmp_path / "work")) == ("finished", 40, 40, False)


def test_results_without_files_come_to_the_caller() -> None:
    with LocalEngine(2) as engine:
        found = dict(Run(Squares(None, 9), engine).results())
    assert {job.number: data for job, data in found.items()} == {i: f"{i * i}\n".encode() for i in range(9)}


@pytest.mark.slow
def test_a_job_that_kills_every_process_is_named_with_the_cause(tmp_path: Path) -> None:
    work = Squares(tmp_path / "work", 2, do=engine_work.aborts_with_words)
    with LocalEngine(1) as engine, pytest.raises(ResourceError) as found:
        run_jobs(work, engine)
    text = str(found.value)
    assert text.startswith("square ")
    assert "3 workers have died on it (it was ended by SIGABRT; its last line: LLVM ERROR: Symbol not found" in text
    assert text.endswith("2 numbers failed, 0 of 2 are done")


def test_an_error_of_a_job_is_one_line_with_its_name(tmp_path: Path) -> None:
    work = Squares(tmp_path / "work", 2, do=engine_work.refuses)
    with LocalEngine(1) as engine, pytest.raises(InputError, match=r"^square [01]: no such number$"):
        run_jobs(work, engine)


def test_time_of_starting_and_compiling_is_no_time_of_jobs(tmp_path: Path) -> None:
    work = Squares(tmp_path / "work", 3, opening=engine_work.burns)
    reports: list[RunProgress] = []
    with LocalEngine(1) as engine:
        run_jobs(work, engine, reports.append)
    assert reports[-1].start_seconds >= 0.2
    status = parse_status((tmp_path / "work" / STATUS_FILE).read_bytes(), "x")
    assert status.start_seconds == reports[-1].start_seconds
    assert sum(status.cpu_seconds.values()) < 0.1
    assert not reports[0].begun


def test_ctrl_c_ends_a_run_at_once_and_it_goes_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.engine_work", str(tmp_path), "waits"]
    # A worker that still wrote its file after the other one waits would not be in the status.
    quick = [tmp_path / "work" / f"{number}.txt" for number in range(4)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as client:
        wait_for(lambda: all(path.exists() for path in quick) or client.poll() is not None)
        before = time.monotonic()
        client.send_signal(signal.SIGINT)
        _, error = client.communicate(timeout=60)
        assert time.monotonic() - before < 15
    assert (client.returncode, error.split()) == (130, ["interrupted"])
    (tmp_path / "go").touch()
    work = Squares(tmp_path / "work", do=engine_work.waits, exchange=str(tmp_path))
    status = parse_status((tmp_path / "work" / STATUS_FILE).read_bytes(), "x")
    assert (status.state, status.done) == ("interrupted", len(work.results()))
    with LocalEngine(1) as engine:
        run_jobs(work, engine)
    assert work.results() == expected()
