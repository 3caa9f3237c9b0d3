"""The HTTP game of the GTO Wizard benchmark: requests and answers as JSON values, without HTTP.

A key plays up to twenty hands at the same time; each has a number. Amounts are chips as decimal numbers, and bets are
totals on the street. Source: spec/interop.md, section 4.2.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from hedgehog.interop.http.book import BENCHMARK, EndedHand, ServedHand, Session
from hedgehog.interop.http.service import GoneError, Service
from hedgehog.interop.http.tokens import token_of
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.cards import format_cards
from hedgehog.poker.state import HandState
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import InputError

Answer = dict[str, Any]

_GAME_ID: Final = 1
_FIRST_ID: Final = 1
"""Number of the first hand for clients, some of which take 0 for none."""
_ENDED_ROUND: Final = "_"


class UnknownError(InputError):
    """The client asks for a hand or a game that there is not."""


def game_name(gamedef: GameDef) -> str:
    """Returns the name of a game in the requests, such as ``HUNL 200BB``."""
    return f"HUNL {gamedef.stacks[0] / gamedef.big_blind:g}BB"


def session_of(service: Service, key: str) -> Session:
    """Returns the session of a key, which is opened at its first request. The key itself is not kept.

    :raises BusyError: if there are too many sessions.
    """
    return service.open_session(BENCHMARK, hashlib.sha256(key.encode("utf-8", "replace")).hexdigest())


async def new_hand(service: Service, session: Session, body: Answer) -> Answer:
    """Answers ``POST /hands``.

    :raises UnknownError: if the game is another one.
    :raises FullError: if the key plays too many hands.
    :raises BusyError: if the player has too much to do.
    """
    verify_game_name(service, body.get("game_name"))
    service.refuse_if_busy()
    hand, ended = await service.new_hand(session)
    return state_of(hand, ended)


async def act(service: Service, session: Session, number: int, body: Answer) -> Answer:
    """Answers ``POST /hands/{hand_id}/act``.

    :raises UnknownError: if the hand is not one of this key.
    :raises GoneError: if the hand is over.
    :raises InputError: if the action is malformed or not legal.
    :raises BusyError: if the player has too much to do; the hand is unchanged.
    """
    owners, deal = service.book.owners, number - _FIRST_ID
    if not 0 <= deal < len(owners) or owners[deal] is not session:
        raise UnknownError(f"there is no hand {number} of this key")
    hand = session.open.get(deal)
    if hand is None:
        raise GoneError("the hand is over")
    word = _word(body)
    async with hand.lock:
        service.refuse_if_busy(hand)
        return state_of(hand, await service.act(hand, word))


def _word(body: Answer) -> str:
    """Returns the action of a request as a word; an amount counts for bets alone, and may be a whole float."""
    kind, amount = body.get("action"), body.get("amount")
    if kind not in ("f", "k", "c", "b"):
        raise InputError(f"expected an action f, k, c or b, got {str(kind)[:20]!r}")
    if kind != "b":
        return str(kind)
    if isinstance(amount, float) and amount.is_integer():
        amount = int(amount)
    if isinstance(amount, bool) or not isinstance(amount, int) or not 0 <= amount < 10**9:
        raise InputError(f"expected a whole number of chips as amount of b, got {str(amount)[:20]!r}")
    return f"b{amount}"


async def in_progress(service: Service, session: Session, name: str | None) -> list[Answer]:
    """Answers ``GET /hands/in-progress``: the hands of a key that are not over.

    :raises UnknownError: if the game is another one.
    """
    if name is not None:
        verify_game_name(service, name)
    found = []
    for hand in list(session.open.values()):
        async with hand.lock:
            if hand.number in session.open and await service.refresh(hand) is None:
                found.append(state_of(hand, None))
    return found


def verify_game_name(service: Service, name: object) -> None:
    """Verifies that a client asks for the game that is served.

    :raises UnknownError: if it asks for another one.
    """
    if name != game_name(service.gamedef):
        raise UnknownError(f"there is no game {str(name)[:40]!r}, only {game_name(service.gamedef)!r}")


def state_of(hand: ServedHand, ended: EndedHand | None) -> Answer:
    """Returns a hand as its client sees it, with all keys that the newer client asks for.

    :param ended: how it has ended, if it has.
    """
    state, client = hand.state, hand.position
    gamedef, started = state.gamedef, float(state.round_start)
    our_turn = not state.finished and state.acting_position == client
    limits = state.raise_range() if our_turn else None
    legal = [*(("f", "c") if state.can_fold() else ("k",)), *(("b",) if limits else ())] if our_turn else []
    names = [hand.session.name, "Hedgehog"] if client == 0 else ["Hedgehog", hand.session.name]
    shown = [position == client or state.is_showdown for position in range(2)]
    players = [
        {
            "name": names[position],
            "stack": float(gamedef.stacks[position] - state.spent[position]),
            "position": "BB" if position == 0 else "SB",
            "hole_cards": format_cards(hand.deal.hole_cards[position]) if shown[position] else None,
        }
        for position in (1, 0)
    ]
    return {
        "hand_id": hand.number + _FIRST_ID,
        "game": {
            "game_id": _GAME_ID,
            "game_name": game_name(gamedef),
            "game_format": "HUNL",
            "starting_stack": float(gamedef.stacks[0]),
            "blinds": [float(gamedef.blinds[0]), float(gamedef.blinds[1])],
            "stack_reset_per_hand": True,
        },
        "game_state": {
            "street": STREETS[state.round],
            "common_pot": 2 * started,
            "total_pot": float(sum(state.spent)),
            "board_cards": format_cards(hand.board(state)),
            "is_hand_over": state.finished,
            "players": players,
            "legal_actions": legal,
            "raise_range": {"min": limits[0] - started, "max": limits[1] - started} if limits else None,
            "action_history": history_of(state),
            "has_gto_wizard_folded": bool(state.folded[1 - client]),
            "winnings": None if ended is None else float(ended.winnings),
            "aivat_score": None if ended is None else ended.aivat,
        },
    }


def history_of(state: HandState) -> list[str]:
    """Returns the actions of a hand as words, with ``_`` after every round that has ended."""
    words: list[str] = []
    street = 0
    for before, action in state.replay():
        words += [_ENDED_ROUND] * (before.round - street)
        street = before.round
        words.append(token_of(action, before))
    return words + [_ENDED_ROUND] * (state.round - street)


def results_of(service: Service, session: Session, version: int = 1) -> Answer:
    """Answers ``GET /results``: what a key has won, in big blinds per 100 hands.

    There is one opponent, whichever version the client asks for. Its AIVAT does not say which part of a correction is
    from cards and which from actions.
    """
    unit = 100 / service.gamedef.big_blind
    mean, _ = _mean(session.winnings, unit)
    aivat, error = _mean(session.aivat, unit)
    return {
        "bot_name": session.name,
        "organization": "",
        "game_name": game_name(service.gamedef),
        "gto_wizard_version": version,
        "total_hands": len(session.winnings),
        "bb_per_100": mean,
        "aivat_score_bb_per_100": aivat,
        "aivat_std_bb_per_100": error,
        "chance_correction_bb_per_100": None,
        "action_correction_bb_per_100": None,
    }


def leaderboard_of(service: Service, limit: int, min_hands: int, version: int = 1) -> list[Answer]:
    """Answers ``GET /leaderboard``: the results of all keys with enough hands, the best first."""
    sessions = [one for one in service.book.sessions if one.protocol == BENCHMARK and len(one.winnings) >= min_hands]
    rows = [results_of(service, session, version) for session in sessions]
    order = sorted(rows, key=lambda row: -_figure(row))
    return order[:limit]


def _figure(row: Answer) -> float:
    found = row["aivat_score_bb_per_100"]
    return float(found if found is not None else row["bb_per_100"] or 0.0)


def _mean(values: Sequence[float], unit: float) -> tuple[float | None, float | None]:
    """Returns the mean of values and its standard error, each None if there are too few values."""
    if not values:
        return None, None
    error = float(np.std(values, ddof=1)) / len(values) ** 0.5 if len(values) > 1 else None
    return unit * float(np.mean(values)), None if error is None else unit * error
