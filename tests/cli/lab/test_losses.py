"""``hedgehog lab losses``: its report, that it goes on where it stopped, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from hedgehog.analysis.lab import losses
from hedgehog.analysis.lab.loss_tables import kind_of, losses_of, remarks_of
from hedgehog.analysis.lab.rows import Look, Row, RowSize, advise
from hedgehog.analysis.lab.tables import Units
from hedgehog.solver.postflop.spot import parse_spot
from tests.cli.command import Run
from tests.cli.lab.river_spot import SPOT

NAMES = ["none", "merged", "rank-river", "without 50%", "without a"]
TURN = SPOT.replace("Td 9d 6h Qc 2s", "Td 9d 6h Qc").replace("sizes:", 'sizes:\n  turn: {oop: "a", ip: "a"}')


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, "lab", "losses")


@pytest.fixture
def spot_file(tmp_path: Path) -> Path:
    path = tmp_path / "spot.yaml"
    path.write_text(SPOT)
    return path


@pytest.mark.slow
def test_report_and_continuation(run: Run, spot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    options = (
        spot_file, "--abstractions", "rank-river", "--iterations", "80", "--threads", "1", "--big-blind", "50",
        "--out", out,
    )  # fmt: skip
    solve_row = losses.solve_row

    def interrupt(plan: object, *arguments: object, **named: object) -> Row:
        if getattr(plan, "name", "") == "without 50%":
            raise KeyboardInterrupt
        return solve_row(plan, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(losses, "solve_row", interrupt)
    assert run(*options)[0] == 130
    kept = (out / "row-none.json").read_bytes()
    monkeypatch.setattr(losses, "solve_row", solve_row)
    code, output, _ = run(*options, "--json", tmp_path / "found.json")
    assert code == 0
    assert (out / "row-none.json").read_bytes() == kept
    found = json.loads((out / "results.json").read_text())
    assert found == json.loads((tmp_path / "found.json").read_text())
    assert found["format"] == "hedgehog.losses"
    assert [row["name"] for row in found["rows"]] == NAMES
    assert [row["kind"] for row in found["rows"]] == ["lossless", "lossless", "hands", "bets", "bets"]
    by_name = {row["name"]: row["looks"][-1] for row in found["rows"]}
    for name in ("without 50%", "without a"):
        assert by_name[name]["real"] > 10 * by_name["none"]["real"]
        assert by_name[name]["abstract"] < by_name[name]["real"]
    table = list(csv.DictReader(io.StringIO((out / "losses.csv").read_text())))
    assert [row["choice"] for row in table] == NAMES
    assert {row["choice"]: row["verdict"] for row in table}["without a"] == "loses"
    for row in table:
        assert float(row["real mbb"]) == pytest.approx(20 * by_name[row["choice"]]["real"])
    assert "times as much" in output
    assert "<svg" in (out / "report.html").read_text()
    # Nothing is solved again.
    monkeypatch.setattr(losses, "solve_row", interrupt)
    assert run(*options)[0] == 0


def test_classes_of_boards_are_a_row_below_the_river(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "turn.yaml"
    path.write_text(TURN)
    code, output, _ = run(path, "--abstractions", "rank-river", "--menu", "100%", "--estimate")
    assert code == 0
    assert "relaxed" in output
    assert "100%" in output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--abstractions", "equity"], "unknown name 'equity'"),
        (["--menu", "50q"], "the menu '50q': expected a bet size"),
        (["--menu", "2x"], "multiple of a bet"),
        (["--algorithm", "external"], "does not work on groups of hands"),
        (["--memory", "10KB"], "the solve needs"),
        (["--estimate", "--iterations", "3"], "does not go with --estimate"),
    ],
)
def test_refusals(run: Run, spot_file: Path, options: list[str], message: str) -> None:
    code, _, errors = run(spot_file, *options)
    assert code == 2
    assert message in errors
    assert "Traceback" not in errors


def test_locks_and_other_updates_are_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "turn.yaml"
    path.write_text(TURN)
    assert "does not work on classes of boards" in run(path, "--algorithm", "cfr+")[2]
    path.write_text(TURN + 'locks: [{line: "", strategy: {X: 1}}]\n')
    assert "without locks" in run(path)[2]


def test_the_abstraction_of_the_spot_is_a_row(run: Run, spot_file: Path) -> None:
    spot_file.write_text(SPOT + "abstraction: opp-global\n")
    code, output, _ = run(spot_file, "--abstractions", "rank-river", "--estimate")
    assert code == 0
    assert "opp-global" in output


def test_menus_without_a_size_leave_it_out_everywhere() -> None:
    spot = parse_spot(SPOT)
    found = losses.menus_without(spot.tree)
    assert list(found) == ["without 50%", "without a"]
    assert found["without a"].sizes[0].oop.menus[1] == ()
    assert found["without 50%"].sizes[0].ip.menus == (
        spot.tree.sizes[0].ip.menus[0][1:],
        spot.tree.sizes[0].ip.menus[1],
    )


def row(name: str, real: float, memory: int = 10) -> Row:
    return Row(name, RowSize(1, 1, 1, memory, None, memory), (), (Look(10, 1.0, real, real / 2),))


def test_differences_below_the_accuracy_are_no_losses() -> None:
    rows = [row("none", 2.0), row("rank-river", 3.9), row("kmeans", 4.1), row("relaxed", 1.0), row("without a", 12.0)]
    found = losses_of(rows)
    assert {name: loss for name, loss in found.items() if loss is not None} == {
        "kmeans": pytest.approx(2.1),
        "without a": 10.0,
    }
    assert [kind_of(one) for one in rows] == ["lossless", "hands", "hands", "boards", "bets"]
    said = " ".join(remarks_of(rows, Units(1.0, 1.0, 1.0)))
    assert "none loses nothing" in said
    assert "no loss can be told from none: rank-river, relaxed" in said
    assert "4.76 times as much" in said


def test_without_an_exact_row_the_accuracy_is_what_the_solver_sees() -> None:
    rows = [replace(row("rank-river", 6.0, 5), name="rank-river"), row("kmeans", 8.0, 3)]
    assert losses_of(rows) == {"rank-river": 6.0, "kmeans": 8.0}
    # The two differ by less than the 4.0 that is left inside: the smaller one is taken.
    best = advise(rows, [100])[0].best
    assert best is not None
    assert best.name == "kmeans"
