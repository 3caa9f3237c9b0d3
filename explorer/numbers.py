"""Turns arrays into short numbers and texts for JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.hand_names import HandNames
from hedgehog.poker.ranges import format_range, round_weights
from hedgehog.runtime.errors import RangeError


def numbers(values: NDArray[np.floating[Any]], digits: int) -> list[Any]:
    """Returns an array as nested lists, rounded to so many decimals; NaN becomes None."""
    rounded = np.round(values.astype(np.float64), digits)
    if np.isnan(rounded).any():
        return list(np.where(np.isnan(rounded), None, rounded).tolist())  # type: ignore[call-overload]
    return list(rounded.tolist())


def shown_range(weights: NDArray[np.floating[Any]]) -> str:
    """Returns float[1326] weights as the text of a range; empty if no combo is left."""
    try:
        return format_range(round_weights(weights))
    except RangeError:
        return ""


def draw_bits(names: HandNames) -> NDArray[np.int64]:
    """Returns int64[1326]: the draws of every combo, the first of :data:`~hedgehog.poker.hand_names.DRAWS` as bit 0."""
    return np.asarray((1 << np.arange(len(names.draws))) @ names.draws)


def number(value: float, digits: int) -> float | None:
    """Returns a number rounded to so many decimals; None for NaN and infinity."""
    return round(float(value), digits) if math.isfinite(value) else None
