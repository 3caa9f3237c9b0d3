"""Turns arrays into lists of short numbers for JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def numbers(values: NDArray[np.floating[Any]], digits: int) -> list[Any]:
    """Returns an array as nested lists, rounded to so many decimals; NaN becomes None."""
    rounded = np.round(values.astype(np.float64), digits)
    if np.isnan(rounded).any():
        return list(np.where(np.isnan(rounded), None, rounded).tolist())  # type: ignore[call-overload]
    return list(rounded.tolist())


def number(value: float, digits: int) -> float | None:
    """Returns a number rounded to so many decimals; None for NaN and infinity."""
    return round(float(value), digits) if math.isfinite(value) else None
