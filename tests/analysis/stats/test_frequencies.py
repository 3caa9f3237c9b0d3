"""VPIP, PFR, 3-bet and the like: golden hands counted with pokerkit, special cases by hand."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from hedgehog.analysis.stats.frequencies import Frequencies, Frequency, HandTally, count_frequencies, tally_hand
from hedgehog.poker.acpc.handlog import parse_log_line
from tests.golden import game, read_golden_log
from tests.reference.slow_frequencies import count_hands

HUNL = "holdem.nolimit.2p.reverse_blinds"
NAMES = (
    "vpip",
    "pfr",
    "three_bet",
    "fold_to_three_bet",
    "flop_continuation_bet",
    "aggression",
    "went_to_showdown",
    "won_at_showdown",
)


def tallies(line: str, game_name: str) -> dict[str, HandTally]:
    hand = parse_log_line(line, game(game_name))
    found = tally_hand(hand, list(map(float, hand.values)))
    return dict(zip(hand.names.split("|"), found, strict=True))


def frequencies(lines: list[str], game_name: str) -> dict[str, Frequencies]:
    counts: dict[str, Counter[HandTally]] = {}
    for line in lines:
        hand = parse_log_line(line, game(game_name))
        found = tally_hand(hand, list(map(float, hand.values)))
        for name, tally in zip(hand.names.split("|"), found, strict=True):
            counts.setdefault(name, Counter())[tally] += 1
    return {name: count_frequencies(count) for name, count in counts.items()}


@pytest.mark.parametrize(
    ("log", "game_name"),
    [
        ("log_hunl2p_s0", HUNL),
        ("log_hunl2p_s1471220049", HUNL),
        ("log_limit2p_s1471220049", "holdem.limit.2p.reverse_blinds"),
        ("log_nolimit3p_s1471220049", "holdem.nolimit.3p"),
        ("log_limit3p_s1471220049", "holdem.limit.3p"),
    ],
)
@pytest.mark.quick_cases("log_hunl2p_s0-holdem.nolimit.2p.reverse_blinds", "log_limit3p_s1471220049-holdem.limit.3p")
def test_golden_hands_as_pokerkit_counts_them(log: str, game_name: str) -> None:
    lines = [line for line in read_golden_log(log) if line.startswith("STATE:")][:150]
    ours, theirs = frequencies(lines, game_name), count_hands(lines, game(game_name))
    assert ours.keys() == theirs.keys()
    for player, counted in theirs.items():
        for name in NAMES:
            one: Frequency = getattr(ours[player], name)
            assert (one.times, one.opportunities) == (counted[name], counted[f"{name}_of"]), (player, name)
        factor = counted["aggression"] / counted["calls"] if counted["calls"] else math.nan
        assert ours[player].aggression_factor == pytest.approx(factor, nan_ok=True)
    assert all(sum(counted[f"{name}_of"] for counted in theirs.values()) for name in NAMES)  # nothing untested


def test_a_walk_is_no_opportunity() -> None:
    both = tallies("STATE:0:f:2c3d|AsKs:50|-50:big|small", HUNL)
    assert both["big"] == HandTally()
    assert both["small"] == HandTally(decided=1)


def test_a_checked_blind_is_not_voluntary() -> None:
    both = tallies("STATE:0:cc/cr200f:2c3d|AsKs/4c5c6c:-100|100:big|small", HUNL)
    assert both["big"] == HandTally(decided=1, folds_after=1, saw_flop=1)
    assert both["small"] == HandTally(decided=1, put_in=1, raises_after=1, saw_flop=1)


def test_three_bet_and_fold() -> None:
    """The button opens, the big blind raises again, the button folds."""
    both = tallies("STATE:0:r300r900f:2c3d|AsKs:300|-300:big|small", HUNL)
    assert both["big"] == HandTally(decided=1, put_in=1, raised=1, could_three_bet=1, three_bet=1)
    assert both["small"] == HandTally(decided=1, put_in=1, raised=1, faced_three_bet=1, folded_to_three_bet=1)


def test_nobody_can_raise_an_all_in_again() -> None:
    both = tallies("STATE:0:r20000f:2c3d|AsKs:-100|100:big|small", HUNL)
    assert both["big"] == HandTally(decided=1)


def test_continuation_bets() -> None:
    """The last raiser before the flop bets it; a bet by the other player first takes the opportunity away."""
    bet = tallies("STATE:0:r300c/cr600f:2c3d|AsKs/4c5c6c:-300|300:big|small", HUNL)
    assert (bet["small"].could_continue, bet["small"].continued) == (1, 1)
    assert bet["big"].could_continue == 0
    led = tallies("STATE:0:r300c/r600f:2c3d|AsKs/4c5c6c:300|-300:big|small", HUNL)
    assert (led["small"].could_continue, led["small"].folds_after) == (0, 1)
    three_bet = tallies("STATE:0:r300r900c/r1800f:2c3d|AsKs/4c5c6c:900|-900:big|small", HUNL)
    assert (three_bet["big"].could_continue, three_bet["big"].continued) == (1, 1)


def test_all_in_before_the_flop_sees_it_and_the_showdown() -> None:
    both = tallies("STATE:0:r20000c///:2c3d|AsKs/4c5c6c/7c/8c:0|0:big|small", HUNL)
    for tally in both.values():  # both play the straight flush on the board
        assert (tally.saw_flop, tally.showdown, tally.won_showdown) == (1, 1, 1)


def test_chips_that_come_back_are_not_won() -> None:
    """A player who covers the others and loses the showdown gets the surplus back, which does not count as won."""
    lines = [line for line in read_golden_log("log_c_sidepots6p_s1471220049") if line.startswith("STATE:7:")]
    players = tallies(lines[0], "custom.nolimit.6p.sidepots")
    won = {name: tally.won_showdown for name, tally in players.items() if tally.showdown}
    assert won == {"P2_mix": 1, "P4_bad": 1, "P5_mix": 0, "P1_ex": 1}


def test_games_of_one_round() -> None:
    both = tallies("STATE:0:crc:Ks|As:-2|2:A|B", "kuhn.limit.2p")
    assert both["A"] == HandTally(decided=1, put_in=1, saw_flop=1, showdown=1)
    assert both["B"] == HandTally(decided=1, put_in=1, raised=1, saw_flop=1, showdown=1, won_showdown=1)


def test_nothing_to_count() -> None:
    result = count_frequencies(Counter())
    assert (result.vpip.opportunities, result.vpip.times) == (0, 0)
    assert math.isnan(result.vpip.share)
    assert math.isnan(result.aggression_factor)
