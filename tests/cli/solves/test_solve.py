"""``hedgehog solve``, run as a user runs it."""

from __future__ import annotations

import csv
import json
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hedgehog.cli import progress
from hedgehog.cli.main import main
from hedgehog.cli.solves import solve as solve_module
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop import estimate as estimate_module
from hedgehog.solver.postflop import saving
from hedgehog.solver.postflop.estimate import estimate
from hedgehog.solver.postflop.prepared import prepare, prepare_tree
from hedgehog.solver.postflop.solution_files import is_saved_solve, read_saved_solve
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot, read_spot
from hedgehog.solver.postflop.tree import build_postflop_tree
from tests.cli.command import Run

DATA = Path(__file__).parents[2] / "data" / "solver" / "spots"

SPOT = """\
spot: my spot
board: Td 9d 6h Qc 2s
pot: 100
stack: 300
range: {oop: "AA,T9s,76s:0.5,KdJd", ip: "QQ,AQs,87s,Ad2d:0.25"}
sizes:
  river: {oop: "50%,a/a", ip: "50%,a/a"}
"""


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, "solve")


@pytest.fixture
def spot_file(tmp_path: Path) -> Path:
    path = tmp_path / "spot.yaml"
    path.write_text(SPOT)
    return path


def value(output: str, label: str) -> str:
    """Returns what is printed after a label."""
    match = re.search(rf"^{label} +(.*)$", output, re.MULTILINE)
    assert match is not None, output
    return match[1]


