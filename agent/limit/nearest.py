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

from agent.limit.candidates import BIG, SMALL, Candidates, candidates, history_distances
from agent.limit.situation import BIG_BLIND, BUTTON, SMALL_BLIND, Situation

PREFERRED_SEATS: Final = {
    (SMALL_BLIND, BUTTON): BIG,
    (BIG_BLIND, BUTTON): BIG,
    (BUTTON, SMALL_BLIND): SMALL,
    (BUTTON, BIG_BLIND): SMALL,
}
"""The seat in the two-player game by the positions of hero and opponent. The blinds against each other have none, because
their order changes after the flop."""
_BET: Final = 4
"""A multiple of all bets to call in the two-player game, in small blinds: 1, 2 or 4."""
NO_ODDS: Final = 1 << 20
"""Difference of the pot odds of two decisions of which one has a bet to call and the other has none."""
_INDEX_BITS: Final = 13
_DISTANCE_BITS: Final = 7
_POT_BITS: Final = 9


class Way(IntEnum):
    """A way to carry a three-player decision to the two-player game."""

    HBB1 = 1
    HBB2 = 2
    HBB3 = 3
    HBB4 = 4
    HBB5 = 5


class Ranking(NamedTuple):
    """Candidates, nearest first."""

    indices: NDArray[np.int64]
    """(K,) indices among the candidates of the street."""
    distances: NDArray[np.int64]
    """(K,) distance of each; with HBB4 and HBB5 those of :func:`numeric_distances`."""


@cache
def pot_classes(street: int) -> dict[int, int]:
    """Returns the number of candidates of a street by their pot in small blinds."""
    pots, counts = np.unique(candidates(street).pot, return_counts=True)
    return dict(zip(pots.tolist(), counts.tolist(), strict=True))


@cache
def odds_classes(street: int) -> dict[tuple[int, int], int]:
    """Returns the number of candidates of a street by their pot and the amount to call, both in small blinds."""
    compared = candidates(street)
    keys, counts = np.unique(np.stack([compared.pot, compared.to_call]), axis=1, return_counts=True)
    return {(int(pot), int(to_call)): int(count) for (pot, to_call), count in zip(keys.T, counts, strict=True)}


def pot_differences(compared: Candidates, situation: Situation) -> NDArray[np.int64]:
    """Returns the difference of each candidate's pot from the real one, (C,) in small blinds."""
    return np.abs(compared.pot - situation.pot)


def odds_differences(compared: Candidates, situation: Situation) -> NDArray[np.int64]:
    """Returns the difference of each candidate's pot odds from the real ones, (C,) in a unit of this decision.

    Pot odds are the pot by the amount to call. Without a bet to call there are none; then all candidates without a bet
    are equally near, and those with a bet are equally far.
    """
    if situation.to_call == 0:
        return np.where(compared.to_call > 0, NO_ODDS, 0)
    # The difference of two fractions over a common denominator, so that equal differences are equal numbers.
    times = situation.to_call * (_BET // np.maximum(compared.to_call, 1))
    return np.where(compared.to_call > 0, np.abs(compared.pot * times - _BET * situation.pot), NO_ODDS)


def class_differences(way: Way, situation: Situation) -> NDArray[np.int64]:
    """Returns how far each candidate of the street is off by the filter of a way, (C,); 0 throughout without a filter.

    The filter lets the candidates with the least difference through. The next nearest class has the next difference.
    """
    compared = candidates(situation.street)
    if way is Way.HBB3:
        return pot_differences(compared, situation)
    if way is Way.HBB4:
        return odds_differences(compared, situation)
    return np.zeros(len(compared.histories), dtype=np.int64)


def rank_candidates(way: Way, situation: Situation, opponent: int, among: NDArray[np.int64], most: int) -> Ranking:
    """Returns the first of some candidates in the order of a way.

    :param situation: the real decision.
    :param opponent: position of the opponent who is looked at.
    :param among: indices of the candidates, ascending.
    :param most: number of candidates wanted.
    """
    compared = candidates(situation.street)
    distances = history_distances(situation.own[situation.hero], situation.own[opponent])
    key = distances
    if way >= Way.HBB4:
        key = key + ((compared.can_raise != situation.can_raise).astype(np.int64) << _DISTANCE_BITS + 1)
        preferred = PREFERRED_SEATS.get((situation.hero, opponent))
        if preferred is not None:
            key += (compared.seat != preferred).astype(np.int64) << _DISTANCE_BITS
    if way is Way.HBB5:
        key += pot_differences(compared, situation) << _DISTANCE_BITS + 2
        key += odds_differences(compared, situation) << _DISTANCE_BITS + 2 + _POT_BITS
    keys = (key[among] << _INDEX_BITS) + among  # the number of the candidate decides between equal ones
    if most < len(keys):
        keys = np.partition(keys, most - 1)[:most]
    keys.sort()
    chosen = keys & (1 << _INDEX_BITS) - 1
    if way <= Way.HBB3:
        return Ranking(chosen, distances[chosen])
    return Ranking(
        chosen, numeric_distances(2 * compared.can_raise[chosen] + compared.seat[chosen], distances[chosen])
    )


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
