"""hedgehog.agent.strategy.planning_speed: measured once, kept beside the kernels, and read by live solves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from hedgehog.agent.strategy import planning_speed as speed
from hedgehog.agent.strategy.live import PostflopLiveSolver, PreparedStreet
from hedgehog.runtime import jit
from hedgehog.runtime.errors import HedgehogError
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from tests.reference.small_games import same_sizes
from tests.solver.postflop_fixtures import IP, OOP, weights_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(jit, "NUMBA_CACHE", tmp_path)
    speed.planning_speed.cache_clear()
    yield tmp_path
    speed.planning_speed.cache_clear()


def test_a_machine_that_measured_nothing_has_the_default(folder: Path) -> None:
    assert speed.planning_speed() == speed.DEFAULT_SPEED


def test_a_measurement_is_kept(folder: Path) -> None:
    speed.planning_speed()
    speed.keep_speed(2.0)
    assert speed.planning_speed() == pytest.approx([2 * figure for figure in speed.DEFAULT_SPEED])
    speed.planning_speed.cache_clear()  # as in a later launch
    assert speed.planning_speed().ns_per_element == 2 * speed.DEFAULT_SPEED.ns_per_element


@pytest.mark.parametrize("text", ["", "{", '{"times_as_long": 0}', '{"times_as_long": 1e9}', "[1]"])
def test_a_damaged_file_is_as_good_as_none(folder: Path, text: str) -> None:
    speed.keep_speed(2.0)
    (file,) = folder.iterdir()
    file.write_text(text)
    speed.planning_speed.cache_clear()
    assert speed.planning_speed() == speed.DEFAULT_SPEED


def test_a_folder_that_cannot_be_written_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "file").write_text("")
    monkeypatch.setattr(jit, "NUMBA_CACHE", folder / "file" / "below")
    with pytest.raises(HedgehogError):
        speed.keep_speed(1.0)


@pytest.mark.slow
def test_twice_the_time_is_twice_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for seconds in (0.05, 0.1, 1e6):
        clock = count(0.0, seconds)
        monkeypatch.setattr(speed.time, "thread_time", lambda clock=clock: next(clock))
        found.append(speed.measure_speed())
    assert 1 / 10 < found[0] < 5
    assert found[1] == pytest.approx(2 * found[0])
    assert found[2] == 10


def test_a_slower_machine_plans_fewer_iterations() -> None:
    tree = build_postflop_tree(TreeConfig(3, 100, 230, same_sizes("50%,a/100%")))
    spot = prepare_tree(tree, (42, 38, 0, 21, 15), (weights_of(OOP), weights_of(IP)))
    river = PreparedStreet(spot, "", 50, 0)
    plans = [
        PostflopLiveSolver(1, speed=speed.DEFAULT_SPEED.times(factor)).iterations(river, 10.0) for factor in (1, 2, 4)
    ]
    assert plans[0] > plans[1] > plans[2] > 1
