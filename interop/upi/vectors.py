"""Vectors of 1,326 numbers, one per combo, in PioSOLVER's order, and the text in which it prints them.

Cards have the numbers of :mod:`hedgehog.poker.cards`. PioSOLVER lists combos by their higher card, then by their lower
one: ``2d2c 2h2c 2h2d 2s2c ... AsAh``; the combos of Hedgehog are ordered by the lower card first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, combo_index, format_combo
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import InputError


def _order() -> NDArray[np.int64]:
    order = np.array([combo_index(low, high) for high in range(NUM_CARDS) for low in range(high)], dtype=np.int64)
    order.flags.writeable = False
    return order


_LOOKED_AT: Final = 3
PIO_ORDER: Final = _order()
"""int64[1326]: the combo at each place of PioSOLVER's order."""


def format_vector(values: NDArray[np.floating[Any]]) -> str:
    """Returns 1,326 numbers in PioSOLVER's order, with nine significant digits, each followed by a blank.

    :param values: one number per combo, of shape (1326,).
    """
    return "".join([f"{value:.9g} " for value in (values[PIO_ORDER] + 0.0).tolist()])  # + 0.0: there is no -0


def format_hand_order() -> str:
    """Returns the names of all combos in PioSOLVER's order, each followed by a blank."""
    return "".join([f"{format_combo(combo)} " for combo in PIO_ORDER.tolist()])


def parse_vector(words: Sequence[str], most: float = math.inf) -> NDArray[np.float32]:
    """Returns float32[1326] from 1,326 numbers from 0 to ``most`` in PioSOLVER's order.

    :raises InputError: if there are more or fewer numbers, or a word is no such number.
    """
    if len(words) != NUM_COMBOS:
        raise InputError(f"expected {NUM_COMBOS} numbers, got {len(words)}")
    try:
        values = np.array([float(word) for word in words])
    except ValueError:
        values = np.full(1, math.nan)
    wrong = ~((values >= 0) & (values <= most))
    if wrong.any():
        upto = "of at least 0" if math.isinf(most) else f"from 0 to {most:g}"
        raise InputError(f"expected numbers {upto}, got {words[int(np.argmax(wrong))][:40]!r}")
    found = np.empty(NUM_COMBOS, dtype=np.float32)
    found[PIO_ORDER] = values
    return found


def parse_weights(text: str) -> NDArray[np.float32]:
    """Returns float32[1326] from the argument of ``set_range``: 1,326 weights in PioSOLVER's order, or a range.

    The entries of a range are separated by commas or blanks.

    :raises InputError: if the text is neither.
    """
    words = text.split()
    if len(words) == NUM_COMBOS or any(_is_weight(word) for word in words[:_LOOKED_AT]):
        return parse_vector(words, 1.0)
    return parse_range(",".join(text.replace(",", " ").split()))


def _is_weight(word: str) -> bool:
    """Tells whether a word is a weight; 22 to 99 are pairs."""
    try:
        return float(word) <= 1
    except ValueError:
        return False
