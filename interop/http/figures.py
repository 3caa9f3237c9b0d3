"""Winnings in big blinds per 100 hands, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

from hedgehog.analysis.stats.estimate import Estimate, mean_estimate


def estimate_of(values: Sequence[float], big_blind: int) -> Estimate | None:
    """Returns the mean of winnings in big blinds per 100 hands with its 95 % interval; None without hands.

    :param values: chips, one number per hand.
    :param big_blind: chips of the big blind.
    """
    return mean_estimate([100 * value / big_blind for value in values]) if values else None


def estimate_text(estimate: Estimate | None) -> str:
    """Returns an estimate as ``-3.2 ± 1.4``; blank if it is None."""
    if estimate is None:
        return ""
    return f"{estimate.mean:+,.1f}" + (f" ± {estimate.half_width:,.1f}" if estimate.has_interval else "")
