"""AIVAT averages over flops without dealing them, which takes strategies that do not tell suits apart before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from hedgehog.analysis.aivat.definition import Array
from hedgehog.poker.cards import combo_mask
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_SIZES
from hedgehog.runtime.errors import InputError

_TOLERANCE: Final = 1e-6


def verify_suit_symmetry(weights: Array, blocked: Sequence[int] = ()) -> None:
    """Verifies that all combos of a hand class are equally likely before the flop.

    :param weights: (1326,) weights of a player's combos.
    :param blocked: cards that the player cannot hold.
    :raises InputError: if the strategy tells suits apart.
    """
    live = combo_mask(blocked)
    counts = np.bincount(HAND_CLASS[live], minlength=len(HAND_CLASS_SIZES))
    sums = np.bincount(HAND_CLASS, weights=weights, minlength=len(HAND_CLASS_SIZES))
    means = np.divide(sums, counts, out=np.zeros(len(sums)), where=counts > 0)[HAND_CLASS]
    if np.abs(weights - means)[live].max() > _TOLERANCE * weights.max():
        raise InputError("AIVAT needs a strategy that does not tell suits apart before the flop")
