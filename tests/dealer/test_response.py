"""What the dealer forgives, what it repairs and what it drops, line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.dealer.response import (
    BAD_ACTION_FORMAT,
    INVALID_ACTION,
    ROUND_TOO_LONG,
    EchoedState,
    answers,
    read_action,
    scan_state,
)
from hedgehog.poker.acpc.gamedef import parse_gamedef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action
from tests.golden import HUNL, game

LINE = "MATCHSTATE:0:7:cr300c/r400:8s2h|/7hAdTd"
STATE = parse_betting("cr300c/r400", game(HUNL))
HOLE_CARDS = (tuple(parse_cards("8s2h")), tuple(parse_cards("KdKc")))
BOARD = tuple(parse_cards("7hAdTd"))


def answered(line: str) -> EchoedState | None:
    """The echoed state if it answers the request of ``LINE``."""
    echoed = scan_state(line, game(HUNL))
    assert echoed is None or echoed.hand_id >= 0
    return echoed if echoed is not None and answers(echoed, 0, 7, STATE, HOLE_CARDS, BOARD) else None


@pytest.mark.parametrize(
    "line",
    [
        LINE,
        LINE.replace(":0:7:", ": +0: 007:"),
        LINE.replace(":0:7:", ":256:4294967303:"),  # 8 and 32 bits
        LINE.replace(":0:7:", ":-256:-4294967289:"),
        LINE.replace("cr300c/r400", "KB300k//R 400"),
        LINE.replace("cr300c/r400", "//cr300cr+400/"),
        LINE.replace("8s2h", "8S2H"),
        LINE.replace("7hAdTd", "7Hadtd"),
        LINE.replace("|/", "|KsKh/"),  # other players' cards do not matter
        LINE.replace("|/", "KsKh"),  # with all hands known no separator is needed
        LINE + ":r300\r\n",
    ],
)
def test_forgiven(line: str) -> None:
    echoed = answered(line)
    assert echoed is not None
    assert line[echoed.end :] in ("", ":r300\r\n")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "\r\n",
        "junk\r\n",
        LINE.replace("MATCH", "match"),
        LINE.replace("MATCH", " MATCH"),
        LINE.replace(":0:7:", ":2:7:"),  # position out of range
        LINE.replace(":0:7:", ":x:7:"),
        LINE.replace(":0:7:", ":0::"),
        LINE.replace(":0:7:", ":0:7"),
        LINE.replace("r400", "r399"),  # illegal size
        LINE.replace("r400", "r"),
        LINE.replace("r400", "x"),
        LINE.replace("cr300", "fr300"),
        LINE.replace("8s2h", "8s"),
        LINE.replace("/7hAdTd", ""),
        LINE.replace("|/7hAdTd", "|7hAdTd"),  # the unknown hand eats the board
        "MATCHSTATE:0:7:cr300c/r400\0:8s2h|/7hAdTd",  # a C string ends at NUL
    ],
)
def test_bad_state(line: str) -> None:
    assert scan_state(line, game(HUNL)) is None


@pytest.mark.parametrize(
    "line",
    [
        LINE.replace(":0:7:", ":1:7:"),
        LINE.replace(":0:7:", ":0:8:"),
        LINE.replace("r400", "r401"),
        LINE.replace("r400", ""),
        LINE.replace("r400", "c"),
        LINE.replace("8s2h", "8s2d"),
        LINE.replace("8s2h", "2h8s"),
        LINE.replace("8s2h", ""),
        LINE.replace("7h", "7d"),
    ],
)
def test_unrequested(line: str) -> None:
    assert scan_state(line, game(HUNL)) is not None
    assert answered(line) is None


@pytest.mark.parametrize(
    ("answer", "action", "warning"),
    [
        (":c", CALL, None),
        (":k", CALL, None),
        (":C please", CALL, None),
        (":cc", CALL, None),
        (":c500", CALL, None),
        (":f", FOLD, None),
        (":F", FOLD, None),
        (":r700", Action("r", 700), None),
        (":R 700", Action("r", 700), None),
        (":b+700.75", Action("r", 700), None),
        (":r700:c", Action("r", 700), None),
        (":r4294967996", Action("r", 700), None),
        (":r499", Action("r", 500), "raise of 499 increased to 500"),
        (":r-3", Action("r", 500), "raise of -3 increased to 500"),
        (":r2147483648", Action("r", 500), "raise of -2147483648 increased to 500"),
        (":r99999999999999999999999", Action("r", 500), "raise of -1 increased to 500"),
        (":r20001", Action("r", 20000), "raise of 20001 decreased to 20000"),
        (":r", CALL, BAD_ACTION_FORMAT),
        (":rx", CALL, BAD_ACTION_FORMAT),
        ("c", CALL, BAD_ACTION_FORMAT),
        ("", CALL, BAD_ACTION_FORMAT),
        ("\r\n", CALL, BAD_ACTION_FORMAT),
        (":", CALL, INVALID_ACTION),
        (":\r\n", CALL, INVALID_ACTION),
        (": c", CALL, INVALID_ACTION),
        (":x", CALL, INVALID_ACTION),
    ],
)
def test_actions(answer: str, action: Action, warning: str | None) -> None:
    assert read_action(LINE + answer, len(LINE), STATE) == (action, [warning] if warning else [])


def test_repairs_depend_on_what_is_legal() -> None:
    free = parse_betting("c", game(HUNL))
    assert read_action(":f", 0, free) == (CALL, [INVALID_ACTION])
    all_in = parse_betting("r20000", game(HUNL))
    assert read_action(":r20000", 0, all_in) == (CALL, [INVALID_ACTION])
    short = parse_betting("r19000", game(HUNL))
    assert read_action(":r19001", 0, short) == (Action("r", 20000), ["raise of 19001 increased to 20000"])
    limit = parse_betting("", game("holdem.limit.2p.reverse_blinds"))
    assert read_action(":r20", 0, limit) == (LIMIT_RAISE, [])
    capped = parse_betting("rrr", game("holdem.limit.2p.reverse_blinds"))
    assert read_action(":r", 0, capped) == (CALL, [INVALID_ACTION])


def test_no_raise_in_a_very_long_round() -> None:
    gamedef = parse_gamedef(
        "nolimit\nnumPlayers = 2\nnumRounds = 1\nstack = 1000 1000\nblind = 1 1\n"
        "numSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0\n"
    )
    state = parse_betting("".join(f"r{size}" for size in range(2, 65)), gamedef)
    assert read_action(":r100", 0, state) == (CALL, [ROUND_TOO_LONG, INVALID_ACTION])


@given(st.text(alphabet="MATCHSE:0179crfkb/|8s2hAdT +-\r\n\0", max_size=80), st.integers(0, len(LINE)))
def test_whatever_arrives_the_action_is_legal(text: str, at: int) -> None:
    for line in (text, LINE + ":" + text, LINE[:at] + text + LINE[at:]):
        echoed = scan_state(line, game(HUNL))
        if echoed is not None:
            action, _ = read_action(line, echoed.end, STATE)
            assert STATE.can(action)
