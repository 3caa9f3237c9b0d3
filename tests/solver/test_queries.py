"""What a node's view says must add up: actions make the node, hands make the averages."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from poker.cards import format_combo, parse_combo
from poker.errors import SpotError
from solver.postflop import PostflopSolver
from solver.queries import view_actions, view_node
from solver.solution_csv import format_csv
from solver.solution_files import solution_arguments
from solver.solution_json import describe_node, find_node
from solver.spot import parse_spot
from tests.solver.test_solution_files import TEXT

LINES = ["", "X", "B100", "B100 C 5d", "B100 C 5d X A130", "X X Kc", "X X Kc X", "X X 3h X X 8d"]


@pytest.fixture(scope="module")
def solver() -> PostflopSolver:
    made = PostflopSolver(**solution_arguments(parse_spot(TEXT)), threads=1)
    made.run(30)
    return made


@pytest.mark.parametrize("line", LINES)
def test_the_actions_make_the_node(solver: PostflopSolver, line: str) -> None:
    view = view_node(solver, *find_node(solver, line))
    actions = list(view_actions(solver, view))
    assert [action.action for action in actions] == list(view.actions)
    assert sum(action.frequency for action in actions) == pytest.approx(1)
    for player in (0, 1):
        for found, values in (("ev", view.ev), ("equity", view.equity)):
            parts = sum(action.frequency * getattr(action, found)[player] for action in actions)
            assert parts == pytest.approx(view.average(values)[player], rel=1e-3, abs=1e-3)
    assert view.average(view.equity)[0] + view.average(view.equity)[1] == pytest.approx(1)
    pairs = view.pair_weights.sum(axis=1)
    assert pairs[0] == pytest.approx(pairs[1])


def test_folding_costs_nothing_more_and_wins_the_pot(solver: PostflopSolver) -> None:
    view = view_node(solver, *find_node(solver, "B100"))
    fold = next(iter(view_actions(solver, view)))
    assert (fold.action, fold.leads_to) == ("F", "fold")
    # Pot 100, rake 5 %; the bet comes back.
    assert fold.ev == pytest.approx((200 - 5, 0), abs=1e-2)


def test_csv_says_what_the_json_says(solver: PostflopSolver) -> None:
    views = [(line, view_node(solver, *find_node(solver, line))) for line in LINES]
    rows = list(csv.DictReader(io.StringIO(format_csv(views))))
    names = [[format_combo(int(combo)) for combo in np.flatnonzero(weights)] for weights in solver.ranges]
    for line, view in views:
        node = describe_node(solver, line)
        suffix = f"_{view.player}" if line == "" else ""
        mine = {row["hand"]: row for row in rows if row["line"] == line}
        assert sum(float(row["pair_weight"]) for row in mine.values()) == pytest.approx(node["pair_weight"], rel=1e-4)
        for index, hand in enumerate(names[view.player]):
            weight = node["weight" + suffix][index]
            assert (hand in mine) == (view.reach[view.player, parse_combo(hand)] > 0)
            if weight > 0:
                row = mine[hand]
                assert int(row["player"]) == view.player
                assert float(row["weight"]) == pytest.approx(weight, abs=1e-4)
                assert float(row["equity"]) == pytest.approx(node["equity" + suffix][index], abs=1e-4)
                assert float(row["ev"]) == pytest.approx(100 * node["ev_pot" + suffix][index], abs=1e-2)
                chances = [float(row[action]) for action in view.actions]
                assert chances[:-1] == pytest.approx([column[index] for column in node["strategy"]], abs=2e-4)
                assert all(row[other] == "" for other in row.keys() - {*view.actions} if other[0] in "XBCFAR")


def test_only_the_hands_asked_for(solver: PostflopSolver) -> None:
    wanted = np.zeros(1326, dtype=np.bool_)
    wanted[parse_combo("KdQd")] = True
    rows = list(csv.DictReader(io.StringIO(format_csv([("", view_node(solver, 0))], wanted))))
    assert [row["hand"] for row in rows] == ["KdQd"]


def test_only_decisions_can_be_viewed(solver: PostflopSolver) -> None:
    fold = int(solver.tree.first_child[find_node(solver, "B100")[0]])
    with pytest.raises(SpotError, match="no decision"):
        view_node(solver, fold)
