"""The oracles against published values and against each other."""

from __future__ import annotations

import pytest

from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from tests.reference.sequence_form import game_value
from tests.reference.slow_cfr import SlowCfr, SlowGame, best_response_value, expected_value, exploitability
from tests.reference.small_games import holdem, kuhn, leduc, same_sizes

# Southey et al., "Bayes' Bluff" (2005), and every solver since.
LEDUC_VALUE = -0.085606


def solve(game: SlowGame, iterations: int) -> SlowCfr:
    solver = SlowCfr(game)
    solver.step(iterations)
    return solver


def test_kuhn_value_by_linear_programming() -> None:
    assert game_value(kuhn()) == pytest.approx(-1 / 18, abs=1e-9)


def test_leduc_value_by_linear_programming() -> None:
    assert game_value(leduc()) == pytest.approx(LEDUC_VALUE, abs=1e-6)


def test_cfr_finds_the_kuhn_value() -> None:
    solver = solve(kuhn(), 500)
    assert exploitability(solver.game, solver.average) < 1e-3
    assert expected_value(solver.game, solver.average, 0) == pytest.approx(-1 / 18, abs=2e-3)


@pytest.mark.slow
def test_cfr_approaches_the_leduc_value() -> None:
    solver = solve(leduc(), 100)
    assert exploitability(solver.game, solver.average) < 0.02
    # The value lies between what each player can guarantee himself against the other's best response.
    assert -best_response_value(solver.game, solver.average, 1) <= LEDUC_VALUE
    assert best_response_value(solver.game, solver.average, 0) >= LEDUC_VALUE


def test_river_subgame_value_by_linear_programming() -> None:
    tree = build_postflop_tree(TreeConfig(street=3, pot=100, stack=250, sizes=same_sizes("50%,a/100%")))
    oop = {"AhKh": 1, "QcQd": 0.5, "7s7c": 1, "KdTd": 0.75, "6h5h": 1}
    ip = {"AcKc": 1, "JdTd": 1, "QsQh": 0.25, "9h8h": 1, "KdTd": 1}
    game = holdem(tree, "Qh Jh 2c 7d 5s", oop, ip)
    solver = solve(game, 1000)
    assert expected_value(game, solver.average, 0) == pytest.approx(game_value(game), abs=0.05)
    assert exploitability(game, solver.average) < 0.1


def test_rake_is_paid_by_the_winner_and_split_in_a_tie() -> None:
    tree = build_postflop_tree(TreeConfig(street=3, pot=100, stack=50, sizes=same_sizes("")))
    game = holdem(tree, "Qh Jh 2c 7d 5s", {"AhAd": 1, "KcKd": 1}, {"AsAc": 1, "KhKs": 1}, rake=(0.1, 8))
    solver = solve(game, 1)
    # Two of four pairs tie and pay 4 each, one wins 50 less 8, one loses 50.
    assert expected_value(game, solver.average, 0) == pytest.approx((-4 - 4 + 42 - 50) / 4)
