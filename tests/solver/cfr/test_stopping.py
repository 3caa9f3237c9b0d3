"""Solver stopping rules: the iterations after which the exploitability is checked."""

from __future__ import annotations

import pytest

from hedgehog.solver.cfr.stopping import forecast_iterations, iterations_until_check


def test_without_a_target_the_iterations_double() -> None:
    assert iterations_until_check([], 0) == 10
    assert iterations_until_check([(10, 5.0)], 0) == 10
    assert iterations_until_check([(320, 0.3)], 0) == 320


def test_the_forecast_follows_the_last_two_looks() -> None:
    # From 4 to 1 while the iterations double: a square law, so 0.25 is reached at 400.
    assert forecast_iterations([(100, 4.0), (200, 1.0)], 0.25) == pytest.approx(400)
    assert forecast_iterations([(100, 1.0)], 0.5) == pytest.approx(200)
    # A rise after a restart says nothing about the slope.
    assert forecast_iterations([(250, 1.0), (260, 1.5)], 0.75) == pytest.approx(520)
    assert forecast_iterations([(100, 0.1)], 0.2) == 100


def test_steps_double_far_away_and_shorten_near_the_target() -> None:
    assert iterations_until_check([(1000, 2.0)], 0.1) == 1000
    assert iterations_until_check([(1000, 0.7)], 0.1) == 250
    assert iterations_until_check([(1000, 0.11)], 0.1) == 80
    assert iterations_until_check([(1000, 0.1001)], 0.1) == 10
    assert iterations_until_check([(8, 50.0)], 0.1) == 10


@pytest.mark.parametrize("power", [0.8, 1.0, 1.5])
def test_a_power_law_is_stopped_soon_after_its_target(power: float) -> None:
    target = 0.1
    exact = (30 / target) ** (1 / power)
    history: list[tuple[int, float]] = []
    iteration = 0
    while not history or history[-1][1] > target:
        iteration += iterations_until_check(history, target)
        history.append((iteration, 30 * iteration**-power))
        assert len(history) < 60
    assert exact <= iteration <= exact + 20
