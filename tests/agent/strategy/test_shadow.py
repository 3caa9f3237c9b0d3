"""hedgehog.agent.strategy.shadow: abstract actions that stand for real ones, by translation, and are never illegal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.agent.strategy.shadow import (
    MAX_SHADOWS,
    Choice,
    Choices,
    NearestDecision,
    Situation,
    fold_share,
    normalise,
    outgrows,
    real_action,
    translate_action,
)
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.state import CALL, FOLD, Action
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree, node_for_line
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind
from hedgehog.strategies.translation import SizeMapping, bluff_limit, lower_share


def turn_tree(pot: int = 200, stack: int = 1900, sizes: str = "50%,100%,a/100%,a") -> BettingTree:
    street = StreetSizes(parse_bet_sizes(sizes), parse_bet_sizes(sizes))
    return build_postflop_tree(TreeConfig(street=2, pot=pot, stack=stack, sizes=(street, street)))


CHOICES = Choices(turn_tree())


def at(max_spent: int = 100, own_spent: int | None = None, *, position: int = 0, stack: int = 2000) -> Situation:
    own = max_spent if own_spent is None else own_spent
    to_call = max_spent - own
    least = min(max_spent + max(100, to_call), stack)
    limits = (least, stack) if stack > max_spent else None
    return Situation(2, position, max_spent, own, stack, to_call > 0, limits)


def test_fractions_are_of_the_pot_after_calling() -> None:
    assert CHOICES[0].fractions == (-1, 0.5, 1.0, 9.5)
    facing = node_for_line(CHOICES.tree, ["B100"])
    # Fold, call, raise to 100 + (200 + 2 * 100) = 500, all-in 1900: beyond the call 1.0 pot and 4.5 pots.
    assert CHOICES[facing].fractions == (-1, -1, 1.0, 4.5)
    kinds = (ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE, ActionKind.ALL_IN)
    assert (CHOICES[facing].player, CHOICES[facing].kinds) == (1, kinds)


def test_an_exact_size_has_one_counterpart() -> None:
    assert translate_action(CHOICES[0], Action("r", 200), at()) == [(1, 1.0)]
    assert translate_action(CHOICES[0], CALL, at()) == [(0, 1.0)]
    assert translate_action(CHOICES[0], Action("r", 2000), at()) == [(3, 1.0)]


def test_a_size_between_two_is_spread_pseudo_harmonically() -> None:
    (a, weight_a), (b, weight_b) = translate_action(CHOICES[0], Action("r", 250), at())
    assert (a, b) == (1, 2)
    assert weight_a == pytest.approx(lower_share(0.5, 1.0, 0.75, SizeMapping.HARMONIC))
    assert weight_a + weight_b == pytest.approx(1)


def facing(total: int) -> Situation:
    return at(total, 100)


def test_small_bets_are_folded_to_less() -> None:
    half = CHOICES[node_for_line(CHOICES.tree, ["B100"])]
    assert half.price == 0.25  # 100 to call for a pot of 400 then
    assert bluff_limit(half.price) == pytest.approx(1 / 3)
    assert fold_share(facing(200), [(half, 1.0)]) == 1.0
    # A tenth of the pot may be folded to 1 time in 11, half of it 1 time in 3.
    assert fold_share(facing(120), [(half, 1.0)]) == pytest.approx((1 / 11) / (1 / 3))
    assert fold_share(facing(300), [(half, 1.0)]) == 1.0
    assert fold_share(at(), [(CHOICES[0], 1.0)]) == 1.0


@given(st.integers(201, 299))
def test_between_two_sizes_the_weights_leave_nothing_to_do(total: int) -> None:
    children = translate_action(CHOICES[0], Action("r", total), at())
    shadows = [(CHOICES[CHOICES[0].next_here[child]], weight) for child, weight in children]
    assert fold_share(facing(total), shadows) == pytest.approx(1.0)


def test_fractions_carry_over_to_other_pots() -> None:
    # The same half-pot bet in a real pot three times the abstract one.
    assert translate_action(CHOICES[0], Action("r", 600), at(300, stack=20000)) == [(1, 1.0)]


@pytest.mark.parametrize(("share", "outgrown"), [(0.5, False), (1.0, False), (1.09, False), (1.11, True), (20.0, True)])
def test_a_bet_outgrows_a_decision_without_an_all_in(share: float, outgrown: bool) -> None:
    choice = Choice(0, (int(ActionKind.CHECK), int(ActionKind.BET)), (-1.0, 1.0), (1,), (0, 0), (0, 0), 0.0)
    situation = Situation(1, 0, 1000, 1000, 50_000, False, (1100, 50_000))
    total = 1000 + round(share * 2000)
    assert outgrows(choice, Action("r", total), situation) == outgrown
    assert not outgrows(choice, CALL, situation)
    jam = choice._replace(kinds=(int(ActionKind.CHECK), int(ActionKind.ALL_IN)))
    assert not outgrows(jam, Action("r", 50_000), situation)


def test_a_raise_the_abstraction_is_out_of_becomes_a_call() -> None:
    facing_all_in = node_for_line(CHOICES.tree, ["A1900"])
    situation = at(1500, 100, position=1, stack=20000)
    ((child, weight),) = translate_action(CHOICES[facing_all_in], Action("r", 5000), situation)
    assert (CHOICES[facing_all_in].kinds[child], weight) == (ActionKind.CALL, 1.0)


def test_fold_without_a_counterpart_has_none() -> None:
    assert translate_action(CHOICES[0], FOLD, at(200, 100)) == []


@given(
    max_spent=st.integers(100, 19_000),
    to_call=st.integers(0, 19_000),
    node_pick=st.integers(0, 10_000),
    stack=st.integers(100, 20_000),
)
def test_real_actions_are_always_legal(max_spent: int, to_call: int, node_pick: int, stack: int) -> None:
    max_spent = min(max_spent, stack)
    situation = at(max_spent, max(0, max_spent - to_call), stack=stack)
    decisions = np.flatnonzero(CHOICES.tree.kind == NodeKind.DECISION)
    choice = CHOICES[int(decisions[node_pick % len(decisions)])]
    for kind, fraction in zip(choice.kinds, choice.fractions, strict=True):
        action = real_action(kind, fraction, situation)
        if action.kind == "f":
            assert situation.facing_bet
        if action.kind == "r":
            assert situation.raise_range is not None
            assert situation.raise_range[0] <= action.size <= situation.raise_range[1]


def test_the_heaviest_nodes_are_kept_and_sum_to_one() -> None:
    kept = normalise({node: float(node) for node in range(20)})
    assert [node for node, _ in kept] == list(range(19, 19 - MAX_SHADOWS, -1))
    assert sum(weight for _, weight in kept) == pytest.approx(1)
    assert normalise({3: 0.0}) == ()


def test_nearest_decision_matches_pot_and_bet() -> None:
    nearest = NearestDecision(CHOICES.tree)
    facing_half_pot = nearest.shadows(at(210, 100, position=1), 100)
    assert facing_half_pot == ((node_for_line(CHOICES.tree, ["B100"]), 1.0),)
    assert nearest.shadows(at(), 100)[0][0] == 0
    assert nearest.shadows(Situation(1, 0, 100, 100, 2000, False, None), 100) == ()
