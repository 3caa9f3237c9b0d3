"""Groups of similar hands: k-means on the distribution of a hand's equity on the river.

Identity tests never put hands together whose values differ. Clustering makes as many groups as are asked for, of hands
that differ little. It is the usual way to abstract hands (Johanson, Burch, Valenzano and Bowling, "Evaluating
state-space abstractions in extensive-form games", AAMAS 2013).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.abstraction.board_classes import Boards
from hedgehog.solver.abstraction.hand_values import HandValues
from hedgehog.solver.abstraction.identity import Groups
from hedgehog.solver.blueprint.cards._clustering_kernels import k_means_kernel, nearest_centre, sort_centres

_LEVELS: Final = 50
_UNIT: Final = 1000
"""Value of 1 in the integer features."""
_ROUNDS: Final = 20
_SEED: Final = 1


def cluster_hands(values: HandValues, boards: Sequence[Boards], count: int) -> Groups:
    """Returns at most ``count`` groups of hands with similar distributions of equity over some completed boards.

    The features of a hand are the cumulative distribution of its equity at 50 levels. Their squared distance grows with
    the share of boards and with the difference of the equities. Hands with equal features share a group. The result is
    deterministic.

    :param boards: the boards in classes, which do not matter here.
    """
    rows = np.concatenate([values.rows(some) for some in boards])
    strength = values.strength[rows]
    live = (strength >= 0).any(axis=0)
    features = _distributions(strength[:, live])
    distinct, inverse = np.unique(features, axis=0, return_inverse=True)
    place = np.asarray(inverse).reshape(-1)
    nearest = place
    if len(distinct) > count:
        centres = np.zeros((count, features.shape[1]), dtype=np.int32)
        k_means_kernel(centres, features, features.shape[1], _ROUNDS, np.array([_SEED], dtype=np.uint64))
        ordered = sort_centres(centres, features.shape[1])
        nearest = np.array([nearest_centre(ordered, row) for row in distinct])[place]
    return number_groups(nearest, live)


def number_groups(labels: NDArray[np.integer[Any]], live: NDArray[np.bool_]) -> Groups:
    """Returns groups numbered by the first hand of each; labels that no hand has get no number.

    :param labels: a label of its group for each live hand.
    :param live: bool[hands], the hands that miss a board.
    """
    _, first, kept = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int32)
    number[np.argsort(first)] = np.arange(len(first))
    number_of = np.full(len(live), -1, dtype=np.int32)
    number_of[live] = number[np.asarray(kept).reshape(-1)]
    return Groups(number_of, len(first))


def _distributions(strength: NDArray[np.int32]) -> NDArray[np.int32]:
    """Returns int32[hands, levels]: which share of its boards leaves a hand an equity below each level.

    :param strength: (boards, hands) 2 * wins + ties, -1 where the hand is blocked.
    """
    if len(strength) == 1:
        # One board: the equity itself, exactly.
        return np.ascontiguousarray(strength.T, dtype=np.int32)
    largest = max(int(strength.max()), 1)
    valid = strength >= 0
    level = np.where(valid, strength.astype(np.int64) * _LEVELS // (largest + 1), _LEVELS)
    counts = np.zeros((strength.shape[1], _LEVELS + 1), dtype=np.int64)
    np.add.at(counts, (np.broadcast_to(np.arange(strength.shape[1]), strength.shape), level), 1)
    below = np.cumsum(counts[:, :_LEVELS], axis=1)
    return np.asarray(below * _UNIT // np.maximum(valid.sum(axis=0), 1)[:, None], dtype=np.int32)
