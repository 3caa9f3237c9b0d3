"""Means with confidence intervals for match results.

The unit of observation is a *group* of hands that share their cards (a duplicate pair in a two-player match, the six
seatings in a three-player match, a single hand without duplicate): hands of one group are dependent, groups are not.
The interval is Student's: mean ± t(n - 1) * SD / sqrt(n). It holds for a number of hands fixed beforehand; stopping a
match when the interval looks good makes it too narrow. For that there is :mod:`analysis.stats.anytime`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

# From this many degrees of freedom on the asymptotic expansion is used; its error there is below 1e-10.
_EXPANSION_DF: Final = 200
_FRACTION_TERMS: Final = 40


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

    @property
    def excludes_zero(self) -> bool:
        """Tells whether zero lies outside the interval."""
        return self.low > 0 or self.high < 0


def mean_estimate(values: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Returns the mean of independent values with its Student confidence interval.

    :param values: one number per group, in any unit; at least one.
    :param confidence: coverage of the interval, in (0, 1).
    """
    array = checked_values(values)
    n = array.size
    mean = float(array.mean())
    if n == 1:
        return Estimate(mean, -math.inf, math.inf, math.nan, 1)
    sd = float(array.std(ddof=1))
    half = student_t_quantile((1 + confidence) / 2, n - 1) * sd / math.sqrt(n)
    return Estimate(mean, mean - half, mean + half, sd, n)


def mean_p_value(estimate: Estimate) -> float:
    """Returns the two-sided p-value of the hypothesis that the mean is 0 (Student's t-test).

    :param estimate: of :func:`mean_estimate`; a single value is no evidence and gives 1, equal values other than 0
        give 0.
    """
    if estimate.n < 2 or estimate.mean == 0:
        return 1.0
    if estimate.sd == 0:
        return 0.0
    return min(1.0, 2 * student_t_cdf(-abs(estimate.mean) / (estimate.sd / math.sqrt(estimate.n)), estimate.n - 1))


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """Adjusts p-values for the number of tests by Holm's step-down method, valid whatever their dependence.

    Rejecting where the adjusted value is at most alpha keeps the chance of any false rejection below alpha (Holm, A
    simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979).

    :returns: adjusted values in the order given.
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def effective_hands(hand_sd: float, estimate: Estimate) -> float:
    """Returns how many independent single hands would estimate the mean as precisely as these groups do.

    That is (SD of a hand)² / (standard error)², the standard error being SD of a group / sqrt(number of groups).

    :param hand_sd: standard deviation of a single hand, in the unit of the estimate.
    :param estimate: of :func:`mean_estimate` over the groups.
    :returns: infinity if all groups have the same mean, NaN if there is only one group.
    """
    return math.inf if estimate.sd == 0 else (hand_sd / estimate.sd) ** 2 * estimate.n


def lag1_correlation(values: ArrayLike) -> float:
    """Returns the correlation of each value with the next one: far from 0, the values are not independent.

    Independent values give about ±2 / sqrt(n) in 95 % of cases.

    :param values: (n,) numbers in order of time.
    :returns: NaN if there are fewer than three values or they do not differ.
    """
    array = checked_values(values)
    centred = array - array.mean()
    total = float(centred @ centred)
    return float(centred[1:] @ centred[:-1]) / total if array.size > 2 and total > 0 else math.nan


def checked_values(values: ArrayLike) -> NDArray[np.float64]:
    """Returns the values as an array.

    :raises ValueError: unless they are at least one number in one dimension.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"expected at least one value in one dimension, got shape {array.shape}")
    return array


@lru_cache(maxsize=1024)
def student_t_quantile(probability: float, df: int) -> float:
    """Returns t with P(T <= t) = ``probability`` for Student's distribution with ``df`` degrees of freedom.

    Below 200 degrees of freedom by bisection of the exact distribution function, above by the expansion in 1/df
    (Abramowitz & Stegun, Handbook of Mathematical Functions, 26.7.5).
    """
    if not 0 < probability < 1 or df < 1:
        raise ValueError(f"expected a probability in (0, 1) and df >= 1, got {probability} and {df}")
    if probability > 0.5:
        return -student_t_quantile(1 - probability, df)
    if df >= _EXPANSION_DF:
        return _expanded_quantile(NormalDist().inv_cdf(probability), df)
    low, high = -1.0, 0.0
    while student_t_cdf(low, df) > probability:
        low, high = 2 * low, low
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        if student_t_cdf(middle, df) < probability:
            low = middle
        else:
            high = middle


def student_t_cdf(t: float, df: int) -> float:
    """Returns P(T <= t) for Student's distribution with ``df`` degrees of freedom, accurate far into the lower tail.

    It is half the regularised incomplete beta function I_x(df/2, 1/2) with x = df / (df + t²) for t <= 0 (Abramowitz &
    Stegun, 26.5.27 and 26.7.1).
    """
    if df < 1:
        raise ValueError(f"expected df >= 1, got {df}")
    if t > 0:
        return 1 - student_t_cdf(-t, df)
    if math.isinf(t):
        return 0.0
    x, rest = df / (df + t * t), t * t / (df + t * t)
    # The continued fraction converges fast on one side of the mean of the beta distribution.
    if x < (df / 2 + 1) / (df / 2 + 2.5):
        return _beta_share(x, rest, df / 2, 0.5) / 2
    return 0.5 - _beta_share(rest, x, 0.5, df / 2) / 2


def _beta_share(x: float, rest: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), ``rest`` = 1 - x, for x below about its mean a / (a + b).

    By its continued fraction (Abramowitz & Stegun 26.5.8), evaluated from the back: O(sqrt(a + b)) terms are enough.
    """
    if x == 0:
        return 0.0
    fraction = 1.0
    for k in range(_FRACTION_TERMS + int(2 * math.sqrt(a + b)), -1, -1):
        even = (k + 1) * (b - k - 1) * x / ((a + 2 * k + 1) * (a + 2 * k + 2))
        odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
        fraction = 1 + odd / (1 + even / fraction)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    return math.exp(log_front) / (a * fraction)


def _expanded_quantile(x: float, df: int) -> float:
    """The quantile of Student's distribution from the normal quantile ``x``, to terms of order df**-4."""
    g1 = (x**3 + x) / 4
    g2 = (5 * x**5 + 16 * x**3 + 3 * x) / 96
    g3 = (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384
    g4 = (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160
    return x + g1 / df + g2 / df**2 + g3 / df**3 + g4 / df**4
