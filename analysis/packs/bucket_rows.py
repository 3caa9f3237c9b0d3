"""What lies in the card buckets of a decision: how many hands, which, and what is done with them.

A strategy over card buckets does the same with all hands of a bucket, so that a bucket is what a betting tree has at a
card: the rows are its branches on one board.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import combo_mask, format_combo
from hedgehog.poker.evaluation.equity import equity_vector
from hedgehog.poker.hand_classes import HAND_CLASS

NO_BUCKET = -1
"""Bucket of combos that the board blocks."""


class BucketRow(NamedTuple):
    """One bucket on one board."""

    bucket: int
    combos: NDArray[np.int64]
    """The combos in it, 0 .. 1325."""
    share: float
    """Its share of the range, from 0 to 1."""
    probabilities: NDArray[np.float64]
    """(actions,) what the range does with it; the mean of its combos where none of them is in the range."""
    figures: dict[str, float]
    """Means over the combos of the range, or over all combos where none of them is in the range, by name."""
    examples: tuple[int, ...]
    """Combos of different classes of hands, those of the largest weight first."""


def bucket_rows(
    buckets: NDArray[np.int64],
    weights: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    figures: Mapping[str, NDArray[Any]],
    *,
    examples: int = 2,
) -> Iterator[BucketRow]:
    """Yields the buckets of a decision by number.

    :param buckets: (1326,) bucket of each combo, :data:`NO_BUCKET` where the board blocks it.
    :param weights: (1326,) range of the player to act.
    :param probabilities: (actions, 1326) its strategy.
    :param figures: (1326,) numbers of every combo, by name.
    :param examples: largest number of examples.
    """
    total = float(weights[buckets != NO_BUCKET].sum())
    for bucket in np.unique(buckets[buckets != NO_BUCKET]).tolist():
        combos = np.flatnonzero(buckets == bucket)
        held = weights[combos]
        counted = held if held.sum() > 0 else np.ones(len(combos))
        counted = counted / counted.sum()
        heaviest = combos[np.lexsort((-combos, -held))]
        _, first = np.unique(HAND_CLASS[heaviest], return_index=True)
        yield BucketRow(
            bucket,
            combos,
            float(held.sum()) / total if total > 0 else 0.0,
            probabilities[:, combos] @ counted,
            {name: float(values[combos] @ counted) for name, values in figures.items()},
            tuple(heaviest[np.sort(first)][:examples].tolist()),
        )


def random_equity(board: Sequence[int]) -> NDArray[np.float64]:
    """Returns float64 (1326,): the equity of every combo against one random hand, 0 where the board blocks it.

    :param board: three to five card ids.
    """
    free = combo_mask(board)
    return np.where(free, equity_vector(free.astype(np.float32), board), 0.0)


def bucket_values(row: BucketRow) -> dict[str, Any]:
    """Returns a bucket as JSON-serialisable values."""
    return {
        "bucket": row.bucket,
        "combos": row.combos.tolist(),
        "share": round(row.share, 6),
        "probabilities": [round(float(x), 5) for x in row.probabilities],
        **{name: round(value, 5) for name, value in row.figures.items()},
        "examples": [format_combo(combo) for combo in row.examples],
    }
