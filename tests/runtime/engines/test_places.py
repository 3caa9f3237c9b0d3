"""Who is to blame for a death: the worker or the job; and who is taken to be alive from another machine."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.runtime.engines.jobs import hold_work
from hedgehog.runtime.engines.places import MAX_DEATHS, Places
from hedgehog.runtime.engines.status import RunStatus, parse_status
from hedgehog.runtime.errors import InputError

STATUS = RunStatus(
    "x", "running", "", "elsewhere", 1, 0.0, 0.0, "dask", 2, None, 1, 2, [], {}, 0.0, {}, None, 0, 1.5, "", ["left out"]
)


@given(st.integers(1, 6), st.integers(1, 6), st.randoms(use_true_random=False))
def test_poisoned_workers_never_fail_a_job(healthy: int, poisoned: int, random: object) -> None:
    """Jobs go one by one to any place that may do them; the poisoned ones die at every job."""
    places = Places(alike=False)
    names = [f"healthy {i}" for i in range(healthy)] + [f"poisoned {i}" for i in range(poisoned)]
    usable = list(names)
    open_jobs = list(range(20))
    steps = 0
    while open_jobs:
        steps += 1
        assert steps < 1000
        job = random.choice(open_jobs)  # type: ignore[attr-defined]
        place = random.choice([place for place in usable if places.may_do(job, place, usable)])  # type: ignore[attr-defined]
        if place.startswith("healthy"):
            places.finished(place)
            open_jobs.remove(job)
            continue
        places.died(job, place, alone=True)
        if places.is_suspect(place, usable):
            usable.remove(place)
        assert not places.has_failed(job, usable)
    assert all(name in usable for name in names[:healthy])


@pytest.mark.parametrize("alike", [True, False])
def test_a_job_that_kills_every_worker_fails(alike: bool) -> None:
    places, usable = Places(alike=alike), ["a", "b"]
    for place in usable:
        places.finished(place)
    for death in range(MAX_DEATHS):
        assert not places.has_failed("bad", usable)
        place = next(place for place in usable if places.may_do("bad", place, usable))
        places.died("bad", place, alone=True)
        assert not places.is_suspect(place, usable), death
    assert places.has_failed("bad", usable)
    assert places.deaths("bad") == MAX_DEATHS


def test_the_last_place_is_never_left_out() -> None:
    places = Places(alike=False)
    for job in range(5):
        places.died(job, "a", alone=True)
    assert not places.is_suspect("a", ["a"])
    assert places.is_suspect("a", ["a", "b"])


def test_a_client_on_another_machine_is_alive_if_it_has_been_heard_of(tmp_path: Path) -> None:
    now = time.time()
    assert replace(STATUS, updated=now - 10).is_alive(tmp_path)
    assert not replace(STATUS, updated=now - 100).is_alive(tmp_path)
    assert not replace(STATUS, updated=now, state="finished").is_alive(tmp_path)
    with hold_work(tmp_path):
        assert replace(STATUS, updated=0).is_alive(tmp_path)


def test_a_status_is_read_back() -> None:
    import json

    data = json.dumps(STATUS.to_json()).encode()
    assert parse_status(data, "x") == STATUS
    with pytest.raises(InputError, match="x: is not the status of a run"):
        parse_status(data[:-1], "x")
