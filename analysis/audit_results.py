"""Stores the boards of a fold audit, so that a long audit can go on where it stopped.

The file has JSON lines. The first line says what is audited, and every further line holds a board. A last line without
line end was left by a killed program. It is dropped. A finished file depends on the results alone, and not on how many
processes or machines there were, or how often the audit was interrupted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field

from hedgehog.agent.spec_files import spec_digest
from hedgehog.analysis.audit_bets import AuditJob, BetSample, BoardSamples, ProbeBet
from hedgehog.analysis.results_file import ResultsFile, ResultsFormat, results_of
from hedgehog.runtime.errors import InputError

_Share = Annotated[float, Field(ge=0, le=1 + 1e-6, allow_inf_nan=False)]
_Chips = Annotated[int, Field(gt=0, lt=2**62)]
_Street = Annotated[int, Field(ge=0, le=3)]
_Seat = Annotated[int, Field(ge=0, le=1)]


class _Head(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    audit_of: str
    """Specification of the player."""
    packs: str
    """Digest of the player with its packs."""
    seed: int
    think_ms: int


class _Board(BaseModel):
    model_config = ConfigDict(extra="forbid")
    board: int = Field(ge=0, lt=2**31)
    """Its number."""
    bets: list[tuple[_Seat, str, str, bool, _Street, _Share, _Share, _Chips, _Chips]]
    """The fields of a bet and of its sample."""


_FORMAT: Final = ResultsFormat("an audit", b'{"audit_of": ', _Head, _Board)


class AuditResults:
    """The results file of one audit. It is created when the first board is added."""

    def __init__(self, path: Path, job: AuditJob) -> None:
        """Reads the boards that the file already holds, if it exists.

        :raises InputError: if the file cannot be read, is not a results file, or belongs to another audit.
        """
        packs = spec_digest(job.spec.for_game(job.gamedef))
        self._open(path, {"audit_of": job.spec.text, "packs": packs, "seed": job.seed, "think_ms": job.think_ms})

    @classmethod
    def merged(cls, path: Path, sources: Sequence[Path]) -> Self:
        """Returns the results file at ``path`` with the boards of the parts of one audit.

        Nothing is written yet.

        :raises InputError: if a file cannot be read or is not a results file, or they do not go together: they belong
            to different audits, two have a board in common, or a board before the last one is in none.
        """
        head, found = results_of(sources, read_audit_results)
        merged = cls.__new__(cls)
        merged._open(path, head)
        holders: dict[int, Path] = {}
        for source, boards in found:
            for number, samples in boards.items():
                if holders.setdefault(number, source) is not source:
                    raise InputError(
                        f"holds board {number} as {holders[number]} does: expected parts without a board in common",
                        source=str(source),
                    )
                if merged.boards.setdefault(number, samples) != samples:
                    raise InputError(f"board {number} has another result than in {path}", source=str(source))
        missing = [number for number in range(max(merged.boards, default=0)) if number not in merged.boards]
        if missing:
            more = f" and {len(missing) - 1} more are" if len(missing) > 1 else " is"
            raise InputError(f"board {missing[0]}{more} in none of the files: expected all parts", source="--merge")
        return merged

    def _open(self, path: Path, wanted: dict[str, Any]) -> None:
        self.path = path
        self.boards: dict[int, BoardSamples] = {}
        """By number of the board."""
        self._file = ResultsFile(path, wanted)
        if path.exists():
            head, self.boards, length = read_audit_results(path)
            self._file.go_on(head, length)

    def add(self, number: int, samples: BoardSamples) -> None:
        """Appends a board to the file.

        :raises ResourceError: if the file cannot be written.
        """
        self._file.append(_line(number, samples))
        self.boards[number] = samples

    def settle(self) -> None:
        """Puts the boards of the file in order, so that it does not tell who audited what when.

        :raises ResourceError: if the file cannot be written.
        """
        if self.boards:
            self._file.replace([_line(number, self.boards[number]) for number in sorted(self.boards)])


def _line(number: int, samples: BoardSamples) -> dict[str, Any]:
    return {"board": number, "bets": [[*bet, *sample] for bet, sample in samples]}


def read_audit_results(path: Path) -> tuple[dict[str, Any], dict[int, BoardSamples], int]:
    """Returns the contents of a results file.

    :returns: what was audited (empty if the file has no whole line yet), the boards by their number, and the number of
        bytes in whole lines.
    :raises InputError: if the file cannot be read or is not a results file.
    """
    boards: dict[int, BoardSamples] = {}

    def take(found: _Board) -> None:
        if found.board in boards:
            raise InputError("a board whose result stands above")
        boards[found.board] = [
            (ProbeBet(position, line, bet, is_raise, street), BetSample(reach, fold, risk, pot))
            for position, line, bet, is_raise, street, reach, fold, risk, pot in found.bets
        ]

    head, length = _FORMAT.read(path, take)
    return head, boards, length
