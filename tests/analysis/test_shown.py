"""Results of matches, logs, sessions and tournaments as they show themselves in a notebook."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib import pyplot

from hedgehog.analysis.judging.logs import judge_logs
from hedgehog.analysis.stats.figures import log_figures
from hedgehog.analysis.stats.match_report import MatchResult, score_match
from hedgehog.analysis.tournament.result import TournamentResult
from hedgehog.analysis.tournament.scoring import analyse_tournament
from hedgehog.arena.play import PlayedMatch, play_match, play_tournament
from tests.shown import check_shown


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> PlayedMatch:
    return play_match(["fold", "random"], hands=10, seed=3, out=tmp_path_factory.mktemp("match") / "m")


@pytest.fixture(scope="module")
def result(played: PlayedMatch) -> MatchResult:
    return score_match(played.logs, played.names, played.gamedef)


def test_a_match_shows_a_row_per_player(played: PlayedMatch, result: MatchResult) -> None:
    assert repr(played) == "<PlayedMatch: fold, random, 2 seatings>"
    assert repr(result).startswith("<MatchResult: 20 hands, 10 pairs; mbb per hand: fold ")
    tags, text = check_shown(result)
    assert tags.count("tr") == 3
    assert "random" in text
    records = result.table().records()
    for record, name, won, anytime, luck in zip(
        records, played.names, result.mbb_per_hand, result.anytime, result.luck, strict=True
    ):
        assert (record["player"], record["hands"], record["groups"]) == (name, 20, 10)
        assert (record["mbb_per_hand"], record["ci95_low"], record["ci95_high"]) == (won.mean, won.low, won.high)
        assert (record["anytime_ci95_low"], record["card_luck_mbb"]) == (anytime.low, luck.card_luck)
        assert record["p_value"] == result.p_value


def test_a_chart_of_a_match_has_the_means_and_the_intervals(result: MatchResult) -> None:
    axes = result.plot()
    drawn = {tuple(map(float, line.get_xdata())) for line in axes.lines}
    assert {(one.mean,) for one in result.mbb_per_hand} <= drawn
    assert {(one.low, one.high) for one in result.mbb_per_hand if one.has_interval} <= drawn
    pyplot.close("all")


def test_names_of_players_are_data(result: MatchResult) -> None:
    named = replace(result, names=("<script>alert(1)</script>\n$x$", "b&b"))
    tags, text = check_shown(named)
    assert "script" not in tags
    assert "<script>alert(1)</script>" in text
    assert "b&b" in text
    assert [one["player"] for one in named.table().records()] == list(named.names)
    assert "player 1" in repr(replace(result, names=()))


def test_figures_of_logs_show_all_matches(played: PlayedMatch) -> None:
    figures = log_figures(played.logs)
    tags, text = check_shown(figures)
    assert tags.count("table") == 2 * len(figures.matches)
    assert "How often" in text
    assert repr(figures) == f"<LogFigures: {len(figures.matches)} matches, 20 hands of fold, random>"
    records = [one for one in figures.table().records() if one["position"] == ""]
    assert [one["mbb_per_hand"] for one in records] == [
        one.mbb_per_hand.mean for match in figures.matches for one in match.players
    ]


def test_a_session_shows_its_measures(played: PlayedMatch) -> None:
    judged = judge_logs([played.logs[0].parent])
    assert repr(judged) == "<JudgedLogs: 1 sessions, 20 hands>"
    [session] = judged.reports
    check_shown(session)
    for record, measure in zip(session.table().records(), session.measures, strict=True):
        mean = measure.per_hand
        assert (record["measure"], record["total"], record["hands"]) == (measure.name, measure.total, mean.n)
        assert (record["per_hand"], record["ci95_low"]) == (mean.mean, mean.low if math.isfinite(mean.low) else None)
    axes = session.plot()
    ends = [float(line.get_ydata()[-1]) for line in axes.lines[1:]]
    assert ends == [float(curve[-1]) for curve in session.curves.values()]
    pyplot.close("all")


@pytest.fixture(scope="module")
def tournament(tmp_path_factory: pytest.TempPathFactory) -> TournamentResult:
    folder: Path = tmp_path_factory.mktemp("tournament") / "<i>cup"
    play_tournament(["raise", "call", "fold"], hands=5, seed=1, out=folder)
    return analyse_tournament(folder, samples=10)


@pytest.mark.process
def test_a_tournament_shows_its_standings(tournament: TournamentResult) -> None:
    tags, text = check_shown(tournament)
    assert "i" not in tags
    assert tags.count("tr") == 4
    assert "3 agents, 3 matches; 1. " in repr(tournament)
    records = tournament.table().records()
    assert [(one["rank"], one["agent"], one["mbb_per_hand"]) for one in records] == [
        (one.rank, one.agent, one.mbb_per_hand.mean) for one in tournament.standings
    ]
    assert all(one.agent in text for one in tournament.standings)
