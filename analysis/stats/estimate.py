"""Means with confidence intervals for match results.

The unit of observation is a *group* of hands that share their cards (a duplicate pair in a two-player match, the six
seatings in a three-player match, a single hand without duplicate): hands of one group are dependent, groups are not.
The interval is Student's: mean ± t(n - 1) * SD / sqrt(n). It holds for a number of hands fixed beforehand; stopping a
match when the interval looks good makes it too narrow. :mod:`hedgehog.analysis.stats.anytime` has intervals for such
matches. One value says nothing about its spread, and neither do several equal ones: they have no interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its two-sided confidence interval."""

    mean: float
    low: float
    """Lower end; minus infinity if there is no interval."""
    high: float
    """Upper end; infinity if there is no interval."""
    sd: float
    """Sample standard deviation of one value (``n - 1`` in the denominator); NaN when n = 1."""
    n: int
    """Number of independent values."""

    @property
    def has_interval(self) -> bool:
        """Tells whether the values were enough for an interval: two values that differ, or more."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def half_width(self) -> float:
        """Half the length of the interval, the figure after the ± sign; infinity if there is no interval."""
        return (self.high - self.low) / 2

    @property
    def excludes_zero(self) -> bool:
        """Tells whether zero lies outside the interval."""
        return self.low > 0 or self.high < 0


def interval_cells(prefix: str, estimate: Estimate | None) -> dict[str, float | None]:
    """Returns a mean in mbb per hand and the ends of its interval as cells of a table, by the names of the columns.

    :param prefix: begins the names of the columns.
    :param estimate: the mean; None for cells that are None.
    """
    mean, low, high = (None,) * 3 if estimate is None else (estimate.mean, estimate.low, estimate.high)
    return {f"{prefix}mbb_per_hand": mean, f"{prefix}ci95_low": low, f"{prefix}ci95_high": high}


def mean_estimate(values: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Returns the mean of independent values with its Student confidence interval, which equal values do not have.

    :param values: one number per group, in any unit; at least one.
    :param confidence: coverage of the interval, in (0, 1).
    """
    array = checked_values(values)
    n = array.size
    mean = float(array.mean())
    if n == 1:
        return Estimate(mean, -math.inf, math.inf, math.nan, 1)
    if all_equal(array):
        return Estimate(mean, -math.inf, math.inf, 0.0, n)
    from scipy.special import stdtrit  # a quarter of a second that a command's start need not wait for

    sd = float(array.std(ddof=1))
    half = float(stdtrit(n - 1, (1 + confidence) / 2)) * sd / math.sqrt(n)
    return Estimate(mean, mean - half, mean + half, sd, n)


def ratio_estimate(values: ArrayLike, sizes: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Returns the sum of values by the sum of their sizes, such as chips per hand of games of different lengths.

    The interval is that of the mean of ``ratio + (value - ratio * size) / mean size``, whose mean is the ratio
    (Cochran, Sampling Techniques, 1977, chapter 6). It needs some dozens of groups, because a ratio of sums is biased.

    :param values: one number per independent group, in any unit; at least one.
    :param sizes: size of each group, above 0.
    :param confidence: coverage of the interval, in (0, 1).
    """
    array, weights = checked_values(values), checked_values(sizes)
    ratio = float(array.sum() / weights.sum())
    return mean_estimate(ratio + (array - ratio * weights) / weights.mean(), confidence)


def mean_p_value(estimate: Estimate) -> float:
    """Returns the two-sided p-value of the hypothesis that the mean is 0 (Student's t-test).

    :param estimate: result of :func:`mean_estimate`. A single value is no evidence and gives 1. Equal values have no
        spread for the t-test; the sign test counts them instead, so that n equal values other than 0 give 2 to the
        power of 1 - n.
    """
    if estimate.n < 2 or estimate.mean == 0:
        return 1.0
    if estimate.sd == 0:
        return 2.0 ** (1 - estimate.n)
    from scipy.special import stdtr  # see mean_estimate

    t = abs(estimate.mean) / (estimate.sd / math.sqrt(estimate.n))
    return min(1.0, 2 * float(stdtr(estimate.n - 1, -t)))


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """Returns p-values adjusted for the number of tests by Holm's step-down method, in the order given.

    The tests may depend on each other in any way.

    Rejecting where the adjusted value is at most alpha keeps the chance of any false rejection below alpha (Holm, A
    simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979).

    :param p_values: one p-value per test.
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
    :param estimate: result of :func:`mean_estimate` over the groups.
    :returns: NaN if there is only one group, or all groups have the same mean.
    """
    return (hand_sd / estimate.sd) ** 2 * estimate.n if estimate.sd > 0 else math.nan


def all_equal(values: NDArray[np.float64]) -> bool:
    """Returns whether values are equal but for rounding."""
    return bool(np.ptp(values) <= _ROUNDING * max(1.0, float(np.abs(values).max())))


def checked_values(values: ArrayLike) -> NDArray[np.float64]:
    """Returns the values as an array.

    :raises ValueError: unless there is at least one value, in one dimension.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"expected at least one value in one dimension, got shape {array.shape}")
    return array
