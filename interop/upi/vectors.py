"""Vectors of 1,326 numbers, one per combo, in PioSOLVER's order, and the text in which it prints them.

Cards have the numbers of :mod:`hedgehog.poker.cards`. PioSOLVER lists combos by their higher card, then by their lower
one: ``2d2c 2h2c 2h2d 2s2c ... AsAh``; the combos of Hedgehog are ordered by the lower card first.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, format_combo
from hedgehog.poker.range_texts.vectors import PIO_ORDER, parse_vector
from hedgehog.poker.ranges import parse_range

_LOOKED_AT: Final = 3


def format_vector(values: NDArray[np.floating[Any]]) -> str:
    """Returns 1,326 numbers in PioSOLVER's order, with nine significant digits, each followed by a blank.

    :param values: one number per combo, of shape (1326,).
    """
    return "".join([f"{value:.9g} " for value in (values[PIO_ORDER] + 0.0).tolist()])  # + 0.0: there is no -0


def format_hand_order() -> str:
    """Returns the names of all combos in PioSOLVER's order, each followed by a blank."""
    return "".join([f"{format_combo(combo)} " for combo in PIO_ORDER.tolist()])


def parse_weights(text: str) -> NDArray[np.float32]:
    """Returns float32[1326] from the argument of ``set_range``: 1,326 weights in PioSOLVER's order, or a range.

    :raises InputError: if the text is neither.
    """
    words = text.split()
    if len(words) == NUM_COMBOS or any(_is_weight(word) for word in words[:_LOOKED_AT]):
        return parse_vector(words, PIO_ORDER)
    return parse_range(text)


def _is_weight(word: str) -> bool:
    """Tells whether a word is a weight; 22 to 99 are pairs."""
    try:
        return float(word) <= 1
    except ValueError:
        return False
