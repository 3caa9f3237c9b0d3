"""The 169 classes of hole cards before the flop: 13 pairs, 78 suited and 78 offsuit hands.

The classes form a 13 x 13 grid, and the class at a row and column has index ``13 * row + column``. Rows and columns are
ranks 0..12 (2 to ace). Pairs are on the diagonal, offsuit hands above it (row = low rank, column = high rank), and
suited hands below it (row = high rank, column = low rank).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, RANKS

NUM_HAND_CLASSES: Final = 169


def suited_class(high_rank: int, low_rank: int) -> int:
    """Returns the class 0..168 of a suited hand with two ranks 0..12, or of the pair if the ranks are equal."""
    return 13 * high_rank + low_rank


def offsuit_class(high_rank: int, low_rank: int) -> int:
    """Returns the class 0..168 of an offsuit hand with two ranks 0..12, or of the pair if the ranks are equal."""
    return 13 * low_rank + high_rank


def _class_name(hand_class: int) -> str:
    row, column = divmod(hand_class, 13)
    suffix = "" if row == column else "s" if row > column else "o"
    return RANKS[max(row, column)] + RANKS[min(row, column)] + suffix


def _hand_class_of_combos() -> NDArray[np.uint8]:
    low, high = (COMBO_CARDS >> 2).astype(np.int64).T
    suited = (COMBO_CARDS[:, 0] & 3) == (COMBO_CARDS[:, 1] & 3)
    table: NDArray[np.uint8] = np.where(suited, 13 * high + low, 13 * low + high).astype(np.uint8)
    table.flags.writeable = False
    return table


HAND_CLASS_NAMES: Final = tuple(_class_name(hand_class) for hand_class in range(NUM_HAND_CLASSES))
"""Names of the classes, such as ``AA``, ``AKs`` and ``72o``, by class index."""

HAND_CLASS: Final = _hand_class_of_combos()
"""uint8 array of shape (1326,): the class 0..168 of every combo."""

HAND_CLASS_SIZES: Final = np.bincount(HAND_CLASS, minlength=NUM_HAND_CLASSES)
"""int64 array of shape (169,): number of combos in each class, 6 for a pair, 4 if suited, 12 if offsuit."""
