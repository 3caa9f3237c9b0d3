"""Stores the results of local best response, so that a long measurement can go on where it stopped.

The file has JSON lines. The first line says what is measured, and every further line holds a block of pairs. A last
line without line end was left by a killed program. It is dropped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hedgehog.analysis.lbr.match import LbrBlock, LbrJob
from hedgehog.analysis.results_file import ResultsFile
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.input_files import read_file
from hedgehog.runtime.validation import first_complaint

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
    cpu_seconds: _Number = Field(ge=0)
    pairs: list[tuple[_Hand, _Hand]] = Field(min_length=1)


_START = b'{"player": '
"""The first bytes of every file. A file without a whole line is overwritten only if it begins with these bytes."""


class LbrResults:
    """The results file of one measurement. It is created when the first block is added."""

    def __init__(self, path: Path, job: LbrJob, game: str) -> None:
        """Reads the results that the file already holds, if it exists.

        :param job: the measurement. One file can hold several settings of it.
        :param game: name of the game definition.
        :raises InputError: if the file cannot be read, is not a results file, or belongs to another measurement.
        """
        wanted: dict[str, Any] = {
            "player": job.spec,
            "game": game,
            "seed": job.seed,
            "think_ms": job.think_ms,
            "threads": job.threads,
            "base": job.base,
        }
        self._file = ResultsFile(path, wanted)
        self._blocks: dict[str, list[LbrBlock]] = {}
        if not path.exists():
            return
        head, self._blocks, length = read_lbr_results(path)
        self._file.go_on(head, length)

    def blocks(self, setting: str) -> list[LbrBlock]:
        """Returns the blocks of a setting in the order in which they were added."""
        return list(self._blocks.get(setting, ()))

    def add(self, setting: str, block: LbrBlock) -> None:
        """Appends a block to the file.

        :raises ResourceError: if the file cannot be written.
        """
        line = {"setting": setting, **block._asdict(), "pairs": block.pairs.tolist()}
        self._file.append(line)
        self._blocks.setdefault(setting, []).append(block)


def read_lbr_results(path: Path) -> tuple[dict[str, Any], dict[str, list[LbrBlock]], int]:
    """Returns the contents of a results file.

    :returns: what was measured (empty if the file has no whole line yet), the blocks of each setting, and the number of
        bytes in whole lines.
    :raises InputError: if the file cannot be read or is not a results file.
    """
    data = read_file(path)
    length = data.rfind(b"\n") + 1
    if not length and data[: len(_START)] != _START[: len(data)]:
        raise InputError(
            "no results of local best response: expected a line that says what is measured", source=str(path)
        )
    head: dict[str, Any] = {}
    blocks: dict[str, list[LbrBlock]] = {}
    pairs: set[tuple[str, int]] = set()
    for number, line in enumerate(data[:length].split(b"\n")[:-1], 1):
        try:
            if number == 1:
                head = _Head.model_validate_json(line).model_dump()
            else:
                block = _Block.model_validate_json(line)
                found = LbrBlock(block.first, np.array(block.pairs), block.cpu_seconds)
                blocks.setdefault(block.setting, []).append(found)
                here = {(block.setting, block.first + i) for i in range(len(block.pairs))}
                if not pairs.isdisjoint(here):
                    raise InputError("a pair whose result stands above", source=str(path), line=number)
                pairs |= here
        except ValidationError as error:
            complaint = first_complaint(error, "the line")
            raise InputError(
                f"no results of local best response: {complaint}", source=str(path), line=number
            ) from error
    return head, blocks, length
