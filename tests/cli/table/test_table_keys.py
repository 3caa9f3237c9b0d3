"""What a person may type at the table."""

from __future__ import annotations

import pytest

from hedgehog.cli.table.table_keys import Command, parse_answer
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, Action
from hedgehog.runtime.errors import InputError

GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
LIMIT = read_gamedef(find_gamedef("holdem.limit.2p.reverse_blinds"))
FLOP = parse_betting("r250c/r600", GAME)
"""A bet of 350 into 500: a call makes the pot 1,200, and 250 chips were put in before this street."""


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("f", FOLD),
        (" Fold ", FOLD),
        ("c", CALL),
        ("call", CALL),
        ("k", CALL),
        ("r 900", Action("r", 1150)),
        ("r900", Action("r", 1150)),
        ("raise to 900", Action("r", 1150)),
        ("b 1,000", Action("r", 1250)),
        ("900", Action("r", 1150)),
        ("700", Action("r", 950)),
        ("19750", Action("r", 20000)),
        ("a", Action("r", 20000)),
        ("ALL-IN", Action("r", 20000)),
        ("h", Action("r", 1200)),
        ("p", Action("r", 1800)),
        ("?", Command.HINT),
        ("l", Command.LAST_HANDS),
        ("Q", Command.QUIT),
    ],
)
def test_answers(text: str, answer: object) -> None:
    assert parse_answer(text, FLOP) == answer
    if isinstance(answer, Action):
        FLOP.verify(answer)


@pytest.mark.parametrize(
    ("betting", "text", "message"),
    [
        ("r250c/", "f", "nothing to fold to"),
        ("r250c/r600", "r 699", "from 700 to 19,750"),
        ("r250c/r600", "19751", "from 700 to 19,750"),
        ("r250c/r600", "r", "needs its size"),
        ("r250c/r600", "-5", "none of the keys"),
        ("r250c/r600", "1.5", "none of the keys"),
        ("r250c/r600", "r" * 5000, "none of the keys"),
        ("r250c/r600", "9" * 5000, "none of the keys"),
        ("r250c/r600", "", "nothing was typed"),
        ("r20000", "r 20000", "no bet or raise is possible"),
        ("r20000", "a", "no bet or raise is possible"),
        ("r20000", "p", "no bet or raise is possible"),
    ],
)
def test_what_is_wrong_with_an_answer(betting: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        parse_answer(text, parse_betting(betting, GAME))
    assert len(str(raised.value)) < 300


def test_a_short_pot_bet_is_the_least_raise() -> None:
    assert parse_answer("h", parse_betting("", GAME)) == Action("r", 200)
    assert parse_answer("p", parse_betting("", GAME)) == Action("r", 300)


def test_fixed_sizes() -> None:
    state = parse_betting("", LIMIT)
    assert parse_answer("r", state) == LIMIT_RAISE
    for text in ("p", "a", "20"):
        with pytest.raises(InputError, match="fixed size"):
            parse_answer(text, state)
