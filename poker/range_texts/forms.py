"""Ranges as text for other programs: PioSOLVER, GTO+, GTO Wizard.

=====================  ===========================================================================================
``hedgehog``           our own, short: ``QQ+,AKs:0.5`` (:mod:`hedgehog.poker.ranges`)
``pio``                PioSOLVER: every hand class, weights after a colon: ``AA,KK,QQ,AKs:0.5``
``gto+``               GTO+: spans of classes, percentages in brackets: ``AA-QQ,[50]AKs[/50]``
``gto-wizard``         GTO Wizard: as PioSOLVER
``pio-vector``         1,326 numbers in PioSOLVER's order, as its ``set_range`` takes them
``hedgehog-vector``    1,326 numbers in our order (:mod:`hedgehog.poker.range_texts.vectors`)
=====================  ===========================================================================================

A class whose combos have different weights is written combo by combo. No combo is named twice, so that it makes no
difference which of two entries a program prefers. :func:`hedgehog.poker.ranges.parse_range` reads all forms back to the
last bit; a vector needs the name of its order before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehog.poker.cards import NUM_COMBOS, RANKS, format_combo
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, NUM_HAND_CLASSES
from hedgehog.poker.range_texts.vectors import ORDERS
from hedgehog.poker.ranges import format_range
from hedgehog.runtime.errors import RangeError

Weights = NDArray[np.float32]
"""float32[1326], from 0 to 1."""


def _rows() -> Iterator[tuple[str, ...]]:
    """Yields the classes that a span may run through, from the highest to the lowest one."""
    ranks = RANKS[::-1]
    yield tuple(rank + rank for rank in ranks)
    for at, high in enumerate(ranks[:-1]):
        for suffix in "so":
            yield tuple(high + low + suffix for low in ranks[at + 1 :])


_ROWS: Final = tuple(_rows())


def _split(weights: Weights) -> tuple[dict[str, np.float32], list[int]]:
    """Returns the classes of one weight above 0 with it, and the combos of all other classes that have weights."""
    low, high = np.full(NUM_HAND_CLASSES, 2, np.float32), np.full(NUM_HAND_CLASSES, -1, np.float32)
    np.minimum.at(low, HAND_CLASS, weights)
    np.maximum.at(high, HAND_CLASS, weights)
    alike = {HAND_CLASS_NAMES[each]: low[each] for each in np.flatnonzero((low == high) & (low > 0)).tolist()}
    others = np.flatnonzero((low != high)[HAND_CLASS] & (weights > 0))
    return alike, others[::-1].tolist()


def _number(weight: np.float32) -> str:
    return np.format_float_positional(weight, trim="-")


def _pio(weights: Weights) -> str:
    alike, combos = _split(weights)
    entries = [(name, alike[name]) for row in _ROWS for name in row if name in alike]
    entries += [(format_combo(combo), weights[combo]) for combo in combos]
    return ",".join(name if weight == 1 else f"{name}:{_number(weight)}" for name, weight in entries)


def _gto_plus(weights: Weights) -> str:
    alike, combos = _split(weights)
    groups: dict[np.float32, list[str]] = {}
    for row in _ROWS:
        held = [alike.get(name, np.float32(0)) for name in row]
        start = 0
        for at in range(1, len(row) + 1):
            if at == len(row) or held[at] != held[start]:
                if held[start] > 0:
                    span = row[start] if at == start + 1 else f"{row[start]}-{row[at - 1]}"
                    groups.setdefault(held[start], []).append(span)
                start = at
    for combo in combos:
        groups.setdefault(weights[combo], []).append(format_combo(combo))
    parts = []
    for weight in sorted(groups, reverse=True):
        percent = f"{Decimal(_number(weight)) * 100:f}"
        percent = percent.rstrip("0").rstrip(".") if "." in percent else percent
        names = ",".join(groups[weight])
        parts.append(names if weight == 1 else f"[{percent}]{names}[/{percent}]")
    return ",".join(parts)


def _vector(order: str) -> Callable[[Weights], str]:
    return lambda weights: " ".join(map(_number, weights[ORDERS[order]]))


FORMS: Final[dict[str, Callable[[Weights], str]]] = {
    "hedgehog": format_range,
    "pio": _pio,
    "gto+": _gto_plus,
    "gto-wizard": _pio,
    "pio-vector": _vector("pio"),
    "hedgehog-vector": _vector("hedgehog"),
}
"""Name of a form -> what writes it."""


def format_range_for(form: str, weights: ArrayLike) -> str:
    """Formats weights of combos in the form of another program; the module's description shows all forms.

    :param form: a name in :data:`FORMS`.
    :param weights: weights in [0, 1] of shape (1326,); they are rounded to float32.
    :raises RangeError: if there is no such form, a weight lies outside [0, 1], or all are 0.
    """
    if form not in FORMS:
        raise RangeError(f"no form of ranges is called {form!r}: expected {', '.join(FORMS)}")
    values = np.asarray(weights, dtype=np.float32)
    if values.shape != (NUM_COMBOS,):
        raise ValueError(f"expected weights of shape ({NUM_COMBOS},), got {values.shape}")
    if not ((values >= 0) & (values <= 1)).all():
        raise RangeError("range weights must lie between 0 and 1")
    if not values.any():
        raise RangeError("the range is empty: no combo has a weight above 0")
    return FORMS[form](values)
