"""hedgehog.analysis.tournament.report on synthetic tournaments: the files parse, say what the result says, and
repeat."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.analysis.drawing.charts import COLOURS
from hedgehog.analysis.drawing.line_labels import _spread
from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.analysis.stats.number_text import format_chips, format_p_value, format_share, format_signed, mbb_decimals
from hedgehog.analysis.stats.play_statistics import AnswerSummary
from hedgehog.analysis.tournament.crosstable import build_crosstable
from hedgehog.analysis.tournament.page import render_page
from hedgehog.analysis.tournament.plots import (
    plot_agents_forest,
    plot_bankroll_curves,
    plot_matches_forest,
    plot_runoff,
)
from hedgehog.analysis.tournament.report import write_reports
from hedgehog.analysis.tournament.result import (
    FailedMatch,
    MatchScore,
    RankConfidence,
    RunoffRound,
    Standing,
    TournamentResult,
)
from hedgehog.runtime.errors import ResourceError

BIG_BLIND = 100
AGENTS = ("default", "blueprint", "call", "random", "raise", "fold")
STRENGTHS = (180.0, 120.0, -400.0, -1500.0, 250.0, -750.0)  # mbb/h; what an agent wins is its own minus its opponents'


def make_result(
    agents: Sequence[str] = AGENTS,
    *,
    players_per_match: int = 2,
    groups: int = 500,
    failed: dict[int, FailedMatch] | None = None,
    sd: float = 6_000.0,
    strengths: Sequence[float] = STRENGTHS,
    duplicate: bool = True,
) -> TournamentResult:
    """Draws a tournament: normal winnings around the differences in strength, zero-sum in every group of hands.

    :param failed: number of a match in the plan (from 1) -> what became of it.
    """
    rng = np.random.default_rng(20131)
    failed = failed or {}
    hands_per_group = math.factorial(players_per_match) if duplicate else 1
    strength = {agent: strengths[index % len(strengths)] for index, agent in enumerate(agents)}
    matches: list[MatchScore] = []
    won: dict[str, NDArray[np.float64]] = {}
    lost: list[FailedMatch] = []
    for number, players in enumerate(combinations(agents, players_per_match), 1):
        folder = f"{number:03d}_{'_vs_'.join(players)}"
        if number in failed:
            lost.append(replace(failed[number], folder=folder, players=players))
            continue
        values = rng.normal([strength[player] for player in players], sd, (groups, players_per_match))
        won[folder] = values - values.mean(axis=1, keepdims=True)
        matches.append(make_match(folder, players, number, won[folder]))
    standings = make_standings(agents, matches, won, hands_per_group)
    runoff, ranks = make_runoff(agents, matches) if not lost else ((), {})
    confidence = make_confidence(standings, rng)
    return TournamentResult(
        name="Benchmark round robin",
        game="holdem.nolimit.2p.reverse_blinds",
        hands=groups,
        duplicate=duplicate,
        seed=2013,
        settings={"think_ms": 50, "in_process": False, "time_limits": {"response_s": 10, "hand_s": 70}},
        players_per_match=players_per_match,
        big_blind=BIG_BLIND,
        standings=standings,
        matches=tuple(matches),
        failed=tuple(lost),
        runoff=runoff,
        runoff_ranks=ranks,
        bankroll_confidence=confidence,
        runoff_confidence=None if lost else confidence,
        answers=tuple(
            AnswerSummary(agent, 10, 20, 1 + number, 2, 0, 3, 0, 4, 0.5, math.nan, 7250.0)
            for number, agent in enumerate(agents)
        ),
    )


def make_match(folder: str, players: tuple[str, ...], number: int, values: NDArray[np.float64]) -> MatchScore:
    estimates = {player: mean_estimate(values[:, index]) for index, player in enumerate(players)}
    anytime = {
        player: replace(one, low=one.mean - 1.7 * one.half_width, high=one.mean + 1.7 * one.half_width)
        for player, one in estimates.items()
    }
    hands = math.factorial(len(players)) * len(values)
    first = estimates[players[0]]
    distance = abs(first.mean) / first.half_width * 1.96
    return MatchScore(
        folder=folder,
        players=players,
        seed=1_000_000_007 * number % 2**32,
        hands=hands,
        mbb_per_hand=estimates,
        anytime=anytime,
        p_value=math.erfc(distance / math.sqrt(2)) if len(players) == 2 else math.nan,
        significant=len(players) == 2 and distance > 3,
        chips={player: round(one.mean * hands * BIG_BLIND / 1000) for player, one in estimates.items()},
    )


def make_standings(
    agents: Sequence[str], matches: Sequence[MatchScore], won: Mapping[str, NDArray[np.float64]], per_group: int
) -> tuple[Standing, ...]:
    """Returns the standings.

    :param won: folder of a match -> (groups, players) winnings in mbb.
    """
    unknown = Estimate(math.nan, -math.inf, math.inf, math.nan, 0)
    rows: list[dict[str, Any]] = []
    for agent in agents:
        mine = [match for match in matches if agent in match.players]
        values = np.concatenate([[], *(won[match.folder][:, match.players.index(agent)] for match in mine)])
        chips = np.concatenate([[0], np.cumsum(values * per_group * BIG_BLIND / 1000)])
        points = np.unique(np.linspace(0, len(values), 200).astype(int))
        mean = mean_estimate(values) if len(values) else unknown
        rows.append(
            {
                "agent": agent,
                "spec": agent if agent in {"call", "fold", "raise"} else f"cmd:./bots/{agent} --seed 7",
                "matches": len(mine),
                "hands": per_group * len(values),
                "bankroll_chips": float(sum(match.chips[agent] for match in mine)),
                "mbb_per_hand": mean,
                "sd_hand_mbb": 1.5 * mean.sd,
                "sd_group_mbb": mean.sd,
                "effective_hands": 2.25 * len(values) if len(values) else math.nan,
                "card_luck_mbb": 0.8 * mean.sd,
                "all_in_luck_mbb": 0.1 * mean.sd / max(1, len(values)) ** 0.5,
                "all_in_adjusted": replace(mean, mean=mean.mean - 40, low=mean.low - 20, high=mean.high - 60),
                "curve_hands": points * per_group,
                "curve_chips": chips[points],
            }
        )
    rows.sort(key=lambda row: -row["bankroll_chips"])
    bankrolls = [row["bankroll_chips"] for row in rows]
    return tuple(Standing(rank=1 + bankrolls.index(row["bankroll_chips"]), **row) for row in rows)


def make_confidence(standings: Sequence[Standing], rng: np.random.Generator) -> RankConfidence:
    """Ranks normal draws around the means, with their standard errors."""
    means = np.array([np.nan_to_num(one.mbb_per_hand.mean) for one in standings])
    errors = [np.nan_to_num(one.mbb_per_hand.half_width, posinf=0) / 1.96 for one in standings]
    ranks = np.argsort(np.argsort(-rng.normal(means, errors, (500, len(standings))), axis=1), axis=1)
    share = np.array([np.bincount(column, minlength=len(standings)) for column in ranks.T]) / 500
    agents = sorted(range(len(standings)), key=lambda index: standings[index].agent)  # not in the order of the ranking
    return RankConfidence(tuple(standings[index].agent for index in agents), share[agents], 500)


def make_runoff(agents: Sequence[str], matches: Sequence[MatchScore]) -> tuple[tuple[RunoffRound, ...], dict[str, int]]:
    players = len(matches[0].players)
    remaining, rounds, ranks = list(agents), [], {}
    while True:
        bankroll = {
            agent: float(sum(match.chips[agent] for match in matches if {agent} <= {*match.players} <= {*remaining}))
            for agent in remaining
        }
        if len(remaining) <= players:
            rounds.append(RunoffRound(bankroll, ()))
            for rank, agent in enumerate(sorted(bankroll, key=lambda one: -bankroll[one]), 1):
                ranks[agent] = rank
            return tuple(rounds), ranks
        worst = min(bankroll, key=lambda one: bankroll[one])
        rounds.append(RunoffRound(bankroll, (worst,)))
        ranks[worst] = len(remaining)
        remaining.remove(worst)


LOST = {
    3: FailedMatch("", (), "seating 2, hand 117: <raise> sent no answer for 600 s", ("raise",)),
    9: FailedMatch("", (), "", ()),
}
ODD_NAMES = ('<b>&"evil"$x^2$</b>', "AlwaysRaiseAndNeverEverLookBack_v2017.11", "Ωmega 手", "call")

CASES: dict[str, Callable[[], TournamentResult]] = {
    "six agents": make_result,
    "three players": lambda: make_result(AGENTS[:5], players_per_match=3, groups=60),
    "missing matches": lambda: make_result(failed=LOST),
    "one match": lambda: make_result(("default", "call"), groups=50),
    "one group": lambda: make_result(("default", "call"), groups=1),
    "no duplicate": lambda: make_result(AGENTS[:3], groups=50, duplicate=False),
    "odd names": lambda: make_result(ODD_NAMES, groups=50),
    "twelve agents": lambda: make_result([f"agent_{number}" for number in range(12)], groups=40),
    "all failed": lambda: make_result(
        AGENTS[:3], failed={number: FailedMatch("", (), "port in use", ()) for number in (1, 2, 3)}
    ),
    "nothing played": lambda: make_result(
        AGENTS[:3], failed={number: FailedMatch("", (), "", ()) for number in (1, 2, 3)}
    ),
}
FILES = [
    "report.html",
    "results.json",
    "standings.csv",
    "crosstable.csv",
    "matches.csv",
    "runoff.csv",
    "answers.csv",
    "positions.csv",
    "opponents.csv",
]


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=[pytest.mark.slow] if name == "twelve agents" else []) for name in CASES],
)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[TournamentResult, Path]:
    """A tournament and the folder with its reports."""
    result, folder = CASES[request.param](), tmp_path_factory.mktemp("reports")
    assert write_reports(result, folder) == [folder / name for name in FILES]
    return result, folder


class Page(HTMLParser):
    """Checks that the tags are balanced, and collects what the tests ask for."""

    VOID = frozenset({"meta", "link", "br", "wbr"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.handle_startendtag(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.append((name, value or ""))
            if name == "id":
                self.ids.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open and "script" not in self.open:
            self.text += data


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_page_is_well_formed_and_needs_nothing_else(written: tuple[TournamentResult, Path]) -> None:
    result, folder = written
    html = (folder / "report.html").read_text(encoding="utf-8")
    page = Page(html)
    assert len(page.ids) == len(set(page.ids))
    for name, value in page.attributes:
        assert name != "src"
        assert not name.startswith("on")
        if name == "href":
            folders = [f"matches/{quote(match.folder)}/" for match in (*result.matches, *result.failed)]
            place = re.sub(r"/seating_[1-9]\.log$", "/", value)
            assert value == "data:," or value[1:] in page.ids or place in folders
        if name == "aria-labelledby":
            assert set(value.split()) <= set(page.ids)
    assert set(re.findall(r"url\(#([^)]*)\)", html)) <= set(page.ids)
    assert html.count("url(") == html.count("url(#")
    assert "@import" not in html
    assert set(re.findall(r"https?://[^\"' ]*", html)) <= {"http://www.w3.org/2000/svg"}
    names = [one.agent for one in result.standings]
    names += [match.folder for match in result.matches] + [lost.folder for lost in result.failed]
    for name in names:
        assert name in page.text


def test_names_are_escaped_everywhere() -> None:
    html = render_page(replace(make_result(ODD_NAMES, groups=20), name="<script>alert(1)</script>"))
    page = Page(html)
    assert "b" not in page.tags
    assert html.count("<script>") == 1
    assert "<script>alert(1)</script>" in page.text


def test_page_shows_the_numbers_of_the_result() -> None:
    result = make_result(failed=LOST)
    html = render_page(result).replace("</td>", " ").replace("</th>", " ")
    text = " ".join(unescape(re.sub("<[^>]*>", "", html)).split())
    for one in result.standings:
        assert f"{format_signed(one.mbb_per_hand.mean)} ± {one.mbb_per_hand.half_width:,.0f}" in text
        assert format_chips(one.bankroll_chips) in text
    for match in result.matches:
        assert format_p_value(match.p_value) in text
    for one in result.standings:
        row = result.bankroll_confidence.agents.index(one.agent)
        shares = " ".join(format_share(share) for share in result.bankroll_confidence.share[row].tolist())
        assert f"{one.agent} {shares}" in text
    assert "13 of 15 finished" in text
    assert LOST[3].reason in text
    assert "not played yet" in text


def test_answers_are_on_the_page_and_in_the_files(tmp_path: Path) -> None:
    result = make_result(AGENTS[:3], groups=20)
    html = render_page(result).replace("</td>", " ").replace("</th>", " ")
    text = " ".join(unescape(re.sub("<[^>]*>", "", html)).split())
    for number, agent in enumerate(AGENTS[:3]):
        assert f"{agent} 20 {1 + number} 2 0 3 0 4 0.5 \N{EN DASH} 7,250" in text
    write_reports(result, tmp_path)
    rows = read_csv(tmp_path / "answers.csv")
    assert [(row["agent"], row["corrected"], row["p99_ms"]) for row in rows] == [
        (agent, str(1 + number), "") for number, agent in enumerate(AGENTS[:3])
    ]


def test_colours_of_the_plots_have_values_in_both_schemes() -> None:
    html = render_page(make_result(AGENTS[:3], groups=20))
    for scheme in html.split("prefers-color-scheme: dark", 1):
        values = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", scheme))
        assert set(COLOURS.values()) <= set(values)
        readable = set(COLOURS.values()) - {"surface", "line"}
        assert min(contrast(values[name], values["surface"]) for name in readable) > 4.5  # WCAG 2.2, 1.4.3
    drawn = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    assert len(drawn) == 4
    for svg in drawn:
        assert set(re.findall(r"#[0-9a-f]{6}\b", re.sub(r"var\(--[a-z0-9-]+, #[0-9a-f]{6}\)", "", svg))) == set()


def contrast(one: str, other: str) -> float:
    """Returns the contrast ratio of two colours (Web Content Accessibility Guidelines 2.2)."""

    def luminance(colour: str) -> float:
        channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_crosstable_marks_significance_without_colour() -> None:
    result = make_result()
    table = build_crosstable(result)
    assert table is not None
    marked = {
        (label, column): cell.marker
        for label, cells in table.rows
        for column, cell in zip(table.columns, cells, strict=True)
        if cell is not None
    }
    for match in result.matches:
        first, second = match.players
        arrows = {marked[first, second], marked[second, first]}
        assert arrows == ({"▲", "▼"} if match.significant else {""})
        assert (marked[first, second] == "▲") == (match.significant and match.mbb_per_hand[first].mean > 0)
    assert set(marked.values()) == {"▲", "▼", ""}  # the tournament has both kinds


@pytest.mark.parametrize("case", [pytest.param("three players", marks=pytest.mark.slow), "odd names"])
def test_same_result_same_bytes(case: str, tmp_path: Path) -> None:
    paths = write_reports(CASES[case](), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)  # and nothing temporary
    first = [path.read_bytes() for path in paths]
    with matplotlib.rc_context({"font.size": 20, "lines.linewidth": 9, "svg.fonttype": "path"}):  # a user's settings
        write_reports(CASES[case](), tmp_path)
        assert matplotlib.rcParams["font.size"] == 20
    assert [path.read_bytes() for path in paths] == first


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ResourceError, match=r"cannot write .*report\.html"):
        write_reports(make_result(AGENTS[:2], groups=5), tmp_path / "file")


def test_json_holds_every_value(written: tuple[TournamentResult, Path]) -> None:
    result, folder = written
    values = json.loads((folder / "results.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert (values["format"], values["version"]) == ("hedgehog.tournament", 1)
    for name in ("name", "game", "hands", "duplicate", "seed", "settings", "players_per_match", "big_blind"):
        assert values[name] == getattr(result, name)
    assert values["runoff_ranks"] == result.runoff_ranks
    for stored, one in zip(values["standings"], result.standings, strict=True):
        assert stored["agent"] == one.agent
        assert_estimate(stored["mbb_per_hand"], one.mbb_per_hand)
        assert_estimate(stored["all_in_adjusted"], one.all_in_adjusted)
        assert stored["curve_hands"] == one.curve_hands.tolist()
        assert stored["curve_chips"] == one.curve_chips.tolist()
    for stored, match in zip(values["matches"], result.matches, strict=True):
        assert (stored["players"], stored["seed"]) == (list(match.players), match.seed)
        assert stored["significant"] is match.significant
        assert stored["p_value"] == (match.p_value if math.isfinite(match.p_value) else None)
        for player in match.players:
            assert_estimate(stored["mbb_per_hand"][player], match.mbb_per_hand[player])
            assert_estimate(stored["anytime"][player], match.anytime[player])
    assert [lost["reason"] for lost in values["failed"]] == [lost.reason for lost in result.failed]
    assert [one["bankroll_chips"] for one in values["runoff"]] == [one.bankroll_chips for one in result.runoff]
    assert values["bankroll_confidence"]["share"] == result.bankroll_confidence.share.tolist()


def assert_estimate(stored: dict[str, float | None], estimate: Estimate) -> None:
    for name in ("mean", "low", "high", "sd", "n"):
        value = getattr(estimate, name)
        assert stored[name] == (value if math.isfinite(value) else None)


def test_csv_files(written: tuple[TournamentResult, Path]) -> None:
    result, folder = written
    standings = read_csv(folder / "standings.csv")
    assert [(row["agent"], row["spec"]) for row in standings] == [(one.agent, one.spec) for one in result.standings]
    for row, one in zip(standings, result.standings, strict=True):
        assert float(row["bankroll_chips"]) == one.bankroll_chips
        assert row["ci95_low"] == (repr(one.mbb_per_hand.low) if math.isfinite(one.mbb_per_hand.low) else "")
    matches = read_csv(folder / "matches.csv")
    scored = [row for row in matches if row["status"] == "finished"]
    assert [(row["match"], row["agent"], float(row["chips"])) for row in scored] == [
        (match.folder, player, match.chips[player]) for match in result.matches for player in match.players
    ]
    assert [(row["match"], row["agent"], row["reason"]) for row in matches if row["status"] != "finished"] == [
        (lost.folder, player, lost.reason) for lost in result.failed for player in lost.players
    ]
    runoff = read_csv(folder / "runoff.csv")
    assert [(int(row["round"]), row["agent"], float(row["bankroll_chips"])) for row in runoff] == [
        (number, agent, chips)
        for number, one in enumerate(result.runoff, 1)
        for agent, chips in one.bankroll_chips.items()
    ]
    assert {row["agent"] for row in runoff if row["eliminated"] == "yes"} == {
        agent for one in result.runoff for agent in one.eliminated
    }


def test_crosstable_csv_of_two_players(tmp_path: Path) -> None:
    result = make_result(ODD_NAMES, groups=20)
    write_reports(result, tmp_path)
    table = {row.pop("agent"): row for row in read_csv(tmp_path / "crosstable.csv")}
    assert list(table) == [one.agent for one in result.standings]
    for match in result.matches:
        for player, other in (match.players, match.players[::-1]):
            assert float(table[player][other]) == match.mbb_per_hand[player].mean
            assert float(table[player][f"{other} ±"]) == match.mbb_per_hand[player].half_width
    assert all(table[agent][agent] == "" for agent in table)


def test_crosstable_csv_of_three_players(tmp_path: Path) -> None:
    result = make_result(AGENTS[:5], players_per_match=3, groups=20)
    write_reports(result, tmp_path)
    rows = {frozenset(row.pop("opponents").split(" · ")): row for row in read_csv(tmp_path / "crosstable.csv")}
    assert len(rows) == math.comb(5, 2)
    for match in result.matches:
        for player in match.players:
            opponents = frozenset(match.players) - {player}
            assert float(rows[opponents][player]) == match.mbb_per_hand[player].mean


def test_plots_have_a_title_and_tell_their_numbers() -> None:
    result = make_result(AGENTS[:4], groups=30)
    for plot in (plot_bankroll_curves, plot_agents_forest, plot_matches_forest, plot_runoff):
        svg = plot(result)
        assert svg is not None
        assert svg == plot(result)
        root = ElementTree.fromstring(svg)
        title, description = root[0].text, root[1].text
        assert title
        assert description
        assert all(agent in description for agent in AGENTS[:4]) or plot is plot_runoff
    assert result.runoff[0].eliminated[0] in str(plot_runoff(result))


def test_no_plots_of_nothing() -> None:
    result = CASES["all failed"]()
    for plot in (plot_bankroll_curves, plot_agents_forest, plot_matches_forest, plot_runoff):
        assert plot(result) is None


def test_labels_keep_their_distance() -> None:
    assert _spread([0.1, 0.5, 0.9], 0.1) == [0.1, 0.5, 0.9]
    assert _spread([0.5, 0.5], 0.1) == pytest.approx([0.45, 0.55])
    rng = np.random.default_rng(1)
    for _ in range(50):
        wanted = np.sort(rng.random(12))
        places = np.array(_spread(wanted.tolist(), 0.05))
        assert (np.diff(places) > 0.05 - 1e-12).all()
        assert places.mean() == pytest.approx(wanted.mean())


@pytest.mark.parametrize(
    ("value", "text"),
    [(1234.5, "+1,234"), (-0.4, "0"), (-12.6, "\N{MINUS SIGN}13"), (math.nan, "\N{EN DASH}"), (math.inf, "∞")],
)
def test_signed_numbers(value: float, text: str) -> None:
    assert format_signed(value) == text


def test_fractions_of_chips_and_shares() -> None:
    assert format_chips(12.5) == "+12.5"
    assert format_chips(1234.5) == "+1,234"
    assert [format_share(share) for share in (0, 0.0002, 0.1234, 0.9999, 1)] == ["0", "<0.1", "12.3", ">99.9", "100"]
    assert [format_p_value(p) for p in (0.0001, 0.0496, math.nan)] == ["<0.001", "0.050", "\N{EN DASH}"]


def test_decimals_where_most_intervals_are_narrow() -> None:
    wide, narrow = mean_estimate([-500.0, 500.0, 700.0]), mean_estimate([5.0, 5.1, 5.2])
    unknown = Estimate(math.nan, math.nan, math.nan, math.nan, 0)
    assert mbb_decimals([narrow, narrow, wide, unknown]) == 1
    assert mbb_decimals([narrow, wide, wide]) == 0
    assert mbb_decimals([unknown]) == mbb_decimals([]) == 0


def test_nobody_has_won_in_an_even_cell() -> None:
    result = make_result(AGENTS[:2], groups=10)
    even = replace(result.matches[0], mbb_per_hand=dict.fromkeys(AGENTS[:2], mean_estimate([0.0, 0.0])))
    table = build_crosstable(replace(result, matches=(even,)))
    assert table is not None
    assert {(cell.kind, cell.marker) for _, cells in table.rows for cell in cells if cell is not None} == {("even", "")}
