"""Stores the AIVAT values of hands, so that a long measurement can go on where it stopped, on any machine.

The file has JSON lines. The first line says what is measured: the hands and the players by their digests. Every further
line holds the values of consecutive hands. A finished file depends on the values alone, and not on how many processes
or machines there were, or how often the measurement was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field

from hedgehog.analysis.aivat.blocks import ScoredHand, blocks_of
from hedgehog.analysis.results_file import ResultsFile, ResultsFormat, results_of
from hedgehog.runtime.errors import InputError

_Number = Annotated[float, Field(allow_inf_nan=False)]


class _Head(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    aivat_of: int = Field(ge=1)
    """Number of hands."""
    hands: str
    """Digest of the hands."""
    players: dict[str, str]
    """Specifications of the players that are asked, by their names in the logs."""
    packs: dict[str, str]
    """Digests of the same players with their packs."""
    records: str
    """Digest of the decisions that were recorded."""


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid")
    first: int = Field(ge=0, lt=2**62)
    """Number of the first hand."""
    chips: list[_Number] = Field(min_length=1)
    """Values of position 0, hand by hand."""
    others: list[tuple[_Number, ...]] = []
    """Values of the further positions, hand by hand, in games for more than two players; empty for two."""
    missing: dict[int, dict[str, Annotated[int, Field(ge=1, lt=2**31)]]] = {}
    """By number of the hand the decisions that the record of a player lacks."""


_FORMAT: Final = ResultsFormat("AIVAT", b'{"aivat_of": ', _Head, _Block)


class AivatResults:
    """The results file of one measurement. It is created when the first block is added."""

    def __init__(self, path: Path, head: dict[str, Any]) -> None:
        """Reads the values that the file already holds, if it exists.

        :param head: what is measured (:attr:`hedgehog.analysis.aivat.logs.AivatLogs.head`).
        :raises InputError: if the file cannot be read, is not a results file, or belongs to another measurement.
        """
        self.path = path
        self.head = head
        self.hands: dict[int, ScoredHand] = {}
        """The values so far, by number of the hand."""
        self._file = ResultsFile(path, head)
        if path.exists():
            found, self.hands, length = read_aivat_results(path)
            self._file.go_on(found, length)

    @classmethod
    def merged(cls, path: Path, sources: Sequence[Path]) -> Self:
        """Returns the results file at ``path`` with the values of other files of the same measurement.

        Nothing is written yet.

        :raises InputError: if a file cannot be read or is not a results file, or they do not go together.
        """
        head, found = results_of(sources, read_aivat_results)
        merged = cls(path, head)
        for source, hands in found:
            for number, hand in hands.items():
                if merged.hands.setdefault(number, hand) != hand:
                    raise InputError(f"hand {number} has another value than in a file before it", source=str(source))
        return merged

    @property
    def missing(self) -> int:
        """Number of hands without a value."""
        total: int = self.head["aivat_of"]
        return total - len(self.hands)

    def add(self, first: int, hands: Sequence[ScoredHand]) -> None:
        """Appends the values of consecutive hands to the file.

        :param first: number of the first of them.
        :raises ResourceError: if the file cannot be written.
        """
        found = dict(enumerate(hands, first))
        for line in _lines(found):
            self._file.append(line)
        self.hands |= found

    def settle(self) -> None:
        """Puts the lines of the file in order, so that it does not tell who scored what when.

        :raises ResourceError: if the file cannot be written.
        """
        if self.hands:
            self._file.replace(list(_lines(self.hands)))


def _lines(hands: dict[int, ScoredHand]) -> Iterable[dict[str, Any]]:
    for first, end in blocks_of(sorted(hands)):
        missing = {str(number): hands[number].missing for number in range(first, end) if hands[number].missing}
        line: dict[str, Any] = {"first": first, "chips": [hands[number].chips for number in range(first, end)]}
        if any(hands[number].others for number in range(first, end)):
            line["others"] = [list(hands[number].others) for number in range(first, end)]
        yield line | ({"missing": missing} if missing else {})


def read_aivat_results(path: Path) -> tuple[dict[str, Any], dict[int, ScoredHand], int]:
    """Returns the contents of a results file.

    :returns: what was measured (empty if the file has no whole line yet), the values by number of the hand, and the
        number of bytes in whole lines.
    :raises InputError: if the file cannot be read or is not a results file.
    """
    hands: dict[int, ScoredHand] = {}

    def take(block: _Block) -> None:
        if block.others and len(block.others) != len(block.chips):
            raise InputError(f"no results of AIVAT: {len(block.others)} hands have values of further positions")
        found = {
            block.first + i: ScoredHand(chips, block.missing.pop(block.first + i, {}), others)
            for i, (chips, others) in enumerate(zip(block.chips, block.others or repeat(()), strict=False))
        }
        if block.missing:
            raise InputError(f"no results of AIVAT: hand {min(block.missing)} is not in this line")
        if not hands.keys().isdisjoint(found):
            raise InputError("a hand whose value stands above")
        hands.update(found)

    head, length = _FORMAT.read(path, take)
    if max(hands, default=0) >= head.get("aivat_of", 1):
        raise InputError(f"no results of AIVAT: there is no hand {max(hands)}", source=str(path))
    return head, hands, length
