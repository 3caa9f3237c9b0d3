"""Betting lines as people type them, in any of three notations, which one function reads.

- *Actions of spots*, ``R250 C / X B300``: ``X`` check, ``C`` call, ``F`` fold, ``B`` bet, ``R`` raise, ``A`` all-in;
  sizes are totals on their street. The slash between streets may be missing.
- *Totals on the street*, ``r250c/kr300``: ``k`` is a check, ``r`` bets or raises.
- *ACPC text* (:func:`hedgehog.poker.acpc.matchstate.parse_betting`), ``r250c/cr550``: a check is ``c``, and sizes are
  totals over the whole hand, as in logs.

All three examples are one line. Small letters and capitals mean the same. A line with an ``X``, ``B`` or ``A`` has the
actions of spots. Any other line with a ``k`` has totals on the street, unless the caller says which totals it has.
"""

from __future__ import annotations

import re
from typing import Final

from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import MatchStateError

_WORD: Final = re.compile(r"[fck/]|r[0-9]{0,9}(?![0-9])")
_SPOT_WORD: Final = re.compile(r"[xcf/]|[bra][0-9]{0,9}(?![0-9])")
_SHOWN: Final = 60
"""Number of characters of a bad line that an error message shows."""


def has_spot_actions(text: str) -> bool:
    """Returns whether a line is in the notation of spots: it has an ``X``, ``B`` or ``A``."""
    return re.search("[xba]", text.lower()) is not None


def counts_by_street(text: str, *, by_street: bool | None = None) -> bool:
    """Returns whether sizes of a line are totals on their street; False: they are totals over the hand.

    :param by_street: what the caller says, as for :func:`parse_betting_line`.
    """
    if by_street is not None:
        return by_street
    return has_spot_actions(text) or "k" in text.lower()


def describe_reading(text: str, state: HandState, *, by_street: bool | None = None) -> str:
    """Returns how a line was read: the line in actions, and the notation that it was taken for.

    >>> from hedgehog.poker.acpc.gamedef import load_gamedef
    >>> describe_reading("r250c/cr550", parse_betting_line("r250c/cr550", load_gamedef()))
    'R250 C / X B300, read from ACPC text, sizes over the hand'

    :param text: the line as it was typed.
    :param state: the state of the hand after it (:func:`parse_betting_line`).
    :param by_street: as it was for :func:`parse_betting_line`.
    """
    if has_spot_actions(text):
        notation = "actions, sizes on their street"
    elif counts_by_street(text, by_street=by_street):
        notation = "letters with k, sizes on their street"
    else:
        notation = "ACPC text, sizes over the hand"
    return f"{format_spot_actions(state) or 'no action yet'}, read from {notation}"


def parse_betting_line(text: str, gamedef: GameDef, *, by_street: bool | None = None) -> HandState:
    """Returns the state of a hand after a betting line.

    :param text: the line; blanks and capitals are allowed, and the slash at its end may be missing.
    :param by_street: True: sizes are totals on their street. False: sizes are totals over the hand, as in ACPC text.
        None: as :func:`counts_by_street` says.
    :raises MatchStateError: if an action is malformed or illegal, or a slash is missing or superfluous.
    """
    line = "".join(text.split()).lower()
    shown = repr(line[:_SHOWN])
    spot = has_spot_actions(line)
    if spot and by_street is False:
        raise MatchStateError(f"{shown} has the actions of spots (X, B, A): their sizes are totals on their street")
    by_street = counts_by_street(line, by_street=by_street)
    pattern = _SPOT_WORD if spot else _WORD
    state = HandState(gamedef)
    slashes = 0
    at = 0
    while at < len(line):
        match = pattern.match(line, at)
        if match is None:
            words = "X, C, F, or B, R, A with its size" if spot else "f, c, k or r with its size"
            raise MatchStateError(f"expected an action ({words}) or / at {line[at:][:20]!r} in {shown}")
        word = match[0]
        at = match.end()
        if word == "/":
            slashes += 1
            if slashes > state.round:
                raise MatchStateError(f"no street ends at the / after {line[: at - 1][-20:]!r} in {shown}")
            continue
        if slashes < state.round and not state.finished:
            if not spot:
                raise MatchStateError(
                    f"expected a / before {line[at - len(word) :][:20]!r} in {shown}: a new street begins"
                )
            slashes = state.round
        _apply(state, _plain_word(state, word) if spot else word, state.round_start if by_street else 0)
    return state


def _plain_word(state: HandState, word: str) -> str:
    """Returns an action of spots as ``f``, ``c``, ``k`` or ``r`` with a total on the street.

    :raises MatchStateError: if there is a bet where the action says that there is none, or the other way round.
    """
    kind, size = word[0], word[1:]
    where = f"illegal {word.upper()!r} after {state.betting_string()!r}"
    faced = state.can_fold()
    if kind == "x":
        if faced:
            raise MatchStateError(f"{where}: there is a bet to call (C)")
        return "k"
    if kind == "c" and not faced:
        raise MatchStateError(f"{where}: there is no bet to call (X checks)")
    if kind in "br":
        raises = faced or state.round == 0
        if raises != (kind == "r"):
            raise MatchStateError(f"{where}: {'a raise is R' if raises else 'the first bet of a street is B'}")
        return f"r{size}"
    if kind != "a":
        return word
    limits = state.raise_range()
    if limits is None or not limits[1]:
        raise MatchStateError(f"{where}: nobody can bet here, or bets have a fixed size")
    total = limits[1] - state.round_start
    if size and int(size) != total:
        raise MatchStateError(f"{where}: all-in is A{total}")
    return f"r{total}"


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


def format_spot_actions(state: HandState) -> str:
    """Formats the betting of a hand for people: ``R250 C / X B300``, sizes as totals on the street.

    :returns: a line for :func:`parse_betting_line`; without betting an empty text.
    """
    streets: list[list[str]] = [[] for _ in state.actions]
    for before, (kind, size) in state.replay():
        if kind != "r":
            word = "F" if kind == "f" else "C" if before.can_fold() else "X"
        else:
            limits = before.raise_range()
            last = limits is not None and limits[1] and size == limits[1]
            word = "A" if last else "R" if before.round == 0 or before.can_fold() else "B"
            word += str(size - before.round_start) if size else ""
        streets[before.round].append(word)
    return " / ".join(" ".join(words) for words in streets).rstrip(" /")
