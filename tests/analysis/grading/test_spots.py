"""Graded hands by spot, by day, and with borrowed ranges: what counts, and that every hand still adds up."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from hedgehog.analysis.grading.graded import GradedHands, action_lines, hand_table
from hedgehog.analysis.grading.options import GradeOptions
from hedgehog.analysis.grading.reasons import OTHER_SPOT
from hedgehog.analysis.grading.spots import is_at
from hedgehog.analysis.grading.words import betting_text, taken_text
from hedgehog.runtime.errors import InputError
from tests.analysis.grading.graded_hands import graded_hand

HANDS = tuple(graded_hand(n, facing, loss, 0.1) for n, (facing, loss) in enumerate([("first", 1.0), ("limp", 3.0)]))


@pytest.mark.parametrize(
    ("spot", "found"),
    [("", True), ("river BB", True), ("bb  RIVER check", True), ("river SB", False), ("river first", True)],
)
def test_a_spot_is_all_its_words(spot: str, found: bool) -> None:
    assert is_at(HANDS[0].decisions[0], spot) == found


def test_other_spots_lose_nothing_and_hands_still_add_up() -> None:
    graded = GradedHands(GradeOptions("alice"), HANDS, ())
    found = graded.at_spot("first")
    assert found.mean("loss_bb").mean == pytest.approx(500)  # 1 big blind in two hands
    assert graded.mean("loss_bb").mean == pytest.approx(2000)
    for before, after in zip(graded.hands, found.hands, strict=True):
        assert after.terms.result == before.terms.result
        assert after.terms.remainder == pytest.approx(before.terms.remainder)
        assert after.terms.losses == pytest.approx(sum(d.loss_bb or 0 for d in after.decisions if d.graded))
    [other] = found.hands[1].decisions
    assert (other.graded, other.reason, other.loss_bb, other.actions, other.grid) == (False, OTHER_SPOT, None, {}, [])
    assert (other.action, other.cards) == ("check", "AhKd")
    assert graded.hands[1].decisions[0].loss_bb == 3.0  # the hands themselves are as before
    assert found.not_graded() == [(OTHER_SPOT, 1, 0.0)]
    assert "spot 'first' alone" in found.summary()
    with pytest.raises(InputError, match="no decision is at such a spot: 'flop'"):
        graded.at_spot("flop")


def test_hands_of_earlier_days_are_left_away() -> None:
    dated = tuple(replace(hand, date=day) for hand, day in zip(HANDS, ("2024-05-06", "2024-05-07"), strict=True))
    graded = GradedHands(GradeOptions("alice"), (*dated, graded_hand(2, "first", 5.0, 0.1)), ())
    assert [hand.hand for hand in graded.since_day(date(2024, 5, 7)).hands] == [1]
    assert [hand.hand for hand in graded.since_day(date(2024, 5, 6)).hands] == [0, 1]
    with pytest.raises(InputError, match="no hand was played on 2025-01-01 or later"):
        graded.since_day(date(2025, 1, 1))
    with pytest.raises(InputError, match="no hand tells the day"):
        GradedHands(GradeOptions("alice"), HANDS, ()).since_day(date(2024, 5, 6))


def test_borrowed_ranges_are_not_in_the_totals() -> None:
    borrowed = replace(graded_hand(2, "first", 9.0, 0.1), borrowed=75.0)
    alone, both = (GradedHands(GradeOptions("alice"), hands, ()) for hands in (HANDS, (*HANDS, borrowed)))
    assert both.table().records() == alone.table().records()
    assert (both.terms(), both.leaks(1)) == (alone.terms(), alone.leaks(1))
    assert both.worst(1)[0].loss_bb == 9.0
    assert both.borrowed_line().startswith("borrowed ranges, not in the totals: 1 hand, 1 decisions graded, 1 of them")
    assert (both.document()["hands"], both.document()["borrowed"], alone.borrowed_line()) == (2, 1, "")
    none = GradedHands(GradeOptions("alice"), (borrowed,), ())
    assert (none.has_totals, none.why_no_totals) == (False, "all ranges are borrowed: no totals")


def test_a_hand_is_shown_in_big_blinds_alone() -> None:
    hand = graded_hand(0, "bet < 85 %", 1.0, 0.1)
    [decision] = hand.decisions
    decision.betting, decision.big_blind, decision.to_call_bb = "r300c/cc/cc/r700", 100, 4.0
    decision.action, decision.size_pct = "raise", 100.0
    decision.actions = {"F": (0.0, 0.5), "R1450": (1.0, 0.5)}
    decision.best_action = "R1450"
    decision.pot_bb = 10.0
    assert taken_text(decision) == "raise to 18 BB"  # 4 to call, and the 14 of the pot after calling
    assert betting_text(decision) == (
        "preflop: button raises to 3 BB, big blind calls 2 BB; flop QhJh2c: big blind checks, button checks; "
        "turn 7d: big blind checks, button checks; river 5s: big blind bets 4 BB"
    )
    row = hand_table(hand).records()[0]
    assert (row["action"], row["best"]) == ("raise to 18", "raise to 14.5")
    assert action_lines(hand) == [
        "1. river QhJh2c7d5s: big blind bets 4 BB",
        "   river: fold +0.00 (50 %), raise to 14.5 BB +1.00 (50 %)",
    ]
