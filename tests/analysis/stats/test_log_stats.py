"""Statistics of hand-history files: against sums made by hand, by numpy and by the score lines of the logs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from hedgehog.analysis.histories.hand_files import open_hand_file
from hedgehog.analysis.histories.left_out import LeftOutError
from hedgehog.analysis.stats.log_stats import LogStatistics, MatchStats, PlayerStats
from hedgehog.runtime.errors import LogError
from tests.golden import HUNL, read_golden_log
from tests.poker.lbr_fixtures import lbr_log

GOLDEN = "log_hunl2p_s1471220049"
HEADER = f"# name/game/hands/seed m {HUNL}.game 4 7"


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def collect(*paths: Path, **options: object) -> list[MatchStats]:
    statistics = LogStatistics(**options)  # type: ignore[arg-type]
    for path in paths:
        file = open_hand_file(path)
        for entry in file.hands():
            statistics.add(file, entry)
    return statistics.results()


def player(match: MatchStats, name: str) -> PlayerStats:
    (found,) = [one for one in match.players if one.name == name]
    return found


def swapped(lines: list[str]) -> list[str]:
    """The same cards with the players in each other's seats, who then win what the cards win."""
    renamed = [line.replace("P1_ex", "?").replace("P2_mix", "P1_ex").replace("?", "P2_mix") for line in lines]
    # Every third hand ends differently, so that the pairs do not all sum to zero.
    for index in range(4, len(renamed) - 1, 3):
        fields = renamed[index].split(":")
        fields[2], fields[4] = "f", "50|-50"
        fields[3] = fields[3].split("/")[0]
        renamed[index] = ":".join(fields)
    return renamed


def test_golden_log_agrees_with_its_score_line(tmp_path: Path) -> None:
    lines = read_golden_log(GOLDEN)
    (match,) = collect(write(tmp_path / "m.log", lines))
    _, totals, names = lines[-1].split(":")
    assert (match.hands, match.groups, match.left_out, match.label) == (300, None, 0, "")
    for name, total in zip(names.split("|"), totals.split("|"), strict=True):
        one = player(match, name)
        assert one.mbb_per_hand.mean == pytest.approx(float(total) * 10 / 300)
        hands = [line.split(":") for line in lines if line.startswith("STATE:")]
        chips = [float(hand[4].split("|")[hand[5].split("|").index(name)]) for hand in hands]
        assert one.sd_big_blinds == pytest.approx(np.std(chips, ddof=1) / 100)
        assert one.mbb_per_hand.half_width == pytest.approx(
            1.968 * np.std(chips, ddof=1) * 10 / math.sqrt(300), rel=1e-3
        )
        assert one.anytime.half_width > one.mbb_per_hand.half_width
        assert [position.position for position in one.positions] == ["big blind", "small blind"]
        assert [position.hands for position in one.positions] == [150, 150]
        means = [position.mbb_per_hand.mean for position in one.positions]
        assert sum(means) / 2 == pytest.approx(one.mbb_per_hand.mean)
        # Nobody folded if the values of a hand are equal or the betting reached the last round without an f.
        assert one.showdown_share == pytest.approx(sum("f" not in hand[2] for hand in hands) / 300)


def test_first_hands_between_the_same_players(tmp_path: Path) -> None:
    lines = read_golden_log(GOLDEN)
    (match,) = collect(write(tmp_path / "m.log", lines), first=100)
    assert (match.hands, match.left_out) == (100, 200)
    chips = [line.split(":")[4:] for line in lines if line.startswith("STATE:")][:100]
    total = sum(float(values.split("|")[names.split("|").index("P1_ex")]) for values, names in chips)
    assert player(match, "P1_ex").mbb_per_hand.mean == pytest.approx(total * 10 / 100)


def test_duplicate_pairs_are_one_observation(tmp_path: Path) -> None:
    lines = read_golden_log(GOLDEN)
    a, b = write(tmp_path / "a.log", lines), write(tmp_path / "b.log", swapped(lines)[:-1])
    (match,) = collect(a, b, pairs=True)
    assert (match.hands, match.groups, match.left_out) == (600, 300, 0)
    won: list[list[float]] = []
    for path in (a, b):
        hands = [line.split(":") for line in path.read_text().splitlines() if line.startswith("STATE:")]
        won.append([float(hand[4].split("|")[hand[5].split("|").index("P1_ex")]) for hand in hands])
    pairs = np.mean(won, axis=0) * 10
    one = player(match, "P1_ex")
    assert one.mbb_per_hand.n == 300
    assert one.mbb_per_hand.mean == pytest.approx(pairs.mean())
    assert one.mbb_per_hand.sd == pytest.approx(pairs.std(ddof=1))
    assert one.hands == 600


