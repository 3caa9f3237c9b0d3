"""What the builds of flop packs share: jobs, the files of their results, and the pack made of them.

A *job* is one flop class of one preflop line. Its result depends on the build's configuration and the flop class alone
and is one file in the work folder, whose path names both. So jobs can be done in any order and by any process
(:mod:`solver.packs.workers`), a build that was interrupted goes on with the files that are missing, and a pack is
assembled from the files alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from poker.cards import parse_cards
from poker.isomorphism import class_name, flop_class
from runtime.config_file import ConfigFile
from runtime.errors import InputError, PackError, ResourceError
from runtime.folder_lock import locked_folder

T = TypeVar("T")
Arrays = dict[str, NDArray[Any]]
Report = Callable[[str], None]
"""Takes a few words on how far a job is."""
Worker = Callable[["Job", Report], Arrays]
"""Does a job and returns the arrays of its file."""


@dataclass(frozen=True, slots=True)
class Job:
    """One flop class of one preflop line."""

    line: str
    """Name of the line, which is unique in the build."""
    flop_class: int
    path: Path
    """The file of the result."""

    def __str__(self) -> str:
        return f"{self.line} {class_name(3, self.flop_class)}"


class FlopBuild(Protocol):
    """A build of a flop pack, as the worker processes see it."""

    @property
    def work(self) -> Path:
        """The folder of the finished jobs."""

    def open_worker(self) -> Worker:
        """Prepares to do jobs. Called once in every worker process, to which the build is sent by pickle."""

    def jobs(self) -> list[Job]:
        """Returns all jobs in the order in which they are to be done; wherever it stops, every line is covered."""

    def seconds(self, job: Job) -> float | None:
        """Returns the time a finished job took, None if the job has to be done."""


def hold_work(folder: Path) -> AbstractContextManager[None]:
    """Makes a work folder and keeps other processes from building in it while the ``with`` block runs.

    :raises ResourceError: if another process builds in it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return locked_folder(folder, ResourceError(f"another process is building in {folder}"))


def verify_flops(file: ConfigFile[Any], key: str, texts: Sequence[str]) -> None:
    """Checks a configuration's list of flops such as ``Qh Jh 2c``.

    :param key: the key of the list in the file.
    :raises InputError: with file and line, if one is malformed or two are of the same class.
    """
    seen: dict[int, str] = {}
    for i, text in enumerate(texts):
        at = (key, str(i))
        index, _ = file.at(at, flop_class, file.at(at, parse_cards, text))
        if index in seen:
            raise file.fail(at, f"flops {seen[index]!r} and {text!r} are of the same class")
        seen[index] = text


def flop_classes(texts: Iterable[str]) -> list[int]:
    """Returns the class numbers of checked flops."""
    return [flop_class(parse_cards(text))[0] for text in texts]


def load_job(job: Job, read: Callable[[Job], T]) -> T | None:
    """Returns what ``read`` makes of a job's file; None if the file is missing or damaged.

    A damaged file, one that ``read`` raises :class:`~runtime.errors.InputError` for, is deleted.
    """
    if not job.path.exists():
        return None
    try:
        return read(job)
    except InputError:
        job.path.unlink(missing_ok=True)
        return None


def load_line(build: FlopBuild, line: str, read: Callable[[Job], T], *, partial: bool = False) -> list[tuple[int, T]]:
    """Returns the flop classes of a line, ascending, each with what ``read`` makes of its file.

    :param partial: leave out what is not finished.
    :raises PackError: if a job is not finished, without ``partial``.
    """
    mine = sorted((job for job in build.jobs() if job.line == line), key=lambda job: job.flop_class)
    loaded = [(job.flop_class, load_job(job, read)) for job in mine]
    finished = [(index, found) for index, found in loaded if found is not None]
    if len(finished) < len(mine) and not partial:
        what = f"line {line!r}: {len(mine) - len(finished)} of {len(mine)} flops are missing"
        raise PackError(what, source=str(build.work))
    return finished
