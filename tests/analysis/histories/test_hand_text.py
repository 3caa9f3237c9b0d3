"""Hands in words: the betting can be read back from them, and the special cases say what happened."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from hedgehog.analysis.histories.hand_text import describe_hand
from hedgehog.poker.acpc.gamedef import GameDef
from hedgehog.poker.acpc.handlog import LoggedHand, parse_log_line
from hedgehog.poker.evaluation.showdown import hand_name, hand_rank
from tests.golden import game, read_golden_log

HUNL = "holdem.nolimit.2p.reverse_blinds"


def described(line: str, game_name: str) -> list[str]:
    return list(describe_hand(parse_log_line(line, game(game_name)), "title"))


def betting_in(lines: list[str], hand: LoggedHand) -> str:
    """Returns the ACPC betting that the words of a hand describe."""
    gamedef = hand.state.gamedef
    streets: list[str] = []
    to_match = base = 0
    for line in lines:
        if re.match(r"(Preflop|Flop|Turn|River|Round \d)\b", line):
            streets.append("")
            # In games with blinds the bets of the first street contain them; antes are no bets.
            base = to_match if len(streets) > 1 else gamedef.big_blind if len(set(gamedef.blinds)) == 1 else 0
        elif line.startswith(("Showdown", "Everybody")):
            break
        elif streets and line:
            word = re.search(r"  (folds|checks|calls|bets|raises to)( \d+)?( and is all-in)?$", line)
            assert word is not None, line
            if word[1] in {"bets", "raises to"}:
                to_match = base + int(word[2])
                streets[-1] += f"r{to_match}" if gamedef.no_limit else "r"
            else:
                streets[-1] += word[1][0]
        to_match = max(to_match, gamedef.big_blind)
    return "/".join(streets)


@pytest.mark.parametrize(
    ("log", "game_name"),
    [
        ("log_hunl2p_s0", HUNL),
        ("log_nolimit3p_s1471220049", "holdem.nolimit.3p"),
        ("log_limit3p_s1471220049", "holdem.limit.3p"),
        ("log_leduc2p_s1471220049", "leduc.limit.2p"),
        ("log_kuhn3p_s1471220049", "kuhn.limit.3p"),
    ],
)
def test_the_words_say_the_betting(log: str, game_name: str) -> None:
    for line in read_golden_log(log):
        if line.startswith("STATE:"):
            hand = parse_log_line(line, game(game_name))
            lines = list(describe_hand(hand, "title"))
            assert betting_in(lines, hand) == line.split(":")[2]
            pot = next(text for text in lines if text.startswith(("Showdown", "Everybody")))
            assert pot.endswith(f", pot {sum(hand.state.spent)}")


def test_an_all_in_hand() -> None:
    assert described("STATE:7:r300r900r20000c///:2c3d|AsKs/4c5c6c/7d/8h:0|0:big one|small", HUNL) == [
        "title",
        "  big one  big blind    2c 3d  20000 chips  posts 100",
        "  small    small blind  As Ks  20000 chips  posts 50",
        "",
        "Preflop, pot 150",
        "  small    raises to 300",
        "  big one  raises to 900",
        "  small    raises to 20000 and is all-in",
        "  big one  calls 19100 and is all-in",
        "",
        "Flop [4c 5c 6c], pot 40000",
        "",
        "Turn [4c 5c 6c | 7d], pot 40000",
        "",
        "River [4c 5c 6c 7d | 8h], pot 40000",
        "",
        "Showdown, pot 40000",
        "  big one  0  2c 3d, straight",
        "  small    0  As Ks, straight",
    ]


def test_a_game_with_antes() -> None:
    lines = described("STATE:0:crc:Ks|As:-2|2:A|B", "kuhn.limit.2p")
    assert lines[4:] == [
        "Round 1, pot 2",
        "  A  checks",
        "  B  bets 1",
        "  A  calls 1",
        "",
        "Showdown, pot 4",
        "  A  -2  Ks",
        "  B  +2  As",
    ]


def test_names_and_cards_that_are_not_known() -> None:
    """A log may have names with a bar in them; a PHH file may lack hole cards."""
    hand = parse_log_line("STATE:0:f:2c3d|AsKs:50|-50:A|B|C", game(HUNL))
    lines = list(describe_hand(replace(hand, hole_cards=((), hand.hole_cards[1])), "title"))
    assert lines[1:3] == [
        "  player 1  big blind    ??     20000 chips  posts 100",
        "  player 2  small blind  As Ks  20000 chips  posts 50",
    ]
    assert lines[-2:] == ["  player 1  +50", "  player 2  -50"]


def test_names_of_hands_are_those_of_the_evaluator() -> None:
    from hedgehog.poker.evaluation.evaluator import hand_category, rank_hand

    deck = GameDef.deck(game(HUNL))
    for start in range(45):
        for step in (1, 4, 5, 9, 13):
            cards = [deck[(start + step * k) % 52] for k in range(7)]
            if len(set(cards)) == 7:
                assert hand_name(hand_rank(cards)) == hand_category(rank_hand(cards))
