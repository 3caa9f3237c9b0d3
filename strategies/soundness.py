"""Checks of the numbers in packs: rows are probabilities, ranges are weights. What is not sound is refused by name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import PackError
from hedgehog.strategies.quantize import SCALE

_TOLERANCE: Final = 1e-3
"""Largest difference from one of a sum of probabilities that are no bytes."""
_CHUNK: Final = 1 << 24
"""Numbers that are looked at at once."""


def count_bad_rows(rows: NDArray[Any], counts: NDArray[np.integer[Any]], actions: NDArray[np.integer[Any]]) -> int:
    """Returns the number of rows that are no probabilities: negative, not finite, or without the right sum.

    :param rows: flat, block after block; uint8, whose rows sum to 255, or numbers, whose rows sum to one.
    :param counts: (blocks,) rows of each block.
    :param actions: (blocks,) numbers in each row of a block.
    """
    ends = np.cumsum(counts.astype(np.int64) * actions)
    # Neighbours with equally many actions are looked at together.
    cuts = np.flatnonzero(np.diff(actions)) + 1
    faults = 0
    for first, last in zip([0, *cuts.tolist()], [*cuts.tolist(), len(actions)], strict=True):
        if first < last:
            start = int(ends[first - 1]) if first else 0
            faults += _bad_rows_of(rows[start : int(ends[last - 1])].reshape(-1, int(actions[first])))
    return faults


def _bad_rows_of(block: NDArray[Any]) -> int:
    """Returns the number of bad rows of an array of shape (rows, actions)."""
    if block.dtype == np.uint8:
        sums = block[:, 0].astype(np.uint16)
        for action in range(1, block.shape[1]):
            sums += block[:, action]
        return int(np.count_nonzero(sums != SCALE))
    good = np.abs(block.sum(axis=1, dtype=np.float64) - 1) <= _TOLERANCE  # False where a number is not finite
    return int(np.count_nonzero(~(good & (block >= 0).all(axis=1))))


def verify_rows(source: Path | str, name: str, faults: int) -> None:
    """Checks the result of :func:`count_bad_rows`.

    :param source: the pack's folder, for the message.
    :param name: name of the array.
    :raises PackError: if there are bad rows.
    """
    if faults:
        raise PackError(f"{name}: {faults:,} strategy rows do not sum to one", source=str(source))


def verify_weights(source: Path | str, name: str, numbers: NDArray[Any]) -> None:
    """Checks that all numbers of an array are finite and not negative.

    :param source: the pack's folder, for the message.
    :param name: name of the array.
    :param numbers: floating-point numbers, or the bits of half floats as uint16.
    :raises PackError: if a number is not.
    """
    if not all(low >= 0 and high < math.inf for low, high in _extremes(numbers)):
        raise PackError(f"{name} holds a number that is negative or not finite", source=str(source))


def verify_finite(source: Path | str, name: str, numbers: NDArray[Any]) -> None:
    """Checks that all numbers of an array are finite; parameters and error as for :func:`verify_weights`."""
    if not all(-math.inf < low and high < math.inf for low, high in _extremes(numbers)):
        raise PackError(f"{name} holds a number that is not finite", source=str(source))


def _extremes(numbers: NDArray[Any]) -> Iterator[tuple[float, float]]:
    """Yields the smallest and the largest number of every part of an array; NaN where a part holds NaN."""
    flat = numbers.reshape(-1)
    for start in range(0, len(flat), _CHUNK):
        part = flat[start : start + _CHUNK]
        if part.dtype == np.uint16:
            part = part.view(np.float16).astype(np.float32)
        yield float(part.min()), float(part.max())
