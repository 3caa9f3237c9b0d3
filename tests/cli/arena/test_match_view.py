"""hedgehog.cli.arena.match_view: tables as text."""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from dataclasses import replace

import pytest
from rich.console import Console
from rich.table import Table

from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.analysis.stats.luck import AdjustedWinnings, LuckSplit
from hedgehog.analysis.stats.match_report import MatchResult
from hedgehog.analysis.stats.play_statistics import AnswerSummary, PlayStatistics
from hedgehog.cli.arena.match_view import (
    aivat_table,
    answer_table,
    certainty_notes,
    certainty_table,
    coverage_notes,
    decision_table,
    depth_lines,
    result_table,
    thinking_lines,
    time_limit_table,
)
from hedgehog.poker.acpc.chosen_game import chosen_game
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.decision_times import DecisionTimes


def as_text(table: Table) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(table)
    return console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("players", "duplicate", "title", "unit"),
    [
        (2, True, "Winnings over 1,200 hands, 3 duplicate pairs", "SD per pair"),
        (3, True, "Winnings over 1,200 hands, 3 duplicate groups", "SD per group"),
        (2, False, "Winnings over 1,200 hands", "SD per hand"),
    ],
)
def test_result_table(players: int, duplicate: bool, title: str, unit: str) -> None:
    names = ["a", "b", "c"][:players]
    result = MatchResult(1200, 3, (mean_estimate([10.0, 20.0, 30.0]),) * players)
    text = as_text(result_table(names, result, duplicate))
    assert title in text
    assert unit in text
    # mean 20, SD 10, t(0.975, 2) = 4.3027, half width 4.3027 * 10 / sqrt(3) = 24.84
    assert text.count("+20.0") == text.count("-4.8 .. +44.8") == text.count("+2.00") == players


def test_aivat_table() -> None:
    winnings = [AdjustedWinnings(mean_estimate([10.0, 20.0, 30.0]), 45.0, reduction) for reduction in (0.7, math.nan)]
    rows = [re.split(r" *│ *", line) for line in as_text(aivat_table(["a", "b"], winnings, ["a"])).splitlines()]
    cells = {row[1]: row[2:-1] for row in rows if len(row) > 2}
    assert cells["a"] == ["+20.0", "-4.8 .. +44.8", "+2.00", "45", "70.0%"]
    assert cells["b"] == ["+20.0", "-4.8 .. +44.8", "+2.00", "", ""]


def test_one_pair_has_no_interval() -> None:
    result = MatchResult(2, 1, (mean_estimate([10.0]), mean_estimate([-10.0])))
    text = as_text(result_table(["a", "b"], result, True))
    assert text.count("one value gives none") == 2
    assert "nan" not in text
    assert str(math.inf) not in text


def test_certainty_table() -> None:
    adjusted = mean_estimate([10.0, 20.0, 30.0])
    luck = LuckSplit(500.0, 10.0, 7500.4, 30.0, 0.0, adjusted)
    anytime = Estimate(20.0, -80.0, 120.0, 10.0, 3)
    result = MatchResult(6, 3, (adjusted,) * 2, anytime=(anytime,) * 2, luck=(luck,) * 2, p_value=0.0742)
    text = as_text(certainty_table(["a", "b"], result))
    for expected in ("+20.0 ± 24.8", " 500 ", "7,500", "± 100.0"):
        assert text.count(expected) == 2
    notes = certainty_notes(result, duplicate=True)
    assert "p = 0.074" in notes
    assert "without duplicate" in notes


def test_certainty_table_without_anytime_interval() -> None:
    adjusted = mean_estimate([0.0, 0.0])
    luck = LuckSplit(0.0, 0.0, math.nan, 0.0, 0.0, adjusted)
    result = MatchResult(2, 2, (adjusted,) * 3, luck=(luck,) * 3)
    text = as_text(certainty_table(["a", "b", "c"], result))
    assert text.count("+0.0 ± none") == 3
    assert "nan" not in text
    assert as_text(result_table(["a", "b", "c"], result, False)).count("equal values give none") == 3
    notes = certainty_notes(result, duplicate=False)
    assert "Anytime" not in notes
    assert "p =" not in notes
    assert "duplicate" not in notes


