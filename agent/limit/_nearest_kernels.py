"""Kernel that finds the two-player decisions nearest to a three-player decision."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.jit import njit

NO_FILTER: Final = 0
POT_FILTER: Final = 1
ODDS_FILTER: Final = 2
BY_DISTANCE: Final = 0
BY_KIND: Final = 1
BY_ODDS: Final = 2
"""Orders of candidates: by distance; by raise, seat and distance; by pot odds and pot before these."""
LEAST: Final = -1
"""In place of a difference: the least that a candidate has."""
NO_ODDS: Final = 1 << 20
"""Difference of the pot odds of two decisions of which one has a bet to call and the other has none."""
BET: Final = 4
"""A multiple of all bets to call in the two-player game, in small blinds: 1, 2 or 4."""
NO_SEAT: Final = -1
DISTANCE_BITS: Final = 7
POT_BITS: Final = 9


@njit
def odds_difference(pot: int, to_call: int, real_pot: int, real_to_call: int) -> int:
    """Returns the difference of two pot odds (pot by amount to call) in a unit of the real decision."""
    if real_to_call == 0:
        return NO_ODDS if to_call > 0 else 0
    if to_call == 0:
        return NO_ODDS
    # Over the common denominator, so that equal differences are equal numbers.
    return abs(pot * real_to_call * (BET // to_call) - BET * real_pot)


@njit
def filter_difference(filter_kind: int, pot: int, to_call: int, real_pot: int, real_to_call: int) -> int:
    """Returns how far a candidate is off by a filter; 0 without one."""
    if filter_kind == POT_FILTER:
        return abs(pot - real_pot)
    if filter_kind == ODDS_FILTER:
        return odds_difference(pot, to_call, real_pot, real_to_call)
    return 0


@njit
def nearest_kernel(
    keys: NDArray[np.int64],
    indices: NDArray[np.int64],
    action_distances: NDArray[np.int64],
    distances: NDArray[np.int64],
    cells: NDArray[np.int64],
    seat: NDArray[np.int64],
    pot: NDArray[np.int64],
    to_call: NDArray[np.int64],
    can_raise: NDArray[np.bool_],
    real_pot: int,
    real_to_call: int,
    real_can_raise: bool,
    preferred: int,
    filter_kind: int,
    order: int,
    difference: int,
) -> tuple[int, int]:
    """Writes the nearest candidates of a class, and returns how many there are in the class and are written.

    They come in order, or by their numbers if there is room for all candidates.

    :param keys: (K,) output: numbers that order the candidates; equal ones stay in the order of their numbers.
    :param indices: (K,) output: indices of the candidates.
    :param action_distances: (K,) output: distance of the actions of each.
    :param distances: (S, cells) distance of the real actions of each street from the actions of each cell.
    :param cells: (S, C) for each street the cell of each candidate.
    :param seat: (C,) seat of the hero.
    :param pot: (C,) chips in the pot, in small blinds.
    :param to_call: (C,) chips to call.
    :param can_raise: (C,) whether a raise is possible.
    :param preferred: the preferred seat, or :data:`NO_SEAT`.
    :param filter_kind: what makes a class, for example :data:`POT_FILTER`.
    :param order: the order, for example :data:`BY_KIND`.
    :param difference: difference of the class from the real decision, or :data:`LEAST`.
    """
    if difference == LEAST:
        difference = NO_ODDS
        for i in range(len(pot)):
            difference = min(difference, filter_difference(filter_kind, pot[i], to_call[i], real_pot, real_to_call))
    all_fit = len(keys) >= len(pot)
    count = 0
    filled = 0
    for i in range(len(pot)):
        if filter_difference(filter_kind, pot[i], to_call[i], real_pot, real_to_call) != difference:
            continue
        count += 1
        distance = np.int64(0)
        for street in range(len(cells)):
            distance += distances[street, cells[street, i]]
        key = distance
        if order != BY_DISTANCE:
            key += np.int64(can_raise[i] != real_can_raise) << DISTANCE_BITS + 1
            key += np.int64(preferred != NO_SEAT and seat[i] != preferred) << DISTANCE_BITS
        if order == BY_ODDS:
            key += np.int64(abs(pot[i] - real_pot)) << DISTANCE_BITS + 2
            odds = odds_difference(pot[i], to_call[i], real_pot, real_to_call)
            key += np.int64(odds) << DISTANCE_BITS + 2 + POT_BITS
        if filled == len(keys) and key >= keys[filled - 1]:
            continue
        place = filled if filled < len(keys) else filled - 1
        while not all_fit and place > 0 and keys[place - 1] > key:  # equal keys stay in the order of their numbers
            keys[place] = keys[place - 1]
            indices[place] = indices[place - 1]
            action_distances[place] = action_distances[place - 1]
            place -= 1
        keys[place] = key
        indices[place] = i
        action_distances[place] = distance
        filled = min(filled + 1, len(keys))
    return count, filled
