"""Builds on a real dask cluster: nothing is lost or done twice, whatever dies, and the pack is always the same.

One scheduler and two workers, each with its nanny, serve all tests of this module. They are started by dask's ordinary
commands.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hedgehog.runtime.engines import dask_engine
from hedgehog.runtime.engines.dask_engine import DaskEngine
from hedgehog.runtime.engines.identity import own_identity
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.running import RunProgress, run_jobs
from hedgehog.runtime.engines.status import STATUS_FILE
from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.solver.packs import builder
from hedgehog.solver.packs.build_status import read_status
from hedgehog.solver.packs.jobs import Job
from hedgehog.solver.packs.quick_flops import QuickBuild, QuickFlopConfig, assemble, open_build
from hedgehog.strategies.pack import default_packs
from tests.solver.blueprint_fixtures import made_up_abstraction
from tests.solver.quick_flop_fixtures import DiesOnce, DrawnRows, Greedy, Slow
from tests.strategies.provenance import PROVENANCE

ROOT = Path(__file__).resolve().parents[3]
MEMORY = 900_000_000
CONFIG = {
    "kind": "quick-flops",
    "name": "tiny",
    "blueprint": str(default_packs() / "blueprint"),
    "classes": ["Qh Jh 2c", "7d 7c 7h", "As Kd 7c"],
    "refine": {"boards": 3},
    "lines": [{"betting": "r250r850c"}, {"betting": "r250r850r2125c"}],
}


@dataclass
class Cluster:
    address: str
    folder: Path
    """Where refiners and tests exchange marker files."""
    scheduler: subprocess.Popen[bytes]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "QUICK_FLOP_TEST_FOLDER": str(folder),
        "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "critical",
        "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",  # a hundred times a second in every process
        "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
    }
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:], "--scheduler-file", str(file)]
        with (folder / f"{len(started)}.log").open("wb") as log:
            process = subprocess.Popen(
                [*command, "--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0", "--no-dashboard"],
                cwd=folder,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        started.append(process)
        return process

    try:
        scheduler = start("scheduler", "--port", "0")
        start("worker", "--nworkers", "2", "--nthreads", "1", "--memory-limit", str(MEMORY))
        deadline = time.monotonic() + 300
        while not file.exists() and time.monotonic() < deadline and scheduler.poll() is None:
            time.sleep(0.1)
        yield Cluster(json.loads(file.read_text())["address"], folder, scheduler)
    finally:
        for process in reversed(started):
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(30)


@pytest.fixture
def build(tmp_path: Path) -> QuickBuild:
    built = open_build(QuickFlopConfig.model_validate(CONFIG), tmp_path, tmp_path / "work")
    return replace(built, open_refiner=DrawnRows)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the pack that one process builds without any interruption."""
    folder = tmp_path_factory.mktemp("undisturbed")
    built = replace(open_build(QuickFlopConfig.model_validate(CONFIG), folder, folder / "work"), open_refiner=DrawnRows)
    with Engine(ThreadPoolExecutor(1), 1) as engine:
        run_jobs(built, engine)
    return pack_of(built, folder)


def pack_of(built: QuickBuild, folder: Path) -> dict[str, bytes]:
    assemble(built, made_up_abstraction(), PROVENANCE, folder / "pack")
    return {path.name: path.read_bytes() for path in (folder / "pack").iterdir()}


def run(built: QuickBuild, engine: Engine) -> Counter[Job]:
    """Returns how often each job was done."""
    done: list[Job] = []

    def progress(now: RunProgress) -> None:
        if now.job is not None:
            done.append(now.job)

    run_jobs(built, engine, progress)
    return Counter(done)


@pytest.mark.parametrize("shared", [True, False])
def test_a_build_with_and_without_a_shared_folder(
    cluster: Cluster,
    build: QuickBuild,
    undisturbed: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shared: bool,
) -> None:
    order_of = builder.Order.of
    if not shared:
        monkeypatch.setattr(
            builder.Order, "of", lambda build, mark, token: order_of(build, Path("/nowhere/build.json"), token)
        )
    with DaskEngine(cluster.address) as engine:
        wait_for(lambda: engine.workers == 2)
        assert engine.dashboard is None
        assert run(build, engine) == Counter(build.jobs())
        assert run(build, engine) == {}
    assert pack_of(build, tmp_path) == undisturbed
    status = read_status(build.work / STATUS_FILE)
    assert (status.state, status.done, status.total, status.failed) == ("finished", 6, 6, {})


