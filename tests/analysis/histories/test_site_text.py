"""The text of GGPoker, Americas Cardroom and PokerStars: golden hands, kinds that are left out, and files that mix."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from hedgehog.analysis.histories.hand_files import FileHand, formats, open_hand_file
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.analysis.histories.phh_text import phh_date
from hedgehog.analysis.histories.real_hands import RealHand, betting, play, to_played, verify_net
from hedgehog.analysis.histories.site_text import hand_date, hand_name, parse_hand, split_hands
from hedgehog.analysis.histories.sources import find_sources
from hedgehog.analysis.study.reading import HandReader
from hedgehog.poker.cards import format_cards
from hedgehog.runtime.errors import LogError

DATA = Path(__file__).parents[2] / "data"
FILES = {
    "ggpoker": DATA / "ggpoker" / "heads-up.txt",
    "acr": DATA / "acr" / "heads-up.txt",
    "pokerstars": DATA / "pokerstars" / "other-forms.txt",
}
GG, ACR, STARS = (FILES[name].read_text() for name in ("ggpoker", "acr", "pokerstars"))


def read(text: str, hand: int = 0) -> RealHand:
    """Returns one hand of a text, played and with possible winnings."""
    real = parse_hand(list(split_hands(text.split("\n")))[hand])
    verify_net(real, play(real))
    return real


@pytest.mark.parametrize(
    ("name", "day"), [("pokerstars", "2024-05-06"), ("ggpoker", "2026-03-04"), ("acr", "2026-03-04")]
)
def test_hands_tell_their_day(name: str, day: str) -> None:
    entries = [entry for entry in open_hand_file(FILES[name]).entries(lambda *_: None) if isinstance(entry, FileHand)]
    assert entries[0].date == day


@pytest.mark.parametrize(
    "line", ["", "PokerStars Hand #1: 2024/13/06", "2024/02/30", "12024/05/06", "2024-5-6", "0000/01/01"]
)
def test_what_is_no_day_is_none(line: str) -> None:
    assert hand_date(line) == ""


def test_hands_of_phh_tell_their_day() -> None:
    lines = [
        "[1]",
        "day = 7 # Tuesday",
        "month = 5",
        "year = 2024",
        "",
        "[2]",
        "year=2024",
        "month=5",
        "[3]",
        "day = 40",
    ]
    assert [phh_date(lines, line) for line in (1, 6, 9, 3)] == ["2024-05-07", "", "", ""]
    assert phh_date(lines[1:], 1) == "2024-05-07"


@pytest.mark.parametrize(
    ("text", "hand", "names", "stacks", "bets", "net", "cards"),
    [
        (GG, 0, ("5a1f0c3e", "Hero"), (8750, 10000), "r250f", (-100, 100), ("", "AsKd")),
        (GG, 1, ("Hero", "5a1f0c3e"), (10100, 8650), "r250c/cr580c/cc/r1380c", (1192, -1380), ("QsJd", "8c7c")),
        (GG, 2, ("9e0b77d2", "Hero"), (4235, 5000), "r250r4235c", (3835, -4235), ("8h8s", "AhKh")),
        (GG, 3, ("77c3d0a", "Hero"), (24848, 45152), "r4000c/cr8125f", (-4250, 4250), ("", "Td9d")),
        (ACR, 0, ("Nora K", "otto_9"), (10000, 8750), "r250f", (-100, 100), ("7d2c", "")),
        (ACR, 1, ("Nora K", "otto_9"), (9900, 8850), "r300c/cr700r1500c/cc/r4500c", (4150, -4500), ("QsQd", "8c8s")),
        (ACR, 2, ("Nora K", "otto_9"), (6000, 9000), "r8940c", (6000, -6000), ("JhTh", "Ad9d")),
        (STARS, 0, ("otto_9", "Nora K."), (8000, 10000), "r300f", (-100, 100), ("7c2d", "AsKd")),
        (STARS, 1, ("Nora K.", "otto_9"), (1500, 1500), "f", (10, -10), ("7d2c", "")),
        (STARS, 2, ("otto_9", "Nora K."), (2000, 2000), "r300r2000c", (-2000, 1900), ("TcTd", "QhQd")),
        (STARS, 3, ("otto_9", "Nora K."), (8000, 10000), "cc/cc/r300c/cc", (-300, 270), ("8c7c", "9h9d")),
        (STARS, 4, ("otto_9", "Nora K."), (8000, 10000), "r300r8000c", (-8000, 7900), ("8d8s", "AhAd")),
        (STARS, 5, ("otto_9", "Nora K."), (8000, 10000), "r10000c", (7900, -8000), ("8d8s", "AhAd")),
    ],
)
def test_golden_hands(
    text: str,
    hand: int,
    names: tuple[str, str],
    stacks: tuple[int, int],
    bets: str,
    net: tuple[float, float],
    cards: tuple[str, str],
) -> None:
    real = read(text, hand)
    assert (real.names, real.stacks, betting(real), real.net) == (names, stacks, bets, net)
    assert tuple(map(format_cards, real.hole_cards)) == cards


@pytest.mark.parametrize(
    ("text", "hand", "blinds", "dead"),
    [
        (GG, 0, (100, 50), (0, 0)),
        (GG, 3, (2000, 1000), (250, 250)),
        (ACR, 1, (100, 50), (0, 0)),
        (ACR, 2, (600, 300), (60, 60)),
        (STARS, 1, (20, 10), (0, 0)),
        (STARS, 2, (100, 50), (0, 0)),
        (STARS, 3, (100, 50), (0, 0)),
    ],
)
def test_blinds_and_antes(text: str, hand: int, blinds: tuple[int, int], dead: tuple[int, int]) -> None:
    real = read(text, hand)
    assert (real.blinds, real.dead) == (blinds, dead)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (STARS, "Home Game Hand #230000000001: {Club #12}  Hold'em", "Hand #230000000001:  Hold'em"),
        (STARS, "PokerStars Home Game Hand", "PokerStars Home Game"),
        (STARS, "PokerStars Home Game Hand", "PokerStars Game"),
        (STARS, "($0.50/$1.00 USD)", "($0.50/$1.00)"),
        (STARS, "($0.50/$1.00 USD)", "($0.50/$1.00 - $50 Cap -  USD)"),
        (STARS, "#12}  Hold'em No Limit (", "#12} Tournament #5, Freeroll  Hold'em No Limit - Level IV ("),
        (STARS, "#12}  Hold'em No Limit (", "#12} Tournament #5, 8+2 Hold'em No Limit - Round I, Level X ("),
        (
            STARS,
            "PokerStars Home Game Hand #230000000001: {Club #12}  Hold'em No Limit",
            "POKERSTARS GAME #1: HOLD'EM NO LIMIT",
        ),
        (
            STARS,
            "#12}  Hold'em No Limit (",
            "#12} Tournament #5, 9+1 8-Game (Hold'em No Limit) - Match Round I, Level I (",
        ),
        (STARS, "Uncalled bet ($2) returned to Nora K.\n", ""),
        (GG, "#HD3100000001: Hold'em No Limit (", "#ring_3100000001: NLH No Limit ("),
        (GG, "#HD3100000001: Hold'em No Limit (", "#SG31: Tournament #5, a: b, $5 [c] Hold'em No Limit   - Level 3 ("),
        (STARS, "($0.50/$1.00 USD)", "($0.50/$1.00 - Ante $0.20 USD)"),
        (GG, "($0.5/$1)", "($0.5/$1)  "),
        (GG, "($0.5/$1)", "($0.5/$1 Ante $0.1)"),
        (GG, "*** HOLE", "Seat 3: x ($9 in chips) is sitting out\nSeat 4: y ($0 in chips)\n*** HOLE"),
        (GG, "Dealt to 5a1f0c3e \n", "Dealt to 5a1f0c3e\n"),
        (GG, " | Bingo $0 | Fortune $0 | Tax $0", ""),
        (GG, " | Rake $0 | Jackpot $0 | Bingo $0 | Fortune $0 | Tax $0", ""),
        (GG, "Hero: posts small", "Cash\nHero: posts small"),
        (ACR, "Holdem (No Limit)", "Holdem(No Limit)"),
        (ACR, "$0.50/$1.00 -", "$0.50/$1.00, Ante $0.10 -"),
        (ACR, "\nSeat 4: otto_9 (button) did not show and won $2.00", ""),
        (ACR, "Uncalled bet ($1.50) returned to otto_9\n", ""),
        (ACR, "$2.00\nSeat 1", "$2.00 | Rake $0.00 | JP Fee $0.00\nSeat 1"),
    ],
)
def test_other_headers_and_summaries_are_the_same_hand(text: str, old: str, new: str) -> None:
    assert old in text
    changed, plain = read(text.replace(old, new, 1)), read(text)
    for name in ("names", "blinds", "stacks", "rounds", "net", "hole_cards"):
        if name != "stacks" or "Cap" not in new:
            assert getattr(changed, name) == getattr(plain, name)


def test_the_total_of_exported_hands_may_be_without_the_rake() -> None:
    assert read(STARS.replace("Total pot €6 ", "Total pot €5.70 "), 3).net == (-300, 270)


def test_a_cap_bounds_what_a_player_can_put_in() -> None:
    assert read(STARS.replace("($0.50/$1.00 USD)", "($0.50/$1.00 - $50 Cap -  USD)", 1)).stacks == (5000, 5000)


def test_a_missed_blind_and_a_blind_without_name() -> None:
    post = "5a1f0c3e: posts big blind $1"
    missed = GG.replace(post, f"5a1f0c3e: posts missed blind $0.5\n{post}", 1)
    hand = read(missed.replace("collected $2 ", "collected $2.5 ", 1).replace("pot $2 ", "pot $2.5 ", 1))
    assert (hand.posts, hand.dead, hand.net) == ((100, 50), (50, 0), (-150, 150))
    dead = ACR.replace("posts the big blind $1.00", "posts dead $1.50", 1)
    hand = read(dead.replace("pot $2.00", "pot $2.50", 1).replace("won $2.00", "won $2.50", 1))
    assert (hand.posts, hand.dead, hand.net) == ((100, 50), (50, 0), (-150, 150))
    assert read(ACR.replace("posts the big blind $1.00", "posts $1.00", 1)).net == (-100, 100)


@pytest.mark.parametrize(
    ("text", "old", "new", "kind"),
    [
        (GG, "Hold'em No Limit", "PLO-5", "another game than no-limit hold'em"),
        (GG, "Hold'em No Limit", "ShortDeck No Limit", "another game than no-limit hold'em"),
        (GG, "*** HOLE", "Cash Drop to Pot : total $5\n*** HOLE", "chips of the site in the pot"),
        (GG, "*** HOLE", "5a1f0c3e: straddle $2\n*** HOLE", "a straddle"),
        (GG, "*** SHOWDOWN", "*** THIRD FLOP *** [2c 3c 4c]\n*** SHOWDOWN", "a second board"),
        (GG, "*** HOLE", "Seat 3: x ($9 in chips)\nx: posts big blind $1\n*** HOLE", "3 players dealt in"),
        (GG, "*** HOLE", "Seat 3: x ($9 in chips)\n*** HOLE", "3 players dealt in"),
        (ACR, "Holdem (No Limit)", "Omaha H/L (No Limit)", "another game than no-limit hold'em"),
        (ACR, "Holdem (No Limit)", "6+Holdem (No Limit)", "another game than no-limit hold'em"),
        (ACR, "Nora K folds", "Nora K caps $5.00", "a bet that is capped"),
        (ACR, "Total pot", "BombPot\nTotal pot", "a bomb pot"),
        (ACR, "zed will be allowed to play after the button", "zed ($9.00)\nzed posts $1.00", "3 players dealt in"),
        (STARS, "Hold'em No Limit", "6+ Hold'em No Limit", "another game than no-limit hold'em"),
        (STARS, "*** HOLE", "Hand cancelled\n*** HOLE", "a cancelled hand"),
        (STARS, "  Hold'em No Limit", "  Split Hold'em No Limit", "another game than no-limit hold'em"),
    ],
)
def test_kinds_that_are_left_out(text: str, old: str, new: str, kind: str) -> None:
    assert old in text
    with pytest.raises(LeftOutError, match=rf"^(line [0-9]+: )?{kind}$"):
        read(text.replace(old, new, 1))


@pytest.mark.parametrize(("text", "hand"), [(GG, 4), (ACR, 3), (ACR, 4)])
def test_hands_of_the_files_that_are_left_out(text: str, hand: int) -> None:
    with pytest.raises(LeftOutError):
        read(text, hand)


@pytest.mark.parametrize(
    ("text", "hand", "old", "new"),
    [
        (GG, 0, "($0.5/$1)", "(0.5 or 1)"),
        (GG, 0, "raises $1.5 to $2.5", "raises $1.5"),
        (STARS, 0, "{Club #12} ", "{Club #12} Tournament #1," + " Hold'em No Limit -" * 5_000),
        (GG, 1, "Jackpot $0.5", "Jackpot $0.6"),
        (GG, 1, "Jackpot $0.5", "Jackpot half"),
        (GG, 1, "Hero collected $25.72", "5a1f0c3e collected $25.72"),
        (GG, 3, "posts the ante 250", "posts the ante 250.5"),
        (ACR, 0, "won $2.00", "won $2.50"),
        (ACR, 1, "JP Fee $0.50", "JP Fee $0.40"),
        (ACR, 1, "calls $30.00", "calls $20.00"),
        (STARS, 3, "mucked [8c 7c]", "mucked [9h 7c]"),
        (STARS, 4, "won ($159)", "lost"),
        (STARS, 4, "showed [Ah Ad]", "showed [Ah As]"),
        (STARS, 5, "otto_9 collected $159", "Nora K. collected $159"),
    ],
)
def test_hands_that_do_not_add_up_are_refused(text: str, hand: int, old: str, new: str) -> None:
    assert old in text
    with pytest.raises(LogError) as error:
        read(text.replace(old, new), hand)
    assert not isinstance(error.value, LeftOutError)


@pytest.mark.parametrize("stacks", [(100, 50), (5000, 50), (30, 5000)])
def test_a_hand_may_end_with_the_blinds(stacks: tuple[int, int]) -> None:
    """Nobody acts if the small blind is all-in, or the big blind with no more than the small blind."""
    posts = (min(stacks[0], 100), 50)
    hand = RealHand(1, ("A", "B"), stacks, posts, (100, 50), (0, 0), (), ((), ()), (), (math.nan, math.nan))
    assert to_played(hand).state.is_showdown


@pytest.mark.parametrize(("name", "path"), FILES.items())
def test_files_are_recognised(name: str, path: Path) -> None:
    file = open_hand_file(path)
    assert file.format == name
    assert file.num_hands == len(list(split_hands(file.lines)))


def test_a_file_may_mix_sites_and_a_hand_counts_once(tmp_path: Path) -> None:
    (tmp_path / "mixed.txt").write_text(STARS + GG + ACR)
    (tmp_path / "again.txt").write_text(ACR + GG.replace("#HD3100000002", "#TM3100000001", 1))
    reader = HandReader()
    batches = [batch for source in find_sources([tmp_path]) for batch in reader.read(source)]
    found = [formats()[code] for batch in batches for code in batch.hands["format"]]
    assert {name: found.count(name) for name in FILES} == {"ggpoker": 5, "acr": 3, "pokerstars": 6}
    assert (reader.tally.bad, reader.tally.duplicates) == (0, 6)
    assert hand_name("Poker Hand #TM3100000004: x") == "ggpoker TM3100000004"
