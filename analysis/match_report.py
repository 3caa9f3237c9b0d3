"""From the files a match has left to its result: winnings with confidence intervals, decision statistics."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.player import DecisionTimes
from analysis.stats import Estimate, mean_estimate
from poker.errors import InputError, LogError
from poker.gamedef import GameDef
from poker.handlog import LoggedHand, parse_log_line, read_log


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What every player won, in milli-big-blinds per hand (1/1000 of the largest blind)."""

    hands: int
    """Hands played, all seatings together."""
    groups: int
    """Independent groups of hands with the same cards: pairs in a two-player duplicate match."""
    mbb_per_hand: tuple[Estimate, ...]
    """Per player, in the order of the names; one value is the mean over the hands of one group."""


def score_match(logs: Sequence[Path], names: Sequence[str], gamedef: GameDef) -> MatchResult:
    """Scores a match from the logs of its seatings, which must all have been played with the same cards.

    :param logs: one finished log per seating; several are a duplicate match.
    :param names: the players' names as they stand in the logs.
    :param gamedef: the game; it must have a blind.
    :raises LogError: if a log is malformed, or the logs differ in their hands, cards or players.
    """
    mbb = group_winnings(logs, names, gamedef)
    return MatchResult(
        hands=len(logs) * len(mbb),
        groups=len(mbb),
        mbb_per_hand=tuple(mean_estimate(mbb[:, player]) for player in range(len(names))),
    )


def group_winnings(logs: Sequence[Path], names: Sequence[str], gamedef: GameDef) -> NDArray[np.float64]:
    """Returns what every player won per group of hands with the same cards, for the same arguments and errors.

    :returns: (groups, players) means over the hands of a group, in mbb.
    """
    seatings = [_read_hands(path, gamedef) for path in logs]
    for path, hands in zip(logs[1:], seatings[1:], strict=True):
        _verify_same_cards(seatings[0], hands, path)
    chips = np.array([_chips(hands, names, path) for path, hands in zip(logs, seatings, strict=True)])
    return np.asarray(chips.mean(axis=0) * (1000 / gamedef.big_blind))


def _read_hands(path: Path, gamedef: GameDef) -> list[LoggedHand]:
    hands = []
    for number, line in enumerate(read_log(path), 1):
        if line.startswith("STATE:"):
            try:
                hands.append(parse_log_line(line, gamedef))
            except InputError as error:
                raise LogError(error.message, source=str(path), line=number) from error
    if not hands:
        raise LogError("expected a log with at least one hand", source=str(path))
    return hands


def _verify_same_cards(first: Sequence[LoggedHand], other: Sequence[LoggedHand], path: Path) -> None:
    if len(other) != len(first):
        raise LogError(f"expected {len(first)} hands as in the first seating, got {len(other)}", source=str(path))
    for a, b in zip(first, other, strict=True):
        seen = min(len(a.board), len(b.board))
        if (a.hand_id, a.hole_cards, a.board[:seen]) != (b.hand_id, b.hole_cards, b.board[:seen]):
            raise LogError(f"hand {b.hand_id} was not dealt as in the first seating", source=str(path))


def _chips(hands: Sequence[LoggedHand], names: Sequence[str], path: Path) -> list[list[float]]:
    """Returns the chips won per hand and player, the players in the order of ``names``."""
    table = []
    for hand in hands:
        won = dict(zip(hand.names.split("|"), map(float, hand.values), strict=True))
        if won.keys() != set(names):
            raise LogError(f"expected the players {', '.join(names)}, got {hand.names!r}", source=str(path))
        table.append([won[name] for name in names])
    return table


@dataclass(slots=True)
class PlayStatistics:
    """What our clients reported about one player, all seatings together."""

    decisions: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    """Number of ``player_errors``, ``illegal_actions`` and ``late_actions``; only those that occurred."""
    layers: Counter[str] = field(default_factory=Counter)
    """Decisions per layer of the player."""
    times: DecisionTimes = field(default_factory=DecisionTimes)


_FAULTS = ("player_errors", "illegal_actions", "late_actions")


def read_play_statistics(reports: Iterable[Path]) -> PlayStatistics | None:
    """Adds up the reports of one player; returns None if there is none (an external player writes none).

    :raises InputError: if a report is not what :meth:`agent.client.Client.report` writes.
    """
    statistics = None
    for path in reports:
        if not path.exists():
            continue
        statistics = statistics or PlayStatistics()
        try:
            _add_report(statistics, json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"not a match report: {error!r}", source=str(path)) from error
    return statistics


def _add_report(statistics: PlayStatistics, report: dict[str, Any]) -> None:
    statistics.decisions += report["decisions"]
    statistics.faults.update({fault: report[fault] for fault in _FAULTS if report[fault]})
    statistics.layers.update(report["player"].get("layers", {}))
    statistics.times.merge(DecisionTimes.from_dict(report["decision_ms"]))
