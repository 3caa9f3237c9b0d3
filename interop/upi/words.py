"""Words and numbers of UPI commands."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from hedgehog.runtime.errors import InputError

_WORD: Final = re.compile(r'"([^"]*)"(?=\s|$)|([^\s"]+)')
_LOAD_TYPES: Final = ("full", "fast", "auto")
MOST_CHIPS: Final = 2**31 - 1
"""Largest amount of chips that a command may name."""


def parse_words(text: str) -> list[str]:
    """Returns the arguments of a command: words separated by blanks; in double quotes a word may hold blanks.

    Backslashes stand for themselves, as in ``"D:\\x y\\a.cfr"``.

    :raises InputError: if a quotation mark is missing or stands inside a word.
    """
    words: list[str] = []
    place = 0
    text = text.strip()
    while place < len(text):
        found = _WORD.match(text, place)
        if found is None or (found.end() < len(text) and not text[found.end()].isspace()):
            raise InputError('expected words separated by blanks, or a text with blanks in double quotes "..."')
        words.append(found[2] if found[1] is None else found[1])
        place = found.end()
        while place < len(text) and text[place].isspace():
            place += 1
    return words


def parse_path(text: str, more: Sequence[str] = _LOAD_TYPES) -> tuple[str, str]:
    """Returns the path of a file and the word after it, which is empty if there is none.

    A path with blanks may stand in double quotes or, as some clients send it, without.

    :param more: the words that may follow the path.
    :raises InputError: if there is no path, or something else follows it.
    """
    text = text.strip()
    if text.startswith('"'):
        path, closing, rest = text[1:].partition('"')
        rest = rest.strip()
        if not closing or (rest and rest not in more):
            expected = f" and after it nothing or one of {', '.join(more)}" if more else " and nothing after it"
            raise InputError(f"expected a path in double quotes{expected}")
    else:
        before, _, last = text.rpartition(" ")
        path, rest = (before.rstrip(), last) if before.strip() and last in more else (text, "")
    if not path.strip():
        raise InputError("expected the path of a file")
    return path, rest


def parse_chips(text: str, least: int = 0) -> int:
    """Returns a whole number of chips.

    :raises InputError: if the text is none, or the number is less than ``least``.
    """
    value = parse_number(text)
    if not value.is_integer():
        raise InputError(
            f"expected whole chips, got {text[:40]!r}: choose a smaller unit, such as 100 chips per big blind"
        )
    if not least <= value <= MOST_CHIPS:
        raise InputError(f"expected from {least} to {MOST_CHIPS} chips, got {text!r}")
    return int(value)


def parse_number(text: str) -> float:
    """Returns a finite number of at least 0.

    :raises InputError: if the text is none.
    """
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise InputError(f"expected a number of at least 0, got {text[:40]!r}")
    return value


def parse_player(text: str) -> int:
    """Returns 0 for ``OOP``, 1 for ``IP``; some scripts write the number.

    :raises InputError: if the text is neither.
    """
    found = {"OOP": 0, "IP": 1, "0": 0, "1": 1}.get(text.upper())
    if found is None:
        raise InputError(f"expected OOP or IP, got {text[:40]!r}")
    return found
