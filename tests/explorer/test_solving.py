"""Spots that are solved from the page: ranges that are painted, estimates, and the one solve that may run."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient

from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import ResourceError
from hedgehog.solver.postflop.estimate import estimate
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.solution_files import read_saved_solve
from hedgehog.solver.postflop.spot import parse_spot
from tests.explorer.explored import RIVER, explored, get, post, query
from tests.solver.postflop_fixtures import SMALL_FLOP

_BOUND_S = 240


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with explored(solves=tmp_path / "solves") as (found, _):
        yield found


def wait(client: TestClient, *states: str) -> dict[str, Any]:
    """Returns the state of the solve as soon as it is one of ``states``."""
    end = time.monotonic() + _BOUND_S
    while time.monotonic() < end:
        status: dict[str, Any] = get(client, "solve")
        if status["state"] in states:
            return status
        assert status["state"] not in ("failed", "done", "stopped"), status
        time.sleep(0.05)
    raise AssertionError(f"none of {states} was reached")


def test_painting_a_range(client: TestClient) -> None:
    painted = post(client, "solve/range", {"text": "QQ+,AKs", "hands": ["JJ", "AKo"], "weight": 0.5})
    weights = parse_range(painted["text"])
    assert (weights == parse_range("JJ:0.5,AKo:0.5,QQ+,AKs")).all()
    assert painted["combos"] == 18 + 4 + 3 + 6
    assert painted["cells"] == {"AA": 1, "KK": 1, "QQ": 1, "JJ": 0.5, "AKs": 1, "AKo": 0.5}
    assert post(client, "solve/range", {"text": "AhKh", "hands": []})["cells"] == {"AKs": 0.25}
    assert post(client, "solve/range", {"text": "AA", "hands": ["AA"], "weight": 0}) == {
        "text": "",
        "cells": {},
        "combos": 0.0,
    }
    small = "AA:0.0003,77:0.00003,AKs:0.0000001"
    assert post(client, "solve/range", {"text": small}) == {
        "text": "AA:0.0003,77:0.00003,AKs:0.0000001",
        "cells": {"AA": 0.0003, "77": 0.00003, "AKs": 1e-7},
        "combos": 0.00198,
    }
    painted = post(client, "solve/range", {"text": small, "hands": ["KK"], "weight": 0.05})
    assert (parse_range(painted["text"]) == parse_range(f"KK:0.05,{small}")).all()
    assert "expected a hand" in post(client, "solve/range", {"text": "AA,XX"}, status=400)["error"]
    assert "expected a hand" in post(client, "solve/range", {"text": "", "hands": ["ZZ"]}, status=400)["error"]
    assert "weight" in post(client, "solve/range", {"text": "", "weight": 2}, status=400)["error"]


@pytest.mark.process
def test_reading_a_spot_file(client: TestClient) -> None:
    found = post(client, "solve/read", {"spot": RIVER})
    assert found == {
        "form": yaml.load(RIVER, Loader=yaml.BaseLoader),
        "board": "Qh Jh 2c 7d 5s",
        "percent": "",
        "comments": False,
    }
    assert (
        yaml.load(post(client, "solve/write", {"form": found["form"]})["spot"], Loader=yaml.BaseLoader) == found["form"]
    )
    assert "YAML" in post(client, "solve/read", {"spot": "spot: [1"}, status=400)["error"]
    assert "pot" in post(client, "solve/read", {"spot": RIVER.replace("1000", "many")}, status=400)["error"]


@pytest.mark.process
def test_the_estimate_is_that_of_the_solver(client: TestClient) -> None:
    found = post(client, "solve/estimate", {"spot": SMALL_FLOP})
    expected = estimate(prepare(parse_spot(SMALL_FLOP)))
    assert found["nodes"] == list(expected.counts.nodes)
    assert found["memory"]["f32"] == expected.memory_bytes
    assert found["memory"]["f16"] < found["memory"]["f32"]
    assert found["fits"] == {"f32": True, "f16": True}


@pytest.mark.process
def test_a_solve_from_the_page(client: TestClient, tmp_path: Path) -> None:
    assert get(client, "solve")["state"] == "none"
    order = {"spot": RIVER, "name": "mine", "target_pct": 1.0}
    assert post(client, "solve/start", order)["state"] == "preparing"
    assert "another solve" in post(client, "solve/start", {**order, "name": "second"}, status=409)["error"]
    status = wait(client, "done")
    assert status["history"][-1][2] <= 1.0
    assert status["history"][-1][0] == status["iterations"]
    saved = read_saved_solve(tmp_path / "solves" / "mine")
    assert saved.found.pct_pot == pytest.approx(status["pct_pot"], rel=1e-4)
    assert saved.spot.text == RIVER
    node = get(client, f"items/{status['item']}/node", line="X")
    (expected,) = query(tmp_path / "solves" / "mine", ["X"])
    assert [action["freq"] for action in node["actions"]] == pytest.approx(expected["freq"], abs=2e-6)
    again = post(client, "solve/start", order, status=400)
    assert "holds a saved solve already" in again["error"]


@pytest.mark.process
def test_a_solve_that_is_stopped_is_saved(client: TestClient, tmp_path: Path) -> None:
    post(client, "solve/start", {"spot": SMALL_FLOP, "name": "long", "target_pct": 0, "iterations": 100_000})
    end = time.monotonic() + _BOUND_S
    while not get(client, "solve").get("history") and time.monotonic() < end:
        time.sleep(0.05)
    post(client, "solve/stop", {})
    status = wait(client, "stopped")
    saved = read_saved_solve(tmp_path / "solves" / "long")
    assert 0 < saved.iterations == status["iterations"] < 100_000
    assert status["item"]
    assert "no solve" in post(client, "solve/stop", {}, status=409)["error"]


@pytest.mark.process
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "../evil"}, "name"),
        ({"name": ""}, "name"),
        ({"name": "a/b"}, "name"),
        ({"iterations": 0}, "iterations"),
        ({"storage": "f8"}, "storage"),
        ({"more": 1}, "more"),
        ({"spot": "board: AA"}, "missing"),
    ],
)
def test_orders_that_are_refused(client: TestClient, tmp_path: Path, change: dict[str, object], said: str) -> None:
    answer = post(client, "solve/start", {"spot": RIVER, "name": "mine", **change}, status=400)
    assert said in answer["error"]
    assert get(client, "solve")["state"] == "none"
    assert not (tmp_path / "solves").exists()


@pytest.mark.slow
@pytest.mark.process
def test_a_solve_ends_with_the_server(tmp_path: Path) -> None:
    with explored(solves=tmp_path / "solves") as (client, _):
        post(client, "solve/start", {"spot": SMALL_FLOP, "name": "long", "target_pct": 0, "iterations": 100_000})
        end = time.monotonic() + _BOUND_S
        while not get(client, "solve").get("history") and time.monotonic() < end:
            time.sleep(0.05)
    assert read_saved_solve(tmp_path / "solves" / "long").iterations > 0


def test_a_failed_save_on_the_way_does_not_end_the_solve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hedgehog.explorer.work import solve_work
    from hedgehog.solver.postflop import saving

    save, calls = saving.save_solve, []

    def fails_once(*arguments: Any, **more: Any) -> None:
        calls.append(arguments)
        if len(calls) == 1:
            raise ResourceError("cannot write it: No space left on device")
        save(*arguments, **more)

    monkeypatch.setattr(saving, "save_solve", fails_once)
    ours, theirs = Pipe()
    ours.send("save")
    before = signal.getsignal(signal.SIGTERM)
    try:
        solve_work.run_solve(theirs, solve_work.SolveOrder(RIVER, tmp_path / "mine", "f32", 0.0, 60))
    finally:
        signal.signal(signal.SIGTERM, before)
    messages = []
    while ours.poll():
        messages.append(ours.recv())
    (warning,) = [message["warning"] for message in messages if message.get("warning")]
    assert "not saved at iteration" in warning
    assert "No space left" in warning
    assert messages[-1]["state"] == "done"
    assert read_saved_solve(tmp_path / "mine").iterations == 60