def test_estimate_of_a_whole_flop(run: Run) -> None:
    code, output, _ = run(DATA / "B_flop.yaml", "--estimate")
    assert code == 0
    assert value(output, "nodes") == "3,777,190 (flop 81, turn 20,268, river 3,756,841)"
    assert value(output, "infosets") == "1,561,116,480 with 4,109,771,904 actions"
    # Diamonds merge with spades: 13 classes of two cards and 23 of one; pairs of classes, and within each of the 13.
    assert value(output, "merged hands") == f"{36 * 35 // 2 + 13} oop, 643 ip"
    # A turn card of a class of two leaves 36 classes to the river.
    assert value(output, "merged boards") == f"36 turns, {13 * 36 + 23 * 35:,} rivers"
    infosets = 643 * (28 + 36 * 7_056 // 36 + 1_273 * 1_320_396 // 1_429)
    assert value(output, "merged infosets") == f"{infosets:,} with 2,003,145,616 actions"
    assert value(output, "bytes") == "16,025,164,928 in f32, 8,012,582,464 in f16"
    assert "iterations" not in output


@pytest.mark.parametrize(("algorithm", "numbers"), [("cgh", 1), ("cfr+", 2), ("pcfr+", 3)])
def test_estimate_knows_what_the_algorithm_stores(run: Run, spot_file: Path, algorithm: str, numbers: int) -> None:
    code, output, _ = run(spot_file, "--estimate", "--algorithm", algorithm)
    assert code == 0
    label = "merged infosets" if "merged infosets" in output else "infosets"
    elements = int(value(output, label).split()[2].replace(",", ""))
    expected = f"{4 * numbers * elements:,} in f32"
    if algorithm == "cgh":
        expected += f", {2 * elements:,} in f16"
    assert value(output, "bytes") == expected


def test_storage_of_an_algorithm_without_half_precision(run: Run, spot_file: Path) -> None:
    code, output, _ = run(spot_file, "--iterations", "3", "--algorithm", "cfr+")
    assert code == 0
    assert value(output, "iterations").startswith("3 ")
    code, _, errors = run(spot_file, "--iterations", "3", "--algorithm", "cfr+", "--storage", "f16")
    assert code == 2
    assert "'cfr+' needs more precision than f16: expected f32" in errors


def test_estimate_counts_the_thesis_tree(run: Run) -> None:
    _, output, _ = run(DATA / "T_flop.yaml", "--estimate")
    assert "3,595,530 if a called all-in is one leaf" in value(output, "all boards")
    assert "  1,567,626,816 infosets with 4,070,164,224 actions" in output


def test_solves_to_the_target(run: Run, spot_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    code, output, _ = run(spot_file, "--target-pct", "0.2", "--threads", "1", "--json", file, "--lines", "X, X B50")
    assert code == 0
    result = json.loads(file.read_text())
    assert result["spot"] == "my spot"
    assert 0 <= result["exploitability_pct_pot"] <= 0.2
    assert [node["line"] for node in result["nodes_data"]] == ["", "X", "X B50"]
    assert result["solver"].endswith("f32, dcfr")
    assert float(value(output, "exploitability").split()[0]) == pytest.approx(
        result["exploitability_pct_pot"], abs=1e-4
    )


def test_stops_at_the_number_of_iterations(run: Run, spot_file: Path, tmp_path: Path) -> None:
    options = ("--iterations", "37", "--algorithm", "gamma5", "--storage", "f16", "--out", tmp_path / "new" / "folder")
    code, _, _ = run(spot_file, *options)
    assert code == 0
    result = json.loads((tmp_path / "new" / "folder" / "my_spot.json").read_text())
    assert result["iterations"] == 37
    assert result["solver"].endswith("f16, gamma5")
    # Every decision on the street of the board.
    assert len(result["nodes_data"]) == sum(result["decision_nodes"])


def test_locks_are_counted_kept_and_written(run: Run, spot_file: Path, tmp_path: Path) -> None:
    locks = """\
locks:
  - {line: "", hands: "AA,KdJd", strategy: {B50: 0.25, X: 0.75}}
  - {line: "", hands: "AA,T9s", strategy: {X: 1}}
  - {line: "X B50", strategy: {F: 1}}
"""
    spot_file.write_text(SPOT + locks)
    file = tmp_path / "result.json"
    code, output, _ = run(spot_file, "--iterations", "20", "--threads", "1", "--json", file)
    assert code == 0
    # At the root six aces, KdJd and the three combos of T9s that the board leaves; later all hands of OOP.
    result = json.loads(file.read_text())
    hands = [result["hands"][0][i : i + 4] for i in range(0, len(result["hands"][0]), 4)]
    assert value(output, "locked") == f"2 decisions, {6 + 1 + 3 + len(hands)} hands"
    assert [lock["line"] for lock in result["locks"]] == ["", "", "X B50"]
    check = dict(zip(hands, result["nodes_data"][0]["strategy"][0], strict=True))
    assert [check[hand] for hand in ("AsAh", "KdJd", "Ts9s")] == [0.75, 0.75, 1]
    spot_file.write_text(SPOT + locks.replace("X B50", "X B51"))
    code, output, errors = run(spot_file)
    assert (code, output) == (2, "")
    assert errors == f"error: {spot_file}:11: 'locks.2.line': no action 'B51' after 'X', offered: X B50 A300\n"


def test_ctrl_c_writes_what_there_is(
    run: Run, spot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = PostflopSolver.run

    def interrupted(self: PostflopSolver, *arguments: object, **options: object) -> int:
        if self.iterations >= 20:
            signal.raise_signal(signal.SIGINT)
        return real(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(solve_module.PostflopSolver, "run", interrupted)
    before = signal.getsignal(signal.SIGINT)
    code, output, errors = run(spot_file, "--iterations", "100000", "--json", tmp_path / "a.json")
    assert code == 130
    assert "interrupted" in errors
    assert 20 < json.loads((tmp_path / "a.json").read_text())["iterations"] < 100_000
    assert "exploitability" in output
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (("pot: 100", "pot: ten"), (), "spot.yaml:3: 'pot'"),
        (("50%,a/a", "50,a/a"), (), "spot.yaml:7: 'sizes.river.oop'"),
        (("Qc 2s", "Qc Qc"), (), "spot.yaml:2: "),
        (("", ""), ("--lines", "X B51", "--json", "-"), "'B51'"),
        (("", ""), ("--json", "{folder}/spot.yaml"), "spot.yaml: belongs to the input"),
        (("", ""), ("--csv", "{folder}/spot.yaml", "--overwrite"), "spot.yaml: belongs to the input"),
        (("", ""), ("--json", "{folder}/a", "--csv", "{folder}/a"), "named twice"),
        (("", ""), ("--out", "{folder}", "--overwrite"), "holds an input"),
        (("", ""), ("--save", "{folder}", "--overwrite"), "holds an input"),
        (("", ""), ("--save", "{folder}/a", "--csv", "{folder}/a/b.csv"), "lies in the folder of a saved solve"),
        (("", ""), ("--save-strategy", "{folder}/a", "--out", "{folder}/a/b"), "lies in the folder of a saved solve"),
        (("", ""), ("--out", "{folder}/spot.yaml"), "spot.yaml"),
        (("", ""), ("--iterations", "0"), "--iterations"),
        (("", ""), ("--target-pct", "0"), "--target-pct"),
        (("", ""), ("--target-pct", "nan"), "--target-pct"),
        (("", ""), ("--threads", "0"), "--threads"),
        (("", ""), ("--algorithm", "magic"), "--algorithm"),
    ],
)
def test_bad_input_is_one_message(
    run: Run, spot_file: Path, change: tuple[str, str], options: tuple[str, ...], message: str
) -> None:
    spot_file.write_text(SPOT.replace(*change))
    code, _, errors = run(spot_file, *(option.format(folder=spot_file.parent) for option in options))
    assert code == 2
    assert message in errors
    assert "Traceback" not in errors


def test_a_missing_file_is_named(run: Run, tmp_path: Path) -> None:
    code, _, errors = run(tmp_path / "absent.yaml")
    assert code == 2
    assert "absent.yaml" in errors


def test_too_little_memory_is_refused(run: Run, spot_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate_module, "available_memory", lambda: 1000.0)
    code, _, errors = run(spot_file, "--iterations", "10")
    assert code == 2
    assert re.search(
        r"needs [0-9.]+ MB in f32 or [0-9.]+ MB in f16, 0.0 MB of memory are free; fewer bet sizes", errors
    )


def test_what_would_fit_instead(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DATA / "B_flop.yaml").read_text()

    def needed(storage: Storage, more: str = "") -> float:
        return estimate(prepare(parse_spot(text + more)), storage=storage).memory_bytes

    free = 0.6 * needed("f32")
    monkeypatch.setattr(estimate_module, "available_memory", lambda: free)
    code, _, errors = run(DATA / "B_flop.yaml", "--storage", "f32")
    assert code == 2
    assert f"needs {needed('f32') / 1e9:.2f} GB in f32, {free / 1e9:.2f} GB of memory are free" in errors
    assert f"--storage f16 ({needed('f16') / 1e9:.2f} GB)" in errors
    smaller = re.search(r"'max_bets: (\d)' in the spot file \((\d+\.\d+) GB in f32\)", errors)
    assert smaller is not None
    assert needed("f32", f"max_bets: {smaller[1]}\n") / 1e9 == pytest.approx(float(smaller[2]), abs=0.01)
    assert needed("f32", f"max_bets: {int(smaller[1]) + 1}\n") > free


def test_the_estimate_is_what_is_allocated(run: Run, spot_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate_module, "available_memory", lambda: 300_000.0)
    code, output, _ = run(spot_file, "--estimate", "--threads", "1")
    assert code == 0
    assert value(output, "memory") == "0.3 MB free for this program"
    rows = re.findall(r"^ +(f32|f16) +([0-9.]+) MB, (fits|does not fit): (.*)$", output, re.MULTILINE)
    spot = read_spot(spot_file)
    assert any("dcfr" in names for _, _, _, names in rows)
    for storage, size, verdict, names in rows:
        for name in names.split(", "):
            solver = PostflopSolver(prepare(spot), storage=storage, algorithm=name, threads=1)
            assert solver.memory_bytes / 1e6 == pytest.approx(float(size), abs=0.051)
            assert (solver.memory_bytes <= 300_000) == (verdict == "fits")


def test_half_precision_if_single_does_not_fit(
    run: Run, spot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.json"
    spot = read_spot(spot_file)
    tree = build_postflop_tree(spot.tree)
    storages: tuple[Storage, ...] = ("f16", "f32")
    half, single = (
        PostflopSolver(prepare_tree(tree, spot.board, spot.ranges), threads=1, storage=storage).memory_bytes
        for storage in storages
    )
    assert half < single
    monkeypatch.setattr(estimate_module, "available_memory", lambda: (half + single) / 2)
    code, _, _ = run(spot_file, "--iterations", "10", "--threads", "1", "--json", file)
    assert code == 0
    assert "f16" in json.loads(file.read_text())["solver"]


def test_a_saved_solve_goes_on_with_the_same_command(run: Run, spot_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "saved"
    results = []
    for iterations, options in ((20, ("--save", folder)), (50, ("--save", folder)), (50, ())):
        file = tmp_path / "result.json"
        code, output, _ = run(spot_file, "--iterations", iterations, "--json", file, "--overwrite", *options)
        assert code == 0
        results.append((output, json.loads(file.read_text())))
    assert "continued" not in results[0][0]
    assert "iteration 20 after" in value(results[1][0], "continued")
    for key in ("iterations", "exploitability_pct_pot", "ev_minus_half_pot", "nodes_data"):
        assert results[1][1][key] == results[2][1][key]
    assert results[1][1]["solve_seconds"] >= results[0][1]["solve_seconds"]
    # Nothing is left to do.
    code, output, _ = run(spot_file, "--iterations", "50", "--save", folder)
    assert (code, value(output, "iterations").split()[0]) == (0, "50")
    # Not even --overwrite throws away a solve that can go on.
    code, output, _ = run(spot_file, "--iterations", "10", "--save", folder, "--overwrite")
    assert (code, value(output, "iterations").split()[0]) == (0, "50")


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (("pot: 100", "pot: 120"), (), "'pot' differs"),
        (("", ""), ("--algorithm", "gamma5"), "--algorithm dcfr, not gamma5"),
        (("", ""), ("--storage", "f16"), "--storage f32, not f16"),
    ],
)
def test_another_solve_does_not_go_on_from_a_saved_one(
    run: Run, spot_file: Path, tmp_path: Path, change: tuple[str, str], options: tuple[str, ...], message: str
) -> None:
    folder = tmp_path / "saved"
    assert run(spot_file, "--iterations", "10", "--save", folder)[0] == 0
    spot_file.write_text(SPOT.replace(*change))
    code, _, errors = run(spot_file, "--iterations", "20", "--save", folder, *options)
    assert code == 2
    assert message in errors
    assert read_saved_solve(folder).iterations == 10
    assert run(spot_file, "--iterations", "20", "--save", folder, "--overwrite", *options)[0] == 0
    assert read_saved_solve(folder).iterations == 20


def test_a_folder_with_other_files_is_left_alone(run: Run, spot_file: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.txt").write_text("mine")
    for option in ("--save", "--save-strategy"):
        code, _, errors = run(spot_file, "--iterations", "10", option, tmp_path / "folder")
        assert code == 2
        assert "thesis.txt" in errors
    strategy = tmp_path / "strategy"
    assert run(spot_file, "--iterations", "10", "--save-strategy", strategy)[0] == 0
    code, _, errors = run(spot_file, "--iterations", "10", "--save-strategy", strategy)
    assert (code, "--overwrite" in errors) == (2, True)
    code, _, errors = run(spot_file, "--iterations", "10", "--save", strategy)
    assert (code, "strategies only" in errors) == (2, True)


def test_a_solve_is_saved_on_the_way(
    run: Run, spot_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "saved"
    seen: list[int] = []
    real = saving.save_solve

    def killed_after_two(*arguments: Any) -> None:
        if len(seen) == 2:
            raise RuntimeError("killed")
        real(*arguments)
        seen.append(read_saved_solve(folder).iterations)

    monkeypatch.setattr(saving, "save_solve", killed_after_two)
    monkeypatch.setattr(saving, "_SHARE", 1e9)
    with pytest.raises(RuntimeError, match="killed"):
        main(["solve", str(spot_file), "--iterations", "5000", "--save", str(folder), "--save-every", "0.00001"])
    assert 0 < seen[0] < seen[1] < 5000
    assert read_saved_solve(folder).iterations == seen[1]


@pytest.mark.slow
def test_a_solve_survives_kill_9(run: Run, tmp_path: Path) -> None:
    spot, folder = DATA / "D4_turn.yaml", tmp_path / "saved"
    options = [str(spot), "--iterations", "100000", "--save", str(folder), "--save-every", "0.01"]
    seen = 0
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-m", "hedgehog.cli", "solve", *options], stdout=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 300
            while not is_saved_solve(folder) or read_saved_solve(folder).iterations <= seen:
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.2)
            seen = read_saved_solve(folder).iterations
        finally:
            process.kill()
            process.wait()
    code, output, _ = run(spot, "--iterations", "1", "--save", folder)
    assert code == 0
    assert int(value(output, "iterations").split()[0].replace(",", "")) >= seen


@pytest.mark.parametrize("option", ["--json", "--csv"])
def test_results_are_not_replaced_unasked(run: Run, spot_file: Path, tmp_path: Path, option: str) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("mine")
    code, output, errors = run(spot_file, "--iterations", "5", option, file)
    assert (code, output) == (2, "")
    assert "mine.txt: exists already" in errors
    assert file.read_text() == "mine"
    assert run(spot_file, "--iterations", "5", option, file, "--overwrite")[0] == 0
    assert file.read_text() != "mine"


@pytest.mark.parametrize("option", ["--out", "--save", "--save-strategy"])
def test_a_folder_with_a_file_of_the_users_is_refused(run: Run, spot_file: Path, tmp_path: Path, option: str) -> None:
    folder = tmp_path / "thesis"
    (folder / "chapter").mkdir(parents=True)
    for name in ("chapter/one.txt", "mine-a.npy", "notes.md"):
        for other in folder.rglob("*.*"):
            other.unlink()
        (folder / name).write_text("mine")
        code, output, errors = run(spot_file, "--iterations", "5", option, folder, "--overwrite")
        assert (code, output) == (2, "")
        assert name.split("/")[0] in errors
        assert (folder / name).read_text() == "mine"


@pytest.mark.parametrize("option", ["--save", "--save-strategy"])
def test_a_manifest_of_something_else_is_refused(run: Run, spot_file: Path, tmp_path: Path, option: str) -> None:
    folder = tmp_path / "cluster"
    folder.mkdir()
    (folder / "manifest.yaml").write_text("kind: Deployment\n")
    code, _, errors = run(spot_file, "--iterations", "5", option, folder, "--overwrite")
    assert code == 2
    assert "manifest.yaml" in errors
    assert (folder / "manifest.yaml").read_text() == "kind: Deployment\n"


def test_results_of_several_spots_share_a_folder(run: Run, spot_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    assert run(spot_file, "--iterations", "5", "--out", out)[0] == 0
    code, _, errors = run(spot_file, "--iterations", "5", "--out", out)
    assert (code, "my_spot.json: exists already" in errors) == (2, True)
    assert run(spot_file, "--iterations", "5", "--out", out, "--overwrite")[0] == 0
    spot_file.write_text(SPOT.replace("my spot", "another"))
    assert run(spot_file, "--iterations", "5", "--out", out)[0] == 0
    assert sorted(path.name for path in out.iterdir()) == ["another.json", "my_spot.json"]


def test_json_on_standard_output(run: Run, spot_file: Path) -> None:
    for options in ((spot_file, "--json"), ("--json", spot_file), ("--json=-", spot_file), (spot_file, "--json", "-")):
        code, output, errors = run("--iterations", "5", *options)
        assert code == 0
        result = json.loads(output)
        assert (result["format"], result["game"], result["players"]) == ("hedgehog.solution", "my spot", ["oop", "ip"])
        assert "exploitability" in errors
        half = result["pot"] / 2
        assert result["ev"] == pytest.approx([half + value for value in result["ev_minus_half_pot"]], abs=1e-4)


def test_ev_is_chips_received_less_chips_put_in(run: Run, spot_file: Path, tmp_path: Path) -> None:
    """The same number in what is printed, in JSON, CSV, a query and a simulation."""
    folder, file, table = tmp_path / "saved", tmp_path / "a.json", tmp_path / "a.csv"
    options = ("--iterations", "50", "--save", folder, "--json", file, "--csv", table)
    code, output, _ = run(spot_file, *options)
    assert code == 0
    printed = [float(text.split()[0]) for text in value(output, "EV").split(", ")[:2]]
    result = json.loads(file.read_text())
    assert printed == pytest.approx(result["ev"], abs=1e-3)
    assert sum(printed) == pytest.approx(100, abs=1e-2)  # the pot: there is no rake
    assert result["nodes_data"][0]["avg_ev"] == pytest.approx(result["ev"], abs=1e-3)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    weights = [float(row["pair_weight"]) for row in rows]
    average = sum(float(row["ev"]) * weight for row, weight in zip(rows, weights, strict=True)) / sum(weights)
    assert average == pytest.approx(result["ev"][0], abs=1e-2)
    for command, key in ((("query", folder), None), (("simulate", folder, "--hands", "2000"), "checks")):
        with pytest.raises(SystemExit):
            main([*map(str, command), "--json", str(tmp_path / f"{command[0]}.json")])
        found = json.loads((tmp_path / f"{command[0]}.json").read_text())
        evs = found["lines"][0]["avg_ev"] if key is None else [row["computed"] for row in found[key]]
        assert evs == pytest.approx(result["ev"], abs=1e-3)
        if key is not None:
            assert all(abs(row["simulated"] - row["computed"]) < 5 * row["standard_error"] for row in found[key])


def test_a_long_solve_prints_lines_without_a_terminal(
    run: Run, spot_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "FIRST_LINE_AFTER_S", 0.0)
    monkeypatch.setattr(progress, "LINE_EVERY_S", 0.0)
    monkeypatch.setattr(solve_module, "terminal_watch", partial(progress.terminal_watch, first_line_after_s=0.0))
    code, _, errors = run(spot_file, "--iterations", "200")
    assert code == 0
    assert re.search(r"^my spot: \d+/200 iterations, ETA [\d:-]+, exploitability [\d.]+ % of the pot$", errors, re.M)