@pytest.mark.parametrize(("refiner", "marker"), [(DiesOnce, "died"), (Greedy, "greedy")])
def test_a_worker_that_dies_or_takes_too_much_memory(
    cluster: Cluster,
    build: QuickBuild,
    undisturbed: dict[str, bytes],
    tmp_path: Path,
    refiner: Callable[..., DrawnRows],
    marker: str,
) -> None:
    with DaskEngine(cluster.address) as engine:
        assert run(replace(build, open_refiner=refiner), engine) == Counter(build.jobs())
    assert (cluster.folder / marker).exists()
    assert pack_of(build, tmp_path) == undisturbed


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 300
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert condition()


def test_a_killed_client(cluster: Cluster, build: QuickBuild, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.solver.quick_flop_fixtures", tmp_path, build.config.model_dump_json()]
    with subprocess.Popen([*command, cluster.address], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}) as client:
        wait_for(lambda: (cluster.folder / "slow").exists() or client.poll() is not None)
        client.send_signal(signal.SIGKILL)
    (cluster.folder / "go").touch()
    before = {job: job.path.stat().st_mtime_ns for job in build.jobs() if job.path.exists()}
    assert len(before) >= 3
    with DaskEngine(cluster.address) as engine:
        done = run(build, engine)
    assert not done.keys() & before.keys()
    assert {job: job.path.stat().st_mtime_ns for job in before} == before
    assert pack_of(build, tmp_path) == undisturbed


def test_another_program_is_refused(
    cluster: Cluster, build: QuickBuild, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = replace(own_identity(), kernels="0" * 64)
    with DaskEngine(cluster.address) as engine:
        engine.identity = other
        with pytest.raises(InputError, match=r"^the dask worker tcp://.* runs another program .*: kernels \w+, not 0"):
            run_jobs(build, engine)
        engine.identity = own_identity()
        # A worker that comes later finds out by itself.
        monkeypatch.setattr("hedgehog.runtime.engines.tasks.own_identity", lambda: other)
        with pytest.raises(InputError, match=r"^the worker \S+ runs another program than the client: kernels "):
            run_jobs(build, engine)
    assert read_status(build.work / STATUS_FILE).state == "stopped"
    assert not list(build.work.glob("*/*.npz"))


def test_what_does_not_fit_is_refused_before_it_starts(
    cluster: Cluster, build: QuickBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QuickBuild, "needed_bytes", lambda self, job: 700_000_000)
    with DaskEngine(cluster.address) as engine:
        with pytest.raises(
            ResourceError, match=r"needs 700\.0 MB of memory .* the dask worker tcp://\S+ has 855\.0 MB"
        ):
            run_jobs(build, engine)
        facts = {address: {**of, "nthreads": 4} for address, of in engine._look().items()}
        monkeypatch.setattr(engine, "_look", lambda: facts)
        with pytest.raises(InputError, match=r"does 4 tasks at a time, .*: start it with --nthreads 1"):
            run_jobs(build, engine)
    assert not list(build.work.glob("*/*.npz"))


def test_a_scheduler_that_goes_away(
    cluster: Cluster, build: QuickBuild, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    """The last test of this module: its cluster has ended then."""
    for name in ("slow", "go"):
        (cluster.folder / name).unlink(missing_ok=True)
    with DaskEngine(cluster.address) as engine:

        def progress(now: RunProgress) -> None:
            if (cluster.folder / "slow").exists():
                cluster.scheduler.kill()

        with pytest.raises(ResourceError, match=f"^dask {cluster.address}: the scheduler has gone$"):
            run_jobs(replace(build, open_refiner=Slow), engine, progress)
    (cluster.folder / "go").touch()
    before = {job for job in build.jobs() if job.path.exists()}
    assert len(before) >= 3
    with Engine(ThreadPoolExecutor(1), 1) as local:
        assert not run(build, local).keys() & before
    assert pack_of(build, tmp_path) == undisturbed


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "local:0", "local:x", "nonsense:"])
def test_no_scheduler(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask_engine, "CONNECT_S", 0.5)
    with pytest.raises((InputError, ResourceError), match=f"{address}"):
        DaskEngine(address)
