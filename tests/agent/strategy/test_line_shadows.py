"""Following real hands on the blueprint tree by the betting alone."""

from __future__ import annotations

import random

import pytest

from hedgehog.agent.strategy import line_shadows
from hedgehog.agent.strategy.line_shadows import EDGE_FLOOR, LineShadows
from hedgehog.agent.strategy.shadow import NearestDecision
from hedgehog.poker.state import CALL, Action, HandState
from hedgehog.runtime.errors import MatchStateError
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.bet_menus import SMALL
from hedgehog.strategies.translation import SizeMapping, lower_share
from tests.agent.pack_fixtures import GAME

TREE = build_blueprint_tree(SMALL)


def mean_row(node: int) -> list[float]:
    """Frequencies that grow with the action."""
    count = int(TREE.num_children[node])
    return [2 * (i + 1) / (count * (count + 1)) for i in range(count)]


def shadows_of_blueprint() -> LineShadows:
    return LineShadows(GAME, TREE, mean_row, NearestDecision(TREE))


def node_at(*path: int) -> int:
    """Returns the decision reached by the numbers of the children, deals passed through."""
    node = 0
    for child in path:
        node = int(TREE.first_child[node]) + child
        if TREE.kind[node] == 3:
            node = int(TREE.first_child[node])
    return node


def test_lines_on_the_tree_have_one_node() -> None:
    found = shadows_of_blueprint()
    assert found.line("").shadows == ((0, 1.0),)
    # Preflop: fold, call, raise to 250, all-in; then fold, call, ...
    assert found.line("r250").shadows == ((node_at(2), 1.0),)
    assert found.line("r250c/").shadows == ((node_at(2, 1), 1.0),)
    assert found.line("cc/c").shadows == ((node_at(1, 0, 0), 1.0),)
    line = found.line("")
    assert [str(action) for action in line.actions] == ["f", "c", "r250", "r20000"]
    assert line.targets == ((0, 1, 2, 3),)


def test_a_size_between_two_is_both_as_the_translation_says() -> None:
    # However rarely the strategy takes one of them: a bet of nearly all chips must not become a small one.
    found = shadows_of_blueprint()
    fractions = found.choices[0].fractions
    share = lower_share(fractions[2], fractions[3], (1000 - 100) / 200, SizeMapping.HARMONIC)
    assert dict(found.line("r1000").shadows) == pytest.approx({node_at(2): share, node_at(3): 1 - share})


def test_nodes_count_as_much_as_their_strategy_acts_so() -> None:
    found = LineShadows(GAME, TREE, lambda node: [1 / (2 + node % 5)] * 6)
    before = found.line("cc/r250").shadows
    assert len({node % 5 for node, _ in before}) == 2
    weights = {int(TREE.first_child[node]) + 1: weight * (1 / (2 + node % 5) + EDGE_FLOOR) for node, weight in before}
    total = sum(weights.values())
    expected = {int(TREE.first_child[deal]): weight / total for deal, weight in weights.items()}
    assert dict(found.line("cc/r250c/").shadows) == pytest.approx(expected)


def test_a_line_does_not_depend_on_what_was_asked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_shadows, "CACHED_LINES", 20)
    asked = shadows_of_blueprint()
    rng = random.Random(2)
    for _ in range(60):
        state = HandState(GAME)
        while not state.finished:
            limits = state.raise_range()
            betting = state.betting_string()
            line = asked.line(betting)
            assert line.shadows == shadows_of_blueprint().line(betting).shadows
            assert sum(weight for _, weight in line.shadows) == pytest.approx(1)
            for node, _ in line.shadows:
                assert TREE.street[node] == state.round
                assert TREE.player[node] == state.acting_position
            assert all(state.can(action) for action in line.actions)
            if limits is not None and rng.random() < 0.4:
                state.apply(Action("r", rng.randint(*limits)))
            else:
                state.apply(CALL)


def test_off_the_tree_the_hand_goes_on_at_the_nearest_decision() -> None:
    with_nearest, without = shadows_of_blueprint(), LineShadows(GAME, TREE, mean_row)
    # Raise along the tree until all-in is its only raise; a smaller one stands for that, and nobody acts after a call.
    betting = ""
    while len(raises := [action for action in without.line(betting).actions if action.kind == "r"]) > 1:
        betting += str(raises[0])
    limits = without.line(betting).situation.raise_range
    assert limits is not None
    betting += f"r{limits[0]}c/"
    assert without.line(betting).shadows == ()
    ((node, weight),) = with_nearest.line(betting).shadows
    assert (TREE.street[node], TREE.player[node], weight) == (1, 0, 1.0)
    assert with_nearest.line("r20000c///").shadows == ()


@pytest.mark.parametrize("betting", ["r150", "x", "cc", "f/c", "r250c/r250"])
def test_illegal_betting_is_refused(betting: str) -> None:
    with pytest.raises(MatchStateError):
        shadows_of_blueprint().line(betting)
