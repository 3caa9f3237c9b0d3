"""Coverage of hedgehog.analysis.stats.anytime by simulation: how often an interval looked at after every value ever
misses."""

from __future__ import annotations

import gzip
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from hedgehog.analysis.stats.anytime import (
    BURN_IN,
    HORIZON,
    anytime_estimate,
    anytime_interval,
    bernstein_estimate,
    bernstein_interval,
)
from hedgehog.analysis.stats.estimate import mean_estimate

DATA = Path(__file__).parent.parent.parent / "data" / "tournament" / "hunl_results.txt.gz"
STACK = 200.0  # big blinds

Values = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Values]


def real_results() -> Values:
    """Big blinds won per real heads-up no-limit hand, centred."""
    table = np.loadtxt(gzip.decompress(DATA.read_bytes()).decode().splitlines())
    results = np.repeat(table[:, 0] / 100, table[:, 1].astype(int))
    return np.asarray(results - results.mean())


REAL = real_results()


def normal(rng: np.random.Generator, n: int) -> Values:
    return 20 * rng.standard_normal(n)


def heavy_tailed(rng: np.random.Generator, n: int) -> Values:
    return rng.standard_t(3, size=n)


def real(rng: np.random.Generator, n: int) -> Values:
    return rng.choice(REAL, n)


def real_pairs(rng: np.random.Generator, n: int) -> Values:
    return (rng.choice(REAL, n) - rng.choice(REAL, n)) / 2


def rare_loss(rng: np.random.Generator, n: int) -> Values:
    """Wins a little and loses the whole stack in 1 of 100 hands; mean 0."""
    return np.where(rng.random(n) < 0.01, -0.99 * STACK, 0.01 * STACK)


def miss_rate(draw: Draw, bound: float | None, *, n: int = 3000, matches: int = 600) -> tuple[float, float]:
    """Returns the shares of matches in which some anytime interval, and some fixed-n interval, excludes 0."""
    rng = np.random.default_rng(11)
    count = np.arange(1, n + 1)
    anytime = fixed = 0
    for _ in range(matches):
        values = draw(rng, n)
        low, high = anytime_interval(values, bound=bound)
        anytime += bool(((low > 0) | (high < 0)).any())
        total = np.cumsum(values)
        squares = np.cumsum(values**2) - total**2 / count
        se = np.sqrt(np.maximum(squares, 1e-9) / np.maximum(count - 1, 1) / count)
        fixed += bool((np.abs(total / count) > 1.96 * se)[BURN_IN:].any())
    return anytime / matches, fixed / matches


@pytest.mark.parametrize(
    ("draw", "bound"),
    [(normal, STACK), (normal, None), (heavy_tailed, None), (real, STACK), (real, None), (real_pairs, STACK)],
)
def test_at_most_5_percent_of_matches_are_ever_missed(draw: Draw, bound: float | None) -> None:
    """The fixed-n interval looked at after every value from the 100th on excludes the truth in about 40 %."""
    anytime, fixed = miss_rate(draw, bound)
    assert anytime <= 0.05
    assert fixed > 0.3


def test_a_rare_large_loss_needs_the_bound() -> None:
    """Until the first loss the running variance knows nothing of it; as if seen once at ± the stack, it does."""
    with_bound, _ = miss_rate(rare_loss, STACK)
    without, _ = miss_rate(rare_loss, None)
    assert with_bound <= 0.05
    assert without > 0.2


@pytest.mark.slow
@pytest.mark.parametrize("draw", [normal, real, real_pairs, rare_loss])
def test_long_matches(draw: Draw) -> None:
    anytime, fixed = miss_rate(draw, STACK, n=20_000, matches=1000)
    print(f"{draw.__name__}: anytime {anytime:.1%}, fixed-n {fixed:.1%} of the matches exclude the truth")
    assert anytime <= 0.05
    assert fixed > 0.45


