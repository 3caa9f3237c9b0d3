"""External and outcome sampling: right on average, convergent, repeatable."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.kernels import _sampling_kernels as kernels
from hedgehog.solver.cfr.sampling import EXTERNAL, make_deck, make_walk
from hedgehog.solver.cfr.solver import CfrSolver
from tests.reference.sequence_form import game_value
from tests.reference.small_games import kuhn, kuhn_tree, leduc_tree
from tests.solver.cfr.one_card_tables import Table, leduc_with_twins
from tests.solver.cfr_fixtures import KUHN_VALUE, LEDUC_VALUE, kuhn_game, leduc_game, solve
from tests.solver.postflop_fixtures import river_spot, turn_spot


@pytest.mark.parametrize(
    ("algorithm", "iterations", "bound"),
    [("external", 40_000, 5e-3), ("external:weight=plain", 40_000, 5e-3), ("outcome:seed=3", 100_000, 1e-2)],
)
def test_kuhn(algorithm: str, iterations: int, bound: float) -> None:
    value, exploitability = solve(kuhn_game(), kuhn_tree(), iterations, algorithm)
    assert value == pytest.approx(KUHN_VALUE, abs=bound)
    assert 0 <= exploitability < bound


@pytest.mark.parametrize(
    ("algorithm", "iterations", "bound"), [("external", 60_000, 0.05), ("outcome:exploration=0.5", 100_000, 0.2)]
)
@pytest.mark.quick_cases("external-60000-0.05")
def test_leduc(algorithm: str, iterations: int, bound: float) -> None:
    value, exploitability = solve(leduc_game(), leduc_tree(), iterations, algorithm)
    assert value == pytest.approx(LEDUC_VALUE, abs=bound)
    assert 0 <= exploitability < bound


@pytest.mark.parametrize("algorithm", ["external", "outcome:exploration=0.4"])
def test_river_value_by_linear_programming(algorithm: str) -> None:
    solver, game = river_spot(algorithm)
    found = solver.solve(1.0, 100_000, check_every=5000)
    assert found.pct_pot <= 1.0
    value = game_value(game)
    assert -found.best_response_ev_minus_half_pot[1] - 1e-4 <= value <= found.best_response_ev_minus_half_pot[0] + 1e-4


@pytest.mark.parametrize(("algorithm", "target"), [("external", 3.0), ("outcome:exploration=0.4", 8.0)])
def test_turn_value_by_linear_programming(algorithm: str, target: float) -> None:
    solver, game = turn_spot(algorithm)
    assert solver.spot.runouts.river_size.max() == 2
    found = solver.solve(target, 200_000, check_every=10_000)
    assert found.pct_pot <= target
    value = game_value(game)
    assert -found.best_response_ev_minus_half_pot[1] - 1e-4 <= value <= found.best_response_ev_minus_half_pot[0] + 1e-4
    assert found.ev_minus_half_pot[0] == pytest.approx(value, abs=target)


def test_external_sampling_of_pure_strategies_adds_the_exact_regrets() -> None:
    """Nothing is random then but the deal, and Kuhn poker has six."""
    rng = np.random.default_rng(5)
    slow = kuhn()
    table = Table(kuhn_game(), slow.tree, twins=False)
    deck, walk = make_deck(table.game), make_walk(slow.tree, 1)
    for _ in range(20):
        for _, _, player, at in table.places():
            table.regret[player][at] = -1
            table.regret[player][at[rng.integers(len(at), size=3), np.arange(3)]] = 1
        for own in (0, 1):
            expected = table.expected_gains(slow, own)
            found = table.regret[own].copy()
            for hands in permutations(range(3), 2):
                walk.hand[:] = hands
                kernels.place(walk, table.lines, deck, 0, 0)
                showdown = int(np.sign(hands[0] - hands[1]))
                before = table.regret[own].copy()
                state = np.zeros(1, dtype=np.uint64)
                kernels.walk_external(
                    table.regret[own], table.average[1 - own], table.regret[1 - own], walk, table.lines, own, showdown,
                    1.0, state
                )  # fmt: skip
                found += (table.regret[own] - before) / 6
                table.regret[own][:] = before
            np.testing.assert_allclose(found - table.regret[own], expected, atol=1e-6)


@pytest.mark.parametrize("exploration", [EXTERNAL, 0.3])
@pytest.mark.parametrize("own", [0, 1])
@pytest.mark.slow_cases("0-0.3", "1-0.3")
def test_deals_are_right_on_average(own: int, exploration: float) -> None:
    slow, table = leduc_with_twins((1.0, 0.5, 0.75))
    rng = np.random.default_rng(7)
    for _, _, player, at in table.places():
        table.regret[player][at] = rng.normal(0.3, 1, at.shape)
    deck, walk = make_deck(table.game), make_walk(slow.tree, 2)
    expected = (table.expected_gains(slow, own), table.expected_average(slow, 1 - own))
    state = np.array([own], dtype=np.uint64)
    regret = table.regret[own].copy()
    directions = [rng.normal(size=(len(mean), 4)) for mean in expected]
    # The element with most to it on its own, too: directions hide an error in one among many.
    for direction, mean in zip(directions, expected, strict=True):
        direction[:, 0] = np.arange(len(mean)) == np.abs(mean).argmax()
    found = []
    for _ in range(20_000):
        showdown = kernels.deal(walk, table.lines, deck, state)
        arguments = (table.regret[own], table.average[1 - own], table.regret[1 - own], walk, table.lines, own, showdown)
        if exploration == EXTERNAL:
            kernels.walk_external(*arguments, 1.0, state)
        else:
            kernels.walk_outcome(*arguments, 1.0, exploration, state)
        found.append([(table.regret[own] - regret) @ directions[0], table.average[1 - own] @ directions[1]])
        table.regret[own][:] = regret
        table.average[1 - own][:] = 0
    sums = np.array(found)
    for kind, (direction, mean) in enumerate(zip(directions, expected, strict=True)):
        error = sums[:, kind].mean(axis=0) - mean @ direction
        deviation = sums[:, kind].std(axis=0) / np.sqrt(len(sums))
        assert (deviation > 0).all()
        assert (np.abs(error) < 4 * deviation).all(), (kind, error / deviation)


def test_hands_that_mostly_exclude_each_other_are_dealt_by_weight() -> None:
    """Nearly every pair drawn apart would share a card."""
    game = replace(
        leduc_game(),
        weights=(
            np.array([1, 0, 0, 0, 0, 0], dtype=np.float32),
            np.array([1e6, 1, 3, 0, 0, 0], dtype=np.float32),
        ),
    )
    table = Table(game, leduc_tree(), twins=False)
    deck, walk = make_deck(game), make_walk(table.tree, 2)
    state = np.zeros(1, dtype=np.uint64)
    counts = np.zeros(6)
    for _ in range(4000):
        kernels.deal(walk, table.lines, deck, state)
        assert walk.hand[0] == 0
        counts[walk.hand[1]] += 1
    assert counts[1] + counts[2] == 4000
    assert counts[2] == pytest.approx(3000, abs=4 * np.sqrt(4000 * 3 / 16))


@pytest.mark.parametrize("algorithm", ["external", "outcome"])
def test_same_seed_same_strategy(algorithm: str) -> None:
    def strategy(seed: int, *steps: int) -> NDArray[np.float32]:
        solver = CfrSolver(leduc_game(), leduc_tree(), algorithm=f"{algorithm}:seed={seed}")
        for step in steps:
            solver.step(step)
        return solver.strategy(1, 2, 0)

    once = strategy(1, 50)
    np.testing.assert_array_equal(once, strategy(1, 50))
    np.testing.assert_array_equal(once, strategy(1, 20, 30))
    assert (once != strategy(2, 50)).any()


def test_every_deal_is_counted() -> None:
    """Unweighted, the average strategies of the first decision count the deals that updated the second player."""
    solver = CfrSolver(leduc_game(), leduc_tree(), algorithm="external:weight=plain")
    solver.step(40)
    assert solver.stored_rows(0, 0, 0, regret=False).sum() == pytest.approx(40 * 6, rel=1e-4)


def test_refuses_half_precision() -> None:
    with pytest.raises(SpotError, match="f32"):
        CfrSolver(kuhn_game(), kuhn_tree(), storage="f16", algorithm="external")
