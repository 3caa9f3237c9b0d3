"""One call that solves, saves, stops early and goes on, as ``hedgehog solve`` does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedgehog.runtime.errors import InputError, ResourceError, SpotError
from hedgehog.runtime.watch import Watch
from hedgehog.solver.abstraction.solving import SaveTo, solve
from hedgehog.solver.postflop import saving
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.solution_files import open_solution, read_saved_solve, save_solve
from hedgehog.solver.postflop.spot import parse_spot

RIVER = """
spot: mine
board: Qh Jh 2c 7d 3s
pot: 100
stack: 200
range: {oop: "QQ,JJ,AK,KTs,98s", ip: "22,AQ,KQ,T9s,87s"}
sizes:
  river: {oop: "75% / 100%", ip: "75% / 100%"}
"""
TURN = RIVER.replace(" 3s", "").replace("river:", "turn: {oop: 50%, ip: 50%}\n  river:")
GROUPS = RIVER + "abstraction: rank-river\n"


class StopAt(Watch):
    """Stops a solve after some iterations, and keeps what it has heard."""

    def __init__(self, iterations: int) -> None:
        self.iterations = iterations
        self.done = 0.0
        self.heard: list[str] = []
        self.warnings: list[str] = []

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        self.done = done
        self.heard += [text] if text else []

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    @property
    def stopped(self) -> bool:
        return self.done >= self.iterations


def test_a_solve_that_was_stopped_goes_on_to_the_same_result(tmp_path: Path) -> None:
    spot = parse_spot(TURN)
    whole = solve(spot, 0.0, 60, threads=1)
    stopped = solve(spot, 0.0, 60, threads=1, save=tmp_path / "mine", watch=StopAt(15))
    assert 15 <= stopped.iterations < 60
    assert read_saved_solve(tmp_path / "mine").iterations == stopped.iterations
    finished = solve(spot, 0.0, 60, threads=1, save=tmp_path / "mine")
    assert finished.iterations == read_saved_solve(tmp_path / "mine").iterations == 60
    for found, expected in zip(finished.averages, whole.averages, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_the_watch_hears_of_the_exploitability_and_the_end_is_saved(tmp_path: Path) -> None:
    watch = StopAt(10**9)
    looks: list[tuple[int, float]] = []
    solution = solve(
        parse_spot(RIVER), 0.5, save=str(tmp_path / "mine"), watch=watch,
        progress=lambda done, found: looks.append((done, found.pct_pot)),
    )  # fmt: skip
    assert looks[-1][1] <= 0.5 < looks[-2][1]
    assert watch.done == looks[-1][0] == solution.iterations
    assert f"exploitability {looks[-1][1]:.3f} % of the pot" in watch.heard
    stored = open_solution(read_saved_solve(tmp_path / "mine"))
    np.testing.assert_allclose(stored.node_strategy(0), solution.node_strategy(0), atol=1e-6)


def test_another_spot_algorithm_or_storage_is_not_replaced_unless_asked(tmp_path: Path) -> None:
    first, other = parse_spot(RIVER), parse_spot(RIVER.replace("pot: 100", "pot: 120"))
    solve(first, 0.0, 10, save=tmp_path / "mine")
    with pytest.raises(SpotError, match="'pot' differs"):
        solve(other, 0.0, 10, save=tmp_path / "mine")
    with pytest.raises(InputError, match=r"has --algorithm dcfr, not cfr\+"):
        solve(first, 0.0, 10, algorithm="cfr+", save=tmp_path / "mine")
    assert read_saved_solve(tmp_path / "mine").spot.pot == 100
    solve(other, 0.0, 10, save=SaveTo(tmp_path / "mine", overwrite=True))
    assert read_saved_solve(tmp_path / "mine").spot.pot == 120


def test_what_we_did_not_write_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(InputError):
        solve(parse_spot(RIVER), 0.0, 10, save=tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_only_a_spot_with_its_text_and_single_hands_can_be_saved(tmp_path: Path) -> None:
    with pytest.raises(SpotError, match="read from a spot file"):
        solve(prepare(parse_spot(RIVER)), 0.0, 10, save=tmp_path / "mine")
    with pytest.raises(InputError, match="groups of hands cannot be continued"):
        solve(parse_spot(GROUPS), 0.0, 10, save=tmp_path / "mine")
    assert not (tmp_path / "mine").exists()


def test_a_save_on_the_way_that_fails_is_a_warning_and_one_at_the_end_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full: set[int] = {1}
    calls = 0

    def sometimes(*arguments: object, **more: object) -> None:
        nonlocal calls
        calls += 1
        if calls in full:
            raise ResourceError("no space left")
        save_solve(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(saving, "save_solve", sometimes)
    watch = StopAt(10**9)
    solve(parse_spot(RIVER), 0.0, 40, save=SaveTo(tmp_path / "mine", every_s=0.0), watch=watch)
    assert len(watch.warnings) == 1
    assert watch.warnings[0].startswith("not saved at iteration ")
    assert read_saved_solve(tmp_path / "mine").iterations == 40
    full.update(range(1000))
    with pytest.raises(ResourceError, match="no space left"):
        solve(parse_spot(RIVER), 0.0, 20, save=tmp_path / "other")


def test_groups_of_hands_stop_early_too() -> None:
    solution = solve(parse_spot(GROUPS), 0.0, 60, watch=StopAt(15))
    assert 15 <= solution.iterations < 60
