"""Scores of small tournaments played here by scripted agents, checked against sums over their logs."""

from __future__ import annotations

import io
import itertools
import math
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from rich.console import Console
from rich.table import Table

from hedgehog.analysis.stats.match_report import group_winnings
from hedgehog.analysis.tournament.report import write_reports
from hedgehog.analysis.tournament.scoring import analyse_tournament
from hedgehog.arena.records import (
    GAME_FILE,
    MATCHES_FOLDER,
    AgentRecord,
    MatchRecord,
    PlannedMatch,
    TournamentRecord,
    read_tournament_record,
    write_match_record,
    write_tournament_record,
)
from hedgehog.cli.arena.tournament_view import tournament_tables
from hedgehog.dealer.cards import CardDealer
from hedgehog.poker.acpc.gamedef import GameDef, format_gamedef
from hedgehog.poker.acpc.handlog import format_log_line
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.runtime.errors import InputError, MatchError
from tests.golden import HUNL, game

Agent = Callable[[HandState], Action]


def fold(state: HandState) -> Action:
    return FOLD if state.can_fold() else CALL


def call(_: HandState) -> Action:
    return CALL


def bet_pot(state: HandState) -> Action:
    limits = state.raise_range()
    if limits is None or state.round != 1:
        return CALL
    return Action("r", min(limits[1], 3 * state.max_spent)) if limits[1] else Action("r")


def all_in(state: HandState) -> Action:
    limits = state.raise_range()
    return CALL if limits is None else Action("r", limits[1])


AGENTS: Final[dict[str, Agent]] = {"fold": fold, "call": call, "bet": bet_pot, "allin": all_in}


def as_text(table: Table) -> str:
    file = io.StringIO()
    Console(file=file, width=400).print(table)
    return file.getvalue()


def play_log(path: Path, gamedef: GameDef, seats: Sequence[str], seed: int, hands: int) -> None:
    dealer = CardDealer(gamedef, seed)
    lines = []
    for hand_id in range(hands):
        deal = dealer.deal()
        names = [seats[(position + hand_id) % len(seats)] for position in range(len(seats))]
        state = HandState(gamedef)
        while not state.finished:
            state.apply(AGENTS[names[state.acting_position]](state))
        values = payoffs(state, deal.hole_cards, deal.board)
        lines.append(format_log_line(hand_id, state, deal.hole_cards, deal.board, values, names))
    path.write_text("\n".join(lines) + "\n")


def play_tournament(
    folder: Path, name: str, agents: Sequence[str], *, hands: int = 30, duplicate: bool = True, skip: int = 0
) -> TournamentRecord:
    """Plays a round robin, of which the last ``skip`` matches are left out."""
    gamedef = game(name)
    matches = tuple(
        PlannedMatch("_".join(players), players, 100 + index)
        for index, players in enumerate(itertools.combinations(agents, gamedef.num_players))
    )
    specs = tuple(AgentRecord(agent, f"spec of {agent}") for agent in agents)
    record = TournamentRecord("test", name, hands, duplicate, 7, specs, matches, {"think_ms": 0})
    write_tournament_record(folder, record)
    (folder / GAME_FILE).write_text(format_gamedef(gamedef))
    for match in matches[: len(matches) - skip]:
        out = folder / MATCHES_FOLDER / match.folder
        out.mkdir(parents=True)
        orders = list(itertools.permutations(match.players)) if duplicate else [match.players]
        logs = [f"seating_{index}.log" for index in range(1, len(orders) + 1)]
        for log, seats in zip(logs, orders, strict=True):
            play_log(out / log, gamedef, seats, match.seed, hands)
        write_match_record(out, MatchRecord(tuple(logs)))
    return record


