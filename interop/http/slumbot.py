"""Slumbot's HTTP game: requests and answers as JSON values, without HTTP.

``new_hand`` deals a hand, ``act`` performs an action (``incr``), ``login`` gives a name. The keys of an answer have a
fixed order, some clients rely on it: ``token`` comes last, and ``winnings`` is absent until the hand is over. A mistake
of the client gives ``{"error_msg": ...}`` and leaves the hand as it is. Source: spec/interop.md, section 4.1.

A token plays one hand at a time. ``new_hand`` shows the hand again as long as the client has not acted in it, so that a
client may ask twice, and none chooses its cards. Later it closes a hand that is not over: the hand was left, and has no
result.
"""

from __future__ import annotations

import re
import uuid
from typing import Any, Final

from hedgehog.interop.http.book import SLUMBOT, EndedHand, ServedHand, Session, baseline
from hedgehog.interop.http.service import BusyError, GoneError, Service
from hedgehog.interop.http.tokens import format_tokens
from hedgehog.poker.cards import format_card
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import InputError

Answer = dict[str, Any]

_NAME: Final = re.compile(r"[A-Za-z0-9_.+-]{1,40}")


class RefusedError(InputError):
    """A request that is answered with an ``error_msg``."""


async def login(service: Service, body: Answer) -> Answer:
    """Answers ``login`` with a token. There are no accounts: every name and password is accepted.

    :raises RefusedError: if the name cannot stand in a log.
    """
    name = body.get("username")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RefusedError("expected a username of letters, digits and _ . + -")
    for session in service.book.sessions:
        if session.protocol == SLUMBOT and session.name == name:
            return {"token": session.key}
    return {"token": _open(service, name).key}


async def new_hand(service: Service, body: Answer) -> Answer:
    """Answers ``new_hand``.

    :raises RefusedError: if the token is not one of this server.
    """
    session = _open(service) if body.get("token") in (None, "") else _session(service, body)
    async with session.lock:
        hand = session.last
        if hand is not None and not hand.client_acted:
            async with hand.lock:
                ended = await service.refresh(hand)
        else:
            if hand is not None:
                service.leave(hand, "the client asked for a new hand")
            hand, ended = await service.new_hand(session)
        return _answer(hand, HandState(service.gamedef), ended) | {"token": session.key}


async def act(service: Service, body: Answer) -> Answer:
    """Answers ``act``.

    :raises RefusedError: if there is no hand, or the action is malformed or not legal.
    """
    session, word = _session(service, body), body.get("incr")
    if not isinstance(word, str):
        raise RefusedError("expected an action as incr: k, c, f or b and a number")
    async with session.lock:
        hand = session.last
        if hand is None:
            raise RefusedError("no hand is played: ask for new_hand")
        async with hand.lock:
            before = hand.state
            try:
                ended = await service.act(hand, word)
            except GoneError:
                raise RefusedError("the hand is over: ask for new_hand") from None
            except InputError as error:
                raise RefusedError(error.message) from None
            return _answer(hand, before, ended)


def _session(service: Service, body: Answer) -> Session:
    token = body.get("token")
    session = service.session_of_key(SLUMBOT, token) if isinstance(token, str) else None
    if session is None:
        raise RefusedError("unknown token: ask for new_hand without one")
    return session


def _open(service: Service, name: str | None = None) -> Session:
    try:
        return service.open_session(SLUMBOT, str(uuid.uuid4()), name)
    except BusyError as error:
        raise RefusedError(str(error)) from None


def _answer(hand: ServedHand, before: HandState, ended: EndedHand | None) -> Answer:
    """Returns the state of a hand as the client sees it.

    :param before: the hand as the client saw it last.
    :param ended: how it has ended, if it has.
    """
    state = hand.state
    answer: Answer = {
        "old_action": format_tokens(before),
        "action": format_tokens(state),
        "client_pos": hand.position,
        "hole_cards": list(map(format_card, hand.deal.hole_cards[hand.position])),
        "board": list(map(format_card, hand.board(state))),
    }
    if ended is None:
        return answer
    session, pot = hand.session, sum(state.spent)
    return answer | {
        "bot_hole_cards": list(map(format_card, hand.deal.hole_cards[1 - hand.position])),
        "winnings": ended.winnings,
        "won_pot": pot if ended.winnings > 0 else -pot if ended.winnings < 0 else 0,
        "session_num_hands": len(session.winnings),
        "baseline_winnings": baseline(ended),
        "session_total": sum(session.winnings),
        "session_baseline_total": session.baseline,
    }
