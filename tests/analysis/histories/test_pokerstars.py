"""PokerStars text: golden hands, pokerkit as an oracle, hands that do not add up, and the way through PHH to ACPC."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pokerkit import PokerStarsParser

from hedgehog.analysis.histories.hand_files import ACPC, PHH, Converter, FileHand, open_hand_file, verify_hand_file
from hedgehog.analysis.histories.left_out import Block, LeftOutError
from hedgehog.analysis.histories.phh_text import parse_phh, split_phh
from hedgehog.analysis.histories.pokerstars import PokerStarsReader
from hedgehog.analysis.histories.real_hands import RealHand, betting, from_logged, to_logged
from hedgehog.analysis.histories.site_reader import parse_block
from hedgehog.analysis.histories.site_text import split_hands
from hedgehog.poker.acpc.handlog import parse_log_line
from hedgehog.poker.cards import format_cards
from hedgehog.runtime.errors import LogError
from hedgehog.runtime.text_files import plain_text

FILE = Path(__file__).parents[2] / "data" / "pokerstars" / "heads-up.txt"
TEXT = FILE.read_text()


TOURNAMENT = """\
PokerStars Hand #7: Tournament #1, 5+1 USD Hold'em No Limit - Level IV (50/100) - 2024/01/01 1:02:03 ET
Table '1 2' 2-max Seat #1 is the button
Seat 1: a (3000 in chips)
Seat 2: b (1000 in chips)
a: posts the ante 10
b: posts the ante 10
a: posts small blind 50
b: posts big blind 100
*** HOLE CARDS ***
a: raises 100 to 200
b: folds
Uncalled bet (100) returned to a
a collected 220 from pot
*** SUMMARY ***
Total pot 220 | Rake 0
"""


def hands_in(text: str) -> list[RealHand]:
    return [parse_block(block, PokerStarsReader()) for block in split_hands(text.split("\n"))]


def test_golden_hands() -> None:
    assert [betting(hand) for hand in hands_in(TEXT)] == ["r250r900c/cr2000r12025c", "cr400c/r1000c/cr2500f", "f"]
    first, second, third = hands_in(TEXT)
    assert first.names == ("Nora K.", "otto_9")
    assert first.stacks == (12025, 6400)
    assert first.net == (6325, -6400)
    assert format_cards(first.hole_cards[1]) == "8c8s"
    assert format_cards(second.board) == "Ts6d2c9h"
    assert second.net == (-1000, 950)
    assert third.net == (50, -50)


def test_byte_order_mark_line_ends_and_thousands() -> None:
    text = "\ufeff" + TEXT.replace("($120.25 in chips)", "($1,120.25 in chips)").replace("\n", "\r\n")
    assert hands_in(plain_text(text.encode()).decode())[0].stacks == (112025, 6400)


def test_pokerkit_reads_the_same_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """pokerkit's amounts are in dollars, and its p1 is the big blind."""
    # Filters of warnings belong to the process, and threads of an earlier test may change them.
    monkeypatch.setattr("pokerkit.notation.warn", lambda *_: None)
    histories = list(PokerStarsParser()(TEXT))
    assert len(histories) == 3
    for history, hand in zip(histories, hands_in(TEXT), strict=True):
        words = [action.split() for action in history.actions if action.split()[0] in ("p1", "p2")]
        theirs = [
            (int(word[0][1]) - 1, word[1], round(100 * float(word[2])) if word[1] == "cbr" else 0)
            for word in words
            if word[1] in ("f", "cc", "cbr")
        ]
        names = {"f": "f", "c": "cc", "r": "cbr"}
        ours = [(action.seat, names[action.letter], action.to) for street in hand.rounds for action in street]
        assert ours == theirs
        assert [round(100 * float(stack)) for stack in history.starting_stacks] == list(hand.stacks)


