"""Ranges as vectors of 1,326 numbers, one per combo, in an order that has a name.

===============  ============================================================================
``pio``          by the higher card, then the lower one: ``2d2c 2h2c 2h2d 2s2c ... AsAh`` (PioSOLVER)
``hedgehog``     by the lower card, then the higher one (:mod:`hedgehog.poker.cards`)
===============  ============================================================================

Cards have the numbers of :mod:`hedgehog.poker.cards` in both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, combo_index, format_combo
from hedgehog.runtime.errors import RangeError

_NAMED: Final = re.compile(r"\s*(pio|hedgehog)-order\b", re.IGNORECASE)
_MANY: Final = 100
"""So many numbers are no range whose entries somebody has mistyped."""


def _pio_order() -> NDArray[np.int64]:
    order = np.array([combo_index(low, high) for high in range(NUM_CARDS) for low in range(high)], dtype=np.int64)
    order.flags.writeable = False
    return order


PIO_ORDER: Final = _pio_order()
"""int64[1326]: the combo at each place of PioSOLVER's order."""
ORDERS: Final = {"pio": PIO_ORDER, "hedgehog": np.arange(NUM_COMBOS)}
"""Name of an order -> int64[1326], the combo at each of its places."""


def parse_vector(words: Sequence[str], order: NDArray[np.int64], most: float = 1.0) -> NDArray[np.float32]:
    """Returns float32[1326], by combo, from 1,326 numbers from 0 to ``most``.

    :param order: int64[1326], the combo that each number is for.
    :raises RangeError: if there are more or fewer numbers, or a word is no such number.
    """
    if len(words) != NUM_COMBOS:
        raise RangeError(f"expected {NUM_COMBOS} numbers, got {len(words)}")
    values = np.array([_number(word) for word in words])
    wrong = np.flatnonzero(~((values >= 0) & (values <= most)))
    if len(wrong):
        at = int(wrong[0])
        upto = "of at least 0" if math.isinf(most) else f"from 0 to {most:g}"
        place = f"number {at + 1}, for {format_combo(int(order[at]))}"
        raise RangeError(f"{place}: expected numbers {upto}, got {words[at][:40]!r}")
    found = np.empty(NUM_COMBOS, dtype=np.float32)
    found[order] = values
    return found


def parse_named_vector(text: str) -> NDArray[np.float32] | None:
    """Returns the float32[1326] weights of a text such as ``pio-order 0 0 1 ...``; None if it is none.

    :raises RangeError: if it is one and does not have 1,326 weights, or if many numbers stand there without an order.
    """
    named = _NAMED.match(text)
    if named is not None:
        return parse_vector(text[named.end() :].replace(",", " ").split(), ORDERS[named[1].lower()])
    words = text.replace(",", " ").split()
    if len(words) > _MANY and all(not math.isnan(_number(word)) for word in words[:_MANY]):
        names = " or ".join(f"{name}-order" for name in ORDERS)
        raise RangeError(f"{len(words)} numbers do not say for which hands they are: write {names} before them")
    return None


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return math.nan
