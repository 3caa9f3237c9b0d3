"""Menus with sizes for every node: their price in decisions, their error, and the tree that the solver builds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hedgehog.analysis.study.batches import HandBatch
from hedgehog.analysis.study.trees.betting_tree import StudyTree
from hedgehog.analysis.study.trees.synthesis import NodeMenu, Synthesis, format_node_menu
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.config import read_blueprint_pack_config, tree_of
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind
from tests.analysis.study.hand_fixtures import batch_of, random_log, read

LINES = (
    *("STATE:{}:r200f:2c3d|4h5s:-100|100:A|B",) * 3,
    *("STATE:{}:r300f:2c3d|4h5s:-100|100:A|B",) * 4,
    *("STATE:{}:r300r900f:2c3d|4h5s:300|-300:A|B",) * 2,
    *("STATE:{}:r200c/cr400f:2c3d|4h5s/6c7c8c:-200|200:A|B",) * 2,
    "STATE:{}:r200c/cr600f:2c3d|4h5s/6c7c8c:-200|200:A|B",
)


def tree_of_lines(tmp_path: Path) -> StudyTree:
    batch, _ = batch_of(tmp_path, *(line.format(number) for number, line in enumerate(LINES)))
    tree = StudyTree()
    tree.add(batch, np.ones(batch.num_actions, np.bool_))
    return tree


def built(tmp_path: Path, menu: NodeMenu) -> BettingTree:
    path = tmp_path / "blueprint.yaml"
    (tmp_path / "menu.yaml").write_text(format_node_menu(menu))
    path.write_text("kind: blueprint\nname: x\nmenu: menu.yaml\nseconds: 1\n")
    return tree_of(read_blueprint_pack_config(path))


def decisions(tree: BettingTree) -> int:
    return int((np.asarray(tree.kind) == NodeKind.DECISION).sum())


def test_sizes_of_every_node(tmp_path: Path) -> None:
    synthesis = Synthesis(tree_of_lines(tmp_path), min_count=1)
    synthesis.same(2)
    found = {one.line: one for one in synthesis.menu().nodes}
    assert {line: one.tokens for line, one in found.items()} == {
        "": ("2x", "3x"), "r": ("3x",), "rc/c": ("50%", "100%")
    }  # fmt: skip
    assert [one.error for one in found.values()] == [0, 0, 0]
    synthesis.same(1)
    menu = synthesis.menu()
    found = {one.line: one for one in menu.nodes}
    # Six raises to 2 and six to 3 big blinds into 1.5: with one size half of them are 1 / 1.5 pots away.
    assert found[""].error == pytest.approx(0.5 * 1 / 1.5)
    assert found["rc/c"].tokens == ("50%",)
    assert found["rc/c"].error == pytest.approx(0.5 / 3)
    assert menu.error == pytest.approx(12 / 3 + 0.5)
    assert menu.mean == pytest.approx(menu.error / 17)


def test_the_solver_builds_the_same_tree(tmp_path: Path) -> None:
    synthesis = Synthesis(tree_of_lines(tmp_path), min_count=1)
    for sizes in (1, 2):
        synthesis.same(sizes)
        menu = synthesis.menu()
        tree = built(tmp_path, menu)
        assert decisions(tree) == menu.decisions
    first = int(tree.first_child[0])
    assert [int(amount) for amount in tree.amount[first : first + int(tree.num_children[0])]][-3:] == [200, 300, 20_000]
    kinds = set(np.asarray(tree.action)[np.asarray(tree.kind) == NodeKind.DECISION].tolist())
    assert int(ActionKind.BET) in kinds


def test_a_bet_after_one_without_sizes_has_none(tmp_path: Path) -> None:
    batch, _ = batch_of(tmp_path, *(line.format(number) for number, line in enumerate(LINES)))
    tree = StudyTree()
    tree.add(batch, (batch.actions["round"] > 0) | (batch.actions["ordinal"] > 0))  # first raises are not counted
    synthesis = Synthesis(tree, min_count=1)
    synthesis.same(2)
    assert {one.line: one.tokens for one in synthesis.menu().nodes} == {"rc/c": (), "r": ()}


def test_a_budget_is_kept_and_used_well(tmp_path: Path) -> None:
    path = tmp_path / "hands.log"
    path.write_text(random_log(5, 400))
    batch, _ = read(path)
    assert isinstance(batch, HandBatch)
    tree = StudyTree()
    tree.add(batch, np.ones(batch.num_actions, np.bool_))
    errors = []
    for budget in (100, 300, 1000):
        synthesis = Synthesis(tree, min_count=5)
        synthesis.grow(budget)
        menu = synthesis.menu()
        assert menu.decisions <= budget
        assert decisions(built(tmp_path, menu)) <= menu.decisions
        errors.append(menu.error)
    assert errors[0] > errors[1] > errors[2]
    with pytest.raises(InputError, match="expected a larger budget"):
        Synthesis(tree, min_count=5).grow(3)
    with pytest.raises(InputError, match="no bet has 100000 real sizes"):
        Synthesis(tree, min_count=100_000)
