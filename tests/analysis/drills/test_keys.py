"""What may be typed as an answer."""

from __future__ import annotations

import pytest

from hedgehog.analysis.drills.keys import GRID, QUIT, parse_choice
from hedgehog.runtime.errors import InputError
from tests.analysis.drills.drilled import question

QUESTION = question("a", (0.0, 1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", 0), ("4", 3), ("f", 0), ("c", 1), ("k", 1), ("call", 1), ("r 600", 2), ("raise to 600", 2), ("b600", 2),
        ("a", 3), (" G ", GRID), ("q", QUIT), ("quit", QUIT),
    ],
)  # fmt: skip
def test_answers(text: str, expected: int | str) -> None:
    assert parse_choice(text, QUESTION) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5", "expected a choice from 1 to 4"), ("0", "expected a choice from 1 to 4"), ("", "nothing was typed"),
        ("r 500", "500 is none of the sizes"), ("hello", "'hello' is no answer"), ("\uff19", "is no answer"),
    ],
)  # fmt: skip
def test_other_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_choice(text, QUESTION)


def test_what_is_not_possible_is_refused() -> None:
    with pytest.raises(InputError, match="no all-in is possible here"):
        parse_choice("a", question("a", (0.0, 1.0)))
