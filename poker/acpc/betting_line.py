"""Betting lines as people type them, such as ``r250c/kr300``: ``k`` is a check, and a size is a total on its street.

ACPC text (:func:`hedgehog.poker.acpc.matchstate.parse_betting`) writes a check as ``c`` and a size as the total over
the whole hand, so the same line is ``r250c/cr550`` in a log. This module reads both notations. Unless the caller says
which one it is, a line with a ``k`` has totals on the street, and any other line has totals over the hand.
"""

from __future__ import annotations

import re
from typing import Final

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import MatchStateError

_WORD: Final = re.compile(r"[fck/]|r[0-9]{0,9}(?![0-9])")
_SHOWN: Final = 60
"""Number of characters of a bad line that an error message shows."""


def parse_betting_line(text: str, gamedef: GameDef, *, by_street: bool | None = None) -> HandState:
    """Returns the state of a hand after a betting line.

    :param text: the line; blanks and capitals are allowed, and the slash at its end may be missing.
    :param by_street: True: sizes are totals on their street. False: sizes are totals over the hand, as in ACPC text.
        None: sizes are totals on their street if the line has a ``k``, else totals over the hand.
    :raises MatchStateError: if an action is malformed or illegal, or a slash is missing or superfluous.
    """
    line = "".join(text.split()).lower()
    shown = repr(line[:_SHOWN])
    if by_street is None:
        by_street = "k" in line
    state = HandState(gamedef)
    slashes = 0
    at = 0
    while at < len(line):
        match = _WORD.match(line, at)
        if match is None:
            raise MatchStateError(
                f"expected an action (f, c, k or r with its size) or / at {line[at:][:20]!r} in {shown}"
            )
        word = match[0]
        at = match.end()
        if word == "/":
            slashes += 1
            if slashes > state.round:
                raise MatchStateError(f"no street ends at the / after {line[: at - 1][-20:]!r} in {shown}")
            continue
        if slashes < state.round and not state.finished:
            raise MatchStateError(
                f"expected a / before {line[at - len(word) :][:20]!r} in {shown}: a new street begins"
            )
        _apply(state, word, state.round_start if by_street else 0)
    return state


def _apply(state: HandState, word: str, started: int) -> None:
    if word == "f":
        state.apply(FOLD)
    elif word == "c":
        state.apply(CALL)
    elif word == "k":
        if state.can_fold():
            raise MatchStateError(f"illegal check 'k' after {state.betting_string()!r}: there is a bet to call (c)")
        state.apply(CALL)
    else:
        size = int(word[1:]) + started if len(word) > 1 else 0
        limits = state.raise_range()
        if limits is not None and limits[1] and not limits[0] <= size <= limits[1]:
            low, high = limits[0] - started, limits[1] - started
            where = "on this street" if started else "over the hand"
            raise MatchStateError(
                f"illegal raise {word!r} after {state.betting_string()!r}: expected a raise to {low}..{high} {where}"
            )
        state.apply(Action("r", size))


def format_betting_line(state: HandState) -> str:
    """Formats the betting of a hand with totals on the street and ``k`` for a check, for :func:`parse_betting_line`."""
    streets = [""] * len(state.actions)
    for before, (kind, size) in state.replay():
        word = "k" if kind == "c" and not before.can_fold() else kind
        streets[before.round] += f"{word}{size - before.round_start}" if size else word
    return "/".join(streets)