def test_two_player_tournament(tmp_path: Path) -> None:
    agents = list(AGENTS)
    record = play_tournament(tmp_path, HUNL, agents)
    result = analyse_tournament(tmp_path, samples=200)
    assert (result.name, result.game, result.hands, result.duplicate, result.seed) == ("test", HUNL, 30, True, 7)
    assert (result.players_per_match, result.big_blind, result.settings) == (2, 100, {"think_ms": 0})
    assert len(result.matches) == 6
    assert not result.failed

    gamedef = game(HUNL)
    bankroll = dict.fromkeys(agents, 0.0)
    for match, plan in zip(result.matches, record.matches, strict=True):
        folder = tmp_path / MATCHES_FOLDER / plan.folder
        groups = group_winnings(sorted(folder.glob("*.log")), plan.players, gamedef)
        assert (match.players, match.seed, match.hands) == (plan.players, plan.seed, 60)
        assert sum(match.chips.values()) == pytest.approx(0)
        for agent, of_groups in zip(plan.players, groups.T, strict=True):
            bankroll[agent] += match.chips[agent]
            assert match.mbb_per_hand[agent].n == len(of_groups)
            assert match.mbb_per_hand[agent].sd == pytest.approx(of_groups.std(ddof=1))
            assert match.mbb_per_hand[agent].mean == pytest.approx(match.chips[agent] / 60 * 10)
            if match.mbb_per_hand[agent].has_interval:
                assert match.anytime[agent].low <= match.mbb_per_hand[agent].low

    by_folder = {match.folder: match for match in result.matches}
    # fold gives up the same blinds in every pair of hands against allin; call and bet mirror each other.
    assert (by_folder["fold_allin"].p_value, by_folder["fold_allin"].significant) == (pytest.approx(2**-29), True)
    assert not by_folder["fold_allin"].mbb_per_hand["fold"].has_interval
    assert (by_folder["call_bet"].p_value, by_folder["call_bet"].significant) == (1, False)

    # bet and allin take every blind from fold; among each other, and with call, it is a draw.
    ranks = {standing.agent: standing.rank for standing in result.standings}
    assert ranks == {"bet": 1, "allin": 1, "call": 3, "fold": 4}
    assert [standing.rank for standing in result.standings] == [1, 1, 3, 4]
    for standing in result.standings:
        assert standing.spec == f"spec of {standing.agent}"
        assert (standing.matches, standing.hands, standing.mbb_per_hand.n) == (3, 180, 90)
        assert standing.bankroll_chips == pytest.approx(bankroll[standing.agent])
        assert standing.mbb_per_hand.mean == pytest.approx(bankroll[standing.agent] / 180 * 10)
        assert standing.all_in_adjusted.mean + standing.all_in_luck_mbb == pytest.approx(standing.mbb_per_hand.mean)
        assert standing.curve_hands[[0, -1]].tolist() == [0, 180]
        assert standing.curve_chips[[0, -1]] == pytest.approx([0, bankroll[standing.agent]])
    assert result.runoff[0].eliminated == ("fold",)
    assert result.runoff_ranks == {"fold": 4, "call": 1, "bet": 1, "allin": 1}
    for confidence in (result.bankroll_confidence, result.runoff_confidence):
        assert confidence is not None
        assert (confidence.agents, confidence.samples) == (tuple(agents), 200)
        assert confidence.share.sum(axis=1) == pytest.approx(np.ones(4))
    assert result.bankroll_confidence.share[0].tolist() == [0, 0, 0, 1]  # fold is always last


def test_duplicate_cancels_the_luck_of_equal_play(tmp_path: Path) -> None:
    """Neither call nor bet ever folds, so the seatings are mirror images: no spread is left between groups."""
    play_tournament(tmp_path, HUNL, ["call", "bet"])
    result = analyse_tournament(tmp_path, samples=10)
    for standing in result.standings:
        assert standing.sd_group_mbb == 0
        assert math.isnan(standing.effective_hands)
        assert not standing.mbb_per_hand.has_interval
        assert standing.card_luck_mbb == pytest.approx(standing.sd_hand_mbb * math.sqrt(59 / 60))
    assert (result.matches[0].p_value, result.matches[0].significant) == (1, False)
    assert [standing.rank for standing in result.standings] == [1, 1]
    assert result.runoff_ranks == {"call": 1, "bet": 1}
    assert (result.bankroll_confidence, result.runoff_confidence) == (None, None)


def test_all_in_luck_without_duplicate(tmp_path: Path) -> None:
    """Every hand is an all-in before the flop: the luck of one is the bad luck of the other, and most of the spread."""
    play_tournament(tmp_path, HUNL, ["call", "allin"], duplicate=False)
    standings = {standing.agent: standing for standing in analyse_tournament(tmp_path, samples=10).standings}
    call_standing, all_in_standing = standings["call"], standings["allin"]
    assert call_standing.all_in_luck_mbb == pytest.approx(-all_in_standing.all_in_luck_mbb)
    assert abs(call_standing.all_in_luck_mbb) > 1000
    assert call_standing.all_in_adjusted.sd < call_standing.mbb_per_hand.sd / 2


