"""Stores the results of local best response, so that a long measurement can go on where it stopped.

The file has JSON lines. The first line says what is measured, and every further line holds a block of pairs. A last
line without line end was left by a killed program. It is dropped. A finished file depends on the results alone, and not
on how many processes or machines there were, or how often the measurement was interrupted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from hedgehog.analysis.lbr.match import LbrBlock, LbrJob
from hedgehog.analysis.results_file import ResultsFile, ResultsFormat, results_of
from hedgehog.runtime.errors import InputError

_Number = Annotated[float, Field(allow_inf_nan=False)]
_Hand = tuple[_Number, _Number, _Number]


class _Head(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    player: str
    game: str
    seed: int
    think_ms: int
    threads: int | None
    base: Literal["call", "self"] = "call"


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid")
    setting: str
    first: int = Field(ge=0, lt=2**62)
    cpu_seconds: _Number | None = Field(default=None, ge=0)
    """In files from before the time was left out: it is never the same twice."""
    pairs: list[tuple[_Hand, _Hand]] = Field(min_length=1)


LINE_PAIRS: Final = 25
"""Pairs in a line of a file that is in order."""
_FORMAT: Final = ResultsFormat("local best response", b'{"player": ', _Head, _Block)


class LbrResults:
    """The results file of one measurement. It is created when the first block is added."""

    def __init__(self, path: Path, job: LbrJob, game: str) -> None:
        """Reads the results that the file already holds, if it exists.

        :param job: the measurement. One file can hold several settings of it.
        :param game: name of the game definition.
        :raises InputError: if the file cannot be read, is not a results file, or belongs to another measurement.
        """
        self._open(
            path,
            {
                "player": job.spec,
                "game": game,
                "seed": job.seed,
                "think_ms": job.think_ms,
                "threads": job.threads,
                "base": job.base,
            },
        )

    @classmethod
    def merged(cls, path: Path, sources: Sequence[Path]) -> Self:
        """Returns the results file at ``path`` with the results of other files of the same measurement.

        Nothing is written yet.

        :raises InputError: if a file cannot be read or is not a results file, or they do not go together.
        """
        head, found = results_of(sources, read_lbr_results)
        merged = cls.__new__(cls)
        merged._open(path, head)
        for source, blocks in found:
            merged._merge(source, blocks)
        return merged

    def _open(self, path: Path, head: dict[str, Any]) -> None:
        self.path = path
        self.head = head
        """What is measured."""
        self._file = ResultsFile(path, head)
        self._blocks: dict[str, list[LbrBlock]] = {}
        if not path.exists():
            return
        found, self._blocks, length = read_lbr_results(path)
        self._file.go_on(found, length)

    @property
    def settings(self) -> list[str]:
        """The settings of which there are results, by name."""
        return sorted(self._blocks)

    def blocks(self, setting: str) -> list[LbrBlock]:
        """Returns the blocks of a setting in the order of their pairs."""
        return sorted(self._blocks.get(setting, ()), key=lambda block: block.first)

    def add(self, setting: str, block: LbrBlock) -> None:
        """Appends a block to the file.

        :raises ResourceError: if the file cannot be written.
        """
        self._file.append(_line(setting, block.first, block.pairs.tolist()))
        self._blocks.setdefault(setting, []).append(block)

    def settle(self) -> None:
        """Puts the lines of the file in order, so that it does not tell who played what when.

        Settings come by name, and their pairs in lines of at most :data:`LINE_PAIRS` from a multiple of that on.

        :raises ResourceError: if the file cannot be written.
        """
        lines = []
        for setting in sorted(self._blocks):
            results = {
                block.first + i: pair for block in self._blocks[setting] for i, pair in enumerate(block.pairs.tolist())
            }
            start: int | None = None
            for pair in sorted(results):
                if start is None or pair % LINE_PAIRS == 0 or pair - 1 not in results:
                    start = pair
                    lines.append(_line(setting, start, []))
                lines[-1]["pairs"].append(results[pair])
        if lines:
            self._file.replace(lines)

    def _merge(self, path: Path, found: dict[str, list[LbrBlock]]) -> None:
        """Adds the results of another file of the same measurement, without writing them yet.

        :raises InputError: if it has another result of a pair.
        """
        for setting, blocks in found.items():
            known = {
                block.first + i: pair for block in self._blocks.get(setting, ()) for i, pair in enumerate(block.pairs)
            }
            for block in blocks:
                new = [i for i in range(len(block.pairs)) if block.first + i not in known]
                for i in set(range(len(block.pairs))) - set(new):
                    if not np.array_equal(known[block.first + i], block.pairs[i]):
                        raise InputError(
                            f"pair {block.first + i} of {setting} has another result than in a file before it",
                            source=str(path),
                        )
                mine = self._blocks.setdefault(setting, [])
                mine += [LbrBlock(block.first + i, block.pairs[i : i + 1]) for i in new]


def _line(setting: str, first: int, pairs: list[Any]) -> dict[str, Any]:
    return {"setting": setting, "first": first, "pairs": pairs}


def read_lbr_results(path: Path) -> tuple[dict[str, Any], dict[str, list[LbrBlock]], int]:
    """Returns the contents of a results file.

    :returns: what was measured (empty if the file has no whole line yet), the blocks of each setting, and the number of
        bytes in whole lines.
    :raises InputError: if the file cannot be read or is not a results file.
    """
    blocks: dict[str, list[LbrBlock]] = {}
    pairs: set[tuple[str, int]] = set()

    def take(block: _Block) -> None:
        found = LbrBlock(block.first, np.array(block.pairs), block.cpu_seconds)
        blocks.setdefault(block.setting, []).append(found)
        here = {(block.setting, block.first + i) for i in range(len(block.pairs))}
        if not pairs.isdisjoint(here):
            raise InputError("a pair whose result stands above")
        pairs.update(here)

    head, length = _FORMAT.read(path, take)
    return head, blocks, length
