"""Following a real hand on an abstract tree: translation, mixing, likelihoods, and never an illegal action."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from agent.shadow import (
    NearestDecision,
    Situation,
    child_fractions,
    follow,
    observe,
    options,
    real_action,
    translate_action,
)
from poker.betsizes import parse_bet_sizes
from poker.cards import NUM_COMBOS
from poker.state import CALL, FOLD, Action
from solver.postflop_tree import StreetSizes, TreeConfig, build_postflop_tree, node_for_line
from strategies.betting_tree import ActionKind, BettingTree, NodeKind
from strategies.translation import pseudo_harmonic

BOARD = (0, 5, 10, 15)


def turn_tree(pot: int = 200, stack: int = 1900, sizes: str = "50%,100%,a/100%,a") -> BettingTree:
    street = StreetSizes(parse_bet_sizes(sizes), parse_bet_sizes(sizes))
    return build_postflop_tree(TreeConfig(street=2, pot=pot, stack=stack, sizes=(street, street)))


class RandomSource:
    """Random strategies that differ from node to node and combo to combo."""

    def __init__(self, tree: BettingTree) -> None:
        self.tree = tree

    def strategy(self, node: int, board: tuple[int, ...]) -> NDArray[np.float32]:
        rng = np.random.default_rng(node)
        return rng.dirichlet(np.ones(self.tree.num_children[node]), NUM_COMBOS).T.astype(np.float32)


def at(max_spent: int = 100, own_spent: int | None = None, *, position: int = 0, stack: int = 2000) -> Situation:
    own = max_spent if own_spent is None else own_spent
    to_call = max_spent - own
    least = min(max_spent + max(100, to_call), stack)
    limits = (least, stack) if stack > max_spent else None
    return Situation(2, position, max_spent, own, stack, to_call > 0, limits)


def test_fractions_are_of_the_pot_after_calling() -> None:
    tree = turn_tree()
    assert child_fractions(tree, 0) == [-1, 0.5, 1.0, 9.5]
    facing = node_for_line(tree, ["B100"])
    # Fold, call, raise to 100 + (200 + 2 * 100) = 500, all-in 1900: beyond the call 1.0 pot and 4.5 pots.
    assert child_fractions(tree, facing) == [-1, -1, 1.0, 4.5]


def test_an_exact_size_has_one_counterpart() -> None:
    tree = turn_tree()
    assert translate_action(tree, 0, Action("r", 200), at()) == [(2, 1.0)]
    assert translate_action(tree, 0, CALL, at()) == [(1, 1.0)]
    assert translate_action(tree, 0, Action("r", 2000), at()) == [(4, 1.0)]


def test_a_size_between_two_is_spread_pseudo_harmonically() -> None:
    (a, weight_a), (b, weight_b) = translate_action(turn_tree(), 0, Action("r", 250), at())
    assert (a, b) == (2, 3)
    assert weight_a == pytest.approx(pseudo_harmonic(0.5, 1.0, 0.75))
    assert weight_a + weight_b == pytest.approx(1)


def test_fractions_carry_over_to_other_pots() -> None:
    # The same half-pot bet in a real pot three times the abstract one.
    assert translate_action(turn_tree(), 0, Action("r", 600), at(300, stack=20000)) == [(2, 1.0)]


def test_a_raise_the_abstraction_is_out_of_becomes_a_call() -> None:
    tree = turn_tree()
    facing_all_in = node_for_line(tree, ["A1900"])
    call = [child for child in tree.children(facing_all_in) if tree.action[child] == ActionKind.CALL]
    situation = at(1500, 100, position=1, stack=20000)
    assert translate_action(tree, facing_all_in, Action("r", 5000), situation) == [(call[0], 1.0)]


def test_fold_without_a_counterpart_has_none() -> None:
    assert translate_action(turn_tree(), 0, FOLD, at(200, 100)) == []


@given(
    max_spent=st.integers(100, 19_000),
    to_call=st.integers(0, 19_000),
    node_pick=st.integers(0, 10_000),
    stack=st.integers(100, 20_000),
)
def test_real_actions_are_always_legal(max_spent: int, to_call: int, node_pick: int, stack: int) -> None:
    max_spent = min(max_spent, stack)
    situation = at(max_spent, max(0, max_spent - to_call), stack=stack)
    tree = turn_tree()
    decisions = np.flatnonzero(tree.kind == NodeKind.DECISION)
    node = int(decisions[node_pick % len(decisions)])
    for child, fraction in zip(tree.children(node), child_fractions(tree, node), strict=True):
        action = real_action(tree, node, child, fraction, situation)
        if action.kind == "f":
            assert situation.facing_bet
        if action.kind == "r":
            assert situation.raise_range is not None
            assert situation.raise_range[0] <= action.size <= situation.raise_range[1]


def test_options_mix_the_shadow_nodes_and_sum_to_one() -> None:
    tree = turn_tree()
    source = RandomSource(tree)
    small, large = node_for_line(tree, ["B100"]), node_for_line(tree, ["B200"])
    situation = at(350, 100, position=1)
    result = options(source, [(small, 0.25), (large, 0.75)], BOARD, situation)
    np.testing.assert_allclose(result.probabilities.sum(axis=0), 1, atol=1e-6)
    fold = result.actions.index(FOLD)
    expected = 0.25 * source.strategy(small, BOARD)[0] + 0.75 * source.strategy(large, BOARD)[0]
    np.testing.assert_allclose(result.probabilities[fold], expected, atol=1e-6)
    assert len(set(result.actions)) == len(result.actions)


def test_observation_is_the_mixture_likelihood() -> None:
    tree = turn_tree()
    source = RandomSource(tree)
    seen = observe(source, [(0, 1.0)], Action("r", 250), at(), BOARD, np.ones(NUM_COMBOS))
    assert seen is not None
    weight = pseudo_harmonic(0.5, 1.0, 0.75)
    rows = source.strategy(0, BOARD)
    np.testing.assert_allclose(seen.likelihood, weight * rows[1] + (1 - weight) * rows[2], atol=1e-6)


def test_randomised_translation_draws_one_neighbour() -> None:
    source = RandomSource(turn_tree())
    weight = pseudo_harmonic(0.5, 1.0, 0.75)
    for draw, child in ((weight - 0.01, 2), (weight + 0.01, 3)):
        seen = observe(source, [(0, 1.0)], Action("r", 250), at(), BOARD, np.ones(NUM_COMBOS), draw)
        assert seen is not None
        assert [found for found, _ in seen.children] == [child]


def test_observe_ignores_shadows_of_the_other_player() -> None:
    source = RandomSource(turn_tree())
    assert observe(source, [(0, 1.0)], CALL, at(position=1), BOARD, np.ones(NUM_COMBOS)) is None


def test_follow_goes_through_the_deal_and_drops_ended_hands() -> None:
    tree = turn_tree()
    after_check = node_for_line(tree, ["X"])
    check_back = next(c for c in tree.children(after_check) if tree.action[c] == ActionKind.CHECK)
    bet = next(c for c in tree.children(after_check) if tree.action[c] == ActionKind.BET)
    shadows = follow(tree, [(check_back, 0.5), (bet, 0.5)], new_street=True)
    assert shadows == [(node_for_line(tree, ["X", "X"]), 1.0)]
    assert follow(tree, [(bet, 0.5)], new_street=False) == [(bet, 1.0)]
    assert follow(tree, [(check_back, 1.0)], new_street=False) == []


def test_nearest_decision_matches_pot_and_bet() -> None:
    tree = turn_tree()
    nearest = NearestDecision(tree)
    facing_half_pot = nearest.shadows(at(210, 100, position=1))
    assert facing_half_pot == [(node_for_line(tree, ["B100"]), 1.0)]
    assert nearest.shadows(at())[0][0] == 0
    assert nearest.shadows(Situation(1, 0, 100, 100, 2000, False, None)) == []
