"""What a worker does with an order: it checks the program, knows a build once, and returns or writes the results."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.running import run_jobs
from hedgehog.runtime.engines.status import parse_status
from hedgehog.runtime.engines.tasks import Order, do_batch
from hedgehog.runtime.errors import InputError
from hedgehog.solver.packs.jobs import verify_work
from hedgehog.solver.packs.quick_flops import QuickBuild, QuickFlopConfig, open_build
from hedgehog.strategies.pack import default_packs
from tests.solver.quick_flop_fixtures import DrawnRows

CONFIG = {
    "kind": "quick-flops",
    "name": "tiny",
    "blueprint": str(default_packs() / "blueprint"),
    "classes": ["Qh Jh 2c", "7d 7c 7h"],
    "lines": [{"betting": "r250r850r2125c"}],
}


@pytest.fixture
def build(tmp_path: Path) -> QuickBuild:
    built = open_build(QuickFlopConfig.model_validate(CONFIG), tmp_path, tmp_path / "work")
    return replace(built, open_refiner=DrawnRows)


def test_results_are_returned_unless_the_worker_shares_the_folder(build: QuickBuild, tmp_path: Path) -> None:
    job, other = build.jobs()
    mark = tmp_path / "mark.json"
    order = Order.of(build, mark, "here")
    assert do_batch(None, order.key, [job]).wants_order
    (done,) = do_batch(order.pickled(), order.key, [job]).done
    assert done.data is not None
    assert not job.path.exists()

    mark.write_text(json.dumps({"token": "here"}))
    order = replace(Order.of(build, mark, "here"), key="shared")
    (written,) = do_batch(order.pickled(), "shared", [job]).done
    assert written.data is None
    assert job.path.read_bytes() == done.data
    before = job.path.stat().st_mtime_ns
    again = do_batch(None, "shared", [job, other])  # it knows the order now
    assert [found.data for found in again.done] == [None, None]
    assert (again.done[0].seconds, job.path.stat().st_mtime_ns) == (0, before)
    assert other.path.exists()


def test_a_worker_refuses_another_program_or_other_inputs(build: QuickBuild, tmp_path: Path) -> None:
    order = Order.of(build, tmp_path / "mark.json", "x")
    program = replace(order, key="program", identity=replace(order.identity, numba="0.0"))
    inputs = replace(order, key="inputs", inputs="0")
    for bad, message in ((program, "runs another program than the client: numba "), (inputs, "has other inputs")):
        result = do_batch(bad.pickled(), bad.key, build.jobs())
        assert result.done == []
        with pytest.raises(InputError, match=message):
            result.verify()


def test_work_of_another_configuration_is_left_alone(build: QuickBuild, tmp_path: Path) -> None:
    work = tmp_path / "work"
    verify_work(build, work)
    with Engine(ThreadPoolExecutor(1), 1) as engine:
        run_jobs(build, engine)
    verify_work(build, work)
    other = open_build(build.config.model_copy(update={"seed": 9}), tmp_path, work)
    with pytest.raises(InputError, match="work: holds 2 flops of another configuration and none of this one"):
        verify_work(other, work)


def test_the_status_is_read_back_and_checked(build: QuickBuild) -> None:
    with Engine(ThreadPoolExecutor(1), 1) as engine:
        run_jobs(build, engine)
    data = (build.work / STATUS_FILE).read_bytes()
    status = parse_status(data, "x")
    assert (status.state, status.done, status.total, status.workers) == ("finished", 2, 2, 1)
    for bad in (b"", b"[]", b"{}", data[:-20], data.replace(b'"done": 2', b'"done": "many"')):
        with pytest.raises(InputError, match="x: is not the status of a run"):
            parse_status(bad, "x")
