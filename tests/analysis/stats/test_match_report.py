"""hedgehog.analysis.stats.match_report on hand-written logs whose result can be computed on paper."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from hedgehog.agent.acpc.client import Client
from hedgehog.agent.bots import CallBot
from hedgehog.analysis.stats.match_report import largest_result, score_match
from hedgehog.analysis.stats.play_statistics import PlayStatistics, add_report, read_play_statistics, summarise
from hedgehog.arena.match import PlayedSeating
from hedgehog.dealer.answers import AnswerBook
from hedgehog.poker.acpc.gamedef import UNLIMITED_STACK, find_gamedef, read_gamedef
from hedgehog.runtime.errors import InputError, LogError

HUNL = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))
KUHN3 = read_gamedef(find_gamedef("kuhn.limit.3p"))

# Two hands, both seatings: in hand 0 position 0 wins 300 (a) and loses 100 (b), in hand 1 the button folds.
FIRST = [
    "# name/game/hands/seed x holdem.nolimit.2p.reverse_blinds 2 1",
    "STATE:0:r300c/cc/cc/cc:AhAd|KhKd/2c7dTs/3c/4s:300|-300:a|b",
    "STATE:1:f:5c5d|8h8d:50|-50:b|a",
    "SCORE:250|-250:a|b",
]
SECOND = [
    "# name/game/hands/seed x holdem.nolimit.2p.reverse_blinds 2 1",
    "STATE:0:cc/r200f:AhAd|KhKd/2c7dTs:-100|100:b|a",
    "STATE:1:f:5c5d|8h8d:50|-50:a|b",
    "SCORE:-150|150:b|a",
]


def write(folder: Path, *logs: list[str]) -> list[Path]:
    paths = [folder / f"{index}.log" for index in range(len(logs))]
    for path, lines in zip(paths, logs, strict=True):
        path.write_text("\n".join(lines) + "\n")
    return paths


def test_duplicate_pairs(tmp_path: Path) -> None:
    """Pair 0: a won 300 and 100, on average 200 chips = 2000 mbb; pair 1: -50 and 50, so 0.

    Mean 1000 mbb/h, SD 1000 * sqrt(2), standard error 1000; t(0.975, 1) = tan(0.475 pi) = 12.7062.
    """
    result = score_match(write(tmp_path, FIRST, SECOND), ["a", "b"], HUNL)
    assert (result.hands, result.groups) == (4, 2)
    a, b = result.mbb_per_hand
    assert (a.mean, b.mean) == (1000, -1000)
    assert a.sd == pytest.approx(1000 * math.sqrt(2))
    half = 1000 * math.tan(0.475 * math.pi)
    assert (a.low, a.high) == pytest.approx((1000 - half, 1000 + half))
    assert (b.low, b.high) == pytest.approx((-a.high, -a.low))


def test_names_decide_the_order(tmp_path: Path) -> None:
    result = score_match(write(tmp_path, FIRST, SECOND), ["b", "a"], HUNL)
    assert [won.mean for won in result.mbb_per_hand] == [-1000, 1000]


def test_a_single_log_has_single_hands(tmp_path: Path) -> None:
    result = score_match(write(tmp_path, FIRST), ["a", "b"], HUNL)
    assert (result.hands, result.groups) == (2, 2)
    assert result.mbb_per_hand[0].mean == pytest.approx(1250)  # (300 - 50) / 2 chips


def test_three_players_and_split_pots(tmp_path: Path) -> None:
    log = ["STATE:0:ccc:Js|Qs|Ks:-1|-1|2:a|b|c", "STATE:1:crfc:As|Js|Qs:2.5|-1|-1.5:b|c|a"]
    result = score_match(write(tmp_path, log), ["a", "b", "c"], KUHN3)
    assert [won.mean for won in result.mbb_per_hand] == [-1250, 750, 500]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("STATE:0:cc/r200f:AhAd", "STATE:0:cc/r200f:AhAc", "1.log: hand 0 was not dealt as in the first seating"),
        ("2c7dTs:-100", "2c7dTh:-100", "1.log: hand 0 was not dealt as in the first seating"),
        ("STATE:1:", "STATE:2:", "1.log: hand 2 was not dealt as in the first seating"),
        ("STATE:1:f:5c5d|8h8d:50|-50:a|b\n", "", "1.log: expected 2 hands as in the first seating, got 1"),
        ("50|-50:a|b", "50|-50:a|c", "1.log:3: expected the players a, b, got 'a|c'"),
        ("STATE:1:f:", "STATE:1:F:", "1.log:3: expected STATE:hand:betting:cards:values:names"),
        ("STATE", "STAT", "1.log: expected a log with at least one hand"),
    ],
)
def test_logs_that_do_not_fit_together(tmp_path: Path, old: str, new: str, reason: str) -> None:
    first, second = write(tmp_path, FIRST, SECOND)
    text = second.read_text()
    assert old in text
    second.write_text(text.replace(old, new))
    with pytest.raises(LogError) as caught:
        score_match([first, second], ["a", "b"], HUNL)
    assert reason in str(caught.value)


def test_further_statistics_of_a_pair_of_hands(tmp_path: Path) -> None:
    """Player a wins 3000, 1000 (pair 0) and -500, 500 mbb (pair 1); nobody is all-in.

    Hands: mean 1000, squared deviations 4 + 0 + 2.25 + 0.25 = 6.5 (in 1e6), SD² = 6.5 / 3. Groups 2000 and 0: SD² = 2,
    squared standard error 1, so the four hands are worth 6.5 / 3. Deviations from the group's mean: 1000, 500.
    """
    result = score_match(write(tmp_path, FIRST, SECOND), ["a", "b"], HUNL)
    a, b = result.luck
    assert a.sd_hand == pytest.approx(1000 * math.sqrt(6.5 / 3))
    assert a.sd_group == pytest.approx(1000 * math.sqrt(2))
    assert a.effective_hands == pytest.approx(6.5 / 3)
    assert a.card_luck == pytest.approx(1000 * math.sqrt((1 + 1 / 4) / 2))
    assert (a.all_in_luck, a.all_in_adjusted) == (0, result.mbb_per_hand[0])
    assert b.card_luck == pytest.approx(a.card_luck)
    # t = mean / standard error = 1 with one degree of freedom: P(|T| > 1) = 1/2.
    assert result.p_value == pytest.approx(0.5)
    assert [(bound.mean, bound.low, bound.high) for bound in result.anytime] == [
        (1000, -200_000, 200_000),
        (-1000, -200_000, 200_000),
    ]


def test_all_in_luck(tmp_path: Path) -> None:
    """The aces win 200 BB where 2 of 44 rivers lose; the other hand is the same in both."""
    logs = [
        [
            "STATE:0:r300c/cc/r600r20000c/:AhAd|KhKd/2c7dTs/3c/4s:20000|-20000:a|b",
            "STATE:1:f:5c5d|8h8d:50|-50:b|a",
        ],
        ["STATE:0:f:AhAd|KhKd:50|-50:b|a", "STATE:1:f:5c5d|8h8d:50|-50:a|b"],
    ]
    result = score_match(write(tmp_path, *logs), ["a", "b"], HUNL)
    luck = 200_000 * 4 / 44 / 4  # over four hands
    assert [player.all_in_luck for player in result.luck] == pytest.approx([luck, -luck])
    assert result.luck[0].all_in_adjusted.mean == pytest.approx(result.mbb_per_hand[0].mean - luck)


@pytest.mark.parametrize(
    ("name", "largest"),
    [
        ("holdem.nolimit.2p.reverse_blinds", 20_000),
        ("holdem.nolimit.3p", 40_000),
        # Blind 10, then at most 3, 4, 4, 4 raises of 10, 10, 20, 20.
        ("holdem.limit.2p.reverse_blinds", 10 + 30 + 40 + 80 + 80),
        ("holdem.limit.3p", 2 * (10 + 30 + 40 + 80 + 80)),
        ("kuhn.limit.3p", 4),
        # Stacks 1500, 700, 2600: the largest stack wins at most the other two.
        ("custom.nolimit.3p.shortstacks", 2200),
    ],
)
def test_largest_result(name: str, largest: int) -> None:
    assert largest_result(read_gamedef(find_gamedef(name))) == largest


def test_a_game_without_stacks_has_no_largest_result() -> None:
    assert largest_result(replace(HUNL, stacks=(UNLIMITED_STACK,) * 2)) is None


class Layered(CallBot):
    """Reports that it has two layers."""

    def report(self) -> dict[str, object]:
        think_time = {"decision_ms": 80, "average_ms": 500, "used_ms": 1, "hands": 5, "shortened": 2}
        return {"layers": {"blueprint": 3, "live": 1}, "think_time": think_time}


def test_reports_of_several_seatings_are_added_up(tmp_path: Path) -> None:
    paths = []
    for index, milliseconds in enumerate([[1.0] * 98 + [50.0], [900.0]]):
        client = Client(Layered(), HUNL)
        client.record.decisions = len(milliseconds)
        client.record.late_actions = index
        client.record.hands = 5
        for ms in milliseconds:
            client.record.times.add(3, ms)
        paths.append(tmp_path / f"{index}.json")
        paths[-1].write_text(json.dumps(client.report()))
    statistics = PlayStatistics()
    for path in paths:
        add_report(statistics, path)
    assert statistics.decisions == 100
    assert statistics.layers == {"blueprint": 6, "live": 2}
    assert statistics.faults == {"late_actions": 1}
    assert statistics.times.streets() == ["river"]
    assert statistics.times.count("river") == 100
    for share, ms in ((0.5, 1), (0.98, 1), (0.99, 50), (1, 900)):
        assert statistics.times.percentile_ms("river", share) == pytest.approx(ms, rel=0.011)
    found = summarise("bot", statistics)
    assert (found.hand_ms, found.allowed_hand_ms) == (pytest.approx((98 + 50 + 900) / 10, rel=0.011), 500)
    assert found.shortened == 4
    assert statistics.decision_limits_ms == {80}
    both = PlayStatistics()
    both.add(statistics)
    both.add(statistics)
    assert summarise("bot", both).allowed_hand_ms == 500
    assert both.decision_limits_ms == {80}
    assert math.isnan(summarise("other", PlayStatistics()).hand_ms)


def test_an_external_player_is_timed_by_the_dealer(tmp_path: Path) -> None:
    book = AnswerBook(tmp_path / "seating_1.answers", ["bot", "other"], slow_ms=100)
    for spent_us in (5_000, 5_000, 200_000):
        book.answered(0, 2, spent_us)
    book.warned(0, 7, "raise of 5 increased to 10", "MATCHSTATE:0:7:...:r5\r\n", "r10")
    book.warned(0, 8, "invalid action, changed to call", "x" * 1000, "c")
    book.warned(1, 8, "bad state format in response", "hello\r\n", "")
    book.finish_hand()
    book.save()
    missing = tuple(tmp_path / f"seating_1.{name}.json" for name in ("bot", "other"))
    seating = PlayedSeating(tmp_path / "seating_1.log", missing, book.path)
    assert read_play_statistics(["bot", "other"], [PlayedSeating(seating.log, missing)]) == {}
    played = read_play_statistics(["bot", "other"], [seating, seating])
    bot, other = (summarise(name, one) for name, one in played.items())
    assert (bot.answers, bot.corrected, bot.illegal, bot.ignored, bot.slow, bot.hands) == (6, 2, 2, 0, 2, 2)
    assert (bot.slowest_ms, bot.faults) == (200, 6)
    assert (bot.p50_ms, bot.p99_ms) == (pytest.approx(5, rel=0.011), pytest.approx(200, rel=0.011))
    assert (other.answers, other.ignored, math.isnan(other.p50_ms)) == (0, 2, True)
    (_, first), (_, second), *_ = played["bot"].warnings
    assert (first.seat, first.name, first.hand, first.line, first.action) == (
        1,
        "bot",
        7,
        "MATCHSTATE:0:7:...:r5",
        "r10",
    )
    assert second.line == "x" * 300
    with pytest.raises(InputError, match="has the answers of 'other', who does not play here"):
        read_play_statistics(["bot"], [PlayedSeating(seating.log, missing[:1], book.path)])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"decisions": 1, "decision_ms": {}}', "\N{SNOWMAN}"])
def test_a_damaged_report_is_one_clear_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"report.json: not a match report"):
        add_report(PlayStatistics(), path)
