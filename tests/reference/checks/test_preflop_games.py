"""Preflop-only games against values that others have published or computed, in mbb per hand for the button.

The games in which two cards decide come from the notes of Slumbot 2019, an open-source solver. They have no board.
"""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.poker.evaluation.equity import class_equities
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.tree import build_blueprint_tree
from hedgehog.strategies.bet_menus import SMALL
from tests.reference.preflop_games import class_pair_weights, preflop_tree, solve_preflop_game, two_card_equities


def test_two_card_showdown() -> None:
    equities = two_card_equities()

    def equity(first: str, second: str) -> float:
        return float(equities[HAND_CLASS_NAMES.index(first), HAND_CLASS_NAMES.index(second)])

    assert equity("22", "AKs") == 1.0
    assert equity("A2o", "KQs") == 1.0
    assert equity("K7s", "K6o") == 1.0
    assert equity("K7s", "K7o") == 0.5
    assert (equities + equities.T == 1.0).all()


def test_class_pair_weights() -> None:
    weights = class_pair_weights()
    assert weights.sum() == pytest.approx(1.0)
    aces, kings = HAND_CLASS_NAMES.index("AA"), HAND_CLASS_NAMES.index("KK")
    assert weights[aces, aces] == pytest.approx(6 / (1326 * 1225))  # each combo leaves one other
    assert weights[aces, kings] == pytest.approx(36 / (1326 * 1225))


def test_push_fold_at_ten_big_blinds() -> None:
    tree = preflop_tree(10, limp=False)
    solution = solve_preflop_game(tree, class_equities(), 1_000)
    big_blind = int(tree.first_child[0]) + 1
    assert solution.share(tree, 0, 1) == pytest.approx(0.583, abs=0.001)
    assert solution.share(tree, big_blind, 1) == pytest.approx(0.374, abs=0.001)
    assert solution.value_low <= -45.36
    assert solution.value_high >= -45.38
    assert solution.value_high - solution.value_low < 0.1
    jams = {HAND_CLASS_NAMES[i]: p for i, p in enumerate(solution.strategy[0][:, 1])}
    assert min(jams["AA"], jams["22"], jams["A2o"], jams["K2s"]) > 0.99
    assert max(jams["72o"], jams["32o"], jams["J2o"]) < 0.01


@pytest.mark.parametrize(
    ("two_cards", "low", "high"),
    [pytest.param(True, 34.37, 34.40, marks=pytest.mark.slow), (False, -25.69, -25.65)],
    ids=["two cards", "real board"],
)
@pytest.mark.slow
def test_limp_or_jam_at_ten_big_blinds(two_cards: bool, low: float, high: float) -> None:
    equities = two_card_equities() if two_cards else class_equities()
    solution = solve_preflop_game(preflop_tree(10), equities, 2_000)
    assert solution.value_low <= high
    assert solution.value_high >= low
    assert solution.value_high - solution.value_low < 0.1


@pytest.mark.parametrize(
    ("two_cards", "low", "high"),
    [pytest.param(True, 22.40, 22.41, marks=pytest.mark.slow), (False, 51.585, 51.595)],
    ids=["two cards", "real board"],
)
@pytest.mark.slow
def test_one_pot_raise_at_81_big_blinds(two_cards: bool, low: float, high: float) -> None:
    equities = two_card_equities() if two_cards else class_equities()
    solution = solve_preflop_game(preflop_tree(81, jam=False, pot_raises=1), equities, 1_500)
    assert solution.value_low <= high
    assert solution.value_high >= low
    assert solution.value_high - solution.value_low < 0.1


def test_more_iterations_narrow_the_bracket() -> None:
    tree = preflop_tree(10)
    widths = []
    for iterations in (20, 200):
        solution = solve_preflop_game(tree, two_card_equities(), iterations)
        widths.append(solution.value_high - solution.value_low)
        for table in solution.strategy.values():
            assert table.sum(axis=1) == pytest.approx(np.ones(169))
    assert 0 < widths[1] < widths[0] / 5


def test_games_with_bets_after_the_flop_are_refused() -> None:
    with pytest.raises(InputError, match="preflop game"):
        solve_preflop_game(build_blueprint_tree(SMALL), two_card_equities(), 1)
