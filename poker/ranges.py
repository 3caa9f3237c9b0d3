"""Range notation such as ``66+,A8s+,KTo+,A5s-A4s,76s:0.5,AhKh``, to and from weights of the 1326 combos.

Entries are separated by commas or blanks, and a comma may end the list. Each may end with ``:weight``, a number from 0
to 1 or a percentage such as ``50%``; without it the weight is 1.

==================  ================================================================================
``77``              one pair
``AK``              suited and offsuit; ``AKs`` suited only, ``AKo`` offsuit only; higher rank first
``77+``             this pair and all higher ones
``A8s+``            the lower card rises to just below the higher: A8s, A9s, ..., AKs
``T9s+``            neighbouring ranks rise together: T9s, JTs, QJs, KQs, AKs
``QQ-77``           pairs from one to the other
``A5s-A2s``         same higher card, from one lower card to the other
``JTs-76s``         same gap, from one hand to the other
``AhKh``            one combo
``15%``             the best hands, so many that they hold 15 % of all combos
                    (:mod:`hedgehog.poker.range_texts.hand_order`)
``random``          all combos (also ``full``)
``[50]AA,KK[/50]``  entries with the weight of 50 %, as GTO+ writes them
==================  ================================================================================

A whole range may be 1,326 weights in an order that is named before them: ``pio-order 0 0 1 ...``
(:mod:`hedgehog.poker.range_texts.vectors`).

Where entries overlap, **the first entry that names a combo decides**, so exceptions go before the rule:
``AhKh:0.5,AKs``. (The open-source program postflop-solver reads ranges in the same way.)
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, RANKS, SUITS, format_combo, parse_combo, ten_hint
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES, offsuit_class, suited_class
from hedgehog.poker.range_texts.hand_order import top_hands
from hedgehog.poker.range_texts.vectors import parse_named_vector
from hedgehog.runtime.errors import CardError, RangeError

__all__ = ["RangeEntry", "format_range", "parse_range", "range_entries", "round_weights"]

_COMBO: Final = re.compile(rf"(?:[{RANKS}][{SUITS}]){{2}}", re.IGNORECASE)
_HAND: Final = re.compile(rf"([{RANKS}])([{RANKS}])([so]?)", re.IGNORECASE)

_TOP: Final = re.compile(r"(\d+(?:\.\d+)?)%")
# An entry may have blanks around its colon and its dash.
_PART: Final = re.compile(
    r"(?P<bracket>\[[^\[\],]*\])|(?P<comma>,)"
    r"|(?P<entry>[^\s,\[\]:-]*(?:\s*[:-]\s*[^\s,\[\]:-]*)+|[^\s,\[\]:-]+|[\[\]])"
)

_MOST_SHOWN: Final = 200
# (high rank, low rank, suffix "s", "o" or "")
_Hand = tuple[int, int, str]


class RangeEntry(NamedTuple):
    """One entry of a range."""

    text: str
    """As it stands there, without brackets around it."""
    column: int
    """Where it stands, from 1."""
    combos: NDArray[np.bool_]
    """bool[1326]: the combos that it names."""
    weight: float
    """From 0 to 1."""


def parse_range(text: str) -> NDArray[np.float32]:
    """Returns the weights of a range given as text such as ``66+,A8s+,76s:0.5``.

    The module's description explains the notation.

    :param text: entries separated by commas, such as ``QQ+``, ``A2s-A5s`` or ``AhKd:0.5``.
    :returns: float32 weights in [0, 1] of shape (1326,), one per combo.
    :raises RangeError: if an entry is malformed (the message names the entry and its column) or all weights are 0.
    """
    if not text.strip():
        raise RangeError("the range is empty")
    weights = parse_named_vector(text)
    if weights is None:
        weights = np.zeros(NUM_COMBOS, dtype=np.float32)
        named = np.zeros(NUM_COMBOS, dtype=np.bool_)
        for entry in range_entries(text):
            weights[entry.combos & ~named] = entry.weight
            named |= entry.combos
    if not weights.any():
        shown = text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
        raise RangeError(f"the range {shown!r} is empty: no combo has a weight above 0")
    return weights


def range_entries(text: str) -> Iterator[RangeEntry]:
    """Yields the entries of a range in the order of the text; none of a vector of weights.

    :raises RangeError: if an entry is malformed; the message names it and its column.
    """
    if parse_named_vector(text) is not None:
        return
    opened: tuple[str, int, float] | None = None
    wanted = True  # an entry has to come before the next comma
    for part in _PART.finditer(text):
        name, column = part[0].strip(), part.start() + len(part[0]) - len(part[0].lstrip()) + 1
        try:
            if part["bracket"] is not None:
                opened = _bracket(name, column, opened)
                wanted = opened is not None
            elif part["entry"] is not None:
                yield RangeEntry(name, column, *_parse_entry(name, None if opened is None else opened[2]))
                wanted = False
            elif wanted:
                name = ""
                _parse_hand(name)
            else:
                wanted = True
        except (RangeError, CardError) as error:
            raise RangeError(f"range entry {name!r} at column {column}: {error.message}") from None
    if opened is not None:
        name, column, _ = opened
        raise RangeError(f"range entry {name!r} at column {column}: the bracket is not closed, expected [/{name[1:]}")


def _bracket(name: str, column: int, opened: tuple[str, int, float] | None) -> tuple[str, int, float] | None:
    """Returns the text, the column and the weight of the bracket that is open after one; None if none is."""
    number = name[1:-1].strip()
    if opened is None:
        if number.startswith("/"):
            raise RangeError("no bracket is open here")
        return name, column, _percent(number, "a percentage from 0 to 100 in the brackets")
    closing = number.removeprefix("/")
    if closing == number or _percent(closing, f"[/{opened[0][1:]}") != opened[2]:
        raise RangeError(f"expected [/{opened[0][1:]}")
    return None


def _parse_entry(entry: str, weight: float | None) -> tuple[NDArray[np.bool_], float]:
    """Returns the combos an entry names (bool (1326,)) and their weight.

    :param weight: the weight of the brackets around it; None if there are none.
    """
    name, colon, weight_text = (part.strip() for part in entry.partition(":"))
    combos = _parse_combos(name)
    if not colon:
        return combos, 1.0 if weight is None else weight
    if weight is not None:
        raise RangeError("the brackets around it say the weight already")
    return combos, _parse_weight(weight_text)


def _parse_weight(text: str) -> float:
    if text.endswith("%"):
        return _percent(text[:-1], "a weight from 0% to 100% after the colon")
    weight = _float(text)
    if not 0.0 <= weight <= 1.0:
        hint = f"; {text} percent is {text}%" if 1 < weight <= 100 else ""
        raise RangeError(f"expected a weight from 0 to 1 after the colon, got {text!r}{hint}")
    return weight


def _percent(text: str, expected: str) -> float:
    """Returns the weight that a percentage says."""
    percent = _float(text)
    if not 0.0 <= percent <= 100.0:
        raise RangeError(f"expected {expected}, got {text!r}")
    return percent / 100


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _parse_combos(name: str) -> NDArray[np.bool_]:
    if name.lower() in ("random", "full"):
        return np.ones(NUM_COMBOS, dtype=np.bool_)
    if top := _TOP.fullmatch(name):
        percent = float(top[1])
        if not 0 < percent <= 100:
            raise RangeError(f"expected a percentage above 0 and up to 100, got {name!r}")
        return top_hands(percent)
    if _COMBO.fullmatch(name):
        combos = np.zeros(NUM_COMBOS, dtype=np.bool_)
        combos[parse_combo(name)] = True
        return combos
    classes = np.zeros(NUM_HAND_CLASSES, dtype=np.bool_)
    for high, low, suffix in _expand(name):
        if suffix != "o":
            classes[suited_class(high, low)] = True
        if suffix != "s":
            classes[offsuit_class(high, low)] = True
    return np.asarray(classes[HAND_CLASS])


def _expand(name: str) -> Iterator[_Hand]:
    """Yields the hands of ``AK``, ``A8s+`` or ``QQ-77``."""
    first_text, dash, last_text = (part.strip() for part in name.partition("-"))
    if dash:
        first, last = _parse_hand(first_text), _parse_hand(last_text)
        if first < last:
            first, last = last, first
        yield from _expand_span(first, last)
    elif first_text.endswith("+"):
        high, low, suffix = _parse_hand(first_text[:-1])
        if high - low <= 1:
            yield from _expand_span((12, 12 - high + low, suffix), (high, low, suffix))
        else:
            yield from _expand_span((high, high - 1, suffix), (high, low, suffix))
    else:
        yield _parse_hand(first_text)


def _expand_span(first: _Hand, last: _Hand) -> Iterator[_Hand]:
    """Yields the hands from ``first`` down to ``last``."""
    high, low, suffix = first
    last_high, last_low, last_suffix = last
    if suffix != last_suffix:
        raise RangeError("both ends of a span must be suited, both offsuit, or both neither")
    if high == last_high and high != low and last_high != last_low:
        for rank in range(last_low, low + 1):
            yield high, rank, suffix
    elif high - low == last_high - last_low:
        for rank in range(last_high, high + 1):
            yield rank, rank - (high - low), suffix
    else:
        raise RangeError("both ends of a span must share the higher card or the gap, as in A5s-A2s or JTs-76s")


def _parse_hand(text: str) -> _Hand:
    match = _HAND.fullmatch(text)
    if match is None:
        raise RangeError(f"expected a hand such as 77, AKs, KTo, A9 or AhKh, got {text!r}{ten_hint(text)}")
    high, low = RANKS.index(match[1].upper()), RANKS.index(match[2].upper())
    suffix = match[3].lower()
    if high < low:
        raise RangeError(f"expected the higher rank first, got {text!r}")
    if high == low and suffix:
        raise RangeError(f"a pair is neither suited nor offsuit, got {text!r}")
    return high, low, suffix


def format_range(weights: ArrayLike) -> str:
    """Formats weights of combos as compact range notation; :func:`parse_range` returns the same weights.

    :param weights: weights in [0, 1] of shape (1326,); they are rounded to float32.
    :raises RangeError: if a weight lies outside [0, 1] or all are 0.
    """
    values = np.asarray(weights, dtype=np.float32)
    if values.shape != (NUM_COMBOS,):
        raise ValueError(f"expected weights of shape ({NUM_COMBOS},), got {values.shape}")
    if not ((values >= 0) & (values <= 1)).all():
        raise RangeError("range weights must lie between 0 and 1")
    if not values.any():
        raise RangeError("the range is empty: no combo has a weight above 0")
    if (values == values[0]).all():
        return _entry("random", values[0])

    low, high = np.full(NUM_HAND_CLASSES, 2, np.float32), np.full(NUM_HAND_CLASSES, -1, np.float32)
    np.minimum.at(low, HAND_CLASS, values)
    np.maximum.at(high, HAND_CLASS, values)
    uniform = low == high
    # The weight of a class that one entry can describe; 0 where there is nothing (more) to describe.
    by_class = np.where(uniform, low, np.float32(0))

    entries = list(_format_runs([(rank, rank) for rank in range(12, -1, -1)], by_class, ""))
    for top in range(12, 0, -1):
        hands = [(top, rank) for rank in range(top - 1, -1, -1)]
        both = np.zeros_like(by_class)
        for _, rank in hands:
            suited, offsuit = suited_class(top, rank), offsuit_class(top, rank)
            if by_class[suited] == by_class[offsuit]:
                both[suited] = by_class[suited]
                by_class[suited] = by_class[offsuit] = 0
        entries += _format_runs(hands, both, "")
        entries += _format_runs(hands, by_class, "s")
        entries += _format_runs(hands, by_class, "o")
    # Descending combo order puts the aces first.
    for combo in range(NUM_COMBOS - 1, -1, -1):
        if not uniform[HAND_CLASS[combo]] and values[combo] > 0:
            entries.append(_entry(format_combo(combo), values[combo]))
    return ",".join(entries)


def _format_runs(hands: list[tuple[int, int]], by_class: NDArray[np.float32], suffix: str) -> Iterator[str]:
    """Yields entries for runs of equal positive weight in ``hands``, (high, low) pairs sorted downwards."""
    index = offsuit_class if suffix == "o" else suited_class
    weights = [by_class[index(high, low)] for high, low in hands]
    start = 0
    while start < len(hands):
        stop = start + 1
        while stop < len(hands) and weights[stop] == weights[start]:
            stop += 1
        if weights[start] > 0:
            first, last = (RANKS[hands[i][0]] + RANKS[hands[i][1]] + suffix for i in (start, stop - 1))
            name = first if stop == start + 1 else f"{last}+" if start == 0 else f"{first}-{last}"
            yield _entry(name, weights[start])
        start = stop


def _entry(name: str, weight: np.float32) -> str:
    return name if weight == 1 else f"{name}:{np.format_float_positional(weight, trim='-')}"


def round_weights(weights: NDArray[np.floating[Any]], digits: int = 4) -> NDArray[np.float64]:
    """Returns weights rounded to significant digits. However small a weight is, no hand that has one loses it.

    :param weights: weights of any shape, 0 or more.
    :param digits: significant digits of every weight.
    """
    exact = np.asarray(weights, dtype=np.float64)
    size = np.floor(np.log10(exact, out=np.zeros_like(exact), where=exact > 0))
    scale = 10.0 ** (digits - 1 - size)
    return np.asarray(np.round(exact * scale) / scale)


def disjoint_weight(weights: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Returns float64[1326]: for every combo, the sum of the weights of all combos that share no card with it.

    :param weights: weights of the combos, of shape (1326,).
    """
    exact = weights.astype(np.float64)
    by_card = np.bincount(COMBO_CARDS.ravel(), np.repeat(exact, 2), NUM_CARDS)
    return np.asarray(exact.sum() - by_card[COMBO_CARDS].sum(axis=1) + exact)
