"""Parsers of the HTTP games: words, answers of servers, and files of events."""

from __future__ import annotations

import json
from typing import Any

from hedgehog.interop.http.client.remote_hand import RemoteHand, parse_benchmark_answer, parse_slumbot_answer
from hedgehog.interop.http.files import parse_events
from hedgehog.interop.http.tokens import format_tokens, parse_token, parse_tokens
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import InputError
from tests.verification.parsers.entry import Parser

GAMEDEF = load_gamedef()
SLUMBOT = (
    '{"old_action": "", "action": "b200", "client_pos": 0, "hole_cards": ["Ac", "9d"], "board": [], "token": "x"}',
    '{"old_action": "b200c/", "action": "b200c/kb200c/b400f", "client_pos": 0, "hole_cards": ["Ac", "8d"], "board": '
    '["Ks", "Ts", "4h", "6d"], "bot_hole_cards": ["Jc", "3s"], "winnings": 400}',
)
BENCHMARK = (
    '{"hand_id": 17, "game": {"starting_stack": 20000.0, "blinds": [100.0, 50.0]}, "game_state": {"board_cards": '
    '"AhKd7c", "is_hand_over": false, "players": [{"position": "SB", "hole_cards": null}, {"position": "BB", '
    '"hole_cards": "AsKh"}], "action_history": ["b225", "c", "_"], "winnings": null, "aivat_score": null}}'
)
EVENTS = '{"format": "hedgehog.served", "version": 1}\n{"event": "deal", "hand": 0, "session": 0}\n'


def answer(text: str) -> dict[str, Any]:
    """Returns an answer as the client gets it: any JSON object."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("no JSON, which the connection refuses") from None
    if not isinstance(found, dict):
        raise InputError("no object, which the table refuses")
    return found


def check_tokens(text: str, state: HandState) -> None:
    assert parse_tokens(format_tokens(state), GAMEDEF).betting_string() == state.betting_string()


def check_hand(text: str, hand: RemoteHand) -> None:
    try:
        hand.verify()
    except InputError:
        return
    assert hand.line(3).startswith(f"MATCHSTATE:{hand.position}:3:{hand.state.betting_string()}:")


PARSERS = (
    Parser(
        "hedgehog.interop.http.tokens.parse_token",
        lambda text: parse_token(text, parse_tokens("b200c/", GAMEDEF)),
        ("k", "b100", "b19800"),
        (InputError,),
    ),
    Parser(
        "hedgehog.interop.http.tokens.parse_tokens",
        lambda text: parse_tokens(text, GAMEDEF),
        ("", "b200c/kb400f", "ck/kk/kk/kk", "b20000c///", "b200c/b19800c"),
        (InputError,),
        check_tokens,
    ),
    Parser(
        "hedgehog.interop.http.client.remote_hand.parse_slumbot_answer",
        lambda text: parse_slumbot_answer(answer(text), GAMEDEF, None),
        SLUMBOT,
        (InputError,),
        check_hand,
    ),
    Parser(
        "hedgehog.interop.http.client.remote_hand.parse_benchmark_answer",
        lambda text: parse_benchmark_answer(answer(text), GAMEDEF, None),
        (BENCHMARK,),
        (InputError,),
        check_hand,
    ),
    Parser(
        "hedgehog.interop.http.files.parse_events",
        lambda text: parse_events(text, "hedgehog.served", 1),
        (EVENTS,),
        (InputError,),
    ),
)
KEPT: tuple[tuple[str, str], ...] = ()
