"""Jobs of the builds of flop packs, and the files of their results.

A *job* is one flop class of one preflop line. Its result depends only on the build's configuration and the flop class.
It is one file in the work folder, and its path names both. So jobs can be done in any order and by any process
(:mod:`hedgehog.runtime.engines.running`), an interrupted build continues with the files that are missing, and a pack is
assembled from the files alone.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import parse_cards
from hedgehog.poker.isomorphism import class_name, flop_class, flop_pattern, flop_representative
from hedgehog.runtime.config_file import ConfigFile
from hedgehog.runtime.engines.jobs import Work
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.runtime.files import real_path

T = TypeVar("T")
Arrays = dict[str, NDArray[Any]]
"""The arrays of a file, by name."""
_GOLDEN: Final = (5**0.5 - 1) / 2
_JOB_FILE: Final = re.compile(r"([a-z0-9_]{1,40}-)?[0-9]{4}\.npz")
Solve = Callable[["Job"], Arrays]
"""A function that does a job and returns the arrays of its file."""


@dataclass(frozen=True, slots=True)
class Job:
    """One flop class of one preflop line."""

    line: str
    """Name of the preflop line, unique in the build."""
    flop_class: int
    """Number of the flop class (:mod:`hedgehog.poker.isomorphism`)."""
    path: Path
    """File of the result."""

    @property
    def group(self) -> str:
        """The line: its flops take about the same time."""
        return self.line

    def __str__(self) -> str:
        return f"{self.line} {class_name(3, self.flop_class)}"


class FlopBuild(Work, Protocol):
    """The build of a flop pack."""

    @property
    def work(self) -> Path:
        """The folder of the finished jobs."""

    def jobs(self) -> list[Job]:
        """Returns all jobs in the order in which they are to be done, which gives every line its turn."""


def npz_bytes(arrays: Arrays) -> bytes:
    """Returns the content of a compressed .npz file."""
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def verify_work(build: FlopBuild, work: Path) -> None:
    """Checks that a folder of unfinished work belongs to a build.

    :param work: the folder that the user has named, which holds the build's own folders.
    :raises InputError: if it holds results of other configurations and none of this one.
    """
    own = {job.path.parent for job in build.jobs()}
    found = {path.parent for path in real_path(work).glob("*/*.npz") if _JOB_FILE.fullmatch(path.name)}
    if found and not found & {real_path(folder) for folder in own}:
        count = sum(1 for folder in found for path in folder.iterdir() if _JOB_FILE.fullmatch(path.name))
        raise InputError(
            f"holds {count} flops of another configuration and none of this one: expected another folder of work",
            source=str(work),
        )


def verify_flops(file: ConfigFile[Any], key: str, texts: Sequence[str]) -> None:
    """Checks the list of flops, such as ``Qh Jh 2c``, of a configuration.

    :param key: key of the list in the file.
    :param texts: the flops.
    :raises InputError: if a flop is malformed or two flops are of the same class; the message has file and line.
    """
    seen: dict[int, str] = {}
    for i, text in enumerate(texts):
        at = (key, str(i))
        index, _ = file.at(at, flop_class, file.at(at, parse_cards, text))
        if index in seen:
            raise file.fail(at, f"flops {seen[index]!r} and {text!r} are of the same class")
        seen[index] = text


def flop_classes(texts: Iterable[str]) -> list[int]:
    """Returns the class numbers of flops such as ``Qh Jh 2c``."""
    return [flop_class(parse_cards(text))[0] for text in texts]


def even_order(classes: Iterable[int]) -> list[int]:
    """Returns flop classes in an order of which every beginning is an even sample of all kinds of flops.

    The classes are sorted by their pattern of suits and pairs and then by number, and taken in steps of the golden
    ratio.
    """
    by_kind = sorted(classes, key=lambda index: (flop_pattern(flop_representative(index)), index))
    places = sorted(range(len(by_kind)), key=lambda place: (place * _GOLDEN) % 1.0)
    return [by_kind[place] for place in places]


def load_job(job: Job, read: Callable[[Job], T]) -> T | None:
    """Returns the result of ``read`` for a job's file, or None if the file is missing or damaged.

    A file is damaged if ``read`` raises :class:`~hedgehog.runtime.errors.InputError`. A damaged file is deleted.
    """
    if not job.path.exists():
        return None
    try:
        return read(job)
    except InputError:
        job.path.unlink(missing_ok=True)
        return None


def load_line(build: FlopBuild, line: str, read: Callable[[Job], T], *, partial: bool = False) -> list[tuple[int, T]]:
    """Returns the flop classes of a line, ascending, each with the result of ``read`` for its file.

    :param line: name of the line.
    :param partial: leave out jobs that are not finished.
    :raises PackError: if a job is not finished and ``partial`` is False.
    """
    mine = sorted((job for job in build.jobs() if job.line == line), key=lambda job: job.flop_class)
    loaded = [(job.flop_class, load_job(job, read)) for job in mine]
    finished = [(index, found) for index, found in loaded if found is not None]
    if len(finished) < len(mine) and not partial:
        what = f"line {line!r}: {len(mine) - len(finished)} of {len(mine)} flops are missing"
        raise PackError(what, source=str(build.work))
    return finished
