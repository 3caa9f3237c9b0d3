"""Formats numbers for reports: with a true minus sign, grouped thousands, and a dash for unknown values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median
from typing import Final

import numpy as np

from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.runtime.table import MISSING

NO_INTERVAL: Final = "± none"
"""Stands where one value, or several equal ones, give no interval."""
_MINUS: Final = "\N{MINUS SIGN}"


def format_number(value: float, decimals: int = 0) -> str:
    """Returns a number as text, without a plus sign, for example ``1,234`` or ``−0.5``."""
    return _format(value, f",.{decimals}f")


def format_signed(value: float, decimals: int = 0) -> str:
    """Returns a number as text with its sign, for example ``+1,234`` or ``−0.5``. A rounded 0 has no sign."""
    return _format(value, f"+,.{decimals}f")


def format_chips(value: float) -> str:
    """Returns chips won as text with a sign. It has one decimal for fractions below 1,000 chips, else none."""
    return format_signed(value, 0 if not math.isfinite(value) or value == round(value) or abs(value) >= 1000 else 1)


def format_weight(weight: float, decimals: int = 2) -> str:
    """Returns a weight of hands as text. One below 0.1 has two significant digits, so none that is held reads 0."""
    if weight == 0 or weight >= 0.1:
        return f"{weight:.{decimals}f}"
    return np.format_float_positional(float(f"{weight:.1e}"), trim="-")


def format_tick(value: float) -> str:
    """Returns a number as text with its sign and all its decimals, for the tick of an axis."""
    return _format(value, "+,.10g")


def format_margin(estimate: Estimate, decimals: int = 0) -> str:
    """Returns half the length of an interval as text, for example ``± 12``, or ``± none`` if there is none."""
    return f"± {format_number(estimate.half_width, decimals)}" if estimate.has_interval else NO_INTERVAL


def format_with_margin(estimate: Estimate, decimals: int = 0) -> str:
    """Returns a mean and half the length of its interval as text, for example ``+34 ± 12``."""
    if math.isnan(estimate.mean):
        return MISSING
    return f"{format_signed(estimate.mean, decimals)} {format_margin(estimate, decimals)}"


def format_estimate(estimate: Estimate, decimals: int = 1) -> str:
    """Returns a mean and half the length of its interval for a terminal: ``-491.5 ± 220.3``, or ``-491.5 ± none``."""
    if math.isnan(estimate.mean):
        return ""
    margin = f"± {estimate.half_width:.{decimals}f}" if estimate.has_interval else NO_INTERVAL
    return f"{round(estimate.mean, decimals) + 0.0:+.{decimals}f} {margin}"


def bb_per_100(estimate: Estimate) -> str:
    """Returns winnings in big blinds per 100 hands for a terminal, for example ``-49.15``.

    :param estimate: winnings in mbb per hand, of which 10 are one big blind per 100 hands.
    """
    return "" if math.isnan(estimate.mean) else f"{round(estimate.mean / 10, 2) + 0.0:+,.2f}"


def format_error(error: float, decimals: int = 1) -> str:
    """Returns a standard error or a multiple of one as text: ``± 12.3``, or ``± none`` for 0, infinity and NaN.

    An error of 0 comes from equal values, which say nothing about their spread.
    """
    return f"± {error:,.{decimals}f}" if 0 < error < math.inf else NO_INTERVAL


def format_share(value: float) -> str:
    """Returns a share from 0 to 1 as a percentage without the percent sign. Only 0 and 1 become ``0`` and ``100``."""
    percent = 100 * value
    if math.isnan(percent):
        return MISSING
    if percent in (0.0, 100.0):
        return f"{percent:.0f}"
    if percent < 0.1:
        return "<0.1"
    return ">99.9" if percent > 99.9 else f"{percent:.1f}"


def format_covered(left_out: int, whole: int, decimals: int) -> str:
    """Returns the share that is not left out, in percent without the percent sign.

    It is rounded down, so that only nothing left out is 100.
    """
    scale = 10**decimals
    return f"{100 * scale * (whole - left_out) // whole / scale:.{decimals}f}"


def format_p_value(value: float) -> str:
    """Returns a p-value as text with three decimals. Values below 0.001 become ``<0.001``."""
    if math.isnan(value):
        return MISSING
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def mbb_decimals(estimates: Iterable[Estimate]) -> int:
    """Returns the number of decimals for a table of means: 1 if the median interval is narrower than ± 10, else 0."""
    half_widths = [estimate.half_width for estimate in estimates if estimate.has_interval]
    return int(bool(half_widths) and median(half_widths) < 10)


def short_name(name: str, width: int) -> str:
    """Returns a name, cut to ``width`` characters with an ellipsis if it is longer."""
    return name if len(name) <= width else name[: width - 1] + "…"


def _format(value: float, spec: str) -> str:
    if math.isnan(value):
        return MISSING
    if math.isinf(value):
        return "∞" if value > 0 else f"{_MINUS}∞"
    text = format(value, spec)
    if not text.strip("+-0.,"):
        return text.lstrip("+-")
    return text.replace("-", _MINUS)


def format_ev(chips: float) -> str:
    """Returns chips as text with two decimals, one from 100 on, and none from 1,000 on; empty if unknown (NaN)."""
    if math.isnan(chips):
        return ""
    size = abs(chips)
    decimals = 0 if size >= 999.5 else 1 if size >= 99.95 else 2
    return f"{round(chips, decimals) + 0.0:,.{decimals}f}"  # no minus before a zero
