"""Parses what a person types at the table: ``f``, ``c``, ``r 300``, ``p``, ``?``. Other text gets a helpful error."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action, HandState
from hedgehog.runtime.errors import InputError

KEYS_HELP: Final = (
    "f fold, c call or check, r 300 bet or raise to 300 on this street (or just 300), h half the pot, p the pot, "
    "a all-in, ? hint, l last hands, q quit"
)
_SIZED: Final = re.compile(r"(?:(?:r|b|raise|bet)\s*(?:to\s*)?)?([0-9][0-9,']{0,12})")
_WORDS: Final = {
    word: key
    for key, words in {
        "f": ("f", "fold"),
        "c": ("c", "k", "call", "check"),
        "r": ("r", "b", "raise", "bet"),
        "h": ("h", "half"),
        "p": ("p", "pot"),
        "a": ("a", "all-in", "allin", "all in"),
        "?": ("?", "hint"),
        "l": ("l", "last"),
        "q": ("q", "quit", "exit"),
    }.items()
    for word in words
}
"""What may be typed -> its key."""
POT_SHARES: Final = {"h": 0.5, "p": 1.0}
"""Key -> size of its bet, as a share of the pot after calling."""
_SHOWN: Final = 30


class Command(Enum):
    """A request that a person may make instead of acting."""

    HINT = "?"
    LAST_HANDS = "l"
    QUIT = "q"


_COMMANDS: Final = {command.value for command in Command}


def parse_answer(text: str, state: HandState) -> Action | Command:
    """Returns the legal action or the command that a person typed; sizes are totals on the street.

    :raises InputError: if the text is neither; the message says what may be typed.
    """
    words = " ".join(text.lower().split())
    sized = _SIZED.fullmatch(words)
    if sized is not None:
        return _raise_to(int(re.sub("[,']", "", sized[1])), state)
    key = _WORDS.get(words)
    if key in _COMMANDS:
        return Command(key)
    if key is None:
        asked = f"{words[:_SHOWN]!r} is none of the keys" if words else "nothing was typed"
        raise InputError(f"{asked}: {KEYS_HELP}")
    if key == "f":
        if not state.can_fold():
            raise InputError("there is nothing to fold to: c checks")
        return FOLD
    if key == "c":
        return CALL
    limits = state.raise_range()
    if limits is None:
        raise InputError("no bet or raise is possible now")
    if not limits[1]:
        if key == "r":
            return LIMIT_RAISE
        raise InputError("bets have a fixed size in this game: r raises")
    if key == "r":
        low, high = limits[0] - state.round_start, limits[1] - state.round_start
        raise InputError(f"a raise needs its size, the total on this street, from {low:,} to {high:,}: r {low}")
    return Action("r", limits[1] if key == "a" else share_of_pot(POT_SHARES[key], state))


def share_of_pot(share: float, state: HandState) -> int:
    """Returns the legal raise, a total over the hand, nearest to a share of the pot after calling.

    :param state: state in which a raise is possible.
    """
    limits = state.raise_range()
    assert limits is not None
    position = state.acting_position
    pot_after_call = sum(state.spent) + state.max_spent - state.spent[position]
    return min(max(state.max_spent + round(share * pot_after_call), limits[0]), limits[1])


def _raise_to(size: int, state: HandState) -> Action:
    """Returns the raise to a total on the street.

    :raises InputError: if the raise is not legal.
    """
    limits = state.raise_range()
    if limits is None:
        raise InputError("no bet or raise is possible now")
    if not limits[1]:
        raise InputError("bets have a fixed size in this game: r without a number raises")
    low, high = limits[0] - state.round_start, limits[1] - state.round_start
    if not low <= size <= high:
        raise InputError(f"a raise to {size:,} is not possible: from {low:,} to {high:,} (all-in) on this street")
    return Action("r", size + state.round_start)
