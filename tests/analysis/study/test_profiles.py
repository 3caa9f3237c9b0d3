"""Profiles of players: the frequencies and winnings that ``hedgehog log stats`` counts in another way."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.analysis.histories.hand_files import open_hand_file
from hedgehog.analysis.stats.log_stats import LogStatistics
from hedgehog.analysis.study.pages.profiles import render_profiles
from hedgehog.analysis.study.profiles import LINES, Profiles, profile_table, wilson
from tests.analysis.study.hand_fixtures import batch_of, read
from tests.golden import FOLDER, LOGS

NAMES = ("VPIP", "PFR", "3-bet", "fold to 3-bet", "c-bet flop", "AFq", "WTSD", "W$SD")


@pytest.mark.parametrize("name", [name for name in LOGS if "hunl2p" in name])
def test_frequencies_are_those_of_log_stats(name: str) -> None:
    path = FOLDER / f"{name}.log.gz"
    batch, reader = read(path)
    assert batch is not None
    counted = Profiles()
    counted.add(batch, len(reader.players.texts))
    file = open_hand_file(path)
    statistics = LogStatistics(pairs=False, first=None, adjust=None)
    for entry in file.hands():
        statistics.add(file, entry)
    expected = {player.name: player for match in statistics.results() for player in match.players}
    profiles = [profile for profile in counted.profiles(reader.players.texts) if not profile.seat]
    assert {profile.name for profile in profiles} == set(expected)
    for profile in profiles:
        theirs = expected[profile.name].frequencies
        wanted = (
            theirs.vpip, theirs.pfr, theirs.three_bet, theirs.fold_to_three_bet, theirs.flop_continuation_bet,
            theirs.aggression, theirs.went_to_showdown, theirs.won_at_showdown,
        )  # fmt: skip
        shares = {line.name: share for line, share in zip(LINES, profile.shares, strict=True)}
        for line, frequency in zip(NAMES, wanted, strict=True):
            assert (shares[line].times, shares[line].opportunities) == (frequency.times, frequency.opportunities), line
        won = expected[profile.name].mbb_per_hand
        assert profile.mbb_per_hand is not None
        assert profile.mbb_per_hand.mean == pytest.approx(won.mean)
        assert profile.mbb_per_hand.half_width == pytest.approx(won.half_width)
        assert profile.aggression_factor == pytest.approx(theirs.aggression_factor, nan_ok=True)


def test_folds_to_continuation_bets_and_sizes(tmp_path: Path) -> None:
    """A raises before the flop and bets it three times; B folds once. Then B bets first: no continuation bet."""
    batch, reader = batch_of(
        tmp_path,
        "STATE:0:r300c/cr600f:2c3d|4h5s/6c7c8c:-300|300:B|A",
        "STATE:1:r300c/cr900c/cc/cc:2c3d|4h5s/6c7c8c/9c/Tc:0|0:B|A",
        "STATE:2:r200c/cr400r1200f:2c3d|4h5s/6c7c8c:400|-400:B|A",
        "STATE:3:r300c/r600f:2c3d|4h5s/6c7c8c:300|-300:B|A",
    )
    counted = Profiles()
    counted.add(batch, len(reader.players.texts))
    profiles = {(one.name, one.seat): one for one in counted.profiles(reader.players.texts)}
    fold = [line.name for line in LINES].index("fold to c-bet")
    bet = [line.name for line in LINES].index("c-bet flop")
    assert (profiles["B", ""].shares[fold].times, profiles["B", ""].shares[fold].opportunities) == (1, 3)
    assert (profiles["A", ""].shares[bet].times, profiles["A", ""].shares[bet].opportunities) == (3, 3)
    assert profiles["A", ""].shares[fold].opportunities == 0
    opened, _, flop, *_ = profiles["A", "small blind"].sizes
    assert opened is not None
    assert flop is not None
    assert (opened.mean, opened.n) == (pytest.approx(2.75), 4)
    assert flop.mean == pytest.approx((0.5 + 1 + 0.5) / 3)
    rows = profile_table(list(profiles.values())).records()
    assert {row["player"] for row in rows} == {"A", "B"}
    page = render_profiles("Players", "four hands", list(profiles.values()))
    assert "<svg" in page
    assert "33.3" in page
    assert page == render_profiles("Players", "four hands", list(profiles.values()))


def test_wilson_intervals() -> None:
    """The interval of 8 out of 10 in Wilson's formula."""
    share = wilson(8, 10)
    assert (share.low, share.high) == (pytest.approx(0.4901625), pytest.approx(0.9433178))
    assert wilson(0, 0).opportunities == 0