def test_hands_go_to_phh_and_to_acpc_and_keep_every_action_and_result() -> None:
    converter = Converter(PHH)
    phh = "".join(converter.convert(entry) for entry in open_hand_file(FILE).entries())
    back = [parse_phh(block) for block in split_phh(phh.split("\n"))]
    assert len(back) == 3
    for hand, again in zip(hands_in(TEXT), back, strict=True):
        assert again.rounds == tuple(tuple(action._replace(paid=None) for action in street) for street in hand.rounds)
        assert (again.stacks, again.net, again.hole_cards, again.board) == (
            hand.stacks,
            hand.net,
            hand.hole_cards,
            hand.board,
        )
        line = Converter(ACPC, one_hand=True).convert(FileHand(1, to_logged(again)))
        last = from_logged(parse_log_line(line.strip(), to_logged(hand).state.gamedef, hidden_cards=True))
        assert (last.rounds, last.net, last.hole_cards) == (again.rounds, again.net, again.hole_cards)


def test_the_reader_with_pokerkit_takes_the_phh_too(tmp_path: Path) -> None:
    path = tmp_path / "x.phhs"
    converter = Converter(PHH)
    path.write_text("".join(converter.convert(entry) for entry in open_hand_file(FILE).entries()))
    logged = [entry.hand for entry in open_hand_file(path).hands()]
    assert [from_logged(hand).net for hand in logged] == [hand.net for hand in hands_in(TEXT)]
    assert verify_hand_file(open_hand_file(path)).faults == ()


def first_hand(change: Callable[[str], str]) -> RealHand:
    (block, *_) = split_hands(change(TEXT.split("\n\n\n")[0]).split("\n"))
    return parse_block(block, PokerStarsReader())


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("Total pot $128", "Total pot $129", 1),
        ("Rake $0.75", "Rake $0.50", 1),
        ("otto_9: calls $6.50", "otto_9: calls $6", 1),
        ("Nora K.: checks", "otto_9: checks", 1),
        ("*** FLOP *** [Qc 8d 3h]", "*** FLOP *** [Qc 8d]", 12),
        ("*** FLOP *** [Qc 8d 3h]", "*** FLOP *** [Qc 8d 1h]", 12),
        ("*** TURN ***", "*** RIVER ***", 18),
        ("shows [Qs Qd]", "shows [8c Qd]", 21),
        ("[Qc 8d 3h] [5s]", "[Qc 8d 3h] [Qs]", 1),
        ("posts small blind $0.50", "posts small blind", 5),
        ("otto_9: bets $11", "otto_9: bets", 14),
        ("($0.50/$1.00 USD)", "(1 or 2)", 1),
        ("Uncalled bet ($56.25) returned to Nora K.", "Uncalled bet ($56.25) returned to Nobody", 17),
        ("Total pot", "Total", 1),
    ],
)
def test_a_hand_that_does_not_add_up_is_refused_with_its_line(old: str, new: str, line: int) -> None:
    assert old in TEXT
    with pytest.raises(LogError) as error:
        to_logged(first_hand(lambda text: text.replace(old, new, 1)))
    assert error.value.line in (line, None)
    assert not isinstance(error.value, LeftOutError)


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("Hold'em No Limit", "Omaha Pot Limit", "another game"),
        ("*** FLOP ***", "*** FIRST FLOP ***", "a second board"),
        ("posts big blind $1", "posts straddle $2", "a straddle"),
        (
            "otto_9: posts small blind $0.50",
            "Seat 3: x ($9 in chips)\notto_9: posts small blind $0.50\nx: posts big blind $1",
            "3 players dealt",
        ),
    ],
)
def test_other_kinds_of_hands_are_left_out(old: str, new: str, kind: str) -> None:
    with pytest.raises(LeftOutError, match=kind):
        first_hand(lambda text: text.replace(old, new, 1))


def test_who_sits_out_is_not_dealt_in() -> None:
    seat = "Seat 2: otto_9 ($64 in chips)"
    hand = first_hand(lambda text: text.replace(seat, f"{seat}\nSeat 3: x ($9 in chips) is sitting out", 1))
    assert hand.names == ("Nora K.", "otto_9")


def test_antes_and_dead_posts_are_in_the_pot_and_in_no_size() -> None:
    block = Block(1, TOURNAMENT.splitlines())
    hand = parse_block(block, PokerStarsReader())
    assert (hand.blinds, hand.dead, hand.posts) == ((100, 50), (10, 10), (100, 50))
    assert hand.net == (-110, 110)
    with pytest.raises(LogError, match="no ACPC log can hold"):
        to_logged(hand)
