"""Betting trees with other chips keep their structure, their fractions of the pot and the rules of betting."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.poker.streets import FLOP
from hedgehog.solver.blueprint.program import compile_tree, with_chips
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.solver.flops.scaling import TreeScaler
from hedgehog.strategies.bet_menus import SMALL
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind, subtree


@pytest.fixture(scope="module")
def tree() -> BettingTree:
    whole = build_blueprint_tree(SMALL)
    roots = np.flatnonzero(
        (whole.street == FLOP) & (whole.action == ActionKind.DEAL) & (whole.kind == NodeKind.DECISION)
    )
    return subtree(whole, int(roots[0]))[0]


def test_the_chips_of_the_tree_itself_give_the_same_tree(tree: BettingTree) -> None:
    same = TreeScaler(tree).scaled(int(tree.committed[0, 0]), tree.stack, 100, {})
    assert np.array_equal(same.committed, tree.committed)
    assert np.array_equal(same.amount, tree.amount)


def test_other_chips_keep_the_fractions_of_the_pot(tree: BettingTree) -> None:
    start = int(tree.committed[0, 0])
    double = TreeScaler(tree).scaled(2 * start, 2 * tree.stack, 200, {})
    assert np.abs(double.committed - 2 * tree.committed).max() <= 40  # bets are rounded to chips, street after street
    short = TreeScaler(tree).scaled(start, start + 500, 100, {})
    assert short.committed.max() == start + 500
    all_in = short.action == ActionKind.ALL_IN
    assert np.all(short.committed[all_in].max(axis=1) == start + 500)
    parents = np.maximum(short.parent, 0)
    assert np.all(short.committed >= short.committed[parents] * (short.parent >= 0)[:, None])


def test_a_real_bet_takes_the_place_of_a_bet_and_later_pots_follow(tree: BettingTree) -> None:
    start = int(tree.committed[0, 0])
    bet = next(child for child in tree.children(0) if tree.action[child] == ActionKind.BET)
    real = TreeScaler(tree).scaled(start, tree.stack, 100, {bet: start + 137})
    assert real.committed[bet].tolist() == [start + 137, start]
    assert real.amount[bet] == 137
    call = next(child for child in real.children(bet) if real.action[child] == ActionKind.CALL)
    assert real.committed[call].tolist() == [start + 137, start + 137]
    others = [child for child in tree.children(0) if child != bet]
    assert np.array_equal(real.committed[others], tree.committed[others])


def test_the_payoffs_of_other_chips_are_those_of_a_new_compilation(tree: BettingTree) -> None:
    buckets = (169, 1176, 4, 4)
    other = TreeScaler(tree).scaled(300, 15_000, 100, {})
    swapped, fresh = with_chips(compile_tree(tree, buckets), other).program, compile_tree(other, buckets).program
    for name in fresh._fields:
        assert np.array_equal(getattr(swapped, name), getattr(fresh, name)), name
    assert not np.array_equal(fresh.leaf_stake, compile_tree(tree, buckets).program.leaf_stake)
