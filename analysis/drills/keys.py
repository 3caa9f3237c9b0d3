"""Reads the answers of a drill: the number of a choice, or a key of play-here such as ``c`` or ``r 600``."""

from __future__ import annotations

import re
from typing import Final

from hedgehog.analysis.drills.question import Question
from hedgehog.runtime.errors import InputError

GRID: Final = "g"
QUIT: Final = "q"
KEYS: Final = "the number of a choice, f fold, c call or check, a all-in, r 600 bet or raise to 600, g the grid, q quit"
_WORDS: Final = {
    "f": "fold",
    "fold": "fold",
    "c": "call",
    "k": "check",
    "call": "call",
    "check": "check",
    "a": "all-in",
}
_SIZED: Final = re.compile(r"(?:r|b|raise|bet)\s*(?:to\s*)?([0-9][0-9,']{0,12})")
_SHOWN: Final = 30


def parse_choice(text: str, question: Question) -> int | str:
    """Returns the number of a choice, from 0, or :data:`GRID` or :data:`QUIT`.

    :raises InputError: if it is none of the choices; the message says what may be typed.
    """
    words = " ".join(text.lower().split())
    if words in (GRID, "grid"):
        return GRID
    if words in (QUIT, "quit", "exit"):
        return QUIT
    texts = [choice.text for choice in question.choices]
    if words.isascii() and words.isdigit() and len(words) < 4:
        if 1 <= int(words) <= len(texts):
            return int(words) - 1
        raise InputError(f"expected a choice from 1 to {len(texts)}, got {words}")
    if words in _WORDS:
        wanted = (_WORDS[words], "check", "call") if words in ("c", "k") else (_WORDS[words],)
        found = [number for number, name in enumerate(texts) if any(word in name.split() for word in wanted)]
        if words == "a":
            found = [number for number, name in enumerate(texts) if "all-in" in name]
        if found:
            return found[-1] if words == "a" else found[0]
        raise InputError(f"no {_WORDS[words]} is possible here: {'; '.join(texts)}")
    sized = _SIZED.fullmatch(words)
    if sized is not None:
        size = f"{int(re.sub('[^0-9]', '', sized[1])):,}"
        for number, name in enumerate(texts):
            if name.split()[0] in ("bet", "raise", "all-in") and size in name.split():
                return number
        raise InputError(f"{size} is none of the sizes asked about: {'; '.join(texts)}")
    asked = f"{words[:_SHOWN]!r} is no answer" if words else "nothing was typed"
    raise InputError(f"{asked}: {KEYS}")
