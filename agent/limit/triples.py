"""A two-player limit strategy as one table of triples: the probabilities of fold, call and raise.

The numbers of the decisions are those of :func:`hedgehog.poker.limit_betting.limit_tree` for the two-player game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FULL: int = 255
"""What the bytes of a triple add up to."""


@dataclass(frozen=True, slots=True)
class TripleTable:
    """A two-player strategy for ``D`` decisions and ``I`` pairs of a decision and a bucket of hands."""

    first: NDArray[np.int64]
    """(D,) row of the first bucket of each decision."""
    rows: NDArray[np.uint8]
    """(I, 3) probabilities of fold, call and raise in 1/255; 0 where an action is not legal."""
    reached: NDArray[np.bool_]
    """(I,) False where the strategy hardly ever goes, so that its row means nothing."""
    bucket: Callable[[int, tuple[int, ...], tuple[int, ...]], int]
    """Returns the bucket of a hand from the street, the two hole cards and the board."""
    buckets: Callable[[int, Sequence[int]], NDArray[np.integer]]
    """Returns the buckets of all 1,326 combos from the street and the board; any number for combos that it blocks."""
