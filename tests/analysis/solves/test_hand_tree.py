"""The picture of a street with the strategies of a few hands."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from hedgehog.analysis.solves import hand_tree as drawing
from hedgehog.analysis.solves.hand_tree import hand_tree
from hedgehog.poker.cards import parse_combo
from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.solver.postflop.queries import find_node
from hedgehog.solver.postflop.solver import PostflopSolver
from tests.solver.postflop_fixtures import RIVER, TURN, solver_of

SVG = "{http://www.w3.org/2000/svg}"
KINGS = [parse_combo("KdQd"), parse_combo("AhKh")]


@pytest.fixture(scope="module")
def solver() -> PostflopSolver:
    found = solver_of(RIVER, threads=1)
    found.run(60)
    return found


def test_edges_have_the_probabilities_of_the_hands(solver: PostflopSolver) -> None:
    root = ElementTree.fromstring(hand_tree(solver, "", KINGS))
    labels = [text.text or "" for text in root.iter(f"{SVG}text") if "label" in text.get("class", "")]
    strategy = solver.node_strategy(0)[:, KINGS]
    for action, row in zip(("X", "B50", "A230"), strategy, strict=True):
        assert f"{action}  {100 * row[0]:.0f} / {100 * row[1]:.0f} %" in labels
    # The opponent's edges have his frequencies, and all end somewhere.
    assert any(re.fullmatch(r"C  \d+ %", label) for label in labels)
    node, _ = find_node(solver, "X B50")
    assert solver.tree.player[node] == 0
    ends = [text.text for text in root.iter(f"{SVG}text") if text.text in ("fold", "showdown")]
    assert len(ends) == int(np.isin(solver.tree.kind, (1, 2)).sum())


def test_lines_are_as_wide_as_a_hand_gets_there(solver: PostflopSolver) -> None:
    root = ElementTree.fromstring(hand_tree(solver, "", KINGS[:1]))
    lines = [line for line in root.iter(f"{SVG}line") if line.get("class") == "hand0" and line.get("x1") != "28"]
    shares = solver.node_strategy(0)[:, KINGS[0]]
    drawn = sorted(float(line.get("stroke-width", 0)) for line in lines if line.get("x1") == "40")
    assert drawn == pytest.approx(sorted(7 * share for share in shares if 7 * share >= 0.005), abs=0.01)


def test_a_street_ends_with_the_next_card() -> None:
    solver = solver_of(TURN, threads=1)
    solver.run(5)
    picture = hand_tree(solver, "X", [parse_combo("AcKc")])
    assert "next card" in picture
    assert "ip after X" in picture


def test_refusals(solver: PostflopSolver, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="1 to 4 hands, got 0"):
        hand_tree(solver, "", [])
    with pytest.raises(InputError, match="oop does not hold 2d2c after 'nothing'"):
        hand_tree(solver, "", [parse_combo("2c2d")])
    with pytest.raises(SpotError, match="no action 'B51'"):
        hand_tree(solver, "B51", KINGS)
    monkeypatch.setattr(drawing, "MOST_NODES", 3)
    with pytest.raises(InputError, match="at most 3 nodes"):
        hand_tree(solver, "", KINGS)
