"""Decisions before the flop graded by the shipped tables."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from hedgehog.analysis.grading.grade import grade_files
from hedgehog.analysis.grading.graded import GradedHands
from hedgehog.analysis.grading.options import GradeOptions
from hedgehog.analysis.grading.parts import open_our_player
from hedgehog.analysis.grading.reasons import NEVER_HERE, NO_FLOP_VALUES, NOT_ASKED, OTHER_BLINDS
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.hand_classes import HAND_CLASS_SIZES
from hedgehog.poker.streets import PREFLOP
from tests.analysis.grading.hand_logs import GAME, write_log

GOLDEN = Path(__file__).parents[2] / "data" / "acpc"


def graded(path: Path, player: str = "alice") -> GradedHands:
    return grade_files([path], GradeOptions(player, "quick", streets=(PREFLOP,)))


@pytest.mark.parametrize(
    ("seed", "hands"),
    [
        pytest.param("0", None, marks=pytest.mark.slow),
        pytest.param("1471220049", None, marks=pytest.mark.slow),
        ("1471220049", 150),
    ],
)
def test_every_hand_of_real_matches_adds_up(tmp_path: Path, seed: str, hands: int | None) -> None:
    """Golden logs of the official dealer, whose players raise at random: most lines are far from our player's."""
    path = tmp_path / "a.log"
    text = gzip.decompress((GOLDEN / f"log_hunl2p_s{seed}.log.gz").read_bytes()).decode()
    if hands is not None:
        text = text.split(f"STATE:{hands}:", 1)[0]
    path.write_text(text)
    found = graded(path, text.split("STATE:0:", 1)[1].splitlines()[0].rsplit("|", 1)[1])
    assert len(found.hands) >= (hands or 500) / 2
    for hand in found.hands:
        terms, before = hand.terms, [d for d in hand.decisions if d.street == "preflop"]
        assert terms.remainder == pytest.approx(0, abs=1e-9)
        assert terms.seam == 0
        assert all(d.loss_bb >= 0 for d in before if d.loss_bb is not None)
        assert {d.reason for d in before if not d.graded} <= {NEVER_HERE}
        assert {d.reason for d in hand.decisions if d.street != "preflop"} <= {NO_FLOP_VALUES, NOT_ASKED}
        if all(d.graded for d in before):
            assert terms.losses == pytest.approx(sum(d.loss_bb or 0.0 for d in before), abs=1e-9)
            if len(before) == len(hand.decisions) and terms.result in (-0.5, 0.5, -1, 1):
                assert terms.ungraded == pytest.approx(0, abs=1e-9)


def test_a_walk_is_luck_of_the_opponent(tmp_path: Path) -> None:
    """The big blind decides nothing, wins half a blind, and nothing is left ungraded."""
    [hand] = graded(write_log(tmp_path, ["STATE:0:f:AhKd|7c2d:50|-50:alice|bob"])).hands
    assert hand.decisions == []
    assert (hand.terms.result, hand.terms.ungraded, hand.terms.losses) == (0.5, 0, 0)
    assert hand.terms.remainder == pytest.approx(0, abs=1e-12)
    assert hand.terms.luck_cards > 1  # AK is worth more than the mean hand
    assert hand.terms.luck_opponent < 0  # and wins less than it is worth


def test_the_cards_of_an_all_in_are_luck_of_the_cards(tmp_path: Path) -> None:
    """Aces win 81.26 % of the pot against kings of other suits on average, whatever comes on the board."""
    boards = (("2c2d7h/8s/Jc", 20000), ("KhKs7h/8s/Jc", -20000))
    lines = [f"STATE:{n}:r300r20000c///:AhAs|KdKc/{b}:{x}|{-x}:alice|bob" for n, (b, x) in enumerate(boards)]
    won, lost = (hand.terms for hand in graded(write_log(tmp_path, lines)).hands)
    assert won.ungraded == lost.ungraded == 0
    assert won.luck_opponent == pytest.approx(lost.luck_opponent)
    assert won.luck_cards - lost.luck_cards == pytest.approx(400)
    [dealt] = graded(write_log(tmp_path, ["STATE:0:f:AhAs|7c2d:50|-50:alice|bob"], name="b.log")).hands
    assert won.luck_cards - dealt.terms.luck_cards == pytest.approx(200 * (1 - 0.6252), abs=0.05)


