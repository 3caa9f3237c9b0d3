"""Stores the results of turns, so that a long measurement can go on where it stopped.

The file has JSON lines. The first line says what is measured, and every further line holds a turn. A last line without
line end was left by a killed program. It is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field

from hedgehog.analysis.endgame.measure import EndgameJob, SeatResult, TurnResult
from hedgehog.analysis.results_file import ResultsFile, ResultsFormat, results_of
from hedgehog.poker.cards import NUM_CARDS
from hedgehog.runtime.errors import InputError

_Number = Annotated[float, Field(allow_inf_nan=False)]
_Card = Annotated[int, Field(ge=0, lt=NUM_CARDS)]


class _Head(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    endgames_of: str
    game: str
    seed: int
    think_ms: int
    threads: int | None
    turn_sizes: str
    river_sizes: str
    value_iterations: int


class _Seat(BaseModel):
    model_config = ConfigDict(extra="forbid")
    gain: _Number
    loss: _Number | None
    lines: dict[str, _Number]


class _Turn(BaseModel):
    model_config = ConfigDict(extra="forbid")
    hand: int = Field(ge=0, lt=2**62)
    betting: str
    board: tuple[_Card, _Card, _Card, _Card]
    pot: int = Field(gt=0)
    seats: tuple[_Seat, _Seat]
    bracket: _Number | None
    questions: int = Field(ge=0)
    cpu_seconds: _Number | None = Field(default=None, ge=0)
    """In files from before the time was left out: it is never the same twice."""


_FORMAT: Final = ResultsFormat("turns", b'{"endgames_of": ', _Head, _Turn)


class EndgameResults:
    """The results file of one measurement. It is created when the first turn is added."""

    def __init__(self, path: Path, job: EndgameJob, game: str) -> None:
        """Reads the results that the file already holds, if it exists.

        :param game: name of the game definition.
        :raises InputError: if the file cannot be read, is not a results file, or belongs to another measurement.
        """
        wanted: dict[str, Any] = {
            "endgames_of": job.spec,
            "game": game,
            **{key: getattr(job, key) for key in _Head.model_fields if key not in ("endgames_of", "game")},
        }
        self._open(path, wanted)

    @classmethod
    def merged(cls, path: Path, sources: Sequence[Path]) -> Self:
        """Returns the results file at ``path`` with the turns of other files of the same measurement.

        Nothing is written yet.

        :raises InputError: if a file cannot be read or is not a results file, or they do not go together.
        """
        head, found = results_of(sources, read_endgame_results)
        merged = cls.__new__(cls)
        merged._open(path, head)
        for source, turns in found:
            for hand, turn in turns.items():
                if _line(merged.turns.setdefault(hand, turn)) != _line(turn):
                    raise InputError(
                        f"the turn of hand {hand} has another result than in a file before it", source=str(source)
                    )
        return merged

    def _open(self, path: Path, wanted: dict[str, Any]) -> None:
        self.path = path
        self._file = ResultsFile(path, wanted)
        self.turns: dict[int, TurnResult] = {}
        """By number of the hand."""
        if not path.exists():
            return
        head, self.turns, length = read_endgame_results(path)
        self._file.go_on(head, length)

    def add(self, turn: TurnResult) -> None:
        """Appends a turn to the file.

        :raises ResourceError: if the file cannot be written.
        """
        self._file.append(_line(turn))
        self.turns[turn.hand] = turn

    def settle(self) -> None:
        """Puts the turns of the file in the order of their hands, so that it does not tell who measured what when.

        :raises ResourceError: if the file cannot be written.
        """
        if self.turns:
            self._file.replace([_line(self.turns[hand]) for hand in sorted(self.turns)])


def _line(turn: TurnResult) -> dict[str, Any]:
    line = turn._asdict() | {"seats": [seat._asdict() for seat in turn.seats]}
    del line["cpu_seconds"]
    return line


def read_endgame_results(path: Path) -> tuple[dict[str, Any], dict[int, TurnResult], int]:
    """Returns the contents of a results file.

    :returns: what was measured (empty if the file has no whole line yet), the turns by number of the hand, and the
        number of bytes in whole lines.
    :raises InputError: if the file cannot be read or is not a results file.
    """
    turns: dict[int, TurnResult] = {}

    def take(found: _Turn) -> None:
        if found.hand in turns:
            raise InputError("a turn whose result stands above")
        first, second = (SeatResult(seat.gain, seat.loss, seat.lines) for seat in found.seats)
        content = {key: getattr(found, key) for key in _Turn.model_fields}
        turns[found.hand] = TurnResult(**content | {"seats": (first, second)})

    head, length = _FORMAT.read(path, take)
    return head, turns, length
