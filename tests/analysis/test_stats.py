"""analysis.stats against scipy and against known coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from analysis.stats import mean_estimate, student_t_quantile


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 10, 29, 30, 99, 198, 199, 200, 201, 500, 10_000, 10_000_000])
@pytest.mark.parametrize("probability", [0.5, 0.6, 0.9, 0.95, 0.975, 0.995, 0.9999, 0.025])
def test_quantile_equals_scipy(probability: float, df: int) -> None:
    assert student_t_quantile(probability, df) == pytest.approx(scipy.stats.t.ppf(probability, df), rel=1e-9, abs=1e-12)


def test_quantile_textbook_value() -> None:
    # Any printed table: t(0.975, 10) = 2.228.
    assert student_t_quantile(0.975, 10) == pytest.approx(2.228, abs=5e-4)


@pytest.mark.parametrize(("probability", "df"), [(0.0, 3), (1.0, 3), (0.5, 0), (-0.1, 3)])
def test_quantile_refuses_nonsense(probability: float, df: int) -> None:
    with pytest.raises(ValueError, match="expected a probability"):
        student_t_quantile(probability, df)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40),
    st.sampled_from([0.5, 0.9, 0.95, 0.99]),
)
def test_interval_equals_scipy(values: list[float], confidence: float) -> None:
    estimate = mean_estimate(values, confidence)
    se = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    half = se * float(scipy.stats.t.ppf((1 + confidence) / 2, len(values) - 1))
    assert estimate.mean == pytest.approx(np.mean(values))
    assert estimate.half_width == pytest.approx(half, rel=1e-9, abs=1e-9)
    assert estimate.low <= estimate.mean <= estimate.high
    assert estimate.n == len(values)


def test_a_single_value_has_no_interval() -> None:
    estimate = mean_estimate([5.0])
    assert (estimate.mean, estimate.low, estimate.high, estimate.n) == (5.0, -math.inf, math.inf, 1)
    assert math.isnan(estimate.sd)


def test_equal_values_have_an_empty_interval() -> None:
    estimate = mean_estimate([2.5] * 7)
    assert (estimate.low, estimate.mean, estimate.high, estimate.sd) == (2.5, 2.5, 2.5, 0.0)


def test_no_value_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        mean_estimate([])


def test_coverage_of_small_samples() -> None:
    """Of 4,000 samples of 5 normal values about 95 % cover the mean; z instead of t would cover about 88 %."""
    rng = np.random.default_rng(1)
    estimates = [mean_estimate(sample) for sample in rng.normal(size=(4000, 5))]
    covered = sum(estimate.low <= 0 <= estimate.high for estimate in estimates) / len(estimates)
    assert covered == pytest.approx(0.95, abs=0.015)  # four binomial standard errors
