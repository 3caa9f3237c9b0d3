"""Every kind of fault that separate worker processes of a dask cluster have shown, on the loopback address."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hedgehog.runtime.engines import dask_engine, running
from hedgehog.runtime.engines.dask_engine import DaskEngine
from hedgehog.runtime.engines.identity import own_identity
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.engines.running import RunProgress, run_jobs
from hedgehog.runtime.engines.status import parse_status
from hedgehog.runtime.errors import InputError, ResourceError
from tests import engine_work
from tests.dask_cluster import ROOT, Cluster, dask_cluster, wait_for, without_hedgehog
from tests.engine_work import Squares, expected

pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
pytestmark = pytest.mark.process


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with dask_cluster(tmp_path / "cluster") as cluster:
        yield cluster


def client_of(cluster: Cluster, folder: Path, do: str) -> subprocess.Popen[str]:
    """Starts a client in a process of its own."""
    command = [sys.executable, "-m", "tests.engine_work", str(folder), do, cluster.address]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_a_frozen_scheduler_is_named_and_the_first_ctrl_c_ends_the_client(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.worker()
    ended = []
    for number in (None, signal.SIGINT):
        folder = tmp_path / str(number)
        folder.mkdir()
        with client_of(cluster, folder, "waits") as client:
            wait_for(lambda: (folder / "waiting").exists() or client.poll() is not None)  # noqa: B023
            cluster.scheduler.send_signal(signal.SIGSTOP)
            frozen = time.monotonic()
            if number is not None:
                client.send_signal(number)
            try:
                _, error = client.communicate(timeout=120)
            finally:
                client.kill()
            ended.append((client.returncode, error.strip(), time.monotonic() - frozen))
        if number is None:
            cluster.scheduler.send_signal(signal.SIGCONT)
    (alone, interrupted) = ended
    assert alone[:2] == (2, f"error: dask {cluster.address}: the scheduler has not answered for 20 seconds")
    assert interrupted[:2] == (130, "interrupted")
    assert alone[2] < 60  # 20 until it is named, 10 to close what does not answer, and a busy machine
    assert interrupted[2] < 40
    status = parse_status((tmp_path / "None" / "work" / STATUS_FILE).read_bytes(), "x")
    assert (status.state, status.remaining_seconds) == ("stopped", None)
    monkeypatch.setattr(dask_engine, "CONNECT_S", 2.0)
    before = time.monotonic()
    with pytest.raises(ResourceError, match=f"no dask scheduler answers at {cluster.address}"):
        DaskEngine(cluster.address)
    assert time.monotonic() - before < 30


@pytest.mark.slow
def test_a_killed_scheduler_is_one_line(cluster: Cluster, tmp_path: Path) -> None:
    cluster.worker()
    client = client_of(cluster, tmp_path, "waits")
    wait_for(lambda: (tmp_path / "waiting").exists() or client.poll() is not None)
    cluster.scheduler.kill()
    output, error = client.communicate(timeout=90)
    assert (client.returncode, output, error) == (2, "", f"error: dask {cluster.address}: the scheduler has gone\n")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("foo://x:1", "--dask foo://x:1: expected tcp://HOST:PORT, tls://HOST:PORT or local:N"),
        ("inproc://a:1", "--dask inproc://a:1: expected tcp://HOST:PORT, tls://HOST:PORT or local:N"),
        ("ucx://127.0.0.1:9", "--dask ucx://127.0.0.1:9: expected tcp://HOST:PORT, tls://HOST:PORT or local:N"),
        ("foo://x", "--dask foo://x: expected tcp://HOST:PORT, tls://HOST:PORT or local:N"),
        ("tls://127.0.0.1:9", "TLS needs certificates: set DASK_DISTRIBUTED__COMM__TLS__CA_FILE to a file"),
        ("tcp://127.0.0.1:9", "no dask scheduler answers at tcp://127.0.0.1:9"),
        ("local:0", "--dask local:0: expected local:N"),
        ("nonsense:", "--dask nonsense:: expected"),
    ],
)
def test_a_bad_address_is_one_line(address: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_engine, "CONNECT_S", 0.5)
    with pytest.raises((InputError, ResourceError)) as found:
        DaskEngine(address)
    assert message in str(found.value)


def certificate(folder: Path, name: str) -> dict[str, str]:
    """Makes a certificate that signs itself, and returns it with its key as settings of dask for a client."""
    key, cert = str(folder / f"{name}.key"), str(folder / f"{name}.pem")
    words = f"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=hedgehog -keyout {key} -out {cert}"
    subprocess.run(["openssl", *words.split()], check=True, capture_output=True)
    return {"ca-file": cert, "client.cert": cert, "client.key": key}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_tls_keeps_strangers_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = certificate(tmp_path, "own"), certificate(tmp_path, "other")
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    tls = {f"{prefix}CA_FILE": own["ca-file"], "DASK_DISTRIBUTED__COMM__DEFAULT_SCHEME": "tls"}
    for who in ("SCHEDULER", "WORKER"):
        tls |= {f"{prefix}{who}__CERT": own["client.cert"], f"{prefix}{who}__KEY": own["client.key"]}

    def client(settings: dict[str, str], address: str) -> DaskEngine:
        with dask.config.set({f"distributed.comm.tls.{key}": value for key, value in settings.items()}):
            return DaskEngine(address)

    with dask_cluster(tmp_path / "cluster", tls) as cluster:
        cluster.worker()
        assert cluster.address.startswith("tls://127.0.0.1:")
        work = Squares(tmp_path / "work", 4)
        with client(own, cluster.address) as engine:
            run_jobs(work, engine)
        assert work.results() == expected(4)
        monkeypatch.setattr(dask_engine, "CONNECT_S", 1.0)
        plain = cluster.address.replace("tls", "tcp")
        for settings, address in (
            (other, cluster.address),
            (own | {"client.cert": other["client.cert"]} | {"client.key": other["client.key"]}, cluster.address),
            (own, plain),
        ):
            with pytest.raises(ResourceError, match=f"^no dask scheduler answers at {address} ") as found:
                client(settings, address)
            assert "\n" not in str(found.value)


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    (tmp_path / "cert.pem").touch()
    cert = str(tmp_path / "cert.pem")
    settings = {"ca-file": cert, "client.cert": cert, "client.key": str(tmp_path / "key.pem")}
    with (
        dask.config.set({f"distributed.comm.tls.{key}": value for key, value in settings.items()}),
        pytest.raises(InputError, match=r"key.pem: .*__CLIENT__KEY names a file that cannot be read"),
    ):
        DaskEngine("tls://127.0.0.1:9")


@pytest.mark.slow
def test_a_poisoned_worker_is_left_out_and_no_job_fails(cluster: Cluster, tmp_path: Path) -> None:
    cluster.worker(ENGINE_TEST_POISON="1")
    cluster.worker()
    work = Squares(tmp_path / "work", 16, do=engine_work.poisoned_worker)
    notes: list[str] = []
    with DaskEngine(cluster.address) as engine:
        wait_for(lambda: len(engine._facts) == 2 or bool(engine.look()))
        last = run_jobs(work, engine, note=notes.append)
        assert (last.workers, last.failed) == (1, 0)
    assert work.results() == expected(16)
    (note,) = (note for note in notes if note.startswith("left out: the dask worker tcp://127.0.0.1:"))
    assert "SIGABRT; its last line: LLVM ERROR: Symbol not found" in note


@pytest.mark.slow
def test_a_worker_for_another_processor_is_left_out(cluster: Cluster, tmp_path: Path) -> None:
    cluster.worker(NUMBA_CPU_NAME="generic")
    cluster.worker()
    work = Squares(tmp_path / "work", 8)
    notes: list[str] = []
    with DaskEngine(cluster.address) as engine:
        wait_for(lambda: len(engine._facts) == 2 or bool(engine.look()))
        run_jobs(work, engine, note=notes.append)
    assert work.results() == expected()
    assert any("compiles for the processor generic (" in note for note in notes)


@pytest.mark.slow
def test_workers_that_join_are_checked_one_by_one(cluster: Cluster, tmp_path: Path) -> None:
    """One does several tasks at a time, one has too little memory, one lacks Hedgehog; the run goes on without them."""
    cluster.worker()
    work = Squares(tmp_path / "work", 8, do=engine_work.waits, exchange=str(tmp_path))
    notes: list[str] = []
    begun = False

    def progress(now: RunProgress) -> None:
        nonlocal begun
        if (tmp_path / "waiting").exists() and not begun:
            begun = True
            cluster.worker("--nthreads", "3")
            cluster.start("worker", "--no-nanny", "--nthreads", "1", "--memory-limit", "300MB")
            cluster.worker(PYTHONPATH=str(without_hedgehog(tmp_path)))
            cluster.worker()
        if sum("left out" in note for note in notes) == 3 and any("joins" in note for note in notes):
            (tmp_path / "go").touch()

    with DaskEngine(cluster.address) as engine:
        last = run_jobs(work, engine, progress, note=notes.append)
        assert last.workers == 2
    assert work.results() == expected()
    told = " ".join(sorted(notes))
    assert "does 3 tasks at a time, which share its kernels: start it with --nthreads 1" in told
    assert "of memory and its process" in told
    assert "cannot run Hedgehog: No module named 'hedgehog.runtime'" in told
    assert "joins" in told
    status = parse_status((tmp_path / "work" / STATUS_FILE).read_bytes(), "x")
    assert status.notes == notes


def test_no_worker_that_fits_is_an_error(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster.worker()
    work = Squares(tmp_path / "work", 2)
    with DaskEngine(cluster.address) as engine:
        engine.identity = replace(own_identity(), kernels="0" * 64)
        with pytest.raises(InputError, match=r"^the dask worker tcp://.* runs another program .*: kernels \w+, not 0"):
            run_jobs(work, engine)
        engine.identity = own_identity()
        monkeypatch.setattr(Squares, "needed_bytes", lambda self, job: 1_800_000_000)
        with pytest.raises(ResourceError, match=r"needs 1\.80 GB of memory .*, the dask worker tcp://\S+ has 1\.90 GB"):
            run_jobs(work, engine)
    assert work.results() == {}


@pytest.mark.slow
def test_a_worker_that_stands_still_is_named_and_loses_its_jobs(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_engine, "SILENT_S", 3.0)
    monkeypatch.setattr(dask_engine, "STILL_S", 8.0)
    workers = [cluster.worker(), cluster.worker()]
    work = Squares(tmp_path / "work", 30, do=engine_work.slow)
    notes: list[str] = []
    stopped = False

    def progress(now: RunProgress) -> None:
        nonlocal stopped
        if now.done >= 4 and not stopped:
            stopped = True
            workers[0].send_signal(signal.SIGSTOP)

    with DaskEngine(cluster.address) as engine:
        wait_for(lambda: len(engine._facts) == 2 or bool(engine.look()))
        run_jobs(work, engine, progress, note=notes.append)
    assert work.results() == expected(30)
    assert any("has not been heard of for 3 seconds; after 8 others do its jobs" in note for note in notes)


@pytest.mark.slow
def test_too_little_memory_is_named(cluster: Cluster, tmp_path: Path) -> None:
    cluster.start("worker", "--no-nanny", "--nthreads", "1", "--memory-limit", "1200MB")
    work = Squares(tmp_path / "work", 1, do=engine_work.greedy)
    with DaskEngine(cluster.address) as engine, pytest.raises(ResourceError) as found:
        run_jobs(work, engine)
    assert "3 workers have died on it (it took " in str(found.value)
    assert "of memory and may have " in str(found.value)


@pytest.mark.slow
def test_inputs_leave_the_client_once(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        cluster.worker()
    work = Squares(tmp_path / "work", 30, do=engine_work.short, ballast=os.urandom(2_000_000))
    sent: list[int] = []
    with DaskEngine(cluster.address) as engine:
        wait_for(lambda: len(engine._facts) == 3 or bool(engine.look()))
        scatter = engine.client.scatter

        def counted(data: bytes, **more: Any) -> Any:
            sent.append(len(data))
            return scatter(data, **more)

        monkeypatch.setattr(engine.client, "scatter", counted)
        send = engine._send
        with_tasks: list[int] = []

        def watched(address: str, task: bytes, data: Any, needed: int) -> Any:
            with_tasks.append(len(task) + (len(data) if isinstance(data, bytes) else 0))
            return send(address, task, data, needed)

        monkeypatch.setattr(engine, "_send", watched)
        run_jobs(work, engine)
    assert work.results() == expected(30)
    assert len(sent) == 1
    assert sent[0] > 2_000_000
    assert max(with_tasks) < 10_000


@pytest.mark.slow
def test_a_worker_that_has_just_gone_loses_no_job(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client hears of it when it sends the inputs, before the scheduler says so."""
    cluster.worker()
    work = Squares(tmp_path / "work", 8, do=engine_work.short, ballast=os.urandom(200_000))
    notes: list[str] = []
    with DaskEngine(cluster.address) as engine:
        scatter, gone = engine.client.scatter, []

        def to_nobody(data: bytes, *, workers: list[str], **more: Any) -> Any:
            if not gone:
                gone.extend(workers)
                raise KeyError(workers[0])
            return scatter(data, workers=workers, **more)

        monkeypatch.setattr(engine.client, "scatter", to_nobody)
        run_jobs(work, engine, note=notes.append)
    assert work.results() == expected(8)
    assert notes == [
        f"the dask worker {gone[0]} cannot be sent the inputs: '{gone[0]}'", f"the dask worker {gone[0]} joins"
    ]  # fmt: skip


