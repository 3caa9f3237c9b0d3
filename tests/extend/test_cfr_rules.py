"""A CFR rule of another package, in every solver: the example of docs/examples/extend, installed and registered."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks import algorithms
from hedgehog.gametheory import EXAMPLES as GAMES
from hedgehog.gametheory import GameCfr
from hedgehog.gametheory.cfr import algorithm_names
from hedgehog.runtime.errors import PackError, SpotError
from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.group_solver import GroupSolver
from hedgehog.solver.cfr import ALGORITHMS, CfrRule, Parameter, describe_algorithms, parse_algorithm
from hedgehog.solver.cfr.rules import Reshape
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.solution_files import read_saved_solve
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot
from tests.cli.command import Run
from tests.extend.packages import EXAMPLES, SPOT, Install, run_example

GROUP = "hedgehog.cfr_rules"
SOURCE = (EXAMPLES / "cfr_rule.py").read_text()


@pytest.fixture
def spot_file(tmp_path: Path) -> Path:
    path = tmp_path / "spot.yaml"
    path.write_text(SPOT)
    return path


@pytest.fixture
def late(install: Install) -> None:
    install("late-averages", {GROUP: {"late": "late_rule:RULE"}}, {"late_rule": SOURCE})


def test_the_schedule_has_the_numbers_of_its_formula(late: None) -> None:
    chosen = parse_algorithm("late:wait=2,gamma=1")
    assert str(chosen) == "late:wait=2,gamma=1"
    assert str(parse_algorithm("late:wait=10")) == "late"
    factors = chosen.discounts(0, 6)
    assert factors[:, 0] == pytest.approx([0, 0, 1 / 2, 2**1.5 / (2**1.5 + 1), 3**1.5 / (3**1.5 + 1), 8 / 9])
    assert (factors[:, 1] == 0.5).all()
    assert factors[:, 2] == pytest.approx([0, 0, 0, 1 / 2, 2 / 3, 3 / 4])
    with pytest.raises(SpotError, match=r"algorithm 'late:wait=-1': 'wait': expected an integer from 0 to 1000"):
        parse_algorithm("late:wait=-1")


@pytest.mark.usefixtures("late")
def test_every_solver_runs_it(spot_file: Path) -> None:
    leduc = GameCfr(GAMES["leduc"].build(), "late")
    leduc.step(150)
    assert leduc.exploitability() < 0.02
    assert "late" in algorithm_names()
    spot = prepare(parse_spot(SPOT))
    solver = PostflopSolver(spot, algorithm="late", threads=1)
    solver.run(200)
    assert solver.exploitability().pct_pot < 0.2
    whole = prepare(parse_spot(SPOT), merge_cards=False)
    groups = GroupSolver(whole, SpotValues(whole).group("rank-river"), algorithm="late", threads=1)
    groups.run(100)
    assert groups.exploitability().reached_pct_pot < 1


def test_the_same_numbers_as_settings_and_as_a_schedule_solve_alike() -> None:
    """The settings of ``dcfr`` and a schedule with its factors give the same strategies, to the last bit."""
    dcfr = parse_algorithm("dcfr")
    ALGORITHMS.register(
        "twin", CfrRule("dcfr by a schedule", schedule=lambda t, _: np.vstack([dcfr.discounts(i, i + 1) for i in t]))
    )
    try:
        found = []
        for name in ("dcfr", "twin"):
            solver = PostflopSolver(prepare(parse_spot(SPOT)), algorithm=name, threads=1)
            solver.run(50)
            found.append(solver.state()["average_oop"].copy())
        np.testing.assert_array_equal(*found)
    finally:
        ALGORITHMS.unregister("twin")


@pytest.mark.usefixtures("late")
def test_commands_list_it_and_run_it(run: Run, spot_file: Path, tmp_path: Path) -> None:
    code, out, _ = run("solve", "--help")
    assert code == 0
    assert "late: discounted CFR whose average leaves out the first iterations (late-averages)" in out
    assert "wait=10: iterations that the average leaves out (an integer from 0 to 1000)" in out
    saved = tmp_path / "saved"
    code, out, err = run("solve", spot_file, "--algorithm", "late:wait=3", "--iterations", "20", "--save", saved)
    assert code == 0, err
    assert read_saved_solve(saved).algorithm == "late:wait=3"
    options = ("--measures", "rank", "--tests", "river", "--iterations", "5", "--algorithm", "late")
    code, out, err = run("lab", "abstractions", spot_file, *options)
    assert code == 0, err
    code, out, err = run("game", "solve", "kuhn", "--method", "cfr", "--algorithm", "late", "--iterations", "100")
    assert (code, "late, 100 iterations" in out) == (0, True), err


@pytest.mark.usefixtures("late")
def test_the_comparison_of_algorithms_has_it(run: Run, spot_file: Path, tmp_path: Path) -> None:
    options = ("--iterations", "2", "--out", tmp_path / "out")
    with pytest.raises(SystemExit) as ended:
        algorithms.main([str(word) for word in (spot_file, *options)])
    assert ended.value.code in (0, None)
    with next((tmp_path / "out").rglob("table.csv")).open() as file:
        assert list(ALGORITHMS) == [row["algorithm"] for row in csv.DictReader(file)]


def test_a_saved_solve_whose_rule_is_gone_is_one_error(run: Run, spot_file: Path, tmp_path: Path) -> None:
    ALGORITHMS.register("passing", CfrRule("vanilla CFR", settings={"average": "reach"}))
    try:
        saved = tmp_path / "saved"
        assert run("solve", spot_file, "--algorithm", "passing", "--iterations", "5", "--save", saved)[0] == 0
    finally:
        ALGORITHMS.unregister("passing")
    with pytest.raises(PackError, match="unknown algorithm 'passing': expected dcfr, "):
        read_saved_solve(saved)
    code, _, err = run("query", saved)
    assert (code, "unknown algorithm 'passing'" in err, "Traceback" in err) == (2, True, False)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"settings": {"speed": 1}}, "there is no setting 'speed': expected some of alpha, beta"),
        ({"settings": {"floor": 1}}, "setting 'floor': expected a value like False, got 1"),
        ({"settings": {"average": "own"}}, "setting 'average': expected reach or plain or new, got 'own'"),
        ({"settings": {"sampling": "boards"}}, "a rule that samples boards needs the parameter 'cards'"),
        ({"settings": {"gamma": 2.0}, "parameters": {"gamma": Parameter(2.0, "")}}, "'gamma' is a setting and a"),
        ({"settings": {"greedy": True}, "schedule": lambda t, _: np.ones((len(t), 3))}, "a greedy rule has no"),
        ({"parameters": {"sampling": Parameter("no", "")}}, "'sampling' is a setting and cannot be a parameter"),
    ],
)
def test_rules_that_cannot_be_run_are_refused(rule: dict[str, object], message: str) -> None:
    with pytest.raises(SpotError, match=f"algorithm 'mine' of this process: {message}"):
        ALGORITHMS.register("mine", CfrRule("mine", **rule))  # type: ignore[arg-type]
    with pytest.raises(SpotError, match="algorithm 'mine' of this process: expected a CfrRule, got dict"):
        ALGORITHMS.register("mine", rule)  # type: ignore[arg-type]
    assert "mine" not in ALGORITHMS


def fail(*_: object) -> None:
    raise ZeroDivisionError("no pace")


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (lambda t, _: np.ones((len(t), 2)), r"its schedule: expected numbers of shape \(5, 3\), got \(5, 2\)"),
        (lambda t, _: np.full((len(t), 3), np.nan), "its schedule: expected finite factors of at least 0"),
        (lambda t, _: np.full((len(t), 3), -1), "its schedule: expected finite factors of at least 0"),
        (lambda t, _: np.full((len(t), 3), t[0]), "its schedule depends on more than the iteration"),
        (fail, "its schedule failed: ZeroDivisionError: no pace"),
    ],
)
def test_a_schedule_is_tried_before_a_solve_starts(schedule: object, message: str) -> None:
    ALGORITHMS.register("mine", CfrRule("mine", schedule=schedule))  # type: ignore[arg-type]
    try:
        with pytest.raises(SpotError, match=f"algorithm 'mine': {message}"):
            parse_algorithm("mine")
        assert any(line == "mine: mine (this process)" for line in describe_algorithms())
    finally:
        ALGORITHMS.unregister("mine")


def cut(regrets: NDArray[Any], iteration: int, values: NDArray[np.float64]) -> NDArray[Any]:
    return np.maximum(regrets, 0 * iteration)


def cut_in_python(regrets: NDArray[Any], iteration: int, values: NDArray[np.float64]) -> NDArray[Any]:
    return np.array([max(each, {}.get(iteration, 0.0)) for each in regrets.tolist()])  # numba has no such dict


@pytest.mark.parametrize(("function", "compiled"), [(cut, True), (cut_in_python, False)])
def test_a_function_that_cuts_regrets_at_zero_is_cfr_plus(function: Reshape, compiled: bool) -> None:
    """In every solver, to the last bit, whether numba can compile the function or not."""
    settings = {"gamma": 1.0, "average": "reach"}
    ALGORITHMS.register("cut", CfrRule("cut", settings=settings, regrets=function), package="test")
    try:
        assert parse_algorithm("cut").compiled is compiled
        assert parse_algorithm("cfr+").compiled
        found = []
        for name in ("cut", "cfr+"):
            leduc = GameCfr(GAMES["leduc"].build(), name)
            leduc.step(4)
            leduc.step(5)
            whole = prepare(parse_spot(SPOT), merge_cards=False)
            groups = GroupSolver(whole, SpotValues(whole).group("rank-river"), algorithm=name, threads=1)
            groups.run(7)
            solver = PostflopSolver(prepare(parse_spot(SPOT)), algorithm=name, threads=1)
            solver.run(3)
            solver.run(4)
            average = leduc.profile()
            found.append((*average, *groups.stored(regret=False), *solver.exploitability()[:2]))
        for ours, theirs in zip(*found, strict=True):
            np.testing.assert_array_equal(ours, theirs)
    finally:
        ALGORITHMS.unregister("cut")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda r, t, v: r + 1, ": a regret of 0 must stay 0"),
        (lambda r, t, v: r * r.sum(), ": what becomes of a regret depends on other regrets"),
        (lambda r, t, v: r / 0 * 0, ": expected finite regrets"),
        (lambda r, t, v: r[:0], r": expected numbers of shape \(7,\), got \(0,\)"),
        (lambda r, t, v: fail(), " failed: ZeroDivisionError: no pace"),
    ],
)
def test_a_function_of_regrets_is_tried_before_a_solve_starts(function: Reshape, message: str) -> None:
    ALGORITHMS.register("mine", CfrRule("mine", regrets=function))
    try:
        with pytest.raises(SpotError, match=f"algorithm 'mine': its function for regrets{message}"):
            parse_algorithm("mine")
    finally:
        ALGORITHMS.unregister("mine")


@pytest.mark.slow
def test_a_function_gets_the_parameters_and_refuses_what_needs_other_regrets() -> None:
    known = {
        "keep": Parameter(0.5, "share", most=1.0),
        "kind": Parameter("b", "which", choices=("a", "b")),
        "on": Parameter(True, "whether"),
    }
    rule = CfrRule("mine", known, regrets=lambda r, t, v: np.where(r > 0, r, r * (v[0] + v[1] - v[2]) * t))
    ALGORITHMS.register("mine", rule)
    try:
        regrets = np.array([2.0, -2.0])
        parse_algorithm("mine:keep=0.25").reshape(regrets, 2)
        assert regrets.tolist() == [2.0, -1.0]
        locked = parse_spot(SPOT + 'locks: [{line: "", strategy: {X: 1}}]\n')
        with pytest.raises(SpotError, match="cannot keep locked strategies"):
            PostflopSolver(prepare(locked), algorithm="mine")
        with pytest.raises(SpotError, match="needs more precision than f16"):
            PostflopSolver(prepare(parse_spot(SPOT)), algorithm="mine", storage="f16")
        for key in ("predict", "greedy"):
            settings = {key: 1.0 if key == "predict" else True}
            with pytest.raises(SpotError, match=f"cannot have the setting '{key}'"):
                ALGORITHMS.register("mine", CfrRule("mine", settings=settings, regrets=rule.regrets))
    finally:
        ALGORITHMS.unregister("mine")


def test_a_broken_package_harms_its_own_name_only(run: Run, install: Install, spot_file: Path) -> None:
    install("broken-rules", {GROUP: {"odd": "odd_rule:RULE", "cfr": "odd_rule:RULE"}}, {"odd_rule": "1 / 0"})
    code, out, _ = run("solve", "--help")
    assert (code, "odd: cannot be used: " in out) == (0, True)
    assert run("solve", spot_file, "--iterations", "2")[0] == 0
    code, _, err = run("solve", spot_file, "--algorithm", "odd")
    assert code == 2
    assert "cannot import algorithm 'odd' of broken-rules (entry point 'odd = odd_rule:RULE'): ZeroDivisionErr" in err
    code, _, err = run("solve", spot_file, "--algorithm", "cfr")
    assert code == 2
    assert "'cfr' is given by two packages: hedgehog-poker and broken-rules" in err


@pytest.mark.process
@pytest.mark.slow
def test_the_example_runs_in_any_folder(tmp_path: Path) -> None:
    lines = run_example("cfr_rule", tmp_path / "anywhere")
    assert [line.split()[0] for line in lines] == ["algorithm", "dcfr", "late"]
