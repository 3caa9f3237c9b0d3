"""Means with confidence intervals for match results.

The unit of observation is a *group* of hands that share their cards (a duplicate pair in a two-player match, the six
seatings in a three-player match, a single hand without duplicate): hands of one group are dependent, groups are not.
The interval is Student's: mean ± t(n - 1) * SD / sqrt(n). It holds for a number of hands fixed beforehand; stopping a
match when the interval looks good makes it too narrow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

# From this many degrees of freedom on the asymptotic expansion is used; its error there is below 1e-10.
_EXPANSION_DF: Final = 200


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its two-sided confidence interval."""

    mean: float
    low: float
    """Lower end; minus infinity when fewer than two values were seen."""
    high: float
    """Upper end; infinity when fewer than two values were seen."""
    sd: float
    """Sample standard deviation of one value (``n - 1`` in the denominator); NaN when n = 1."""
    n: int
    """Number of independent values."""

    @property
    def half_width(self) -> float:
        """Half the length of the interval, the figure after the ± sign."""
        return (self.high - self.low) / 2


def mean_estimate(values: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Returns the mean of independent values with its Student confidence interval.

    :param values: one number per group, in any unit; at least one.
    :param confidence: coverage of the interval, in (0, 1).
    """
    array = np.asarray(values, dtype=np.float64)
    n = array.size
    if array.ndim != 1 or n == 0:
        raise ValueError(f"expected at least one value in one dimension, got shape {array.shape}")
    mean = float(array.mean())
    if n == 1:
        return Estimate(mean, -math.inf, math.inf, math.nan, 1)
    sd = float(array.std(ddof=1))
    half = student_t_quantile((1 + confidence) / 2, n - 1) * sd / math.sqrt(n)
    return Estimate(mean, mean - half, mean + half, sd, n)


def student_t_quantile(probability: float, df: int) -> float:
    """Returns t with P(T <= t) = ``probability`` for Student's distribution with ``df`` degrees of freedom.

    Below 200 degrees of freedom by bisection of the exact distribution function, above by the expansion in 1/df
    (Abramowitz & Stegun, Handbook of Mathematical Functions, 26.7.5).
    """
    if not 0 < probability < 1 or df < 1:
        raise ValueError(f"expected a probability in (0, 1) and df >= 1, got {probability} and {df}")
    if probability < 0.5:
        return -student_t_quantile(1 - probability, df)
    if df >= _EXPANSION_DF:
        return _expanded_quantile(NormalDist().inv_cdf(probability), df)
    low, high = 0.0, 1.0
    while _student_t_cdf(high, df) < probability:
        low, high = high, 2 * high
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        if _student_t_cdf(middle, df) < probability:
            low = middle
        else:
            high = middle


def _student_t_cdf(t: float, df: int) -> float:
    """P(T <= t) for t >= 0: the finite trigonometric series, Abramowitz & Stegun 26.7.3 and 26.7.4."""
    theta = math.atan(t / math.sqrt(df))
    sin, cos = math.sin(theta), math.cos(theta)
    term = cos if df % 2 else 1.0
    total = 0.0
    for k in range(2 + df % 2, df + 1, 2):  # df // 2 terms; each is the previous one times cos² (k - 1) / k
        total += term
        term *= cos * cos * (k - 1) / k
    central = 2 / math.pi * (theta + sin * total) if df % 2 else sin * total
    return 0.5 + central / 2


def _expanded_quantile(x: float, df: int) -> float:
    """The quantile of Student's distribution from the normal quantile ``x``, to terms of order df**-4."""
    g1 = (x**3 + x) / 4
    g2 = (5 * x**5 + 16 * x**3 + 3 * x) / 96
    g3 = (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384
    g4 = (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160
    return x + g1 / df + g2 / df**2 + g3 / df**3 + g4 / df**4