def test_decision_table() -> None:
    times = DecisionTimes()
    for ms in (10.0, 20.0, 1000.0):
        times.add(0, ms)
    times.add(3, 500.0)
    layers = Counter({"preflop blueprint": 3, "river live": 3, "river blueprint": 1})
    player = PlayStatistics(4, Counter(late_actions=2), layers, times, hands=4)
    text = as_text(decision_table({"hedgehog": player, "call": PlayStatistics()}))
    for expected in ("hedgehog", "100.0% blueprint", "75.0% live, 25.0% blueprint", "preflop", "river"):
        assert expected in text


def test_time_limit_table() -> None:
    times = DecisionTimes()
    times.add(0, 900.0)
    times.add(2, 90.0, 3)
    times.add(3, 90.0, 96)
    for ms in (105.0, 120.0, 145.0, 170.0):
        times.add(3, ms)
    thinking = PlayStatistics(times=times, decision_limits_ms={100.0})
    table = time_limit_table({"default": thinking, "call": PlayStatistics(times=times)})
    assert table is not None
    lines = as_text(table).splitlines()
    assert max(map(len, lines)) <= 80
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if "│" in line]
    shown = [(row[:3], float(row[3]), row[4:]) for row in rows]
    assert shown == [
        (["default", "100", "turn"], pytest.approx(90, rel=0.011), ["0.00%", "0.00%", "0.00%"]),
        (["", "", "river"], pytest.approx(170, rel=0.011), ["4.00%", "3.00%", "1.00%"]),
    ]
    assert time_limit_table({"call": PlayStatistics(times=times)}) is None
    both = PlayStatistics(times=times, decision_limits_ms={100.0, 200.0})
    assert time_limit_table({"two limits": both}) is None


def test_what_was_not_counted_is_said() -> None:
    times = DecisionTimes()
    times.add(0, 10.0)
    statistics = {"late": PlayStatistics(times=times, hands=350), "whole": PlayStatistics(times=times, hands=1000)}
    assert coverage_notes(statistics, 1000) == (
        "Times and layers since the interruption only (late: 350 of 1,000 hands)."
    )
    assert coverage_notes({"whole": statistics["whole"]}, 1000) == ""


def test_answer_table_fits_a_narrow_terminal() -> None:
    counts = {"hands": 9, "answers": 9, "corrected": 1, "illegal": 2, "ignored": 30_000, "slow": 4}
    first = AnswerSummary("cmd_mybot_longer", **counts, late=0, errors=5, p50_ms=1, p99_ms=2, slowest_ms=7250)
    second = replace(first, agent="call", errors=0, slowest_ms=math.nan)
    text = as_text(answer_table([first, second]))
    assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"cmd_mybot_longer +│ +1 │ +2 │ +30,000 │ +4 │ +5 │ +7.25 s", text)
    assert "late" not in text
    assert thinking_lines([first]) == []
    managed = [replace(first, hand_ms=412.3, allowed_hand_ms=7000.0), replace(second, hand_ms=9, allowed_hand_ms=9)]
    assert thinking_lines([managed[0], replace(managed[1], shortened=1200)]) == [
        "Thinking time of cmd_mybot_longer: 0.412 s per hand, 5.9% of the 7 s allowed.",
        "Thinking time of call: 0.009 s per hand, 100.0% of the 0.009 s allowed; 1,200 decisions shortened.",
    ]


def test_a_strategy_for_another_depth_is_named() -> None:
    first = AnswerSummary("default", 1, 1, 0, 0, 0, 0, 0, 0, 1.0, 1.0, 1.0, strategy_bb=200.0)
    players = [
        first,
        replace(first, agent="short", strategy_bb=50.0),
        replace(first, agent="call", strategy_bb=math.nan),
    ]
    assert depth_lines(players, load_gamedef()) == [
        "short: the strategy is that for 50 big blinds, the nearest depth to the 200 of this game."
    ]
    game = load_gamedef(chosen_game("300,75", "1/2"))
    assert [line.rpartition(" the ")[2] for line in depth_lines(players, game)] == ["37.5 of this game."] * 2
