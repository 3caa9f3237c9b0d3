"""Intervals and false discoveries of leaks against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from hedgehog.analysis.grading.leaks import bootstrap_means, discoveries, find_leaks
from tests.analysis.grading.graded_hands import graded_hand


@pytest.mark.parametrize("seed", [1, 2])
def test_intervals_are_those_of_scipy(seed: int) -> None:
    """Skewed losses, most of them 0, as real ones are."""
    rng = np.random.default_rng(seed)
    values = np.where(rng.random(400) < 0.9, 0.0, rng.exponential(3, 400))
    low, high, p_values = bootstrap_means(values[:, None], 9999, seed)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=9999, method="BCa", rng=seed).confidence_interval
    spread = theirs.high - theirs.low
    assert low[0] == pytest.approx(theirs.low, abs=0.04 * spread)
    assert high[0] == pytest.approx(theirs.high, abs=0.04 * spread)
    assert p_values[0] == pytest.approx(1e-4)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_discoveries_are_those_of_scipy(p_values: list[float]) -> None:
    numbers = np.array(p_values)
    adjusted = stats.false_discovery_control(numbers)
    clear = abs(adjusted - 0.05) > 1e-9
    assert (discoveries(numbers) == (adjusted <= 0.05))[clear].all()


def test_a_planted_leak_comes_first_and_a_sound_player_has_none() -> None:
    """He loses 1 BB at every tenth river bet that he faces; elsewhere what the grader charges him is what he loses."""
    rng = np.random.default_rng(5)
    leaky, sound = [], []
    for number in range(600):
        noise = float(rng.exponential(0.05))
        facing = "bet < 85 %" if number % 3 else "first"
        planted = 1.0 if number % 30 == 1 else 0.0
        leaky.append(graded_hand(number, facing, noise + planted, 0.05))
        sound.append(graded_hand(number, facing, noise, 0.05))
    first, *others = find_leaks(leaky)
    assert "bet < 85 %" in first.kind
    assert first.low > 0
    assert first.found
    assert first.mbb_per_hand == pytest.approx(1000 * 20 / 600, rel=0.3)
    assert not any(one.found for one in others if "first" in one.kind)
    assert not any(one.found for one in find_leaks(sound))
    assert find_leaks(sound, min_decisions=601) == []