def test_three_player_tournament_without_duplicate(tmp_path: Path) -> None:
    play_tournament(tmp_path, "holdem.limit.3p", list(AGENTS), duplicate=False)
    result = analyse_tournament(tmp_path, samples=50)
    assert (len(result.matches), result.players_per_match) == (4, 3)
    assert all(math.isnan(match.p_value) and not match.significant for match in result.matches)
    assert [len(row.bankroll_chips) for row in result.runoff] == [4, 3]
    assert {standing.card_luck_mbb for standing in result.standings} == {0}
    assert [standing.effective_hands for standing in result.standings] == [pytest.approx(90)] * 4


def test_unfinished_tournament(tmp_path: Path) -> None:
    record = play_tournament(tmp_path, HUNL, ["fold", "call", "bet"], skip=2)
    broken = tmp_path / MATCHES_FOLDER / record.matches[2].folder
    broken.mkdir()
    write_match_record(broken, MatchRecord((), "player bet was killed", ("bet",)))
    result = analyse_tournament(tmp_path, samples=10)
    assert [match.folder for match in result.matches] == ["fold_call"]
    assert [(match.folder, match.reason, match.culprits) for match in result.failed] == [
        ("fold_bet", "", ()),
        ("call_bet", "player bet was killed", ("bet",)),
    ]
    assert result.outside == {"bet": "crashed or went silent in 1 of 1 matches"}
    assert (result.runoff_ranks, result.runoff_note) == ({"call": 1, "fold": 2}, "")
    standings = {standing.agent: standing for standing in result.standings}
    assert (standings["bet"].rank, standings["bet"].matches, standings["bet"].hands) == (None, 0, 0)
    assert math.isnan(standings["bet"].mbb_per_hand.mean)
    assert math.isnan(standings["bet"].bankroll_chips)
    assert standings["bet"].curve_hands.tolist() == [0]
    assert [standing.agent for standing in result.standings] == ["call", "fold", "bet"]


def crash(folder: Path, record: TournamentRecord, matches: Sequence[int], *culprits: str) -> None:
    """Replaces the records of some matches: they have failed."""
    for index in matches:
        write_match_record(
            folder / MATCHES_FOLDER / record.matches[index].folder, MatchRecord((), "killed", tuple(culprits))
        )


def test_crashing_does_not_beat_losing(tmp_path: Path) -> None:
    """fold loses everything; call crashes in one of its matches, the one that it would have lost."""
    record = play_tournament(tmp_path, HUNL, ["fold", "call", "bet", "allin"])
    crash(tmp_path, record, [3], "call")  # call against bet
    result = analyse_tournament(tmp_path, samples=20)
    assert result.outside == {"call": "crashed or went silent in 1 of 3 matches"}
    assert [(one.agent, one.rank) for one in result.standings][2:] == [("fold", 3), ("call", None)]
    assert set(result.runoff_ranks) == {"fold", "bet", "allin"}
    standings = {one.agent: one for one in result.standings}
    # The others are compared over the matches among themselves; what call won is still told.
    assert (standings["fold"].matches, standings["call"].matches) == (2, 2)
    assert sum(one.bankroll_chips for one in result.standings if one.rank is not None) == pytest.approx(0)
    assert math.isfinite(standings["call"].mbb_per_hand.mean)
    for one in result.standings[:3]:
        assert one.curve_chips[-1] == pytest.approx(one.bankroll_chips)
    # Among these three every pair of hands has the same result, so nothing is known of the spread.
    assert result.bankroll_confidence is None