@pytest.mark.parametrize("draw", [real, rare_loss])
def test_bernstein_interval_misses_less_often_still(draw: Draw) -> None:
    rng = np.random.default_rng(12)
    missed = 0
    for _ in range(300):
        low, high = bernstein_interval(0.99 * draw(rng, 3000), bound=STACK)
        missed += bool(low[-1] > 0 or high[-1] < 0)
    assert missed / 300 <= 0.05


def test_widths_on_real_results() -> None:
    """Mean widths relative to the fixed-n interval, over 40 matches, as the documentation says."""
    rng = np.random.default_rng(13)
    ends = {1000: (1.83, 2.33), 5000: (1.57, 1.80), 10_000: (1.58, 1.80)}
    widths = np.zeros((len(ends), 3))
    for _ in range(40):
        values = 0.99 * real(rng, 10_000)  # the centred results reach a little beyond the stack
        anytime, bernstein = anytime_interval(values, bound=STACK), bernstein_interval(values, bound=STACK)
        for row, n in enumerate(ends):
            fixed = mean_estimate(values[:n])
            widths[row] += [2 * fixed.half_width, *(high[n - 1] - low[n - 1] for low, high in (anytime, bernstein))]
    for row, expected in zip(widths, ends.values(), strict=True):
        assert (row[1] / row[0], row[2] / row[0]) == pytest.approx(expected, rel=0.04)


def test_asymptotic_width_is_the_published_formula_with_the_best_rho() -> None:
    """Mean ± sd sqrt(2 (t rho² + 1) / (t rho)² log(sqrt(t rho² + 1) / alpha)), rho minimising the width at HORIZON."""

    def half(rho: float, t: float) -> float:
        scaled = t * rho**2
        return math.sqrt(2 * (scaled + 1) / (t * scaled) * math.log(math.sqrt(scaled + 1) / 0.05))

    best = minimize_scalar(lambda rho: half(rho, HORIZON), bounds=(0.001, 1), method="bounded", options={"xatol": 1e-9})
    values = np.tile([1.0, -1.0], 1000)
    low, high = anytime_interval(values)
    sd = float(values.std(ddof=1))
    assert (high[-1] - low[-1]) / 2 == pytest.approx(sd * half(best.x, 2000), rel=1e-6)


def test_the_last_interval_is_that_of_the_estimate() -> None:
    values = 0.99 * real(np.random.default_rng(14), 200)
    low, high = anytime_interval(values, bound=STACK, confidence=0.9)
    estimate = anytime_estimate(values, bound=STACK, confidence=0.9)
    assert (estimate.low, estimate.high, estimate.n) == (low[-1], high[-1], 200)
    assert estimate.mean == pytest.approx(values.mean())
    assert estimate.sd == pytest.approx(values.std(ddof=1))
    # An interval never looks ahead.
    np.testing.assert_allclose(low[:50], anytime_interval(values[:50], bound=STACK, confidence=0.9)[0])
    np.testing.assert_allclose(
        bernstein_interval(values, bound=STACK)[1][:50], bernstein_interval(values[:50], bound=STACK)[1]
    )


def test_few_values() -> None:
    assert np.isneginf(anytime_interval(np.ones(BURN_IN))[0][:-1]).all()
    assert math.isfinite(anytime_estimate(np.arange(BURN_IN)).low)
    for one in (anytime_estimate([3.0], bound=STACK), bernstein_estimate([3.0], bound=STACK)):
        assert (one.mean, one.low, one.high) == (3, -math.inf, math.inf)
    # Without a bound, equal values say nothing about their spread; with one, the bound does.
    assert not anytime_estimate(np.ones(BURN_IN)).has_interval
    assert anytime_estimate(np.ones(BURN_IN), bound=STACK).has_interval


def test_values_beyond_the_bound_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 1"):
        bernstein_interval([0.5, -1.5], bound=1)
    bernstein_interval([0.5, -1 - 1e-12], bound=1)  # a sum of floats may be off by so much
