"""How every seat of a match answered: decision times, and the answers that the dealer repaired or dropped.

The dealer counts, so the counts exist for every client program. The warnings have the words of the official ACPC
dealer, which do not name the seat.

* A *corrected* answer was a raise of a size out of range. It became the nearest legal raise.
* An *illegal* answer became a call.
* An *ignored* line answered no question.
* A *slow* answer took longer than a fixed limit (:attr:`AnswerRecord.slow_ms`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from hedgehog.dealer.response import BAD_STATE, ROUND_TOO_LONG, UNREQUESTED
from hedgehog.poker.decision_times import DecisionTimes
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError, MatchError, ResourceError
from hedgehog.runtime.files import write_text_file
from hedgehog.runtime.input_files import read_file

_KIND: Final = "answers"
_FORMAT: Final = f"hedgehog.{_KIND}"
VERSION: Final = 1
MOST_WARNINGS: Final = 100
"""Number of warnings that a record keeps. All further warnings are only counted."""
_SHOWN_LINE: Final = 300
"""Number of characters of a client's line that are kept with its warning."""
_US_PER_MS: Final = 1000
_COUNTS: Final = ("answers", "corrected", "illegal", "ignored", "slow")
"""The fields of :class:`SeatAnswers` that are counts."""


@dataclass(slots=True)
class SeatAnswers:
    """The answers of one seat, as counts and times."""

    name: str
    answers: int = 0
    """Answers that became an action."""
    corrected: int = 0
    """Raises of a size out of range, which became the nearest legal raise."""
    illegal: int = 0
    """Answers that became a call because they were no legal action."""
    ignored: int = 0
    """Lines that became no action."""
    slow: int = 0
    """Answers that took longer than :attr:`AnswerRecord.slow_ms`."""
    slowest_ms: float = 0.0
    """Time of the slowest answer in milliseconds."""
    times: DecisionTimes = field(default_factory=DecisionTimes)
    """Times from the moment the seat was asked to the moment its answer was read."""

    def add(self, other: SeatAnswers) -> None:
        """Adds the counts and times of another record of the same player, for example from another seating."""
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.slowest_ms = max(self.slowest_ms, other.slowest_ms)
        self.times.merge(other.times)

    def as_dict(self) -> dict[str, object]:
        """Returns the counts as JSON-serialisable values."""
        return {
            "name": self.name,
            **{name: getattr(self, name) for name in _COUNTS},
            "slowest_ms": round(self.slowest_ms, 3),
            "decision_ms": self.times.as_dict(),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SeatAnswers:
        """Returns the counts that :meth:`as_dict` has turned into plain values.

        :raises ValueError, KeyError, TypeError: if the values are damaged.
        """
        return cls(
            name=str(values["name"]),
            **{name: int(values[name]) for name in _COUNTS},
            slowest_ms=float(values["slowest_ms"]),
            times=DecisionTimes.from_dict(values["decision_ms"]),
        )


@dataclass(frozen=True, slots=True)
class AnswerWarning:
    """One answer that was repaired or dropped."""

    seat: int
    """Number of the seat, from 1."""
    name: str
    """Name of the player in the seat."""
    hand: int
    """Number of the hand, from 0."""
    warning: str
    """The dealer's warning, one of the texts of :mod:`hedgehog.dealer.response`."""
    line: str
    """What the client sent. Of a long line only the beginning is kept."""
    action: str
    """The action that was performed instead; empty if the line was dropped."""


@dataclass(slots=True)
class AnswerRecord:
    """The answers of all seats in one seating of a match."""

    hands: int = 0
    """Finished hands that the counts cover."""
    slow_ms: int = 0
    """Limit in milliseconds. An answer that took longer counts as slow."""
    seats: list[SeatAnswers] = field(default_factory=list)
    """One entry per seat, in seat order."""
    warnings: list[AnswerWarning] = field(default_factory=list)
    """The first :data:`MOST_WARNINGS` warnings of the seating."""


class AnswerBook:
    """Counts the answers of one seating while it is played, and saves the counts to a file."""

    def __init__(
        self, path: Path, names: Sequence[str], *, slow_ms: int, head: Mapping[str, Any] | None = None
    ) -> None:
        """Prepares an empty book; nothing is written yet.

        :param path: file that :meth:`save` writes.
        :param names: names of the players, one per seat.
        :param slow_ms: an answer that takes longer than this number of milliseconds counts as slow.
        :param head: further entries of the file that describe the match: game, seed, players.
        """
        self.path = path
        self.record = AnswerRecord(slow_ms=slow_ms, seats=[SeatAnswers(name) for name in names])
        self._head = dict(head or {})
        # Per seat and round: microseconds -> number of answers that took as long. A dict entry per answer is cheaper
        # than a histogram entry; the histograms are filled when the book is saved.
        self._raw: list[list[dict[int, int]]] = [[{}, {}, {}, {}] for _ in names]

    def go_on(self, earlier: AnswerRecord, hands: int) -> None:
        """Continues the counts of an interrupted match.

        Nothing happens if the earlier counts have other names or cover more hands than the match has finished.

        :param earlier: the counts that the interrupted match has saved.
        :param hands: number of hands that the interrupted match has finished.
        """
        if [seat.name for seat in earlier.seats] != [seat.name for seat in self.record.seats] or earlier.hands > hands:
            return
        self.record = AnswerRecord(earlier.hands, self.record.slow_ms, earlier.seats, earlier.warnings)

    def answered(self, seat: int, betting_round: int, spent_us: int) -> None:
        """Notes an answer that became an action.

        :param seat: index of the seat, from 0.
        :param betting_round: index of the betting round, from 0.
        :param spent_us: thinking time in microseconds.
        """
        counts = self._raw[seat][betting_round]
        counts[spent_us] = counts.get(spent_us, 0) + 1

    def warned(self, seat: int, hand_id: int, warning: str, line: str, action: str) -> None:
        """Notes that an answer was repaired or dropped.

        :param seat: index of the seat, from 0.
        :param hand_id: number of the hand, from 0.
        :param warning: one of the texts of :mod:`hedgehog.dealer.response`.
        :param line: what the client sent.
        :param action: the action that was performed instead; empty if the line was dropped.
        """
        counted = self.record.seats[seat]
        if warning in (BAD_STATE, UNREQUESTED):
            counted.ignored += 1
        elif warning.startswith("raise of "):
            counted.corrected += 1
        elif warning != ROUND_TOO_LONG:  # ROUND_TOO_LONG is always followed by a warning that counts
            counted.illegal += 1
        if len(self.record.warnings) < MOST_WARNINGS:
            shown = line.rstrip("\r\n")[:_SHOWN_LINE]
            self.record.warnings.append(AnswerWarning(seat + 1, counted.name, hand_id, warning, shown, action))

    def finish_hand(self) -> None:
        """Notes that a hand is finished."""
        self.record.hands += 1

    def _fold(self) -> None:
        slow_us = self.record.slow_ms * _US_PER_MS
        for seat, rounds in zip(self.record.seats, self._raw, strict=True):
            for betting_round, counts in enumerate(rounds):
                for spent_us, count in counts.items():
                    seat.answers += count
                    seat.slow += count if spent_us > slow_us else 0
                    seat.slowest_ms = max(seat.slowest_ms, spent_us / _US_PER_MS)
                    seat.times.add(betting_round, spent_us / _US_PER_MS, count)
                counts.clear()

    def save(self, *, sync: bool = True) -> None:
        """Writes the counts so far to the file of the book.

        :param sync: wait until the file is on the disk. A running match does not wait.
        :raises MatchError: if the file cannot be written.
        """
        self._fold()
        record = self.record
        values = json_document(
            _KIND,
            version=VERSION,
            **self._head,
            hands=record.hands,
            slow_ms=record.slow_ms,
            seats=[{"seat": number, **seat.as_dict()} for number, seat in enumerate(record.seats, 1)],
            warnings=[asdict(one) for one in record.warnings],
        )
        try:
            write_text_file(self.path, json.dumps(values, indent=1) + "\n", sync=sync)
        except ResourceError as error:
            raise MatchError(str(error)) from error


def read_answers(path: Path) -> AnswerRecord:
    """Returns the record of answers in a file that :meth:`AnswerBook.save` has written.

    :raises InputError: if the file cannot be read or is damaged.
    """
    text = read_file(path)
    try:
        values = json.loads(text)
        if values["format"] != _FORMAT or values["version"] != VERSION:
            raise ValueError(f"expected {_FORMAT} of version {VERSION}")
        return AnswerRecord(
            hands=int(values["hands"]),
            slow_ms=int(values["slow_ms"]),
            seats=[SeatAnswers.from_dict(seat) for seat in values["seats"]],
            warnings=[
                AnswerWarning(
                    int(one["seat"]),
                    str(one["name"]),
                    int(one["hand"]),
                    *(str(one[key]) for key in ("warning", "line", "action")),
                )
                for one in values["warnings"]
            ],
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError(f"not a record of answers: {error!r}", source=str(path)) from error
