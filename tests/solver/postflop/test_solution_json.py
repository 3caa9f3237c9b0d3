"""The JSON result against equilibria of another solver, and its internal consistency."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.poker.cards import parse_combo
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.queries import find_node
from hedgehog.solver.postflop.solution_json import describe_node, describe_result, describe_spot, format_solution
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot, read_spot
from hedgehog.solver.postflop.tree import build_postflop_tree

DATA = Path(__file__).parents[2] / "data" / "solver"

SMALL = """\
spot: small
board: Td 9d 6h Qc
pot: 100
stack: 300
range: {oop: "AA,T9s,76s:0.5,KdJd", ip: "QQ,AQs,87s,Ad2d:0.25"}
sizes:
  turn: {oop: "50%/a", ip: "50%/a"}
  river: {oop: "75%/a", ip: "75%/a", donk: "33%"}
"""


def solve(spot: PostflopSpot, iterations: int) -> PostflopSolver:
    rake = (spot.rake_rate, spot.rake_cap)
    solver = PostflopSolver(prepare_tree(build_postflop_tree(spot.tree), spot.board, spot.ranges, rake=rake), threads=1)
    solver.run(iterations)
    return solver


@pytest.fixture(scope="module")
def small() -> tuple[PostflopSpot, PostflopSolver]:
    spot = parse_spot(SMALL)
    return spot, solve(spot, 300)


def solution(spot: PostflopSpot, solver: PostflopSolver, *lines: str) -> dict[str, Any]:
    found = solver.exploitability()
    header = describe_spot(spot, solver.spot.counts)
    return header | describe_result(solver, found, 1.23456, "test", lines)


def hands_of(data: dict[str, Any], player: int) -> list[str]:
    text = data["hands"][player]
    return [text[i : i + 4] for i in range(0, len(text), 4)]


@pytest.mark.parametrize(("name", "iterations"), [("D1_river", 300), ("D4_turn", 60)])
def test_against_the_equilibrium_of_another_solver(name: str, iterations: int) -> None:
    reference = json.loads(gzip.decompress((DATA / "reference" / f"{name}.json.gz").read_bytes()))
    spot = read_spot(DATA / "spots" / f"{name}.yaml")
    mine = solution(spot, solve(spot, iterations))
    for key in ("spot", "board", "pot", "stack", "nodes", "decision_nodes", "terminal_nodes", "hands"):
        assert mine[key] == reference[key], key
    # A zero-sum game: both values lie within what the two sides of each profile can gain.
    gains = [2 * data["exploitability_pct_pot"] / 100 * spot.pot for data in (mine, reference)]
    assert abs(mine["ev_minus_half_pot"][0] - reference["ev_minus_half_pot"][0]) <= sum(gains)
    root, expected = mine["nodes_data"][0], reference["nodes_data"][0]
    for key in ("line", "player", "actions", "total_bet", "pair_weight"):
        assert root[key] == expected[key], key
    for player in (0, 1):
        assert root[f"weight_{player}"] == expected[f"weight_{player}"]
        assert root[f"equity_{player}"] == pytest.approx(expected[f"equity_{player}"], abs=1.01e-4)
        difference = np.abs(np.subtract(root[f"ev_pot_{player}"], expected[f"ev_pot_{player}"]))
        assert difference.mean() < 0.02


def test_header_and_layout(small: tuple[PostflopSpot, PostflopSolver]) -> None:
    spot, solver = small
    data = solution(spot, solver, "X", " X  X 2c ", "X")
    assert data["sizes"] == {
        "oop": ["", "50%/a", "75%/a"],
        "ip": ["", "50%/a", "75%/a"],
        "turn_donk": "",
        "river_donk": "33%",
    }
    assert data["iterations"] == 300
    assert data["solve_seconds"] == 1.235
    assert [node["line"] for node in data["nodes_data"]] == ["", "X", "X X 2c"]
    names = hands_of(data, 0)
    combos = [parse_combo(name) for name in names]
    assert combos == sorted(combos)
    assert "KdJd" in names
    assert "Td9d" not in names
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    # The header is a spot again.
    for player, name in enumerate(("oop", "ip")):
        again = parse_spot(SMALL.replace(SMALL.split(f'{name}: "')[1].split('"', maxsplit=1)[0], data["range"][player]))
        assert (again.ranges[player] == spot.ranges[player]).all()


def test_values_add_up(small: tuple[PostflopSpot, PostflopSolver]) -> None:
    spot, solver = small
    data = solution(spot, solver, "X", "X B50", "X B50 C As")
    root = data["nodes_data"][0]
    assert sum(root["avg_ev"]) == pytest.approx(spot.pot, abs=1e-2)
    assert sum(root["avg_equity"]) == pytest.approx(1, abs=1e-5)
    for player in (0, 1):
        assert root["avg_ev"][player] == pytest.approx(spot.pot / 2 + data["ev_minus_half_pot"][player], abs=1e-2)
    for node in data["nodes_data"]:
        assert sum(node["freq"]) == pytest.approx(1, abs=1e-5)
        assert len(node["strategy"]) == len(node["actions"]) - 1
        assert all(len(row) == len(hands_of(data, node["player"])) for row in node["strategy"])
    check, bet, later = data["nodes_data"][1:]
    for node in (root, check, bet, later):
        # Chips that are in at the node come back to somebody.
        assert sum(node["avg_ev"]) == pytest.approx(spot.pot + sum(node["total_bet"]), rel=1e-4)
    # An action takes its share of the weight, and of the value of the player who does not act.
    assert check["pair_weight"] == pytest.approx(root["freq"][0] * root["pair_weight"], rel=1e-3)
    assert bet["pair_weight"] == pytest.approx(check["freq"][1] * check["pair_weight"], rel=1e-3)
    assert later["pair_weight"] < bet["freq"][1] * bet["pair_weight"]


def test_a_line_nobody_takes(small: tuple[PostflopSpot, PostflopSolver]) -> None:
    _, solver = small
    strategy = solver.node_strategy(0)[:, solver.ranges[0] > 0]
    assert not strategy[1].any(), "the spot was chosen because OOP always checks"
    node = describe_node(solver, "B50")
    assert node["pair_weight"] == 0
    assert node["avg_ev"] == node["avg_equity"] == [None, None]
    assert set(node["freq"]) == set(node["ev_pot"]) == set(node["equity"]) == {None}
    assert all(set(row) == {None} for row in node["strategy"])
    stored = solver.node_strategy(find_node(solver, "B50")[0])[:-1, solver.ranges[1] > 0]
    assert np.array_equal(np.array(node["stored_strategy"], dtype=np.float32), stored)


def test_a_later_street(small: tuple[PostflopSpot, PostflopSolver]) -> None:
    spot, solver = small
    node = describe_node(solver, "X B50 C Ad")
    # A third of the pot of 200: the donk size, since OOP called on the turn.
    assert node["actions"] == ["X", "B66"]
    assert len(node["ev_pot"]) == len(node["weight"])
    assert sum(node["avg_ev"]) == pytest.approx(spot.pot + sum(node["total_bet"]), rel=1e-4)
    names = hands_of(describe_spot(spot, solver.spot.counts), 0)
    for name, weight, equity in zip(names, node["weight"], node["equity"], strict=True):
        if "Ad" in name:
            assert (weight, equity) == (0, None)
    assert max(node["weight"]) > 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("B51", "'B51'"),
        ("X X", "lacks 1 dealt card"),
        ("2c", "no card is dealt before '2c'"),
        ("X X 2c 3c", "no card is dealt before '3c'"),
        ("X X Td", "already on the board"),
        ("X X 2c X X", "no player acts"),
        ("B50 F", "no player acts"),
        ("Z", "'Z'"),
        ("X X 1c", "'1c'"),
    ],
)
def test_lines_that_lead_nowhere(small: tuple[PostflopSpot, PostflopSolver], line: str, message: str) -> None:
    with pytest.raises((SpotError, ValueError), match=message):
        find_node(small[1], line)


def test_the_parts_become_one_object() -> None:
    assert json.loads(format_solution({"a": 1}, {"b": [2.5]})) == {"a": 1, "b": [2.5]}
