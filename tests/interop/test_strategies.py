"""Our own solves, read back as somebody's strategies: they keep their exploitability."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hedgehog.interop.strategies import read_strategy
from hedgehog.runtime.errors import InputError
from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.examples import example_spots
from hedgehog.solver.postflop.responses.evaluation import evaluate_strategy
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot, read_spot
from tests.cli.command import hedgehog

TURN = """\
spot: tiny turn
board: Td 9d 6h Qc
pot: 100
stack: 300
range: {oop: "AA,T9s,87s", ip: "QQ,AQs,J8s:0.5"}
sizes:
  turn: {oop: "50%", ip: "50% / a"}
  river: {oop: "75%", ip: "75%"}
"""


@pytest.fixture(scope="module")
def river() -> PostflopSpot:
    return read_spot(example_spots()["river"])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A river with an all-in that nobody makes, because it is called by the right hands."""
    folder = tmp_path_factory.mktemp("written")
    spot = example_spots()["river"]
    done = hedgehog("solve", spot, "--target-pct", 0.3, "--out", folder, "--save", folder / "saved")
    assert done.returncode == 0, done.stderr
    return folder


def test_a_json_file_keeps_the_exploitability(river: PostflopSpot, written: Path) -> None:
    file = written / "river.json"
    said = json.loads(file.read_text())["exploitability_pct_pot"]
    found = {
        name: evaluate_strategy(river, read_strategy(path, river), compare=False).found.pct_pot
        for name, path in (("json", file), ("saved", written / "saved"))
    }
    assert found["json"] == pytest.approx(said, abs=1e-5)
    assert found["json"] == pytest.approx(found["saved"], abs=1e-6)


RIVER = TURN.replace("Qc", "Qc 2s").replace('  turn: {oop: "50%", ip: "50% / a"}\n', "")


@pytest.mark.parametrize("text", [TURN, RIVER], ids=["turn", "river"])
def test_a_saved_solve_keeps_the_exploitability(tmp_path: Path, text: str) -> None:
    spot = parse_spot(text)
    solution = solve(spot, target_pct=2, save=tmp_path / "saved")
    found = evaluate_strategy(spot, read_strategy(tmp_path / "saved", spot), compare=False)
    assert found.found.pct_pot == pytest.approx(solution.exploitability().pct_pot, abs=1e-5)


def test_hands_without_a_strategy_are_refused(river: PostflopSpot, written: Path, tmp_path: Path) -> None:
    """Files of earlier versions have none where nobody gets; a guess in its place would make a good solve look bad."""
    data: Any = json.loads((written / "river.json").read_text())
    for node in data["nodes_data"]:
        del node["stored_strategy"]
    assert any(None in row for node in data["nodes_data"] for row in node["strategy"])
    old = tmp_path / "old.json"
    old.write_text(json.dumps(data))
    with pytest.raises(
        InputError, match=r"old.json: the file lacks the strategies of \d+ hands at '.*', where nobody gets"
    ):
        evaluate_strategy(river, read_strategy(old, river), compare=False)


def test_missing_streets_are_named(tmp_path: Path) -> None:
    (tmp_path / "turn.yaml").write_text(TURN)
    assert hedgehog("solve", tmp_path / "turn.yaml", "--target-pct", 5, "--out", tmp_path / "out").returncode == 0
    with pytest.raises(
        InputError, match="the file lacks the river: the folder of hedgehog solve --save has all streets"
    ):
        read_strategy(tmp_path / "out" / "tiny_turn.json", parse_spot(TURN))