@pytest.mark.parametrize(
    ("matches", "culprits", "outside", "note"),
    [
        ([0, 1, 2], ("fold",), {"fold"}, ""),
        ([0, 1, 2], (), {"fold"}, ""),
        ([1], (), set(), "no result of the match fold, bet"),
        ([0, 1, 2, 3, 4], ("fold", "call"), {"fold", "call"}, ""),
        (range(6), ("fold", "call", "bet", "allin"), set(AGENTS), "a match needs 2 agents, and the ranking has none"),
        (range(6), (), set(AGENTS), "a match needs 2 agents, and the ranking has none"),
    ],
)
@pytest.mark.quick_cases("matches0-culprits0-outside0-", "matches3-culprits3-outside3-")
def test_agents_outside_the_ranking_and_the_run_off(
    tmp_path: Path, matches: Sequence[int], culprits: Sequence[str], outside: set[str], note: str
) -> None:
    record = play_tournament(tmp_path, HUNL, list(AGENTS), hands=4)
    crash(tmp_path, record, matches, *culprits)
    result = analyse_tournament(tmp_path, samples=5)
    assert set(result.outside) == outside
    assert result.runoff_note == note
    assert bool(result.runoff_ranks) == (note == "")
    assert {one.agent for one in result.standings if one.rank is None} == outside
    ranks = [one.rank for one in result.standings]
    assert ranks == sorted(ranks, key=lambda rank: rank or 99)
    files = write_reports(result, tmp_path)
    for file in files:
        text = re.sub(r"<(style|script).*?</\1>", "", file.read_text(), flags=re.DOTALL)
        assert not re.search(r"\bnan\b|\binf\b|±\s*∞|NaN|Infinity", text), file.name
        if file.suffix == ".csv":
            header = text.splitlines()[0].split(",")
            assert len(set(header)) == len(header)
    for table in tournament_tables(result):
        assert not re.search(r"\bnan\b|\binf\b", as_text(table))
    html = files[0].read_text()
    assert ("No run-off" in html) == bool(note)
    assert all(f"{agent} {why}" in html for agent, why in result.outside.items())


def test_a_gauntlet_whose_runner_crashed_once(tmp_path: Path) -> None:
    """All play against fold alone, which crashes in one match: the others are ranked by what they won from it."""
    record = play_tournament(tmp_path, HUNL, list(AGENTS), hands=12)
    write_tournament_record(tmp_path, replace(record, matches=record.matches[:3]))
    for match in record.matches[3:]:
        shutil.rmtree(tmp_path / MATCHES_FOLDER / match.folder)
    crash(tmp_path, record, [1], "fold")
    result = analyse_tournament(tmp_path, samples=5)
    assert result.outside == {
        "fold": "crashed or went silent in 1 of 3 matches",
        "bet": "has no finished match with an agent of the ranking",
    }
    assert [one.agent for one in result.standings if one.rank is not None] == ["allin", "call"]
    assert result.standings[0].bankroll_chips > 0
    assert result.runoff_note == "not all agents meet each other in this tournament"


@pytest.mark.parametrize(("hands", "known"), [(1, False), (3, False), (12, True)])
def test_a_few_pairs_per_match_say_nothing_about_the_ranks(tmp_path: Path, hands: int, known: bool) -> None:
    play_tournament(tmp_path, HUNL, ["fold", "call", "bet"], hands=hands)
    result = analyse_tournament(tmp_path, samples=20)
    assert (result.bankroll_confidence is not None) == (result.runoff_confidence is not None) == known
    text = as_text(next(tournament_tables(result)))
    assert ("first in: not known" in text) == (not known)
    assert ("%" in re.sub("±95 %", "", text)) == known
    page = write_reports(result, tmp_path)[0].read_text()
    assert ("of the bootstrap samples" in page) == known


def test_a_tournament_of_which_nothing_was_played(tmp_path: Path) -> None:
    play_tournament(tmp_path, HUNL, ["fold", "call", "bet"], skip=3)
    result = analyse_tournament(tmp_path, samples=10)
    assert (len(result.matches), len(result.failed)) == (0, 3)
    assert [standing.rank for standing in result.standings] == [None] * 3
    assert result.runoff_note


def test_reused_cards_are_found(tmp_path: Path) -> None:
    record = play_tournament(tmp_path, HUNL, ["fold", "call", "bet"])
    first, second = (tmp_path / MATCHES_FOLDER / match.folder for match in record.matches[:2])
    for log in first.glob("*.log"):
        (second / log.name).write_text(log.read_text().replace("call", "bet"))
    with pytest.raises(MatchError):
        analyse_tournament(tmp_path, samples=10)


def test_a_record_without_its_logs_is_refused(tmp_path: Path) -> None:
    play_tournament(tmp_path, HUNL, ["fold", "call"])
    write_match_record(tmp_path / MATCHES_FOLDER / "fold_call", MatchRecord(("seating_1.log",)))
    with pytest.raises(InputError, match="expected 2 logs"):
        analyse_tournament(tmp_path)


def test_a_game_without_blinds_is_refused(tmp_path: Path) -> None:
    play_tournament(tmp_path, HUNL, ["fold", "call"])
    assert read_tournament_record(tmp_path).game == HUNL
    (tmp_path / GAME_FILE).write_text(format_gamedef(replace(game(HUNL), blinds=(0, 0))))
    with pytest.raises(InputError, match="no blinds"):
        analyse_tournament(tmp_path)
