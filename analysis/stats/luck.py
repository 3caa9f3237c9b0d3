"""Measures how much of a player's result is luck, and how much luck duplicate play and all-in expectation remove."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.stats.estimate import Estimate, effective_hands, mean_estimate


@dataclass(frozen=True, slots=True)
class LuckSplit:
    """The spread of one player's results, in the unit of the winnings (mbb in match results)."""

    sd_hand: float
    """Standard deviation of a single hand; NaN for one hand."""
    sd_group: float
    """Standard deviation of the mean of a group of hands with the same cards; NaN for one group."""
    effective_hands: float
    """Number of hands without duplicate that would give the same standard error; NaN for one group, or if all
    groups have the same mean."""
    card_luck: float
    """Luck that duplicate play has cancelled: root mean square of the deviations of the hands of a group from its mean
    (in two-player matches half the difference between the two seatings). 0 without duplicate."""
    all_in_luck: float
    """Mean winnings minus mean winnings with all-in showdowns replaced by their expectation over the boards to come."""
    all_in_adjusted: Estimate
    """Mean with all-in showdowns replaced by their expectation."""


@dataclass(frozen=True, slots=True)
class AdjustedWinnings:
    """One player's results with luck taken out without bias, in the unit of the winnings."""

    estimate: Estimate
    """Mean over the groups of hands with the same cards."""
    sd_hand: float
    """Standard deviation of a single hand; NaN for one hand."""
    reduction: float
    """Share of the standard deviation of a single hand that the adjustment has removed; NaN if it was 0."""


def adjusted_winnings(winnings: NDArray[np.float64], adjusted: NDArray[np.float64]) -> AdjustedWinnings:
    """Returns the adjusted results of one player, and how much smaller their spread is.

    :param winnings: (seatings, groups) chips or mbb won in each hand; the hands of a column have the same cards.
    :param adjusted: (seatings, groups) adjusted value of each hand, in the same unit.
    """
    sd_hand, sd_before = (float(v.std(ddof=1)) if v.size > 1 else math.nan for v in (adjusted, winnings))
    reduction = 1 - sd_hand / sd_before if sd_before > 0 else math.nan
    return AdjustedWinnings(mean_estimate(adjusted.mean(axis=0)), sd_hand, reduction)


def split_luck(winnings: NDArray[np.float64], expected: NDArray[np.float64]) -> LuckSplit:
    """Returns the spread of one player's results and how much of it is luck.

    :param winnings: (seatings, groups) chips or mbb won in each hand; the hands of a column have the same cards.
    :param expected: (seatings, groups) winnings in which all-in showdowns are replaced by their expectation.
    """
    estimate = mean_estimate(winnings.mean(axis=0))
    sd_hand = float(winnings.std(ddof=1)) if winnings.size > 1 else math.nan
    adjusted = mean_estimate(expected.mean(axis=0))
    return LuckSplit(
        sd_hand=sd_hand,
        sd_group=estimate.sd,
        effective_hands=effective_hands(sd_hand, estimate),
        card_luck=float(np.sqrt(np.square(winnings - winnings.mean(axis=0)).mean())),
        all_in_luck=estimate.mean - adjusted.mean,
        all_in_adjusted=adjusted,
    )
