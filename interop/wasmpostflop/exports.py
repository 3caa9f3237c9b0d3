"""The JSON files that WASM Postflop and Desktop Postflop export: tree configurations, and ranges.

::

    {"version": 2, "name": "configurations", "data": [
        {"path": ["3-bet pots"], "isGroup": true},
        {"path": ["3-bet pots", "deep"], "isGroup": false, "value": {"startingPot": 200, "oopFlopBet": "50, e", ...}}]}

A file holds all that the user has saved, each with the names of its groups. Tree configurations have no board and no
ranges. Sizes are separated by commas or blanks: ``50`` is percent of the pot, ``3e200`` at most 200 %; the rest is as
in a spot file. Percentages are percent of the pot. Lines are written ``X-B100-C|X-B300``: the street totals of the
actions, with ``-`` in a street and ``|`` between streets, and commas between lines.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hedgehog.poker.betsizes import AllIn, BetSize, ChipAmount, Geometric, Menu, PotFraction, PreviousBetMultiple
from hedgehog.runtime.errors import InputError
from hedgehog.solver.postflop.tree import parse_action

Line = tuple[str, ...]
VERSION: Final = 2
CONFIGURATIONS: Final = "configurations"
RANGES: Final = "ranges"
MOST_CHIPS: Final = 30_000
"""Largest pot and stack of the programs."""
PLAYER_KEYS: Final = {
    f"{player}{street}{kind}": (player, street, kind)
    for player in ("oop", "ip")
    for street in ("Flop", "Turn", "River")
    for kind in ("Bet", "Raise", "Donk")
    if kind != "Donk" or (player == "oop" and street != "Flop")
}
"""The keys of bet sizes, each with player, street and kind."""
NUMBER_KEYS: Final = (
    "startingPot", "effectiveStack", "rakePercent", "rakeCap", "donkOption", "addAllInThreshold",
    "forceAllInThreshold", "mergingThreshold", "expectedBoardLength",
)  # fmt: skip
_LINE_KEYS: Final = ("addedLines", "removedLines")
_NUMBER: Final = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
_PERCENT: Final = re.compile(_NUMBER)
_MULTIPLE: Final = re.compile(_NUMBER + "x")
_CHIPS: Final = re.compile(r"([0-9]+)c(?:([0-9]+)r)?")
_GEOMETRIC: Final = re.compile(r"([0-9]+)?e(?:" + _NUMBER + ")?")
_SMALLEST: Final = ChipAmount(1)
"""In place of sizes of 0: the programs raise what is too small to the smallest bet or raise."""


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """The configuration of a tree in an export of WASM Postflop."""

    pot: int
    stack: int
    menus: Mapping[str, Menu]
    """The sizes by their keys, those of :data:`PLAYER_KEYS`."""
    donk: bool
    """Whether the donk sizes count; otherwise a donk bet has the sizes of other bets."""
    rake_percent: float
    rake_cap: float
    add_allin_percent: float
    force_allin_percent: float
    merging_percent: float
    board_length: int
    """Number of cards of the board for which the tree was edited; 0 if it was not."""
    added: tuple[Line, ...]
    """Lines that the user has added, each ending with a bet; below it the menus apply."""
    removed: tuple[Line, ...]
    """Lines that the user has removed afterwards, with all that comes after them."""


def is_export(text: str) -> bool:
    """Returns whether a text looks like a file that the programs have exported."""
    return text.lstrip().startswith("{") and bool(re.search(r'"name"\s*:\s*"(configurations|ranges)"', text))


def parse_export(text: str, kind: str) -> dict[str, Any]:
    """Returns the items of an exported file by name, ``GROUP/NAME`` for those in groups.

    :param kind: :data:`CONFIGURATIONS` or :data:`RANGES`.
    :raises InputError: if the file is not of this kind or malformed.
    """
    try:
        root = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"malformed JSON: {error}") from None
    if not isinstance(root, dict) or root.get("name") != kind:
        found = repr(root.get("name")) if isinstance(root, dict) else "something else"
        raise InputError(f"expected exported {kind} of WASM Postflop, whose key 'name' is {kind!r}, got {found}")
    if root.get("version") != VERSION:
        raise InputError(f"expected version {VERSION} of the file, got {root.get('version')!r}: export it again")
    items: dict[str, Any] = {}
    data = root.get("data")
    if not isinstance(data, list):
        raise InputError(f"expected a list as the key 'data', got {data!r:.40}")
    for index, item in enumerate(data):
        path = item.get("path") if isinstance(item, dict) else None
        if not isinstance(path, list) or not path or not all(isinstance(name, str) for name in path):
            raise InputError(f"data[{index}]: expected an object with the key 'path', a list of names")
        if not item.get("isGroup"):
            items["/".join(path)] = item.get("value")
    return items


def pick(items: Mapping[str, Any], name: str | None, kind: str) -> tuple[str, Any]:
    """Returns the name and the value of one item.

    :param name: name of the item; None if there is only one.
    :param kind: what the items are, for messages.
    :raises InputError: if there is no such item, or no name although there are several.
    """
    listed = ", ".join(repr(one) for one in list(items)[:5]) + (", ..." if len(items) > 5 else "")
    if not items:
        raise InputError(f"there are no {kind} in the file")
    if name is None and len(items) == 1:
        return next(iter(items.items()))
    if name is None:
        raise InputError(f"the file has {len(items)} {kind}: say which one (--item), of {listed}")
    if name not in items:
        raise InputError(f"there is no item {name!r} among the {kind}: expected one of {listed}")
    return name, items[name]


def format_export(kind: str, items: Mapping[str, Any]) -> str:
    """Returns the text of a file that the programs import."""
    data = [{"path": [name], "isGroup": False, "value": value} for name, value in items.items()]
    return json.dumps({"version": VERSION, "name": kind, "data": data}, indent=2, ensure_ascii=False) + "\n"


def parse_settings(value: Any) -> TreeSettings:
    """Returns the tree configuration of an exported item.

    :raises InputError: if a key is missing, unknown or malformed; the message names it.
    """
    if not isinstance(value, dict):
        raise InputError(f"expected an object with the keys of a tree configuration, got {value!r:.40}")
    keys = (*NUMBER_KEYS, *PLAYER_KEYS, *_LINE_KEYS)
    for key in keys:
        if key not in value:
            raise InputError(f"the key {key!r} is missing")
    for key in value:
        if key not in keys:
            raise InputError(f"unknown key {key!r}")
    number = {key: _number(value, key) for key in NUMBER_KEYS}
    menus = {key: _menu(value, key) for key in PLAYER_KEYS}
    length = int(number["expectedBoardLength"])
    added, removed = (_lines(value, key) for key in _LINE_KEYS)
    if length not in (0, 3, 4, 5) or bool(length) != bool(added or removed):
        raise InputError(
            "expected 3, 4 or 5 as the key 'expectedBoardLength' with added or removed lines, 0 without, "
            f"got {value['expectedBoardLength']!r}"
        )
    return TreeSettings(
        _chips(value, "startingPot"), _chips(value, "effectiveStack"), menus, bool(number["donkOption"]),
        number["rakePercent"], number["rakeCap"], number["addAllInThreshold"], number["forceAllInThreshold"],
        number["mergingThreshold"], length, added, removed,
    )  # fmt: skip


def format_settings(settings: TreeSettings) -> dict[str, Any]:
    """Returns a tree configuration as the value of an item; :func:`parse_settings` reads it back."""
    numbers = (
        settings.pot, settings.stack, settings.rake_percent, settings.rake_cap, int(settings.donk),
        settings.add_allin_percent, settings.force_allin_percent, settings.merging_percent, settings.board_length,
    )  # fmt: skip
    value: dict[str, Any] = {key: _plain(number) for key, number in zip(NUMBER_KEYS, numbers, strict=True)}
    value |= {key: ", ".join(map(_format_size, settings.menus[key])) for key in PLAYER_KEYS}
    lines = (settings.added, settings.removed)
    return value | {key: ",".join(map(format_edit, one)) for key, one in zip(_LINE_KEYS, lines, strict=True)}


def format_edit(line: Sequence[str]) -> str:
    """Returns a betting line as the programs write it, such as ``X-B100-C|X-B300``."""
    text, ended, checks = "", False, 0
    for token in line:
        text += ("|" if ended else "-") * bool(text) + token
        checks = checks + 1 if token == "X" and not ended else int(token == "X")
        ended = token == "C" or checks == 2
    return text


def _number(value: Mapping[str, Any], key: str) -> float:
    number = value[key]
    if not isinstance(number, (int, float)) or not (0 <= number < math.inf):
        raise InputError(f"{key}: expected a number of at least 0, got {number!r}")
    return float(number)


def _chips(value: Mapping[str, Any], key: str) -> int:
    number = _number(value, key)
    if not number.is_integer() or not number:
        raise InputError(f"{key}: expected whole chips, at least 1, got {value[key]!r}")
    return int(number)


def _menu(value: Mapping[str, Any], key: str) -> Menu:
    text = value[key]
    if not isinstance(text, str):
        raise InputError(f"{key}: expected a text such as '50, 2.5x, a', got {text!r:.40}")
    return tuple(_size(word, key) for word in text.replace(",", " ").lower().split())


def _size(word: str, key: str) -> BetSize:
    raises = PLAYER_KEYS[key][2] == "Raise"
    if word == "a":
        return AllIn()
    if match := _PERCENT.fullmatch(word):
        return PotFraction(float(match[1]) / 100) if float(match[1]) else _SMALLEST
    if (match := _MULTIPLE.fullmatch(word)) and raises and float(match[1]) > 1:
        return PreviousBetMultiple(float(match[1]))
    if (match := _CHIPS.fullmatch(word)) and (not match[2] or (raises and int(match[2]) > 0)):
        return ChipAmount(max(int(match[1]), 1), int(match[2]) if match[2] else None)
    if (match := _GEOMETRIC.fullmatch(word)) and match[1] != "0":
        most = None if match[2] is None else float(match[2]) / 100
        return _SMALLEST if most == 0 else Geometric(int(match[1]) if match[1] else None, most)
    kinds = "50, 2.5x, 100c, 20c3r, e, 2e, 3e200 or a" if raises else "50, 100c, e, 2e, 3e200 or a"
    raise InputError(f"{key}: expected a size such as {kinds}, got {word!r}")


def _format_size(size: BetSize) -> str:
    match size:
        case PotFraction(fraction):
            return _percent(fraction)
        case PreviousBetMultiple(factor):
            return f"{_digits(factor)}x"
        case ChipAmount(chips, most):
            return f"{chips}c" + ("" if most is None else f"{most}r")
        case Geometric(streets, limit):
            return f"{streets or ''}e" + ("" if limit is None else _percent(limit))
        case AllIn():
            return "a"


def _percent(fraction: float) -> str:
    # 15 significant digits hide the error of the multiplication.
    return _digits(float(f"{100 * fraction:.15g}"))


def _plain(number: float) -> float | int:
    return int(number) if float(number).is_integer() else number


def _digits(number: float) -> str:
    return np.format_float_positional(number, trim="-")


def _lines(value: Mapping[str, Any], key: str) -> tuple[Line, ...]:
    text = value[key]
    if not isinstance(text, str):
        raise InputError(f"{key}: expected a text of lines such as 'X-B100-C|X-B300', got {text!r:.40}")
    lines = tuple(tuple(re.split(r"[-|]", line)) for line in text.split(",") if line)
    for line in lines:
        for token in line:
            try:
                parse_action(token)
            except InputError as error:
                raise InputError(f"{key}: {error.message} in the line {'-'.join(line)!r}") from None
    return lines
