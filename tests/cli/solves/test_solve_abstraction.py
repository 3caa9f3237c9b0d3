"""``hedgehog solve`` on a spot file that names a hand abstraction, and questions about the saved strategy."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from hedgehog import solver
from hedgehog.cli.solves.solve import DEFAULT_TARGET_PCT
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.group_solver import GroupSolver
from hedgehog.solver.postflop.estimate import estimate
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import ABSTRACTIONS, IDENTITIES, parse_spot
from hedgehog.strategies.betting_tree import NodeKind
from tests.cli.command import Run

SPOT = """\
spot: little river
board: Td 9d 6h Qc 2s
pot: 100
stack: 300
range: {oop: "AA,T9,76s:0.5,KJ", ip: "QQ,AQ,87s,KJ:0.25"}
sizes:
  river: {oop: "50%,a/a", ip: "50%,a/a"}
abstraction: rank-river
"""
TURN = """\
spot: little turn
board: Td 9d 6h Qc
pot: 100
stack: 150
range: {oop: "AA,KJ", ip: "QQ,87s:0.5"}
sizes:
  turn: {oop: "a", ip: "a"}
  river: {oop: "a", ip: ""}
abstraction: strength-river
"""


@pytest.fixture
def spot_file(tmp_path: Path) -> Path:
    path = tmp_path / "spot.yaml"
    path.write_text(SPOT)
    return path


def test_names_are_those_of_the_laboratory() -> None:
    assert list(map(str, IDENTITIES)) == list(ABSTRACTIONS)


def test_solves_saves_and_answers(run: Run, spot_file: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    options = ("--iterations", "200", "--threads", "1", "--save-strategy", saved, "--json", tmp_path / "a.json")
    code, output, _ = run("solve", spot_file, *options)
    assert code == 0
    assert "rank-river" in output
    loss = re.search(r"^loss +(\S+) % of the pot; inside the abstraction the exploitability is (\S+) %$", output, re.M)
    assert loss is not None
    found = json.loads((tmp_path / "a.json").read_text())
    real = re.search(r"^exploitability +(\S+) %", output, re.M)
    assert real is not None
    assert float(loss[1]) + float(loss[2]) == pytest.approx(float(real[1]), abs=2e-4)
    assert float(loss[1]) > 0.01
    assert found["game"] == "little river"
    code, _, _ = run("query", saved, "--json", tmp_path / "q.json")
    assert code == 0


def test_stops_at_the_target_inside_the_abstraction(run: Run, spot_file: Path, tmp_path: Path) -> None:
    code, output, _ = run("solve", spot_file, "--threads", "1", "--json", tmp_path / "a.json")
    assert code == 0
    found = json.loads((tmp_path / "a.json").read_text())
    inside, real = found["abstract_exploitability_pct_pot"], found["exploitability_pct_pot"]
    assert inside <= DEFAULT_TARGET_PCT < real
    assert found["iterations"] < 1000
    assert found["abstraction"] == "rank-river"
    assert f"inside the abstraction the exploitability is {inside:.4f} %" in output
    assert f"exploitability  {real:.4f} %" in output


@pytest.mark.parametrize("text", [SPOT, TURN])
def test_a_solver_of_single_hands_refuses_an_abstraction(text: str) -> None:
    spot = prepare(parse_spot(text))
    for make in (PostflopSolver, estimate):
        with pytest.raises(SpotError, match="asks for the abstraction '"):
            make(spot)
    solution = solver.solve(spot, 0.0, 20, threads=1)
    group = GroupSolver(spot, SpotValues(spot).group(spot.abstraction), threads=1)
    group.run(20)
    assert solution.exploitability().pct_pot == pytest.approx(group.exploitability().pct_pot, abs=1e-3)


@pytest.mark.parametrize("text", [SPOT, TURN])
def test_hands_written_out_play_and_earn_like_their_groups(text: str) -> None:
    spot = prepare(parse_spot(text))
    assert not spot.cards.merged
    group_solver = GroupSolver(spot, SpotValues(spot).group("rank-river"), threads=1)
    group_solver.run(20)
    hands = group_solver.written_out()
    mine, theirs = group_solver.exploitability(), hands.exploitability()
    assert theirs.exploitability == pytest.approx(mine.exploitability, abs=1e-3)
    assert theirs.ev_minus_half_pot == pytest.approx(mine.ev_minus_half_pot, abs=1e-3)
    assert 2 * mine.exploitability == pytest.approx(group_solver.epsilon().real, abs=1e-3)
    groups = group_solver.groups.players[0][0].number_of[0]
    rows = hands.node_strategy(0)[:, spot.combos[0]]
    for group in range(groups.max() + 1):
        assert np.ptp(rows[:, groups == group], axis=1).max() == 0
    assert np.ptp(rows, axis=1).max() > 0.01
    assert hands.tree.kind[0] == NodeKind.DECISION


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (("rank-river", "rank"), [], "unknown abstraction 'rank': expected one of rank-river, "),
        (("abstraction: rank-river", 'abstraction: rank-river\nlocks: [{line: "", strategy: {X: 1}}]'), [], "locks"),
        (("", ""), ["--save", "there"], "expected --save-strategy instead of --save"),
        (("", ""), ["--storage", "f16"], "stored in f32"),
        (("", ""), ["--algorithm", "outcome"], "does not work on groups of hands"),
    ],
)
def test_refusals(
    run: Run, spot_file: Path, tmp_path: Path, change: tuple[str, str], options: list[str], message: str
) -> None:
    spot_file.write_text(SPOT.replace(*change))
    options = [str(tmp_path / option) if option == "there" else option for option in options]
    code, _, errors = run("solve", spot_file, "--iterations", "1", *options)
    assert code == 2
    assert message in errors
    assert len(errors.strip().splitlines()) == 1


def test_estimate_needs_no_solve(run: Run, spot_file: Path) -> None:
    code, output, _ = run("solve", spot_file, "--estimate")
    assert code == 0
    assert "abstraction" in output
    assert re.search(r"% of those of single hands", output)
