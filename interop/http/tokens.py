"""The betting words of the HTTP games: ``k`` check, ``c`` call, ``f`` fold, ``bN`` bet or raise to N on this street.

N is the total of the player on the current street, blinds included. ACPC text and Hedgehog's states have totals over
the whole hand. Source: spec/interop.md, sections 4.1 and 4.2.
"""

from __future__ import annotations

import re
from typing import Final

from hedgehog.poker.acpc.betting_line import format_betting_line
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import InputError

_TOKEN: Final = re.compile(r"[fkc]|b([0-9]{1,9})")
_SHOWN: Final = 60


def verify_http_game(gamedef: GameDef) -> None:
    """Verifies that a game can be played over HTTP: heads-up no-limit hold'em in which both have the same stack.

    :raises InputError: if it is another game.
    """
    blinds, first = gamedef.blinds, gamedef.first_positions
    if (
        gamedef.num_players != 2
        or not gamedef.no_limit
        or not gamedef.is_holdem
        or gamedef.stacks[0] != gamedef.stacks[1]
        or tuple(first[: gamedef.num_rounds]) != (1, 0, 0, 0)
        or blinds[0] < blinds[1]
    ):
        raise InputError("the HTTP games are heads-up no-limit hold'em with one stack for both players")


def action_of(kind: str, amount: int | None, state: HandState) -> Action:
    """Returns the action that a word means in a state.

    :param kind: ``f``, ``k``, ``c`` or ``b``.
    :param amount: chips of a ``b``: the total on this street after it.
    :raises InputError: if the action is not legal; the message says what is.
    """
    if state.finished:
        raise InputError("the hand is over")
    if kind == "k":
        if state.can_fold():
            raise InputError("illegal check: there is a bet to call")
        return CALL
    if kind in ("c", "f"):
        if not state.can_fold():
            raise InputError(f"illegal {'call' if kind == 'c' else 'fold'}: there is no bet, check with k")
        return CALL if kind == "c" else FOLD
    if kind != "b" or amount is None:
        raise InputError("expected f, k, c or b with the chips of the bet")
    limits = state.raise_range()
    if limits is None:
        raise InputError("illegal bet: nobody can bet any more")
    low, high = limits[0] - state.round_start, limits[1] - state.round_start
    if not low <= amount <= high:
        raise InputError(f"illegal bet to {amount}: expected {low} to {high} on this street")
    return Action("r", amount + state.round_start)


def parse_token(text: str, state: HandState) -> Action:
    """Returns the action of a word such as ``b200`` in a state.

    :raises InputError: if the word is malformed or the action is not legal.
    """
    found = _TOKEN.fullmatch(text)
    if found is None:
        raise InputError(f"expected k, c, f or b and a number, got {text[:_SHOWN]!r}")
    return action_of(text[0], int(found[1]) if found[1] else None, state)


def token_of(action: Action, state: HandState) -> str:
    """Returns the word of an action, before which the hand is in ``state``."""
    if action.kind == "c":
        return "c" if state.can_fold() else "k"
    return f"b{action.size - state.round_start}" if action.kind == "r" else action.kind


def format_tokens(state: HandState) -> str:
    """Returns the betting of a hand, such as ``b200c/kb400f``; after a closed street the slash is there already."""
    return format_betting_line(state).replace("r", "b")


def parse_tokens(text: str, gamedef: GameDef) -> HandState:
    """Returns the state of a hand after a betting such as ``b200c/kb400``.

    The slash at the end of the last closed street may be missing, and so may all slashes after a called all-in.

    :raises InputError: if a word is malformed or illegal, or a slash is missing or superfluous.
    """
    state = HandState(gamedef)
    slashes = at = 0
    while at < len(text):
        if text[at] == "/":
            slashes += 1
            at += 1
            if slashes > state.round:
                raise InputError(f"no street ends at the / after {text[: at - 1][-_SHOWN:]!r}")
            continue
        found = _TOKEN.match(text, at)
        if found is None:
            raise InputError(f"expected k, c, f or b and a number at {text[at:][:_SHOWN]!r}")
        if slashes < state.round and not state.finished:
            raise InputError(f"expected a / before {text[at:][:_SHOWN]!r}")
        state.apply(parse_token(found[0], state))
        at = found.end()
    if state.finished and slashes < state.round and text.endswith("/"):
        raise InputError(f"expected a / for every street that is left in {text[-_SHOWN:]!r}")
    return state
