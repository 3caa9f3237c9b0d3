"""``hedgehog simulate``, run as a user runs it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from hedgehog.cli import progress
from hedgehog.cli.solves import simulate as simulate_module
from tests.cli.command import Run

SPOT = """\
spot: my spot
board: Td 9d 6h Qc 2s
pot: 100
stack: 300
range: {oop: "AsAh,Tc9c,7s6s:0.5,KdJd", ip: "QhQs,AhQh,8c7c,Ad2d:0.25"}
sizes:
  river: {oop: "50%,a/a", ip: "50%,a/a"}
rake: {rate: 0.05, cap: 6}
"""


@pytest.fixture
def spot_file(tmp_path: Path) -> Path:
    path = tmp_path / "spot.yaml"
    path.write_text(SPOT)
    return path


def test_a_spot_file_is_solved_and_played(run: Run, spot_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    code, output, _ = run("simulate", spot_file, "--hands", 200_000, "--seed", 3, "--json", file)
    assert code == 0
    assert output.startswith("my spot: Td9d6hQc2s, ")
    assert "200,000 hands" in output
    assert "DISAGREES" not in output
    result = json.loads(file.read_text())
    assert (result["format"], result["game"], result["players"]) == ("hedgehog.simulation", "my spot", ["oop", "ip"])
    oop, ip = result["checks"]
    assert result["seed"] == 3
    assert 94 < oop["computed"] + ip["computed"] < 100  # the pot less the rake
    for row in (oop, ip):
        assert row["agrees"]
        assert row["simulated"] - row["computed"] == pytest.approx(row["errors_off"] * row["standard_error"])


def test_best_responses_and_lines(run: Run, spot_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    options = ("--iterations", 3, "--hands", 200_000, "--json", file, "--overwrite")
    code, output, _ = run("simulate", spot_file, *options, "--best-response", "ip")
    assert code == 0
    assert "ip best response" in output
    best = json.loads(file.read_text())["checks"]
    assert [row["player"] for row in best] == ["ip"]
    assert run("simulate", spot_file, *options)[0] == 0
    assert json.loads(file.read_text())["checks"][1]["computed"] < best[0]["computed"] - 0.1
    code, output, _ = run("simulate", spot_file, *options, "--line", "X B50")
    assert code == 0
    assert "after 'X B50'" in output


def test_a_saved_solve_is_played_as_it_is(run: Run, spot_file: Path, tmp_path: Path) -> None:
    saved, strategy = tmp_path / "saved", tmp_path / "strategy"
    options = ("--iterations", 7, "--save", saved, "--save-strategy", strategy)
    assert run("solve", spot_file, *options)[0] == 0
    code, output, _ = run("simulate", saved, "--hands", 50_000)
    assert code == 0
    assert "my spot" in output
    assert ", 7 iterations" in output
    code, _, error = run("simulate", strategy, "--hands", 50_000)
    assert code == 2
    assert "strategies alone" in error


def test_a_difference_is_a_fault(run: Run, spot_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_values = simulate_module.check_values

    def wrong(*arguments, **options):  # type: ignore[no-untyped-def]
        return [replace(check, computed=check.computed + 5) for check in check_values(*arguments, **options)]

    monkeypatch.setattr(simulate_module, "check_values", wrong)
    code, output, _ = run("simulate", spot_file, "--hands", 100_000)
    assert code == 1
    assert output.count("DISAGREES") == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--hands", "1"), "--hands"),
        (("--line", "B77"), "no action 'B77'"),
        (("--line", "X", "--best-response", "oop"), "only from the root"),
        (("--best-response", "sb"), "--best-response"),
        (("--algorithm", "magic"), "magic"),
    ],
)
def test_bad_options(run: Run, spot_file: Path, options: tuple[str, ...], message: str) -> None:
    code, _, error = run("simulate", spot_file, "--iterations", "2", *options)
    assert code == 2
    assert message in error


def test_a_missing_file(run: Run, tmp_path: Path) -> None:
    code, _, error = run("simulate", tmp_path / "none.yaml")
    assert code == 2
    assert "none.yaml" in error
    assert run("simulate", tmp_path)[0] == 2


def test_a_long_simulation_prints_lines_without_a_terminal(
    run: Run, spot_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "LINE_EVERY_S", 0.0)
    monkeypatch.setattr(simulate_module, "show_progress", partial(progress.show_progress, first_line_after_s=0.0))
    monkeypatch.setattr(simulate_module, "terminal_watch", partial(progress.terminal_watch, first_line_after_s=0.0))
    code, _, errors = run("simulate", spot_file, "--hands", 2_000_000, "--iterations", 20)
    assert code == 0
    assert re.search(r"^my spot: 20/20 iterations, ETA 0:00, exploitability [\d.]+ % of the pot$", errors, re.M)
    assert re.search(r"^playing: \d+/2000000 hands, ETA [\d:-]+$", errors, re.M)


def test_a_result_is_not_written_over_a_file(run: Run, spot_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text("mine")
    for options in (("--json", file), ("--json", spot_file, "--overwrite")):
        code, output, errors = run("simulate", spot_file, "--hands", "1000", *options)
        assert (code, output) == (2, "")
        assert "exists already" in errors or "belongs to the input" in errors
    assert (file.read_text(), spot_file.read_text()) == ("mine", SPOT)
    code, output, _ = run("simulate", "--iterations", "5", "--hands", "1000", "--json", spot_file)
    assert json.loads(output)["game"] == "my spot"
