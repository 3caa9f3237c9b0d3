"""How the players of a match decided and answered, from the reports of players and the dealer's record of answers."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from hedgehog.agent.play_record import describe_failures
from hedgehog.arena.match import PlayedSeating
from hedgehog.dealer.answers import AnswerWarning, SeatAnswers, read_answers
from hedgehog.poker.decision_times import DecisionTimes
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.input_files import read_input


@dataclass(slots=True)
class PlayStatistics:
    """The decisions and answers of one player, all seatings together."""

    decisions: int = 0
    """Number of decisions, from the player's report; 0 for an external player, which writes no report."""
    faults: Counter[str] = field(default_factory=Counter)
    """Number of ``player_errors``, ``illegal_actions`` and ``late_actions`` in the player's report. Each was repaired.
    Kinds that did not occur are left out."""
    layers: Counter[str] = field(default_factory=Counter)
    """Number of decisions that came from each layer of the player."""
    times: DecisionTimes = field(default_factory=DecisionTimes)
    """Decision times from the player's report; for an external player, the times that the dealer measured."""
    hands: int = 0
    """Number of hands that the times and layers cover. Hands before an interruption of the match may be missing."""
    allowed_ms: float = 0.0
    """Thinking time that the player was allowed in these hands, from the report of a player that manages its time."""
    shortened: int = 0
    """Number of decisions for which the player took less time than usual, because little was left."""
    decision_limits_ms: set[float] = field(default_factory=set)
    """Limits of the thinking time per decision in these hands, from the reports of a player that manages its time."""
    strategy_bb: set[float] = field(default_factory=set)
    """Stacks, in big blinds, for which the strategy packs of Hedgehog's player were made."""
    answers: SeatAnswers | None = None
    """The dealer's counts of answers; None if the match was played without a dealer."""
    warnings: list[tuple[str, AnswerWarning]] = field(default_factory=list)
    """Repaired and dropped answers, each with the name of its seating."""
    failures: Counter[str] = field(default_factory=Counter)
    """What the errors and illegal actions in the reports were, one line each."""
    output: Path | None = None
    """File with all that the player has printed in the first seating with a failure."""

    def add(self, other: PlayStatistics) -> None:
        """Adds the statistics of the same player in another match."""
        self.decisions += other.decisions
        self.faults.update(other.faults)
        self.failures.update(other.failures)
        self.output = self.output or other.output
        self.layers.update(other.layers)
        self.times.merge(other.times)
        self.hands += other.hands
        self.allowed_ms += other.allowed_ms
        self.shortened += other.shortened
        self.decision_limits_ms |= other.decision_limits_ms
        self.strategy_bb |= other.strategy_bb
        self.warnings += other.warnings
        if other.answers is not None:
            self.answers = self.answers or SeatAnswers(other.answers.name)
            self.answers.add(other.answers)


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """The figures of one player's answers, for tables and files."""

    agent: str
    hands: int
    """Number of hands that the times cover."""
    answers: int
    corrected: int
    """Number of raises of a size out of range, which became the nearest legal raise."""
    illegal: int
    """Number of illegal actions, which the dealer or the client has replaced by a call."""
    ignored: int
    """Number of lines that answered no question."""
    slow: int
    """Number of answers that took longer than the average thinking time allowed per hand."""
    late: int
    """Number of decisions that the client has given up because they took too long."""
    errors: int
    """Number of errors inside the player, which the client has repaired."""
    p50_ms: float
    p99_ms: float
    slowest_ms: float
    hand_ms: float = math.nan
    """Thinking time per hand on average."""
    allowed_hand_ms: float = math.nan
    """Thinking time per hand that the player was allowed on average, of a player that manages its time."""
    shortened: int = 0
    """Number of decisions for which the player took less time than usual, because little was left."""
    failures: str = ""
    """What the errors and illegal actions inside the player were, most frequent first, and the file that has them all;
    empty if there were none, or the player writes no report."""
    strategy_bb: float = math.nan
    """Stacks, in big blinds, for which the strategy packs of Hedgehog's player were made."""

    @property
    def faults(self) -> int:
        """Total number of corrected, illegal, ignored, slow and late answers and errors."""
        return self.corrected + self.illegal + self.ignored + self.slow + self.late + self.errors


_FAULTS: Final = ("player_errors", "illegal_actions", "late_actions")


def read_play_statistics(names: Sequence[str], seatings: Iterable[PlayedSeating]) -> dict[str, PlayStatistics]:
    """Returns the statistics of the players of a match by name, from the files of its seatings.

    Players about whom nothing is known are left out.

    :param names: names of the players in the order of the plan.
    :param seatings: files of the seatings.
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
                if statistics[name].failures and statistics[name].output is None:
                    statistics[name].output = _output(seating, name)
        if seating.answers is not None and seating.answers.exists():
            _add_answers(statistics, answered, seating.answers, seating.log.stem)
    for name, one in statistics.items():
        if name not in reported and one.answers is not None:
            one.times, one.hands = one.answers.times, answered[name]
    return {name: one for name, one in statistics.items() if name in reported or one.answers is not None}


def _output(seating: PlayedSeating, name: str) -> Path | None:
    """Returns the file with what a player has printed; None if there is none."""
    own = seating.log.with_name(f"{seating.log.stem}.{name}.out")
    return next((path for path in (own, seating.log.with_suffix(".table.err")) if path.exists()), None)


def add_report(statistics: PlayStatistics, path: Path) -> None:
    """Adds a report of a player to its statistics.

    :param statistics: the statistics, updated in place.
    :param path: a report file, which :meth:`hedgehog.agent.acpc.client.Client.report` describes.
    :raises InputError: if the file is not such a report.
    """
    try:
        report: dict[str, Any] = json.loads(read_input(path))
        statistics.decisions += report["decisions"]
        statistics.hands += report["hands"]
        statistics.faults.update({fault: report[fault] for fault in _FAULTS if report[fault]})
        statistics.failures.update({str(one): int(count) for one, count in report.get("failures", {}).items()})
        statistics.layers.update(report["player"].get("layers", {}))
        statistics.times.merge(DecisionTimes.from_dict(report["decision_ms"]))
        if (depth := report["player"].get("strategy_bb")) is not None:
            statistics.strategy_bb.add(float(depth))
        if (think_time := report["player"].get("think_time")) is not None:
            statistics.allowed_ms += float(think_time["average_ms"]) * report["hands"]
            statistics.shortened += int(think_time["shortened"])
            if "decision_ms" in think_time:  # older reports lack it
                statistics.decision_limits_ms.add(float(think_time["decision_ms"]))
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
    """Returns the figures of one player's answers, for tables and files."""
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
        hand_ms=times.total_ms() / statistics.hands if statistics.hands and times.streets() else math.nan,
        allowed_hand_ms=statistics.allowed_ms / statistics.hands if statistics.allowed_ms else math.nan,
        shortened=statistics.shortened,
        failures=_describe_failures(statistics),
        strategy_bb=next(iter(statistics.strategy_bb)) if len(statistics.strategy_bb) == 1 else math.nan,
    )


def _describe_failures(statistics: PlayStatistics) -> str:
    return describe_failures(statistics.failures) + (f" (see {statistics.output})" if statistics.output else "")