def test_hands_without_partner_are_left_out(tmp_path: Path) -> None:
    lines = read_golden_log(GOLDEN)
    a, b = write(tmp_path / "a.log", lines), write(tmp_path / "b.log", swapped(lines)[:54])
    (match,) = collect(a, b, pairs=True)
    assert (match.hands, match.groups, match.left_out) == (100, 50, 250)


def test_pairs_that_are_none(tmp_path: Path) -> None:
    lines = read_golden_log(GOLDEN)
    path = write(tmp_path / "a.log", lines)
    with pytest.raises(LogError, match="expected duplicate hands"):
        collect(path, pairs=True)
    with pytest.raises(LeftOutError, match="was there before"):
        collect(path, path, pairs=True)
    other_seed = write(tmp_path / "b.log", [lines[0].replace("1471220049", "5"), *swapped(lines)[1:]])
    with pytest.raises(LogError, match="expected duplicate hands"):
        collect(path, other_seed, pairs=True)


def test_three_players_need_all_six_seatings(tmp_path: Path) -> None:
    paths = []
    for index, names in enumerate(["A|B|C", "A|C|B", "B|A|C", "B|C|A", "C|A|B", "C|B|A"]):
        line = f"STATE:0:ff:2c3d|AsKs|7h7d:-50|50|0:{names}"
        header = HEADER.replace(HUNL, "holdem.nolimit.3p")
        paths.append(write(tmp_path / f"{index}.log", [header, line]))
    with pytest.raises(LogError, match="expected duplicate hands"):
        collect(*paths[:5], pairs=True)
    (match,) = collect(*paths, pairs=True)
    assert (match.hands, match.groups) == (6, 1)
    assert [one.mbb_per_hand.mean for one in match.players] == [0, 0, 0]
    assert [position.position for position in match.players[0].positions] == ["small blind", "big blind", "button"]
    means = [position.mbb_per_hand.mean for position in match.players[0].positions]
    assert means == [-500, 500, 0]


def test_lbr_logs_have_adjusted_values_and_labels(tmp_path: Path) -> None:
    lines = [line for line in read_golden_log(GOLDEN) if line.startswith("STATE:")]
    r_side = lbr_log(lines, {"P1_ex": "BR", "P2_mix": "Player"})
    s_side = lbr_log(lines, {"P1_ex": "Player", "P2_mix": "BR"})
    paths = [write(tmp_path / f"lbr_fc4_X_{side}1_99.out", log) for side, log in (("r", r_side), ("s", s_side))]
    (match,) = collect(*paths, pairs=True)
    assert (match.label, match.hands, match.groups) == ("lbr_fc4_X", 600, 300)
    br = player(match, "BR")
    assert br.adjusted is not None
    # Both sides play the cards alike: every pair sums to zero. The imaginary values are half the chips.
    assert (br.mbb_per_hand.mean, br.mbb_per_hand.sd, br.adjusted.mean) == (0, 0, 0)
    (alone,) = collect(paths[0])
    br = player(alone, "BR")
    assert br.adjusted is not None
    assert br.adjusted.mean == pytest.approx(br.mbb_per_hand.mean / 2)
    assert br.adjusted.sd == pytest.approx(br.mbb_per_hand.sd / 2)


def test_adjusted_values_of_our_own(tmp_path: Path) -> None:
    path = write(tmp_path / "m.log", read_golden_log(GOLDEN))
    (match,) = collect(path, adjust=lambda hand: [7.0, -7.0])
    adjusted = player(match, "P1_ex").adjusted
    assert adjusted is not None
    assert (adjusted.mean, adjusted.n) == (0, 300)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("STATE:0:f:2c3d|AsKs:50|-50:A|A", "players of the same name"),
        ("STATE:0:f:2c3d|AsKs:50|-50:A|B|C", "names that contain"),
    ],
)
def test_hands_that_cannot_be_scored(tmp_path: Path, line: str, expected: str) -> None:
    with pytest.raises(LogError, match=expected):
        collect(write(tmp_path / "m.log", [HEADER, line]))


def test_one_game_at_a_time(tmp_path: Path) -> None:
    a = write(tmp_path / "a.log", read_golden_log(GOLDEN))
    b = write(tmp_path / "b.log", read_golden_log("log_limit2p_s1471220049"))
    with pytest.raises(LogError, match="another game"):
        collect(a, b)
    with pytest.raises(LogError, match="at least one hand"):
        collect()
