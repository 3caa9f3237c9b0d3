"""Writes the result of a tournament: JSON and CSV files for programs, and an HTML page for people.

==================  ==================================================================================================
``results.json``    everything except the winnings of single groups of hands, which are in the logs; the key ``about``
                    explains the other keys
``standings.csv``   one row per agent, best first; agents outside the ranking last, without rank and bankroll
``crosstable.csv``  mean and half the length of the 95 % interval; with two players the agent of the row against the
                    agent of the column, with more the agent of the column against the opponents of the row
``matches.csv``     one row per match and player, failed and unplayed matches included
``runoff.csv``      one row per round of the run-off and remaining agent
``answers.csv``     one row per agent: corrected, illegal and slow answers, and their times
``positions.csv``   one row per agent and position at the table
``opponents.csv``   one row per agent and opponent at its table, in games for more than two
``report.html``     the whole result as a page
==================  ==================================================================================================

Numbers in JSON and CSV have all their digits. Infinite and unknown numbers are ``null`` in JSON and empty in CSV.
Winnings are in mbb/h (1/1000 of the largest blind per hand) unless a name says chips.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.analysis.stats.play_statistics import AnswerSummary
from hedgehog.analysis.tournament.crosstable import build_crosstable
from hedgehog.analysis.tournament.page import render_page
from hedgehog.analysis.tournament.result import TournamentResult, standing_rows
from hedgehog.arena.records import REPORT_FILES
from hedgehog.runtime.documents import csv_text, json_document
from hedgehog.runtime.files import write_text_file

_ABOUT: Final = {
    "units": "mbb_*, *_mbb, mbb_per_hand, anytime, all_in_adjusted: milli-big-blinds per hand; chips of the game else",
    "estimate": "mean; low and high, the ends of the 95 % interval; sd of one independent value; n, how many of them",
    "null": "infinite, or not known",
    "hands": "of the tournament: per seating; of a match or a standing: all seatings together",
    "matches.mbb_per_hand": "intervals for a number of hands fixed beforehand (Student)",
    "matches.anytime": "the same means with intervals that hold at all times at once",
    "matches.p_value": "two-sided, uncorrected; null with more than two players",
    "matches.significant": "at 5 % after Holm's correction over all matches",
    "failed": "matches without a result; an empty reason: not played yet",
    "standings.rank": "by total bankroll, 1 is best; equal bankrolls share a rank; null outside the ranking",
    "standings.bankroll_chips": "over the matches among agents of the ranking; null outside the ranking",
    "outside": "agents outside the ranking, and why; their matches count for no bankroll, if there are others",
    "standings.sd_hand_mbb": "standard deviation of a single hand",
    "standings.sd_group_mbb": "standard deviation of the mean of the hands that share their cards",
    "standings.effective_hands": "independent hands without duplicate that would give the same standard error",
    "standings.card_luck_mbb": "root mean square of the luck per group of hands that duplicate has cancelled",
    "standings.all_in_luck_mbb": "mean winnings minus those with all-in showdowns replaced by their expectation",
    "standings.aivat": "winnings by AIVAT; null if not asked for or not every match has a player of known strategy",
    "standings.aivat.sd_hand": "standard deviation of a single hand by AIVAT, in mbb",
    "standings.aivat.reduction": "share of sd_hand_mbb that AIVAT has taken out",
    "standings.curve_hands, curve_chips": "bankroll after that many hands, matches in the order of the plan",
    "runoff": "bankroll instant run-off: chips among those still in, and who leaves after the round",
    "runoff_ranks": "empty if a match is missing; runoff_note then says which",
    "answers": "how the agents answered, as their clients and the dealer have counted",
    "answers.hands": "hands that the times cover; fewer than played if a match was interrupted and gone on with",
    "answers.corrected": "raises of a size out of range, which became the nearest legal one",
    "answers.illegal": "answers that were no legal action and became a call",
    "answers.ignored": "lines that answered no question",
    "answers.slow": "answers that took longer than the dealer's average limit per hand",
    "answers.late": "decisions that our client has given up",
    "answers.errors": "failures inside the player that our client has seen to",
    "answers.failures": "what the errors and illegal actions inside the player were, and the file that has them all",
    "answers.hand_ms": "thinking time per hand on average",
    "answers.allowed_hand_ms": "thinking time per hand that our player was allowed on average",
    "answers.shortened": "decisions for which our player took less time than usual, because little was left",
    "by_position": "winnings in each position, in the order of positions",
    "with_opponent": "winnings over all matches with this opponent at the table; games for more than two",
    "*_confidence": "null if a match has fewer than six groups of hands, or all groups are equal: nothing can be said",
    "*_confidence.share": "per agent and rank: share of the bootstrap samples in which the agent had the rank",
}
_ESTIMATE_COLUMNS: Final = ("mbb_per_hand", "ci95_low", "ci95_high", "groups")


def write_reports(result: TournamentResult, folder: str | Path) -> list[Path]:
    """Writes all report files of a tournament and returns their paths, the HTML page first.

    The same result gives the same bytes.

    :param result: the result of the tournament.
    :param folder: an existing folder.
    :raises ResourceError: if a file cannot be written. An earlier file of the same name is then still whole.
    """
    texts = (
        render_page(result),
        json.dumps(result_values(result), indent=1, allow_nan=False, ensure_ascii=False) + "\n",
        _csv(standing_rows(result)),
        _csv(_crosstable(result)),
        _csv(_matches(result)),
        _csv(_runoff(result)),
        _csv(_answers(result)),
        _csv(_positions(result)),
        _csv(_opponents(result)),
    )
    paths = [Path(folder) / name for name in REPORT_FILES]
    for path, text in zip(paths, texts, strict=True):
        write_text_file(path, text)
    return paths


def result_values(result: TournamentResult) -> dict[str, Any]:
    """Returns the result as the values of its JSON file: dicts, lists, strings, finite numbers and None."""
    values = _plain(result)
    head = {key: values.pop(key) for key in ("game", "seed")}
    agents = [standing.agent for standing in result.standings]
    return json_document("tournament", **head, players=agents, about=_ABOUT, **values)


def _plain(value: object) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    match value:
        case Mapping():
            return {str(key): _plain(entry) for key, entry in value.items()}
        case np.ndarray() | np.generic():
            return _plain(value.tolist())
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Sequence():
            return [_plain(entry) for entry in value]
        case _:
            return str(value)


def _csv(rows: Iterable[Sequence[object]]) -> str:
    """Returns rows, of which the first is the header, as CSV. Numbers have all their digits."""
    header, *rest = rows
    return csv_text(list(map(str, header)), rest)


def _crosstable(result: TournamentResult) -> Iterable[Sequence[object]]:
    table = build_crosstable(result)
    if table is None:
        yield ("agent",)
        return
    corner = table.corner if table.corner not in table.columns else f"({table.corner})"
    yield (corner, *(title for name in table.columns for title in (name, f"{name} ±")))
    for label, cells in table.rows:
        values = [_mean_and_margin(cell.estimate) if cell else (None, None) for cell in cells]
        yield (label, *(value for pair in values for value in pair))


def _mean_and_margin(estimate: Estimate) -> tuple[float, float]:
    return estimate.mean, estimate.half_width


def _matches(result: TournamentResult) -> Iterable[Sequence[object]]:
    yield (
        *("match", "status", "agent", "opponents", "seed", "hands", "groups", "chips"),
        *("mbb_per_hand", "ci95_low", "ci95_high", "anytime_low", "anytime_high", "p_value", "significant"),
        *("reason", "culprits"),
    )
    two = result.players_per_match == 2
    for match in result.matches:
        for player in match.players:
            mean, anytime = match.mbb_per_hand[player], match.anytime[player]
            yield (
                *(match.folder, "finished", player, _others(match.players, player), match.seed, match.hands, mean.n),
                *(match.chips[player], mean.mean, mean.low, mean.high, anytime.low, anytime.high, match.p_value),
                *(("yes" if match.significant else "no") if two else None, None, None),
            )
    for lost in result.failed:
        status = "failed" if lost.reason else "not played"
        for player in lost.players:
            culprits = " ".join(lost.culprits)
            yield (
                *(lost.folder, status, player, _others(lost.players, player)),
                *([None] * 11),
                *(lost.reason, culprits),
            )


def _answers(result: TournamentResult) -> Iterable[Sequence[object]]:
    columns = [field.name for field in fields(AnswerSummary)]
    yield columns
    for one in result.answers:
        yield [getattr(one, column) for column in columns]


def _positions(result: TournamentResult) -> Iterable[Sequence[object]]:
    yield ("agent", "position", *_ESTIMATE_COLUMNS)
    for agent, estimates in result.by_position.items():
        for position, estimate in zip(result.positions, estimates, strict=True):
            yield (agent, position, *_estimate_cells(estimate))


def _opponents(result: TournamentResult) -> Iterable[Sequence[object]]:
    yield ("agent", "opponent", *_ESTIMATE_COLUMNS)
    for agent, estimates in result.with_opponent.items():
        for opponent, estimate in estimates.items():
            yield (agent, opponent, *_estimate_cells(estimate))


def _estimate_cells(estimate: Estimate) -> Sequence[object]:
    return estimate.mean, estimate.low, estimate.high, estimate.n


def _others(players: Sequence[str], player: str) -> str:
    return " ".join(name for name in players if name != player)


def _runoff(result: TournamentResult) -> Iterable[Sequence[object]]:
    yield ("round", "agent", "bankroll_chips", "eliminated", "runoff_rank")
    for number, one in enumerate(result.runoff, 1):
        for agent, chips in one.bankroll_chips.items():
            eliminated = "yes" if agent in one.eliminated else "no"
            yield (number, agent, chips, eliminated, result.runoff_ranks.get(agent))
