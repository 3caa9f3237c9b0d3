"""``hedgehog versus``, run as a user runs it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from hedgehog.analysis.solves.meetings import sources
from tests.cli.command import Run

SPOT = """\
spot: my spot
board: Td 9d 6h Qc 2s
pot: 100
stack: 300
range: {oop: "AsAh,Tc9c,7s6s:0.5,KdJd", ip: "QhQs,AhQh,8c7c,Ad2d:0.25"}
sizes:
  river: {oop: "50%,a/a", ip: "50%,a/a"}
"""
A, B = "good=dcfr?iterations=60", "greedy=cgh?iterations=2&abstraction=rank-river"


@pytest.fixture
def spot_file(tmp_path: Path) -> Path:
    path = tmp_path / "spot.yaml"
    path.write_text(SPOT)
    return path


def test_two_algorithms_meet(run: Run, spot_file: Path, tmp_path: Path) -> None:
    names = ("json", "csv", "html", "svg")
    files = {name: tmp_path / f"result.{name}" for name in names}
    options = [part for name in names for part in (f"--{name}", files[name])]
    code, output, _ = run("versus", spot_file, A, B, "--hands", 100_000, "--seed", 3, "--top", 2, *options)
    assert code == 0
    lines = output.splitlines()
    assert lines[0] == "my spot: Td 9d 6h Qc 2s, pot 100, stack 300"
    assert lines[1].startswith("good: dcfr, 60 iterations, exploitability ")
    assert lines[2].startswith("greedy: cgh, 2 iterations on groups of hands, rank-river, exploitability ")
    assert "100,000 hands played in each seat agree with the exact EVs" in output
    result = json.loads(files["json"].read_text())
    assert (result["format"], result["game"], result["seed"]) == ("hedgehog.versus", "my spot", 3)
    first, second = result["strategies"]
    assert (first["name"], first["source"], second["name"]) == ("good", "dcfr, 60 iterations", "greedy")
    assert first["edge"] == pytest.approx(-second["edge"], abs=1e-4)
    assert first["edge"] > 0.5
    assert first["exploitability_pct_pot"] < 1 < second["exploitability_pct_pot"]
    assert result["agrees"] is True
    oop, ip = result["seats"]
    assert oop["ev"] + ip["ev_second"] == pytest.approx(100, abs=1e-3)
    for row in (oop, ip):
        assert abs(row["simulated"] - row["ev"]) < 2.5 * row["ci95"]
        assert row["least"] - 1e-3 <= row["ev"] <= row["most"] + 1e-3
    assert result["winnings"][0] == [0, 0]
    assert result["winnings"][-1][0] == 100_000
    assert result["streets"][-1]["won"] == pytest.approx(2 * first["edge"], abs=1e-3)
    rows = list(csv.DictReader(files["csv"].open()))
    assert [row["line"] for row in rows] == [row["line"] for row in result["lines"]]
    assert len(rows) > 5
    assert output.count("│ river  │") == 2 + 2  # two seats, and the two decisions of --top
    page = files["html"].read_text()
    assert "my spot: good against greedy" in page
    assert page.count("<svg") == 2
    assert all(row["line"] in page for row in rows)
    assert files["svg"].read_text().startswith("<?xml")


def test_saved_solves_meet_on_their_spot(run: Run, spot_file: Path, tmp_path: Path) -> None:
    solve, strategy, file = tmp_path / "solve", tmp_path / "strategy", tmp_path / "result.json"
    options = ("--iterations", 20, "--save", solve, "--save-strategy", strategy)
    assert run("solve", spot_file, *options)[0] == 0
    code, output, _ = run("versus", solve, solve, strategy, "--hands", 0, "--json", file)
    assert code == 0
    assert "played" not in output
    result = json.loads(file.read_text())
    assert (result["agrees"], result["winnings"]) == (None, [])
    full, bytes_only = result["strategies"]
    assert full["source"] == f"{solve}: my spot, dcfr, 20 iterations"
    assert abs(full["edge"]) < 0.1  # what a byte for a probability costs
    assert full["exploitability_pct_pot"] == pytest.approx(bytes_only["exploitability_pct_pot"], abs=0.2)


def test_the_spot_says_on_which_groups_to_solve(run: Run, spot_file: Path) -> None:
    spot_file.write_text(SPOT + "abstraction: rank-river\n")
    single = "cfr?iterations=2&abstraction=none"
    code, output, _ = run("versus", spot_file, "dcfr?iterations=2", single, "--hands", 0)
    assert code == 0
    assert "A: dcfr, 2 iterations on groups of hands, rank-river, " in output
    assert "B: cfr, 2 iterations, " in output


def test_a_simulation_that_disagrees_is_a_fault(run: Run, spot_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = sources.meet
    monkeypatch.setattr(sources, "meet", lambda *args, **options: _wrong(genuine(*args, **options)))
    code, output, _ = run("versus", spot_file, A, B, "--hands", 50_000)
    assert code == 1
    assert "50,000 hands played in each seat DISAGREE with the exact EVs" in output


def _wrong(found: sources.Versus) -> sources.Versus:
    found.evs[:] += 20
    return found


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("none", B), "expected an algorithm, the folder of a saved solve, or pack:DIR?line=LINE, got 'none'"),
        (("dcfr?iterations=0", B), "expected iterations from 1 to "),
        (("dcfr?iterations=2&iterations=3", B), "each once, got 'iterations=3'"),
        (("dcfr?steps=2", B), "expected iterations=..., target=..., abstraction=... after the question mark"),
        (("dcfr?target=x", B), "expected a target in percent of the pot, above 0 and at most 100, got 'x'"),
        (("dcfr:alpha=x", B), "'alpha'"),
        (("dcfr?abstraction=emd", B), "unknown abstraction 'emd': expected one of rank-river"),
        (("pack:somewhere", B), "expected the betting that leads to the spot"),
        (("pack:somewhere?line=r250c", B), "somewhere"),
        (("greedy=cfr?iterations=2", B), "both strategies are called 'greedy'"),
        (("external?iterations=2&abstraction=rank-river", B), "does not work on groups of hands"),
    ],
)
def test_bad_strategies_are_refused(run: Run, spot_file: Path, texts: tuple[str, str], message: str) -> None:
    for given in (texts, texts[::-1]):
        code, _, errors = run("versus", spot_file, *given, "--hands", 0)
        assert code == 2
        assert message in errors.splitlines()[-1]


def test_a_solve_of_another_tree_is_refused(run: Run, spot_file: Path, tmp_path: Path) -> None:
    other, folder = tmp_path / "other.yaml", tmp_path / "solve"
    other.write_text(SPOT.replace('ip: "50%,a/a"', 'ip: "50%/a"'))
    assert run("solve", other, "--iterations", 2, "--save", folder)[0] == 0
    code, _, errors = run("versus", spot_file, "cfr?iterations=2", folder, "--hands", 0)
    assert code == 2
    assert errors.splitlines()[-1] == (
        f"error: {folder}: my spot, dcfr, 2 iterations is of another betting tree: after 'X' it has X B50, "
        "the spot X B50 A300"
    )


def test_a_dump_of_another_program_meets_a_solve(run: Run, tmp_path: Path) -> None:
    data = Path(__file__).parents[2] / "data" / "texassolver"
    spot = tmp_path / "river.yaml"
    assert run("convert", data / "river.txt", "--out", spot)[0] == 0
    file = tmp_path / "result.json"
    dump = f"texas={data / 'river.json.xz'}"
    code, _, err = run("versus", spot, dump, "ours=dcfr?iterations=300", "--hands", 0, "--json", file)
    assert (code, err.count("error")) == (0, 0)
    theirs, ours = json.loads(file.read_text())["strategies"]
    assert (theirs["name"], ours["name"]) == ("texas", "ours")
    assert theirs["exploitability_pct_pot"] == pytest.approx(0.2844, abs=1e-3)  # as --evaluate has it
    assert ours["edge"] == pytest.approx(-theirs["edge"], abs=1e-3)
