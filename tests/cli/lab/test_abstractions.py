"""``hedgehog lab abstractions``: its report, that it goes on where it stopped, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hedgehog.analysis.lab import laboratory
from hedgehog.analysis.lab.rows import Look, Row, RowSize, advise, pareto_front
from hedgehog.runtime.table import MISSING, Table, format_value, table_records
from tests.cli.command import Run
from tests.cli.lab.river_spot import SPOT

NAMES = ["none", "merged", "kmeans", "rank-river", "strength-river", "opp-river"]


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, "lab", "abstractions")


@pytest.fixture
def spot_file(tmp_path: Path) -> Path:
    path = tmp_path / "spot.yaml"
    path.write_text(SPOT)
    return path


def table(folder: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((folder / f"{name}.csv").read_text())))


@pytest.fixture
def never_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Row:
        raise AssertionError("a row was solved")

    monkeypatch.setattr(laboratory, "solve_row", fail)


@pytest.mark.slow
def test_report_and_continuation(run: Run, spot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    options = (
        spot_file,
        "--tests",
        "river",
        "--iterations",
        "80",
        "--algorithm",
        "dcfr",
        "--threads",
        "1",
        "--big-blind",
        "50",
        "--out",
        out,
    )
    solve_row = laboratory.solve_row

    def interrupt(plan: Any, *arguments: Any, **named: Any) -> Row:
        if plan.name == "rank-river":
            raise KeyboardInterrupt
        return solve_row(plan, *arguments, **named)

    monkeypatch.setattr(laboratory, "solve_row", interrupt)
    code, _, errors = run(*options)
    assert (code, errors.strip().splitlines()[-1]) == (130, "interrupted")
    assert sorted(path.name for path in out.iterdir()) == ["row-kmeans.json", "row-merged.json", "row-none.json"]
    kept = (out / "row-none.json").read_bytes()

    monkeypatch.setattr(laboratory, "solve_row", solve_row)
    code, output, _ = run(*options, "--experiments", "--deals", "20000")
    assert code == 0
    assert (out / "row-none.json").read_bytes() == kept
    assert "rank-river" in output
    assert "E4 Profiles" in output
    found = json.loads((out / "results.json").read_text())
    assert found["format"] == "hedgehog.abstractions"
    assert [row["name"] for row in found["rows"]] == NAMES
    by_name = {row["name"]: row for row in found["rows"]}
    for row in found["rows"]:
        assert [look["iteration"] for look in row["looks"]] == [10, 20, 30, 40, 50, 60, 70, 80]
        final = row["looks"][-1]
        assert final["abstract"] <= final["real"] + 1e-3
        assert final["real"] < row["looks"][0]["real"]
    # Merging loses nothing.
    assert by_name["merged"]["looks"][-1]["real"] == pytest.approx(by_name["none"]["looks"][-1]["real"], rel=0.2)
    assert by_name["strength-river"]["size"]["entries"] < by_name["opp-river"]["size"]["entries"]
    assert by_name["opp-river"]["size"]["entries"] <= by_name["none"]["size"]["entries"]
    quality = table(out, "quality")
    assert [row["abstraction"] for row in quality] == NAMES
    for row in quality:
        look = by_name[row["abstraction"]]["looks"][-1]
        assert float(row["real 80"]) == pytest.approx(20 * look["real"])
        assert float(row["gap 80"]) == pytest.approx(20 * (look["real"] - look["abstract"]), abs=1e-9)
    assert {row["memory"] for row in table(out, "advice")} == {"64 MB", "256 MB", "1,000 MB", "4,000 MB"}
    assert all(row["ok"] == "yes" for row in table(out, "e4"))
    assert len(table(out, "e4")) == 6
    assert [row["abstraction"] for row in table(out, "e1")] == ["opp-river", "strength-hier", "rank-river"]
    assert len(table(out, "e2")) == 5
    page = (out / "report.html").read_text()
    assert page.count("<svg") == 5
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in page


def test_finished_results_are_printed_again(run: Run, spot_file: Path, tmp_path: Path, request: Any) -> None:
    out = tmp_path / "out"
    options = (spot_file, "--measures", "rank", "--tests", "river", "--iterations", "2", "--threads", "1", "--out", out)
    first = run(*options)
    request.getfixturevalue("never_solve")
    again = run(*options)
    assert first[0] == 0
    assert again[:2] == first[:2]


@pytest.mark.usefixtures("never_solve")
def test_refuses_a_folder_of_something_else(run: Run, spot_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    row = {
        "name": "none",
        "conditions": {"spot": "another", "algorithm": "cgh:c=0.175", "iterations": 400, "opponents": "range"},
        "size": {"infosets": 1, "entries": 2, "states": 1, "bytes_f32": 8, "bytes_f16": None, "memory": 10},
        "streets": [],
        "looks": [{"iteration": 400, "seconds": 1.0, "real": 1.0, "abstract": 1.0}],
    }
    path = out / "row-none.json"
    path.write_text(json.dumps(row))
    code, _, errors = run(spot_file, "--out", out)
    assert code == 2
    assert errors.splitlines() == [
        f"error: {path}: was made with another spot: expected another folder, or --overwrite"
    ]
    path.write_text("{")
    code, _, errors = run(spot_file, "--out", out)
    assert code == 2
    assert "no row of the laboratory" in errors
    assert len(errors.splitlines()) == 1


@pytest.mark.usefixtures("never_solve")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--measures", "equity"], "unknown name 'equity': expected some of rank, strength, opp"),
        (["--tests", "turn"], "unknown name 'turn'"),
        (["--algorithm", "external"], "does not work on groups of hands"),
        (["--memory", "10KB"], "the solve needs"),
        (["--memory", "much"], "expected a size such as 64MB"),
        (["--experiments", "e9"], "unknown name 'e9'"),
    ],
)
def test_refusals(run: Run, spot_file: Path, options: list[str], message: str) -> None:
    code, _, errors = run(spot_file, *options)
    assert code == 2
    assert message in errors
    assert "Traceback" not in errors


@pytest.mark.usefixtures("never_solve")
def test_needs_a_spot(run: Run, tmp_path: Path) -> None:
    assert run()[0] == 2
    code, _, errors = run(tmp_path / "missing.yaml")
    assert code == 2
    assert len(errors.splitlines()) == 1


@pytest.mark.usefixtures("never_solve")
def test_estimate(run: Run, spot_file: Path) -> None:
    code, output, _ = run(spot_file, "--estimate")
    assert code == 0
    assert "kmeans" in output


def look(iteration: int, seconds: float, real: float) -> Look:
    return Look(iteration, seconds, real, real)


def row_of(name: str, memory: int, real: float) -> Row:
    size = RowSize(1, 1, 1, memory, None, memory)
    return Row(name, size, (), (look(10, 1.0, 4 * real), look(100, 9.0, real)))


def test_advice_takes_the_best_row_that_fits() -> None:
    rows = [row_of("none", 1000, 2.0), row_of("small", 10, 8.0), row_of("bad", 100, 9.0), row_of("good", 300, 3.0)]
    found = {one.budget: one for one in advise(rows, [5, 50, 200, 500, 5000])}
    best = {budget: one.best.name if one.best else None for budget, one in found.items()}
    assert best == {5: None, 50: "small", 200: "small", 500: "good", 5000: "none"}
    following = {budget: one.next_better.name if one.next_better else None for budget, one in found.items()}
    assert following == {5: "small", 50: "good", 200: "good", 500: "none", 5000: None}
    assert found[500].loss == pytest.approx(1.0)
    assert [row.name for row in pareto_front(rows)] == ["small", "good", "none"]
    assert advise(rows[1:], [500])[0].loss is None


def test_advice_does_not_follow_noise() -> None:
    """A lossy row that looks better than no abstraction after a few iterations is not: what loses nothing is taken."""
    rows = [row_of("none", 300, 2.0), row_of("lossy", 100, 1.62), row_of("larger", 200, 1.5), row_of("bad", 50, 9.0)]
    large, small = advise(rows, [1000, 250])
    assert (large.best, large.loss, large.next_better) == (rows[0], 0.0, None)
    # The two lossy rows differ by less than the exact one has still to converge: the smaller one is taken.
    assert (small.best, small.loss, small.next_better) == (rows[1], None, rows[0])
    merged = row_of("merged", 120, 2.1)
    assert advise([*rows, merged], [250])[0].best == merged


def test_tables_have_distinct_columns_and_names() -> None:
    with pytest.raises(ValueError, match="names that differ"):
        Table("t", "T", ("a", "b", "a"), ())
    with pytest.raises(ValueError, match="rows of 2 cells"):
        Table("t", "T", ("a", "b"), ((1, 2, 3),))
    one = Table("t", "T", ("a", "b"), ((1, 2.5),))
    assert table_records([one]) == {"t": [{"a": 1, "b": 2.5}]}
    with pytest.raises(ValueError, match="names that differ"):
        table_records([one, one])


def test_quality_at_equal_times() -> None:
    row = row_of("none", 1, 2.0)
    assert row.real_at(1.0) == pytest.approx(8.0)
    assert row.real_at(5.0) == pytest.approx(4.0)
    assert row.real_at(0.5) is None
    assert row.real_at(20.0) == 2.0


def test_numbers_in_tables() -> None:
    texts = {12345: "12,345", 12345.6: "12,346", 17_922_888: "17.9M", 123.44: "123.4", 1.234: "1.23", 0.1234: "0.123"}
    assert {value: format_value(value) for value in texts} == texts
    assert format_value(3.0) == "3"
    assert format_value(None) == format_value(float("nan")) == MISSING