@pytest.mark.slow
def test_a_client_that_was_busy_takes_nobody_for_silent(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What uses the results may take long, and so may a machine that was put to sleep."""
    for name, seconds in (("FROZEN_S", 2.0), ("SILENT_S", 2.0), ("STILL_S", 3.0)):
        monkeypatch.setattr(dask_engine, name, seconds)
    monkeypatch.setattr(dask_engine, "_LOOK_EVERY_S", 0.5)
    cluster.worker()
    work = Squares(tmp_path / "work", 8, do=engine_work.slow)
    notes: list[str] = []

    def progress(now: RunProgress) -> None:
        if now.job is not None and now.done in (2, 5):
            time.sleep(5)

    with DaskEngine(cluster.address) as engine:
        last = run_jobs(work, engine, progress, note=notes.append)
    assert work.results() == expected(8)
    assert (last.failed, notes) == (0, [])


@pytest.mark.slow
def test_a_killed_client_goes_on_elsewhere(cluster: Cluster, tmp_path: Path) -> None:
    cluster.worker()
    client = client_of(cluster, tmp_path, "waits")
    wait_for(lambda: (tmp_path / "waiting").exists() or client.poll() is not None)
    client.kill()
    client.communicate()
    (tmp_path / "go").touch()
    work = Squares(tmp_path / "work", do=engine_work.waits, exchange=str(tmp_path))
    assert len(work.results()) >= 3
    with DaskEngine("local:2") as engine:
        run_jobs(work, engine)
    assert work.results() == expected()


@pytest.mark.slow
def test_all_workers_gone_is_an_error_after_a_while(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "NO_WORKER_S", 3.0)
    worker = cluster.worker()
    work = Squares(tmp_path / "work", 8, do=engine_work.waits, exchange=str(tmp_path))

    def progress(now: RunProgress) -> None:
        if (tmp_path / "waiting").exists():
            worker.kill()

    with DaskEngine(cluster.address) as engine, pytest.raises(ResourceError, match="there has been no worker for"):
        run_jobs(work, engine, progress)


def test_what_travels_is_small() -> None:
    """Results come back pickled, so that a dask worker need not load what a job's process has loaded."""
    work = Squares(None, 3)
    data = pickle.dumps(work.jobs())
    assert len(data) < 500
