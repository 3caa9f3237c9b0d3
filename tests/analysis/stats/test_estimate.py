"""hedgehog.analysis.stats.estimate against scipy and against known coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.analysis.stats.estimate import (
    effective_hands,
    holm_adjusted,
    mean_estimate,
    mean_p_value,
    ratio_estimate,
)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40).filter(lambda values: np.ptp(values) > 1e-2),
    st.sampled_from([0.5, 0.9, 0.95, 0.99]),
)
def test_interval_equals_scipy(values: list[float], confidence: float) -> None:
    estimate = mean_estimate(values, confidence)
    se = float(scipy.stats.sem(values))
    half = se * float(scipy.stats.t.ppf((1 + confidence) / 2, len(values) - 1))
    assert estimate.mean == pytest.approx(np.mean(values))
    assert estimate.half_width == pytest.approx(half, rel=1e-9, abs=1e-9)
    assert estimate.low <= estimate.mean <= estimate.high
    assert estimate.n == len(values)


def test_interval_by_the_printed_table() -> None:
    """Any printed table: t(0.975, 10) = 2.228."""
    estimate = mean_estimate(np.arange(11))
    assert estimate.half_width == pytest.approx(2.228, abs=5e-4)  # SD = sqrt(11) = sqrt(n)


def test_a_single_value_has_no_interval() -> None:
    estimate = mean_estimate([5.0])
    assert (estimate.mean, estimate.low, estimate.high, estimate.n) == (5.0, -math.inf, math.inf, 1)
    assert math.isnan(estimate.sd)


@pytest.mark.parametrize("values", [[2.5] * 7, [1 / 3, 1 - 2 / 3, 1 / 3], [0.0, 1e-13], [1e6 / 3, 1e6 / 3 + 1e-9]])
def test_values_that_are_equal_but_for_rounding_have_no_interval(values: list[float]) -> None:
    estimate = mean_estimate(values)
    assert (estimate.low, estimate.high, estimate.sd) == (-math.inf, math.inf, 0.0)
    assert estimate.mean == pytest.approx(values[0])
    assert not estimate.has_interval
    assert not estimate.excludes_zero


def test_no_value_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        mean_estimate([])


def test_coverage_of_small_samples() -> None:
    """Of 4,000 samples of 5 normal values about 95 % cover the mean; z instead of t would cover about 88 %."""
    rng = np.random.default_rng(1)
    estimates = [mean_estimate(sample) for sample in rng.normal(size=(4000, 5))]
    covered = sum(estimate.low <= 0 <= estimate.high for estimate in estimates) / len(estimates)
    assert covered == pytest.approx(0.95, abs=0.015)  # four binomial standard errors


@given(st.lists(st.integers(-50, 50), min_size=3, max_size=30).filter(lambda values: len(set(values)) > 1))
def test_p_value_equals_scipy_and_agrees_with_the_interval(values: list[int]) -> None:
    estimate = mean_estimate(values)
    p_value = mean_p_value(estimate)
    assert p_value == pytest.approx(scipy.stats.ttest_1samp(values, 0).pvalue, rel=1e-7)
    if abs(p_value - 0.05) > 1e-9:
        assert (p_value < 0.05) == (estimate.low > 0 or estimate.high < 0)


def test_p_values_without_variance() -> None:
    assert mean_p_value(mean_estimate([5.0])) == 1
    assert mean_p_value(mean_estimate([5.0, 5.0])) == 1 / 2  # both values on one side of 0
    assert mean_p_value(mean_estimate([5.0] * 6)) == pytest.approx(scipy.stats.binomtest(6, 6).pvalue)
    assert mean_p_value(mean_estimate([0.0, 0.0])) == 1


def test_holm_textbook_example() -> None:
    """p = 0.01, 0.02, 0.03, 0.04: times 4, 3, 2, 1 = 0.04, 0.06, 0.06, 0.04, and never below an earlier one."""
    assert holm_adjusted([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm_adjusted([0.6, 0.7]) == [1, 1]
    assert holm_adjusted([]) == []


def test_holm_keeps_the_chance_of_any_false_rejection() -> None:
    """Ten true hypotheses: about 5 % of 2,000 families have a rejection; without correction 40 %."""
    rng = np.random.default_rng(4)
    families = [holm_adjusted(list(p_values)) for p_values in rng.random((2000, 10))]
    rejected = sum(min(family) <= 0.05 for family in families) / len(families)
    assert rejected == pytest.approx(0.05, abs=0.02)  # four binomial standard errors


def test_effective_hands() -> None:
    """Pairs of hands with half the variance of independent ones: each hand is worth two."""
    hands = mean_estimate(np.random.default_rng(5).normal(size=400))
    assert effective_hands(hands.sd, hands) == pytest.approx(400)
    assert effective_hands(2 * hands.sd, hands) == pytest.approx(1600)
    assert math.isnan(effective_hands(3.0, mean_estimate([1.0, 1.0])))
    assert math.isnan(effective_hands(3.0, mean_estimate([1.0])))


def test_a_ratio_of_sums() -> None:
    """With equal sizes it is the mean; otherwise the variance is that of Cochran 1977, equation 6.13, without fpc."""
    values = [3.0, -1.0, 4.0, 1.0, 5.0]
    plain, scaled = mean_estimate(values), ratio_estimate([2 * value for value in values], [2.0] * 5)
    assert (scaled.mean, scaled.low, scaled.high) == pytest.approx((plain.mean, plain.low, plain.high))
    sizes = [1.0, 2.0, 3.0, 2.0, 7.0]
    found = ratio_estimate(values, sizes)
    ratio = 12 / 15
    assert found.mean == pytest.approx(ratio)
    squares = sum((value - ratio * size) ** 2 for value, size in zip(values, sizes, strict=True))
    variance = squares / (5 * 4) / 3**2
    assert found.half_width == pytest.approx(math.sqrt(variance) * float(scipy.stats.t.ppf(0.975, 4)))
    assert not ratio_estimate([1.0, 2.0], [1.0, 2.0]).has_interval


def test_the_interval_of_a_ratio_covers_it() -> None:
    """Sums over games of 1 to 12 hands, each worth 0.3 on average: 95 % of 2,000 intervals hold 0.3."""
    rng = np.random.default_rng(8)
    sizes = rng.integers(1, 13, size=(2000, 100))
    values = 0.3 * sizes + rng.normal(size=sizes.shape) * np.sqrt(sizes)
    found = [ratio_estimate(*pair) for pair in zip(values, sizes, strict=True)]
    covered = sum(one.low <= 0.3 <= one.high for one in found) / len(found)
    assert covered == pytest.approx(0.95, abs=0.02)  # four binomial standard errors
