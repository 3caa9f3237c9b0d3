"""Exact equities of two hands before the flop, from a table of all 47,008 kinds of matchups.

A matchup is two combos without a common card. Matchups that differ by a relabelling of suits, or in which hand comes
first, are of one kind. The table ``poker/tables/preflop_matchups.npy`` holds one count per kind. :func:`count_matchups`
computes it again in about a minute. ``python -m hedgehog.poker.evaluation.matchups`` does so and writes the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from math import comb
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, combo_index
from hedgehog.poker.evaluation._allin_kernels import preflop_rollout_kernel
from hedgehog.poker.evaluation.allin import rank_multisets
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, frozen
from hedgehog.runtime.errors import CardError, InputError
from hedgehog.runtime.files import replacing
from hedgehog.runtime.npy_files import map_npy

NUM_MATCHUPS: Final = 47_008
"""Number of kinds of matchups."""
MATCHUP_BOARDS: Final = comb(NUM_CARDS - 4, 5)
"""Number of boards of a matchup: 1,712,304."""

_OPPONENTS: Final = comb(NUM_CARDS - 2, 2)
_FILE: Final = "preflop_matchups.npy"


def _table_file() -> Path:
    return Path(str(resources.files("hedgehog.poker"))) / "tables" / _FILE


def read_matchups() -> NDArray[np.uint32]:
    """Returns the score of the first hand for every kind of matchup, uint32 of shape (47008,), from the table.

    :raises InputError: if the table is damaged.
    """
    counts = np.asarray(map_npy(_table_file()))
    if counts.shape != (NUM_MATCHUPS,) or counts.dtype != np.uint32:
        raise InputError("is not the table of matchups", source=str(_table_file()))
    return counts


@cache
def class_representatives() -> NDArray[np.int64]:
    """Returns the combo that stands for every hand class in :func:`matchup_scores`: the first combo of the class.

    :returns: read-only int64 array of shape (169,).
    """
    return frozen(np.unique(HAND_CLASS, return_index=True)[1])


@cache
def _matchup_keys() -> NDArray[np.int64]:
    """Returns one number per representative and combo, equal for matchups of one kind.

    :returns: int64 array of shape (169, 1326): twice the number of the kind, in ascending order of kinds, plus 1 if the
        combo comes first in the kind; -1 where the two share a card.
    """
    own = COMBO_PERMUTATIONS[:, class_representatives()].astype(np.int64)[:, :, None]
    other = COMBO_PERMUTATIONS.astype(np.int64)[:, None, :]
    straight = (own * NUM_COMBOS + other).min(axis=0)
    swapped = (other * NUM_COMBOS + own).min(axis=0)
    cards = COMBO_CARDS[class_representatives()]
    shared = (cards[:, None, :, None] == COMBO_CARDS[None, :, None, :]).any(axis=(2, 3))
    keys = np.where(shared, -1, np.minimum(straight, swapped))
    kinds = np.unique(keys[~shared])
    return np.where(shared, -1, 2 * np.searchsorted(kinds, keys) + (swapped < straight))


@cache
def matchup_scores() -> NDArray[np.uint32]:
    """Returns twice the boards won plus the boards tied, for every hand class against every combo.

    :returns: read-only uint32 array of shape (169, 1326). The first hand is the class's representative
        (:func:`class_representatives`); the score is 0 where the combo shares a card with it.
    :raises InputError: if the table of matchups is damaged.
    """
    counts = read_matchups().astype(np.int64)
    keys = _matchup_keys()
    of_kind = counts[np.maximum(keys, 0) >> 1]
    return frozen(np.where(keys < 0, 0, np.where(keys & 1, 2 * MATCHUP_BOARDS - of_kind, of_kind)).astype(np.uint32))


@cache
def class_strengths() -> NDArray[np.float64]:
    """Returns the equity of every hand class against a random hand, read-only and of shape (169,)."""
    return frozen(matchup_scores().sum(axis=1, dtype=np.int64) / (2 * MATCHUP_BOARDS * _OPPONENTS))


def matchup_score(own: Sequence[int], other: Sequence[int]) -> int:
    """Returns twice the boards that the first hand wins plus the boards it ties, out of :data:`MATCHUP_BOARDS`.

    :param own: two card ids.
    :param other: two card ids.
    :raises CardError: if a card is repeated.
    """
    if len({*own, *other}) != 4:
        raise CardError("expected four different cards")
    combo = combo_index(*own)
    representative = class_representatives()[HAND_CLASS[combo]]
    permutation = int(np.flatnonzero(COMBO_PERMUTATIONS[:, combo] == representative)[0])
    return int(matchup_scores()[HAND_CLASS[combo], COMBO_PERMUTATIONS[permutation, combo_index(*other)]])


def count_matchup(own: Sequence[int], other: Sequence[int]) -> int:
    """Returns what :func:`matchup_score` returns, counted without the table."""
    totals = np.zeros(2)
    hands = np.array([own, other], dtype=np.uint8)
    ones, nobody = np.ones(2, dtype=np.int64), np.zeros(2, dtype=np.bool_)
    boards = preflop_rollout_kernel(totals, hands, ones, nobody, evaluator_tables(), rank_multisets())
    return boards + round(float(totals[0]))


def count_matchups() -> NDArray[np.uint32]:
    """Returns the score of the first hand for every kind of matchup, counted anew: uint32 of shape (47008,)."""
    counts = np.zeros(NUM_MATCHUPS, dtype=np.uint32)
    keys = _matchup_keys()
    kinds, places = np.unique(np.where(keys & 1, -1, keys), return_index=True)
    for kind, place in zip(kinds.tolist(), places.tolist(), strict=True):
        if kind >= 0:
            hand_class, combo = divmod(place, NUM_COMBOS)
            own = COMBO_CARDS[class_representatives()[hand_class]].tolist()
            counts[kind >> 1] = count_matchup(own, COMBO_CARDS[combo].tolist())
    return counts


if __name__ == "__main__":
    with replacing(_table_file(), make_folder=True) as file:
        np.save(file, count_matchups())
