"""Rows of probabilities as bytes: every stored row is uint8 and sums to exactly 255."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

SCALE: Final = 255


def quantize_rows(probabilities: NDArray[Any], scale: int = SCALE) -> NDArray[np.uint8]:
    """Returns rows of probabilities rounded to uint8 so that each row sums to ``scale`` (largest-remainder rounding).

    :param probabilities: non-negative weights of shape (..., actions); rows need not sum to one. A row of zeros becomes
        uniform.
    :param scale: sum of every rounded row, at most 255.
    :returns: uint8 of the same shape; the error of an entry, divided by ``scale``, is below 1/scale.
    :raises ValueError: if a value is negative or not finite.
    """
    rows = np.asarray(probabilities, dtype=np.float64)
    if not np.all(np.isfinite(rows)) or np.any(rows < 0):
        raise ValueError("probabilities must be finite and not negative")
    total = rows.sum(axis=-1, keepdims=True)
    rows = np.where(total > 0, rows / np.where(total > 0, total, 1.0), 1.0 / rows.shape[-1])
    scaled = rows * scale
    floor = np.floor(scaled)
    missing = (scale - floor.sum(axis=-1)).astype(np.int64)
    # The `missing` largest remainders of each row get one more unit; the stable sort makes ties deterministic.
    order = np.argsort(-(scaled - floor), axis=-1, kind="stable")
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.broadcast_to(np.arange(rows.shape[-1]), order.shape), axis=-1)
    return np.asarray(floor + (place < missing[..., None]), dtype=np.uint8)


def dequantize_rows(rows: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Returns uint8 rows (..., actions) as float32 probabilities; each row sums to one, up to rounding."""
    return np.asarray(rows, dtype=np.float32) / np.float32(SCALE)
