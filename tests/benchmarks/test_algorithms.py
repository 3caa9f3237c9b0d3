"""The comparison of algorithms: what it writes, and that it continues where it was broken off."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from pathlib import Path

import pytest

from benchmarks import algorithms
from benchmarks.algorithms import split_algorithms
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.folder_lock import locked_folder
from hedgehog.solver.postflop.solver import PostflopSolver
from tests.cli.command import Run

SPOT = """\
spot: a b
board: Td 9d 6h Qc 2s
pot: 100
stack: 300
range: {oop: "AA,T9s,76s:0.5,KdJd", ip: "QQ,AQs,87s,Ad2d:0.25"}
sizes:
  river: {oop: "50%,a/a", ip: "50%,a/a"}
"""


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, algorithms.main)


@pytest.fixture
def spot_file(tmp_path: Path) -> Path:
    path = tmp_path / "spot.yaml"
    path.write_text(SPOT)
    return path


def test_lists_of_algorithms_split_between_algorithms_only() -> None:
    assert split_algorithms("dcfr, gamma5") == ["dcfr", "gamma5"]
    assert split_algorithms("dcfr:gamma=2,reset=no,gamma5") == ["dcfr:gamma=2,reset=no", "gamma5"]
    assert split_algorithms("dcfr:gamma=2,dcfr:gamma=3,reset=no") == ["dcfr:gamma=2", "dcfr:gamma=3,reset=no"]


def test_writes_tables_and_a_picture(run: Run, spot_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, output, _ = run(spot_file, "--algorithms", "dcfr,gamma5", "--target-pct", "0.5", "--out", out)
    assert code == 0
    folder = out / "a_b"
    rows = list(csv.DictReader(io.StringIO((folder / "table.csv").read_text())))
    assert [row["algorithm"] for row in rows] == ["dcfr", "gamma5"]
    looks = list(csv.DictReader(io.StringIO((folder / "looks.csv").read_text())))
    for row in rows:
        assert float(row["final % of pot"]) <= 0.5
        assert int(row["iterations to 1 %"]) <= int(row["iterations to 0.5 %"]) == int(row["iterations"])
        assert row["iterations to 0.1 %"] == ""
        mine = [look for look in looks if look["algorithm"] == row["algorithm"]]
        assert [int(look["iteration"]) for look in mine[:12]] == list(range(1, 13))
        assert int(mine[-1]["iteration"]) == int(row["iterations"])
        assert all(float(look["exploitability_pct_pot"]) > 0.5 for look in mine[:-1])
        assert f"| {row['algorithm']} | {row['iterations to 1 %']} |" in (folder / "table.md").read_text()
        assert f"{row['iterations to 1 %']} in {row['seconds to 1 %']} s" in output
    assert (folder / "convergence.svg").read_text().count("<svg") == 1
    assert (folder / "convergence.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_done_and_a_rerun_continues(
    run: Run, spot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    real = PostflopSolver.run

    def interrupted(self: PostflopSolver, *arguments: object, **options: object) -> int:
        if len(made) > 1 and self.iterations >= 7:
            raise KeyboardInterrupt
        return real(self, *arguments, **options)  # type: ignore[arg-type]

    def noted(*arguments: object) -> None:
        made.append(str(arguments[1]))

    options = (spot_file, "--algorithms", "dcfr,gamma5", "--iterations", "20", "--out", tmp_path / "out")
    monkeypatch.setattr(algorithms._Laboratory, "_compile", noted)
    with monkeypatch.context() as context:
        context.setattr(PostflopSolver, "run", interrupted)
        code, output, errors = run(*options)
    assert code == 130
    assert "interrupted" in errors
    assert "gamma5 (interrupted)" in output
    table = tmp_path / "out" / "a_b" / "table.csv"
    assert [line.split(",")[0] for line in table.read_text().splitlines()[1:]] == ["dcfr", "gamma5 (interrupted)"]

    code, _, _ = run(*options)
    assert code == 0
    assert made == ["dcfr", "gamma5", "gamma5"]
    first = table.read_text()
    assert [line.split(",")[0] for line in first.splitlines()[1:]] == ["dcfr", "gamma5"]
    run(*options)
    assert table.read_text() == first
    assert made == ["dcfr", "gamma5", "gamma5"]

    # Another budget or spot is another comparison, which does not replace this one unasked.
    other = spot_file.with_name("other.yaml")
    other.write_text(SPOT.replace("pot: 100", "pot: 120"))
    for another, count in (((*options, "--target-pct", "0.2"), 3), ((other, *options[1:]), 5)):
        code, _, errors = run(*another)
        assert code == 2
        assert "a curve of another spot or budget: expected another folder, or --overwrite" in errors
        assert len(made) == count
        assert run(*another, "--overwrite")[0] == 0
        assert made[count:] == ["dcfr", "gamma5"]


def test_the_seconds_are_kept(run: Run, spot_file: Path, tmp_path: Path) -> None:
    code, _, _ = run(
        spot_file, "--algorithms", "dcfr", "--seconds", "0.02", "--target-pct", "1e-9", "--out", tmp_path / "out"
    )
    assert code == 0
    looks = json.loads((tmp_path / "out" / "a_b" / "curve-dcfr.json").read_text())["looks"]
    assert len(looks) > 1
    assert looks[-2]["seconds"] < 0.02


def test_every_iteration_of_algorithms_on_groups(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "spot.yaml"
    path.write_text(SPOT + "abstraction: rank-river\n")
    names = ["cfr", "cfr-new", "cgh:c=0.175"]
    options = ("--iterations", "12", "--every-iteration", "--out", tmp_path / "out")
    code, output, _ = run(path, "--algorithms", ",".join(names), *options)
    assert code == 0
    looks = list(csv.DictReader(io.StringIO((tmp_path / "out" / "a_b" / "looks.csv").read_text())))
    assert [row["algorithm"] for row in looks] == [name for name in names for _ in range(12)]
    assert [int(row["iteration"]) for row in looks] == 3 * list(range(1, 13))
    assert output.count("inside the abstraction") == 3


def test_the_small_spots_need_no_file(run: Run) -> None:
    code, output, _ = run("--algorithms", "dcfr", "--iterations", "3")
    assert code == 0
    assert "small-river" in output
    assert "small-turn" in output


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (("pot: 100", "pot: ten"), (), "spot.yaml:3: 'pot'"),
        (("", ""), ("--algorithms", "magic"), "'magic'"),
        (("", ""), ("--algorithms", "dcfr:gamma=x"), "gamma"),
        (("", ""), ("--iterations", "0"), "--iterations"),
        (("", ""), ("--seconds", "nan"), "--seconds"),
        (("", ""), ("{folder}/spot.yaml", "--out", "{folder}/out"), "same name"),
        (("", ""), ("--algorithms", "dcfr", "--out", "{folder}/bad"), "curve-dcfr.json"),
        (("", ""), ("--algorithms", "dcfr", "--iterations", "1", "--out", "{folder}/spot.yaml"), "spot.yaml"),
    ],
)
def test_bad_input_is_one_message(
    run: Run, spot_file: Path, change: tuple[str, str], options: tuple[str, ...], message: str
) -> None:
    spot_file.write_text(SPOT.replace(*change))
    bad = spot_file.parent / "bad" / "a_b" / "curve-dcfr.json"
    bad.parent.mkdir(parents=True)
    bad.write_text('{"algorithm": "dcfr"}')
    code, _, errors = run(spot_file, *(option.format(folder=spot_file.parent) for option in options))
    assert code == 2
    assert message in errors
    assert "Traceback" not in errors


def test_locks_and_abstractions_are_part_of_a_comparison(run: Run, spot_file: Path, tmp_path: Path) -> None:
    options = ("--algorithms", "dcfr", "--iterations", "5", "--out", tmp_path / "out")
    assert run(spot_file, *options)[0] == 0
    for more in ('locks: [{line: "", strategy: {X: 1}}]\n', "abstraction: rank-river\n"):
        spot_file.write_text(SPOT + more)
        code, _, errors = run(spot_file, *options)
        assert (code, "a curve of another spot or budget" in errors) == (2, True)
    code, output, _ = run(spot_file, *options[:-2])
    assert code == 0
    assert "dcfr: inside the abstraction " in output


def test_a_folder_has_one_writer(run: Run, spot_file: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with locked_folder(tmp_path / "out", InputError("a test holds it")):
        code, _, errors = run(spot_file, "--algorithms", "dcfr", "--iterations", "1", "--out", tmp_path / "out")
    assert (code, "another process is writing" in errors) == (2, True)
    assert list((tmp_path / "out").iterdir()) == []