def test_sound_play_loses_little_and_folding_aces_a_lot(tmp_path: Path) -> None:
    lines = [
        "STATE:0:f:2c3d|AhAs:50|-50:bob|alice",
        "STATE:1:f:AhAs|7c2d:50|-50:bob|alice",
        "STATE:2:f:AhAs|Td9d:50|-50:bob|alice",
        "STATE:3:r250f:7c2d|AhAs:-100|100:bob|alice",
        "STATE:4:r300f:7c2d|AhAs:-100|100:bob|alice",
        "STATE:5:r250f:AhAs|7c2d:-100|100:bob|alice",
    ]
    aces, trash, good, opened, translated, bluff = (
        hand.decisions[0] for hand in graded(write_log(tmp_path, lines)).hands
    )
    assert aces.loss_bb == pytest.approx(9.8, abs=0.5)
    assert aces.verdict == "blunder"
    assert (trash.loss_bb, trash.verdict) == (0, "best")
    assert good.loss_bb == pytest.approx(1.4, abs=0.5)
    assert (good.verdict, good.best_action) == ("blunder", "r250")
    assert len(good.grid) == 169
    assert not opened.translated
    assert opened.verdict in ("best", "fine")
    assert translated.translated
    assert translated.actions["r300"] == (translated.ev_taken_bb, 0.0)
    assert (translated.error_bb or 0) > (opened.error_bb or 0)
    assert bluff.loss_bb is not None
    assert bluff.loss_bb < 0.6  # after a re-raise it folds, though our player never opens it
    assert (bluff.freq or 0) < 0.02


def test_bets_that_our_player_never_makes_are_not_graded(tmp_path: Path) -> None:
    """It never jams 200 big blinds after a re-raise of this size."""
    line = "STATE:0:r300r900r2500r6000r20000f:7c2d|AhQs:6000|-6000:bob|alice"
    [hand] = graded(write_log(tmp_path, [line])).hands
    assert hand.terms.remainder == pytest.approx(0, abs=1e-9)
    last = hand.decisions[-1]
    assert last.graded == ((last.share or 0) >= 0.001)


def test_other_chips_have_the_same_losses_and_other_blinds_none(tmp_path: Path) -> None:
    lines = ["STATE:0:r{0}c/cc/cc/cc:AhKd|9s9c/Kh7d2c/5s/3d:{1}|-{1}:alice|bob"]
    usual = graded(write_log(tmp_path, [lines[0].format(300, 300)])).hands[0].decisions[0]
    small = GAME.replace("blind = 100 50", "blind = 2 1").format(stack=400)
    (tmp_path / "game.game").write_text(small)
    path = tmp_path / "b.log"
    path.write_text(f"# name/game/hands/seed m {tmp_path / 'game.game'} 1 1\n{lines[0].format(6, 6)}\n")
    other = graded(path).hands[0].decisions[0]
    assert (other.loss_bb, other.share, other.verdict) == (usual.loss_bb, usual.share, usual.verdict)
    odd = GAME.replace("blind = 100 50", "blind = 100 40").format(stack=20000)
    (tmp_path / "game.game").write_text(odd)
    path.write_text(f"# name/game/hands/seed m {tmp_path / 'game.game'} 1 1\n{lines[0].format(300, 300)}\n")
    [hand] = graded(path).hands
    assert hand.decisions[0].reason == OTHER_BLINDS
    assert hand.terms.ungraded == hand.terms.result


def test_both_positions_together_are_worth_next_to_nothing() -> None:
    """What one wins the other loses, but for the choice of the best action and the error of the sampling."""
    table = open_our_player(None).preflop_table(load_gamedef())
    assert table is not None
    sizes = HAND_CLASS_SIZES / HAND_CLASS_SIZES.sum()
    big, small = (float(table.with_best_play().dealt(position) @ sizes) for position in (0, 1))
    assert abs(big + small) < 0.02
    assert -0.2 < big < 0 < small < 0.2
