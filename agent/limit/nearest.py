"""HBB2 to HBB5: the two-player decisions that are nearest to a three-player decision.

A way is a filter, which says which candidates are compared, and an order among them.

=====  ===============================================  ===============================================================
way    filter                                           order
=====  ===============================================  ===============================================================
HBB2   all candidates of the street                     distance of the actions
HBB3   those of the street with the nearest pot         distance of the actions
HBB4   those of the street with the nearest pot odds    raise possible as in the real hand, preferred seat, distance
HBB5   all candidates of the street                     difference of the pot odds, difference of the pots, then as HBB4
=====  ===============================================  ===============================================================

Equal candidates keep the order of their numbers.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.limit import _nearest_kernels as kernels
from hedgehog.agent.limit.candidates import BIG, SMALL, candidates, street_distances
from hedgehog.agent.limit.situation import BIG_BLIND, BUTTON, SMALL_BLIND, ThreePlayerSituation

PREFERRED_SEATS: Final = {
    (SMALL_BLIND, BUTTON): BIG,
    (BIG_BLIND, BUTTON): BIG,
    (BUTTON, SMALL_BLIND): SMALL,
    (BUTTON, BIG_BLIND): SMALL,
}
"""The seat in the two-player game by the positions of hero and opponent. The blinds against each other have none:
their order changes after the flop."""


class Way(IntEnum):
    """A way to carry a three-player decision to the two-player game."""

    HBB1 = 1
    HBB2 = 2
    HBB3 = 3
    HBB4 = 4
    HBB5 = 5


_FILTERS: Final = {Way.HBB3: kernels.POT_FILTER, Way.HBB4: kernels.ODDS_FILTER}
_ORDERS: Final = {
    Way.HBB2: kernels.BY_DISTANCE,
    Way.HBB3: kernels.BY_DISTANCE,
    Way.HBB4: kernels.BY_KIND,
    Way.HBB5: kernels.BY_ODDS,
}


class Ranking(NamedTuple):
    """The candidates of a street, ordered from the nearest to the farthest."""

    indices: NDArray[np.int64]
    """(K,) indices among the candidates of the street."""
    distances: NDArray[np.int64]
    """(K,) distance of each; with HBB4 and HBB5 those of :func:`numeric_distances`."""


@cache
def chip_classes(street: int) -> dict[tuple[int, int], NDArray[np.int64]]:
    """Returns the indices of the candidates of a street by their pot and the amount to call, both in small blinds."""
    compared = candidates(street)
    return {
        (int(pot), int(to_call)): np.flatnonzero((compared.pot == pot) & (compared.to_call == to_call))
        for pot, to_call in np.unique(np.stack([compared.pot, compared.to_call]), axis=1).T
    }


def class_members(way: Way, situation: ThreePlayerSituation) -> NDArray[np.int64]:
    """Returns the indices of the candidates that the filter of a way lets through, in no order."""
    differences = _differences(way, situation)
    least = min(differences)
    classes = zip(chip_classes(situation.street).values(), differences, strict=True)
    return np.concatenate([members for members, difference in classes if difference == least])


def class_differences(way: Way, situation: ThreePlayerSituation) -> list[int]:
    """Returns by how much the classes of a way's filter are off, the nearest first; empty without a filter.

    HBB3 has classes of pots, HBB4 those of pot odds. For a hero without a bet to call there is one class of
    pot odds, that of the candidates without a bet to call.
    """
    return sorted(set(_differences(way, situation)) - {kernels.NO_ODDS}) if way in _FILTERS else []


def _differences(way: Way, situation: ThreePlayerSituation) -> list[int]:
    """Returns how far each of :func:`chip_classes` is off by the filter of a way; 0 without a filter."""
    classes = chip_classes(situation.street)
    if way is Way.HBB3:
        return [abs(pot - situation.pot) for pot, _ in classes]
    if way is Way.HBB4:
        return [kernels.odds_difference(*key, situation.pot, situation.to_call) for key in classes]
    return [0] * len(classes)


def rank_candidates(
    way: Way,
    situation: ThreePlayerSituation,
    opponent: int,
    most: int,
    *,
    difference: int | None = None,
    whole_street: bool = False,
) -> tuple[Ranking, int]:
    """Returns the nearest candidates that a way's filter lets through, and how many it lets through.

    :param situation: the real decision.
    :param opponent: position of the opponent who is looked at.
    :param most: most candidates to return.
    :param difference: one of :func:`class_differences`, the class to take; None: the nearest.
    :param whole_street: do without the filter.
    """
    compared = candidates(situation.street)
    mine, other = situation.own[situation.hero], situation.own[opponent]
    most = min(most, len(compared.histories))
    keys, indices, distances = (np.empty(most, dtype=np.int64) for _ in range(3))
    count, filled = kernels.nearest_kernel(
        keys,
        indices,
        distances,
        np.stack([street_distances(street, *pair) for street, pair in enumerate(zip(mine, other, strict=True))]),
        compared.cells,
        compared.seat,
        compared.pot,
        compared.to_call,
        compared.can_raise,
        situation.pot,
        situation.to_call,
        situation.can_raise,
        PREFERRED_SEATS.get((situation.hero, opponent), kernels.NO_SEAT),
        kernels.NO_FILTER if whole_street else _FILTERS.get(way, kernels.NO_FILTER),
        _ORDERS[way],
        kernels.LEAST if difference is None else difference,
    )
    order = np.argsort(keys[:filled], kind="stable")  # the kernel sorts only where it drops candidates
    indices, distances = indices[order], distances[order]
    if way >= Way.HBB4:
        distances = numeric_distances(2 * compared.can_raise[indices] + compared.seat[indices], distances)
    return Ranking(indices, distances), count


def numeric_distances(kinds: NDArray[np.int64], distances: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns distances that grow where a ranking passes to candidates of another kind.

    The distance of an entry is the distance of its actions; to it is added the result of the last earlier entry of
    another kind, if there is one.

    :param kinds: (K,) kind of each entry of a ranking: whether a raise is possible, and the hero's seat.
    :param distances: (K,) distance of the actions of each entry.
    """
    results = np.empty(len(kinds), dtype=np.int64)
    start, added = 0, 0
    for end in [*(np.flatnonzero(np.diff(kinds)) + 1).tolist(), len(kinds)]:
        results[start:end] = distances[start:end] + added
        added = int(results[end - 1]) if end else 0
        start = end
    return results
