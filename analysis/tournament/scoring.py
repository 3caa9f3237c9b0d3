"""Computes the result of a tournament from its folder: scores, standings, run-off, and how sure they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.specs import parse_player_spec
from hedgehog.analysis.stats.estimate import Estimate, holm_adjusted, mean_estimate
from hedgehog.analysis.stats.luck import AdjustedWinnings, LuckSplit, adjusted_winnings, split_luck
from hedgehog.analysis.stats.match_report import MatchResult, MatchWinnings, read_winnings, score_winnings
from hedgehog.analysis.stats.play_statistics import AnswerSummary, PlayStatistics, read_play_statistics, summarise
from hedgehog.analysis.tournament.breakdown import position_names, winnings_by_position, winnings_with_opponents
from hedgehog.analysis.tournament.ranking import (
    Crosstable,
    bankroll_ranks,
    bankrolls,
    bootstrap_ranks,
    can_resample,
    counts,
    instant_runoff,
    missing_matches,
    outside_ranking,
)
from hedgehog.analysis.tournament.result import FailedMatch, MatchScore, RunoffRound, Standing, TournamentResult
from hedgehog.arena.deal_check import verify_no_reused_deals
from hedgehog.arena.match import PlayedSeating, record_path, seat_orders
from hedgehog.arena.records import (
    GAME_FILE,
    MATCHES_FOLDER,
    MatchRecord,
    PlannedMatch,
    TournamentRecord,
    read_match_record,
    read_tournament_record,
)
from hedgehog.poker.acpc.gamedef import GameDef, read_gamedef
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.watch import SILENT, Watch

if TYPE_CHECKING:
    from hedgehog.analysis.aivat.scorers import SpreadAivat

SIGNIFICANCE: Final = 0.05
"""A match is significant if its p-value, adjusted for the number of matches, is at most this."""
_CURVE_POINTS: Final = 300


@dataclass(frozen=True, slots=True)
class _PlayedMatch:
    plan: PlannedMatch
    logs: tuple[Path, ...]
    winnings: MatchWinnings
    result: MatchResult

    def seating(self, log: Path) -> PlayedSeating:
        """Returns the paths of the files of the seating with this log. Not all of the files need exist."""
        reports = tuple(log.with_name(f"{log.stem}.{name}.json") for name in self.plan.players)
        return PlayedSeating(log, reports, log.with_suffix(".answers"))

    def chips(self) -> dict[str, float]:
        """Returns the chips that every player won in the whole match."""
        totals = self.winnings.chips.sum(axis=(0, 1))
        return {name: float(total) for name, total in zip(self.winnings.names, totals, strict=True)}


def analyse_tournament(
    folder: str | Path,
    *,
    samples: int = 2000,
    seed: int = 0,
    aivat: bool = False,
    engine: Engine | None = None,
    watch: Watch = SILENT,
) -> TournamentResult:
    """Returns the result of a tournament, computed from the logs of all finished matches.

    :param folder: folder of the tournament (:mod:`hedgehog.arena.records`). The tournament may be unfinished.
    :param samples: number of bootstrap samples for the confidence of the ranks.
    :param seed: seed of the bootstrap.
    :param aivat: compute AIVAT values, too, for matches with a player whose strategy can be computed.
    :param engine: computes the AIVAT values (:func:`hedgehog.runtime.engines.opening.open_engine`); None for this
        process.
    :param watch: hears of the hands that are scored by AIVAT.
    :raises InputError: if a record, the game or a log is missing or damaged, or if ``aivat`` is set and no player has a
        strategy that can be computed.
    :raises MatchError: if two matches were played with the same cards.
    """
    folder = Path(folder)
    record = read_tournament_record(folder)
    gamedef = read_gamedef(folder / GAME_FILE)
    if gamedef.big_blind == 0:
        raise InputError("the game has no blinds, so that winnings have no unit", source=str(folder / GAME_FILE))
    scorer = _known_strategies(folder, record, gamedef) if aivat else None
    finished: list[tuple[PlannedMatch, MatchRecord]] = []
    failed: list[FailedMatch] = []
    for plan in record.matches:
        outcome = read_match_record(folder / MATCHES_FOLDER / plan.folder)
        if outcome is None:
            failed.append(FailedMatch(plan.folder, plan.players, "", ()))
        elif outcome.failure:
            failed.append(FailedMatch(plan.folder, plan.players, outcome.failure, outcome.culprits))
        else:
            finished.append((plan, outcome))

    def read() -> list[_PlayedMatch]:
        return [
            _read_match(folder / MATCHES_FOLDER / plan.folder, plan, outcome, record, gamedef, scorer)
            for plan, outcome in finished
        ]

    if scorer is not None:
        read()
        scorer.run(engine, watch)
    played = read()
    verify_no_reused_deals({match.plan.folder: match.logs for match in played}, gamedef)

    mbb_per_chip = 1000 / gamedef.big_blind
    agents = [agent.name for agent in record.agents]
    outside = outside_ranking(agents, [match.winnings.names for match in played], failed)
    ranked = [agent for agent in agents if agent not in outside]
    good = counts([match.winnings.names for match in played], outside)
    counted = [match for match, counting in zip(played, good, strict=True) if counting]
    crosstable = _crosstable(counted)
    runoff: list[RunoffRound] = []
    runoff_ranks: dict[str, int] = {}
    missing = missing_matches(ranked, crosstable, gamedef.num_players)
    if not missing:
        runoff, runoff_ranks = instant_runoff(ranked, crosstable)
    group_chips = [match.winnings.chips.sum(axis=0) for match in counted]
    bankroll_confidence, runoff_confidence = None, None
    if can_resample(group_chips) and not any(agent in outside for match in counted for agent in match.winnings.names):
        bankroll_confidence, runoff_confidence = bootstrap_ranks(
            ranked, [match.winnings.names for match in counted], group_chips, samples=samples, seed=seed
        )
    winnings = {
        agent: [match.winnings for match in (played if agent in outside else counted) if agent in match.winnings.names]
        for agent in agents
    }
    return TournamentResult(
        name=record.name,
        game=record.game.removesuffix(".game"),
        hands=record.hands,
        duplicate=record.duplicate,
        seed=record.seed,
        settings=record.settings,
        players_per_match=gamedef.num_players,
        big_blind=gamedef.big_blind,
        standings=_standings(record, winnings, crosstable, outside, mbb_per_chip),
        matches=_scores(played),
        failed=tuple(failed),
        runoff=tuple(runoff),
        runoff_ranks=runoff_ranks,
        bankroll_confidence=bankroll_confidence,
        runoff_confidence=runoff_confidence,
        outside=outside,
        runoff_note=_runoff_note(ranked, missing, [match.players for match in record.matches], gamedef.num_players),
        answers=_answers(played),
        positions=position_names(gamedef),
        by_position={
            agent: winnings_by_position(matches, agent, gamedef, duplicate=record.duplicate)
            for agent, matches in winnings.items()
        },
        with_opponent={
            agent: winnings_with_opponents(matches, agent, gamedef)
            for agent, matches in winnings.items()
            if gamedef.num_players > 2
        },
        aivat_note=scorer.missing_note() if scorer is not None else "",
    )


def _runoff_note(
    ranked: Sequence[str], missing: Sequence[Sequence[str]], planned: Sequence[Sequence[str]], seats: int
) -> str:
    """Returns why there is no run-off; empty if no match among the agents of the ranking is missing."""
    if not missing:
        return ""
    if len(ranked) < seats:
        return f"a match needs {seats} agents, and the ranking has {len(ranked) or 'none'}"
    if not set(map(frozenset, missing)) <= set(map(frozenset, planned)):
        return "not all agents meet each other in this tournament"
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    return f"no result of the match {', '.join(missing[0])}{more}"


def _answers(played: Sequence[_PlayedMatch]) -> tuple[AnswerSummary, ...]:
    """Returns how each agent answered, over all matches."""
    agents: dict[str, PlayStatistics] = {}
    for match in played:
        for name, statistics in read_play_statistics(match.plan.players, map(match.seating, match.logs)).items():
            agents.setdefault(name, PlayStatistics()).add(statistics)
    return tuple(summarise(name, statistics) for name, statistics in agents.items())


def _known_strategies(folder: Path, record: TournamentRecord, gamedef: GameDef) -> SpreadAivat:
    """Returns what scores hands by the strategies of all agents that can be asked after the matches, for matches
    without records.

    :raises InputError: if the game is not heads-up hold'em, or no strategy can be computed or is recorded.
    """
    from hedgehog.analysis.aivat.match import can_report, known_players  # numba, which other reports do not need
    from hedgehog.analysis.aivat.scorers import SpreadAivat

    think_ms = int(record.settings.get("think_ms") or 0)
    names = [agent.name for agent in record.agents]
    specs = [parse_player_spec(agent.spec) for agent in record.agents]
    recorded = [
        name
        for name in names
        if any(
            record_path(folder / MATCHES_FOLDER / match.folder / f"seating_{index}.log", name).exists()
            for match in record.matches
            for index in (1, 2)
        )
    ]
    known_players(names, specs, gamedef, think_ms, recorded)
    asked = {name: spec for name, spec in zip(names, specs, strict=True) if can_report(spec, gamedef, think_ms)}
    return SpreadAivat(asked, gamedef)


def _read_match(
    folder: Path,
    plan: PlannedMatch,
    outcome: MatchRecord,
    record: TournamentRecord,
    gamedef: GameDef,
    scorer: SpreadAivat | None,
) -> _PlayedMatch:
    seatings = len(seat_orders(gamedef.num_players, duplicate=record.duplicate))
    if len(outcome.logs) != seatings:
        raise InputError(
            f"expected {seatings} logs in the record of the match, got {len(outcome.logs)}", source=str(folder)
        )
    logs = tuple(folder / log for log in outcome.logs)
    score = None
    if scorer is not None:
        from hedgehog.analysis.aivat.recorded import records_of
        from hedgehog.analysis.aivat.scorers import match_records

        scorer.use_records(match_records(logs, records_of(logs, plan.players), gamedef))
        score = scorer.score if scorer.knows(plan.players) else None
    winnings = read_winnings(logs, plan.players, gamedef, score)
    return _PlayedMatch(plan, logs, winnings, score_winnings(winnings, gamedef))


def _crosstable(played: Sequence[_PlayedMatch]) -> dict[frozenset[str], dict[str, float]]:
    table: dict[frozenset[str], dict[str, float]] = {}
    for match in played:
        totals = table.setdefault(frozenset(match.winnings.names), dict.fromkeys(match.winnings.names, 0.0))
        for name, chips in match.chips().items():
            totals[name] += chips
    return table


def _scores(played: Sequence[_PlayedMatch]) -> tuple[MatchScore, ...]:
    two_player = [index for index, match in enumerate(played) if len(match.winnings.names) == 2]
    adjusted = holm_adjusted([played[index].result.p_value for index in two_player])
    significant = {index for index, p_value in zip(two_player, adjusted, strict=True) if p_value <= SIGNIFICANCE}
    return tuple(_score(match, index in significant) for index, match in enumerate(played))


def _score(match: _PlayedMatch, significant: bool) -> MatchScore:
    names, result = match.winnings.names, match.result
    return MatchScore(
        folder=match.plan.folder,
        players=names,
        seed=match.plan.seed,
        hands=result.hands,
        mbb_per_hand=dict(zip(names, result.mbb_per_hand, strict=True)),
        anytime=dict(zip(names, result.anytime, strict=True)),
        p_value=result.p_value,
        significant=significant,
        chips=match.chips(),
    )


def _standings(
    record: TournamentRecord,
    winnings: Mapping[str, Sequence[MatchWinnings]],
    crosstable: Crosstable,
    outside: Mapping[str, str],
    mbb_per_chip: float,
) -> tuple[Standing, ...]:
    """Returns the agents of the ranking, best first, and then the others in the order of the plan.

    :param winnings: the matches of each agent that count for it.
    :param crosstable: the chips won in the matches among agents of the ranking.
    """
    totals = bankrolls([agent.name for agent in record.agents], crosstable)
    totals = {agent: chips for agent, chips in totals.items() if agent not in outside}
    ranks = bankroll_ranks(totals)
    standings = [
        _standing(
            ranks.get(agent.name),
            agent.name,
            agent.spec,
            totals.get(agent.name, math.nan),
            winnings[agent.name],
            mbb_per_chip,
        )
        for agent in record.agents
    ]
    return tuple(sorted(standings, key=lambda one: len(standings) + 1 if one.rank is None else one.rank))


def _standing(
    rank: int | None, agent: str, spec: str, bankroll: float, matches: Sequence[MatchWinnings], mbb_per_chip: float
) -> Standing:
    if matches:
        chips = np.concatenate([_of_player(match, match.chips, agent) for match in matches], axis=1)
        expected = np.concatenate([_of_player(match, match.expected, agent) for match in matches], axis=1)
        luck = split_luck(chips * mbb_per_chip, expected * mbb_per_chip)
        estimate = mean_estimate(chips.mean(axis=0) * mbb_per_chip)
    else:
        chips = np.empty((1, 0))
        estimate = Estimate(math.nan, -math.inf, math.inf, math.nan, 0)
        luck = LuckSplit(math.nan, math.nan, math.nan, math.nan, math.nan, estimate)
    curve_hands, curve_chips = _curve(chips)
    return Standing(
        rank=rank,
        agent=agent,
        spec=spec,
        matches=len(matches),
        hands=chips.size,
        bankroll_chips=bankroll,
        mbb_per_hand=estimate,
        sd_hand_mbb=luck.sd_hand,
        sd_group_mbb=luck.sd_group,
        effective_hands=luck.effective_hands,
        card_luck_mbb=luck.card_luck,
        all_in_luck_mbb=luck.all_in_luck,
        all_in_adjusted=luck.all_in_adjusted,
        curve_hands=curve_hands,
        curve_chips=curve_chips,
        aivat=_adjusted(matches, chips * mbb_per_chip, agent, mbb_per_chip),
    )


def _adjusted(
    matches: Sequence[MatchWinnings], won: NDArray[np.float64], agent: str, mbb_per_chip: float
) -> AdjustedWinnings | None:
    """Returns an agent's winnings by AIVAT, or None if a match lacks them.

    :param won: (seatings, groups) winnings of the agent in mbb, one array per match.
    """
    tables = [_of_player(match, match.aivat, agent) for match in matches if match.aivat is not None]
    if not matches or len(tables) < len(matches):
        return None
    return adjusted_winnings(won, np.concatenate(tables, axis=1) * mbb_per_chip)


def _of_player(winnings: MatchWinnings, table: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    """Returns the (seatings, groups) values of one player."""
    return table[:, :, winnings.names.index(name)]


def _curve(chips: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Returns hands played and chips won so far after evenly spaced groups of hands, from (0, 0) to the end.

    :param chips: (seatings, groups) chips won in each hand.
    """
    seatings, groups = chips.shape
    bankroll = np.concatenate([[0.0], np.cumsum(chips.sum(axis=0))])
    points = np.unique(np.linspace(0, groups, min(groups + 1, _CURVE_POINTS)).round().astype(np.int64))
    return points * seatings, bankroll[points]
