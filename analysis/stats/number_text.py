"""Numbers as a report prints them: a true minus sign, grouped thousands, a dash for what is not known."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median
from typing import Final

from analysis.stats.estimate import Estimate

MISSING: Final = "\N{EN DASH}"
_MINUS: Final = "\N{MINUS SIGN}"


def format_number(value: float, decimals: int = 0) -> str:
    """Returns the number without a sign for positive values, for example ``1,234`` or ``−0.5``."""
    return _format(value, f",.{decimals}f")


def format_signed(value: float, decimals: int = 0) -> str:
    """Returns the number with its sign, for example ``+1,234`` or ``−0.5``; what rounds to zero has none."""
    return _format(value, f"+,.{decimals}f")


def format_chips(value: float) -> str:
    """Returns chips won, with a decimal only where a split pot of a small game left a fraction."""
    return format_signed(value, 0 if not math.isfinite(value) or value == round(value) or abs(value) >= 1000 else 1)


def format_tick(value: float) -> str:
    """Returns the number with its sign and all its decimals, for the tick of an axis."""
    return _format(value, "+,.10g")


def format_margin(estimate: Estimate, decimals: int = 0) -> str:
    """Returns half the length of the interval, for example ``± 12``."""
    return f"± {format_number(estimate.half_width, decimals)}"


def format_with_margin(estimate: Estimate, decimals: int = 0) -> str:
    """Returns the mean and half the length of its interval, for example ``+34 ± 12``."""
    if math.isnan(estimate.mean):
        return MISSING
    return f"{format_signed(estimate.mean, decimals)} {format_margin(estimate, decimals)}"


def format_share(value: float) -> str:
    """Returns a share as a percentage; small and large ones are never rounded to 0 or 100."""
    percent = 100 * value
    if math.isnan(percent):
        return MISSING
    if percent in (0.0, 100.0):
        return f"{percent:.0f}"
    if percent < 0.1:
        return "<0.1"
    return ">99.9" if percent > 99.9 else f"{percent:.1f}"


def format_p_value(value: float) -> str:
    """Returns a p-value with three decimals, at least ``<0.001``."""
    if math.isnan(value):
        return MISSING
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def mbb_decimals(estimates: Iterable[Estimate]) -> int:
    """Returns how many decimals a table of means deserves: one if most intervals are narrower than ± 10, else none."""
    half_widths = [estimate.half_width for estimate in estimates if not math.isnan(estimate.half_width)]
    return int(bool(half_widths) and median(half_widths) < 10)


def short_name(name: str, width: int) -> str:
    """Returns the name, cut to ``width`` characters with an ellipsis."""
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
    """Formats chips with at most two decimals, the fewer the larger the number is."""
    size = abs(chips)
    decimals = 0 if size >= 999.5 else 1 if size >= 99.95 else 2
    return f"{round(chips, decimals) + 0.0:,.{decimals}f}"  # no minus before a zero
