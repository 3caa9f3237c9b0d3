"""What tables of graded hands say."""

from __future__ import annotations

import pytest

from hedgehog.analysis.grading.graded import GradedHands, action_lines, hand_table
from hedgehog.analysis.grading.options import GradeOptions
from hedgehog.analysis.grading.spots import kinds_of
from hedgehog.runtime.table import MISSING
from tests.analysis.grading.graded_hands import graded_hand


def test_a_best_action_that_is_not_known_is_not_named() -> None:
    """It would read as a check."""
    hand = graded_hand(0, "first", 1.0, 0.1)
    assert hand_table(hand).records()[0]["best"] == "bet 500"
    hand.decisions[0].best_action = ""
    assert hand_table(hand).records()[0]["best"] == MISSING


def test_a_loss_by_what_our_player_hardly_ever_does_is_less_sure() -> None:
    hand = graded_hand(0, "first", 1.0, 0.1)
    (decision,) = hand.decisions
    for freq, warned in ((None, False), (0.001, False), (0.0009, True)):
        decision.range_freq = freq
        assert bool(decision.caution) == warned
        assert ("third larger or smaller" in action_lines(hand)[-1]) == warned
    decision.loss_bb = 0.0
    assert not decision.caution


def test_kinds_name_no_role_without_a_raise() -> None:
    decision = graded_hand(0, "first", 1.0, 0.1).decisions[0]
    assert kinds_of(decision)[0] == "river, BB, limped, first"
    decision.role = "caller"
    assert kinds_of(decision)[0] == "river, BB, limped, caller, first"


def test_losses_add_up_by_texture_depth_and_month() -> None:
    hands = [graded_hand(number, "first", loss, 0.1) for number, loss in enumerate((1.0, 3.0))]
    hands[0].decisions[0].date, hands[1].decisions[0].stack_bb = "2024-05-06", 55.0
    graded = GradedHands(GradeOptions("alice"), tuple(hands), ())
    rows = graded.by(("texture", "spr", "month"), 1).records()
    assert [(row["texture"], row["spr"], row["month"], row["bb_per_decision"]) for row in rows] == [
        ("two-tone, unpaired", "3 to 6", MISSING, 3.0),
        ("two-tone, unpaired", "13 and more", "2024-05", 1.0),
    ]
    assert graded.rows()[0]["texture"] == "two-tone, unpaired"
    hands[0].decisions[0].board = ""
    assert hands[0].decisions[0].texture == ""


def test_streets_have_their_versus_and_charge() -> None:
    hands = tuple(graded_hand(number, "first", loss, 0.1) for number, loss in enumerate((1.0, 3.0)))
    both, river = GradedHands(GradeOptions("alice"), hands, ()).table().records()
    assert (both["street"], river["street"]) == ("all", "river")
    assert river["versus"] == pytest.approx(-1900)  # big blinds in thousandths: 0.1 - 1 and 0.1 - 3
    assert river["our_player"] == pytest.approx(100)
    assert river["mbb_per_hand"] - river["our_player"] == pytest.approx(-river["versus"])
