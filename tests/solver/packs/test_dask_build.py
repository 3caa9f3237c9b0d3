"""Builds on a real dask cluster: nothing is lost or done twice, whatever dies, and the pack is always the same.

One scheduler and two workers, each with its nanny, serve all tests of this module.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from hedgehog.runtime.engines import running
from hedgehog.runtime.engines.dask_engine import DaskEngine
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.running import RunProgress, run_jobs
from hedgehog.solver.packs.build_status import read_status
from hedgehog.solver.packs.jobs import Job
from hedgehog.solver.packs.quick_flops import QuickBuild, QuickFlopConfig, assemble, open_build
from hedgehog.strategies.pack import default_packs
from tests.dask_cluster import Cluster, dask_cluster, wait_for
from tests.solver.blueprint_fixtures import made_up_abstraction
from tests.solver.quick_flop_fixtures import DiesOnce, DrawnRows, Greedy
from tests.strategies.provenance import PROVENANCE

ROOT = Path(__file__).resolve().parents[3]
MEMORY = 1_300_000_000
CONFIG = {
    "kind": "quick-flops",
    "name": "tiny",
    "blueprint": str(default_packs() / "blueprint"),
    "classes": ["Qh Jh 2c", "7d 7c 7h", "As Kd 7c"],
    "refine": {"boards": 3},
    "lines": [{"betting": "r250r850c"}, {"betting": "r250r850r2125c"}],
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("cluster")
    with dask_cluster(folder, {"QUICK_FLOP_TEST_FOLDER": str(folder)}) as cluster:
        cluster.start("worker", "--nworkers", "2", "--nthreads", "1", "--memory-limit", str(MEMORY))
        yield cluster


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


@pytest.mark.slow
@pytest.mark.parametrize("shared", [True, False])
def test_a_build_with_and_without_a_shared_folder(
    cluster: Cluster,
    build: QuickBuild,
    undisturbed: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shared: bool,
) -> None:
    order_of = running.Order.of
    if not shared:
        monkeypatch.setattr(
            running.Order, "of", lambda build, mark, token: order_of(build, Path("/nowhere/build.json"), token)
        )
    with DaskEngine(cluster.address) as engine:
        assert engine.dashboard is None
        assert run(build, engine) == Counter(build.jobs())
        assert run(build, engine) == {}
    assert pack_of(build, tmp_path) == undisturbed
    status = read_status(build.work / STATUS_FILE)
    assert (status.state, status.done, status.total, status.failed) == ("finished", 6, 6, {})


@pytest.mark.slow
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


@pytest.mark.slow
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
