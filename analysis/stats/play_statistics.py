"""How the players of a match decided and answered: from our clients' reports and the dealer's records of answers."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.match import PlayedSeating
from dealer.answers import AnswerWarning, SeatAnswers, read_answers
from poker.decision_times import DecisionTimes
from runtime.errors import InputError


@dataclass(slots=True)
class PlayStatistics:
    """What is known about one player, all seatings together."""

    decisions: int = 0
    """Counted by our client; 0 for an external player."""
    faults: Counter[str] = field(default_factory=Counter)
    """Number of ``player_errors``, ``illegal_actions`` and ``late_actions`` that our client has seen to; only those
    that occurred."""
    layers: Counter[str] = field(default_factory=Counter)
    """Decisions per layer of the player."""
    times: DecisionTimes = field(default_factory=DecisionTimes)
    """Of our client; of an external player as the dealer sees them."""
    hands: int = 0
    """Hands that the times and layers cover: less than the match has if it was interrupted and gone on with."""
    answers: SeatAnswers | None = None
    """What the dealer has counted; None: there was no dealer."""
    warnings: list[tuple[str, AnswerWarning]] = field(default_factory=list)
    """Repaired and dropped answers, each with the name of its seating."""

    def add(self, other: PlayStatistics) -> None:
        """Adds what the same player did in another match."""
        self.decisions += other.decisions
        self.faults.update(other.faults)
        self.layers.update(other.layers)
        self.times.merge(other.times)
        self.hands += other.hands
        self.warnings += other.warnings
        if other.answers is not None:
            self.answers = self.answers or SeatAnswers(other.answers.name)
            self.answers.add(other.answers)


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """How one player answered."""

    agent: str
    hands: int
    """Hands that the times cover."""
    answers: int
    corrected: int
    """Raises of a size out of range, which became the nearest legal one."""
    illegal: int
    """Answers that became a call, and illegal actions that our client has replaced by one."""
    ignored: int
    """Lines that answered no question."""
    slow: int
    """Answers that took longer than a player may think in a hand on average."""
    late: int
    """Decisions that our client has given up."""
    errors: int
    """Failures inside the player that our client has seen to."""
    p50_ms: float
    p99_ms: float
    slowest_ms: float

    @property
    def faults(self) -> int:
        """All that was not as it should be."""
        return self.corrected + self.illegal + self.ignored + self.slow + self.late + self.errors


_FAULTS = ("player_errors", "illegal_actions", "late_actions")


def read_play_statistics(names: Sequence[str], seatings: Iterable[PlayedSeating]) -> dict[str, PlayStatistics]:
    """Adds up what is known about the players of a match.

    :param names: in the order of the plan.
    :returns: the players anything is known about.
    :raises InputError: if a report or a record is damaged.
    """
    statistics = {name: PlayStatistics() for name in names}
    reported: set[str] = set()
    answered: Counter[str] = Counter()
    for seating in seatings:
        for name, path in zip(names, seating.reports, strict=True):
            if path.exists():
                reported.add(name)
                add_report(statistics[name], path)
        if seating.answers is not None and seating.answers.exists():
            _add_answers(statistics, answered, seating.answers, seating.log.stem)
    for name, one in statistics.items():
        if name not in reported and one.answers is not None:
            one.times, one.hands = one.answers.times, answered[name]
    return {name: one for name, one in statistics.items() if name in reported or one.answers is not None}


def add_report(statistics: PlayStatistics, path: Path) -> None:
    """Adds the report of one of our clients.

    :raises InputError: if it is not what :meth:`agent.client.Client.report` writes.
    """
    try:
        report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        statistics.decisions += report["decisions"]
        statistics.hands += report["hands"]
        statistics.faults.update({fault: report[fault] for fault in _FAULTS if report[fault]})
        statistics.layers.update(report["player"].get("layers", {}))
        statistics.times.merge(DecisionTimes.from_dict(report["decision_ms"]))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError(f"not a match report: {error!r}", source=str(path)) from error


def _add_answers(statistics: Mapping[str, PlayStatistics], answered: Counter[str], path: Path, seating: str) -> None:
    record = read_answers(path)
    for seat in record.seats:
        if seat.name not in statistics:
            raise InputError(f"has the answers of {seat.name!r}, who does not play here", source=str(path))
        one = statistics[seat.name]
        if one.answers is None:
            one.answers = SeatAnswers(seat.name)
        one.answers.add(seat)
        answered[seat.name] += record.hands
        one.warnings += [(seating, warning) for warning in record.warnings if warning.name == seat.name]


def summarise(name: str, statistics: PlayStatistics) -> AnswerSummary:
    """Returns the figures of a player for tables and files."""
    counted = statistics.answers or SeatAnswers(name)
    faults, times = statistics.faults, statistics.times
    return AnswerSummary(
        agent=name,
        hands=statistics.hands,
        answers=counted.answers or statistics.decisions,
        corrected=counted.corrected,
        illegal=counted.illegal + faults["illegal_actions"],
        ignored=counted.ignored,
        slow=counted.slow,
        late=faults["late_actions"],
        errors=faults["player_errors"],
        p50_ms=times.percentile_ms(None, 0.5),
        p99_ms=times.percentile_ms(None, 0.99),
        slowest_ms=counted.slowest_ms if statistics.answers is not None else math.nan,
    )
