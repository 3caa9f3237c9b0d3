"""Answers of players as they show themselves in a notebook."""

from __future__ import annotations

import math

from hedgehog.agent.questions import ask_player, parse_decision
from hedgehog.agent.specs import ready_player
from hedgehog.poker.acpc.gamedef import load_gamedef
from tests.shown import check_shown


def test_an_answer_shows_the_range() -> None:
    game = load_gamedef()
    decision = parse_decision("r250c/k", "Qs Jh 2h", "AsKd")
    assert repr(decision) == "<Decision: Qs Jh 2h with AsKd, after r250c/c, pot 500>"
    answer = ask_player(ready_player("call", game), decision)
    tags, text = check_shown(answer)
    assert tags.count("svg") == 2
    assert "c 100.0 %" in text
    assert repr(answer).startswith("<Answer: Qs Jh 2h with AsKd, after r250c/c, pot 500: ")
    records = answer.table().records()
    assert len(records) == 169
    assert math.isclose(sum(float(one["combos"] or 0) for one in records), 49 * 48 / 2)
    assert {one["c"] for one in records} == {1.0}


def test_a_raise_of_the_whole_stack_has_its_own_colour() -> None:
    answer = ask_player(ready_player("raise", load_gamedef()), parse_decision("", ""))
    shown = answer.hand_strategy()
    assert shown.actions == tuple(answer.strategy())
    assert shown.styles is not None
    for action, style in zip(shown.actions, shown.styles, strict=True):
        assert (style == "jam") == (action == "r20000")
    check_shown(answer)
