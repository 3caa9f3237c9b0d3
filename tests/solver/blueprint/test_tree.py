"""The whole-game tree: node counts of the presets and the rules of single lines."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.bet_menus import LARGE, MEDIUM, SMALL, STANDARD, BlueprintMenu, parse_menu
from hedgehog.strategies.betting_tree import IP, ActionKind, BettingTree, NodeKind

# One pot-sized bet, fold, call, all-in ("fcpa"): a pot-sized raise of the big blind is three times it.
FCPA = BlueprintMenu(opens=(3.0,), isolations=(4.0,), reraises=((3.0,),), bets=((1.0,),) * 3, raises=(((1.0,),),) * 3)


def decisions_per_street(tree: BettingTree) -> list[int]:
    return np.bincount(tree.street[tree.kind == NodeKind.DECISION], minlength=4).tolist()


def follow(tree: BettingTree, *steps: tuple[ActionKind, int]) -> int:
    """Returns the node after actions given as kind and street total; DEAL nodes are passed."""
    node = 0
    for kind, amount in steps:
        (node,) = [c for c in tree.children(node) if tree.action[c] == kind and tree.amount[c] == amount]
        if tree.kind[node] == NodeKind.DEAL:
            node = int(tree.first_child[node])
    return node


@pytest.mark.parametrize(
    ("menu", "streets", "node_actions"),
    [
        (FCPA, [18, 90, 318, 866], 3_181),
        (SMALL, [18, 148, 884, 4_084], 13_523),
        (MEDIUM, [32, 362, 2_110, 9_778], 32_055),
        (LARGE, [32, 582, 6_938, 33_386], 107_991),
        (STANDARD, [43, 448, 1_876, 7_310], 24_876),
    ],
    ids=["fcpa", "small", "medium", "large", "standard"],
)
def test_decision_counts(menu: BlueprintMenu, streets: list[int], node_actions: int) -> None:
    tree = build_blueprint_tree(menu)
    decision = tree.kind == NodeKind.DECISION
    assert decisions_per_street(tree) == streets
    assert int(tree.num_children[decision].sum()) == node_actions


def test_tree_is_consistent() -> None:
    tree = build_blueprint_tree(SMALL)
    nodes = np.arange(1, tree.num_nodes)
    assert (tree.parent[nodes] < nodes).all()
    for node in range(tree.num_nodes):
        for child in tree.children(node):
            assert tree.parent[child] == node
            assert (tree.committed[child] >= tree.committed[node]).all()
    showdown = tree.kind == NodeKind.SHOWDOWN
    assert (tree.committed[showdown, 0] == tree.committed[showdown, 1]).all()
    early = showdown & (tree.street < 3)
    assert early.any()
    assert (tree.committed[early, 0] == tree.stack).all()
    assert tree.committed[0].tolist() == [100, 50]
    assert tree.player[0] == IP


def test_children_are_in_action_order() -> None:
    tree = build_blueprint_tree(MEDIUM)
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION):
        keys = [(int(tree.action[c]), int(tree.amount[c])) for c in tree.children(int(node))]
        assert keys == sorted(keys)


def test_sizes_of_a_small_line() -> None:
    tree = build_blueprint_tree(SMALL)
    three_bet = follow(tree, (ActionKind.RAISE, 250), (ActionKind.RAISE, 850))
    assert [int(tree.amount[c]) for c in tree.children(three_bet)] == [0, 850, 2_125, 20_000]
    flop = follow(tree, (ActionKind.CALL, 100), (ActionKind.CHECK, 0))
    assert [int(tree.amount[c]) for c in tree.children(flop)] == [0, 100, 200, 19_900]
    # Pot-sized raise of a pot-sized bet of 200 into 200: 200 + (200 + 2 * 200).
    raised = follow(tree, (ActionKind.CALL, 100), (ActionKind.CHECK, 0), (ActionKind.BET, 200))
    assert [int(tree.amount[c]) for c in tree.children(raised)] == [0, 200, 800, 19_900]


def test_short_raise_is_lifted_and_long_one_is_all_in() -> None:
    menu = BlueprintMenu(
        opens=(4.0,), isolations=(4.0,), reraises=((1.2,), (10.0,)), bets=((0.1,),) * 3, raises=(((0.1,),),) * 3
    )
    tree = build_blueprint_tree(menu, stack=10_000)
    # 1.2 x 400 = 480, but a raise of at least 300 is owed.
    node = follow(tree, (ActionKind.RAISE, 400), (ActionKind.RAISE, 700))
    # 10 x 700 = 7,000 is more than 60 % of 10,000.
    assert [int(tree.amount[c]) for c in tree.children(node)] == [0, 700, 10_000]
    flop = follow(tree, (ActionKind.CALL, 100), (ActionKind.CHECK, 0))
    assert [int(tree.amount[c]) for c in tree.children(flop)] == [0, 100, 9_900]  # at least a big blind


def test_only_all_in_is_left_after_the_raises_of_a_hand() -> None:
    menu = BlueprintMenu(
        opens=(2.0,), isolations=(2.0,), reraises=((2.0,),), bets=((0.5,),) * 3, raises=(((0.5,),),) * 3, max_raises=1
    )
    tree = build_blueprint_tree(menu)
    flop = follow(tree, (ActionKind.RAISE, 200), (ActionKind.CALL, 200))
    assert [int(tree.action[c]) for c in tree.children(flop)] == [ActionKind.CHECK, ActionKind.ALL_IN]


def test_push_fold_tree() -> None:
    menu = BlueprintMenu(opens=(), isolations=(), reraises=((),), bets=((),) * 3, raises=(((),),) * 3, limp=False)
    tree = build_blueprint_tree(menu, stack=1_000)
    assert [NodeKind(k).name for k in tree.kind] == ["DECISION", "FOLD", "DECISION", "FOLD", "SHOWDOWN"]


def test_menu_survives_plain_data() -> None:
    assert parse_menu(LARGE.to_dict()) == LARGE


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": 1}, "unknown menu key"),
        ({"opens": 2.5}, "list of numbers"),
        ({"opens": [-1.0]}, "positive"),
        ({"opens": [float("nan")]}, "positive"),
        ({"bets": [[0.5]]}, "three streets"),
        ({"reraises": []}, "at least one entry"),
        ({"max_raises": -1}, "whole numbers from 0 to"),
    ],
)
def test_bad_menus_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        parse_menu(SMALL.to_dict() | change, source="menu.yaml")
    assert str(error.value).startswith("menu.yaml: ")


def test_missing_key_is_refused() -> None:
    config = SMALL.to_dict()
    del config["opens"]
    with pytest.raises(InputError, match="missing"):
        parse_menu(config)


def test_stack_must_cover_the_blinds() -> None:
    with pytest.raises(InputError, match="stack"):
        build_blueprint_tree(SMALL, stack=100)
