"""The lines of add_line: hand totals, with checks and calls, become action tokens with street totals."""

from __future__ import annotations

import pytest

from hedgehog.interop.upi.betting_lines import line_tokens, remove_line
from hedgehog.poker.streets import RIVER
from hedgehog.runtime.errors import InputError


@pytest.mark.parametrize(
    ("numbers", "street", "tokens"),
    [
        ([0, 150, 375, 900], 2, "X B150 R375 A900"),
        ([0, 50, 50, 50, 50], 1, "X B50 C X X"),
        ([45, 180, 450, 450, 495, 900], 1, "B45 R180 R450 C B45 A450"),
        ([0, 0, 0, 0, 0, 0], 1, "X X X X X X"),
        ([0, 0, 60, 60, 60, 60], 2, "X X B60 C"),
        ([900, 900], 3, "A900 C"),
    ],
)
def test_totals_of_the_hand_become_tokens(numbers: list[int], street: int, tokens: str) -> None:
    if numbers == [0, 0, 60, 60, 60, 60]:
        with pytest.raises(InputError, match="number 5 of the line, 60: no player acts any more"):
            line_tokens(numbers, street, 900)
        numbers = numbers[:4]
    assert line_tokens(numbers, street, 900) == tokens.split()


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([0, 50, 50, 0, 0], "number 4 of the line, 0: incorrect bet size, expected 50 to check"),
        ([50, 20], "number 2 of the line, 20: incorrect bet size, expected 50 to call"),
        ([0, 950], "number 2 of the line, 950: the stack is 900"),
        ([900, 900, 900], "number 3 of the line, 900: no player acts any more"),
    ],
)
def test_an_incorrect_size_names_its_place(numbers: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        line_tokens(numbers, RIVER - 1, 900)


def test_a_removed_line_leaves_what_comes_before_its_last_action() -> None:
    lines = [(0, 150, 375, 900), (0, 150, 900), (120,)]
    assert remove_line(lines, (0, 150, 375)) == [(0, 150), (0, 150, 900), (120,)]
    assert remove_line(lines, (120,)) == lines[:2]
    with pytest.raises(InputError, match="no line of add_line begins"):
        remove_line(lines, (0, 151))
