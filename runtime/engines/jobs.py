"""What a long task is made of: independent jobs, and the work that they belong to.

The result of a job depends only on the work's inputs and the job itself. So jobs can be done in any order and by any
process, and what is made of the results is the same byte for byte. If every result has a file of its own, an
interrupted task continues with the files that are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, Protocol

from hedgehog.runtime.errors import ResourceError
from hedgehog.runtime.folder_lock import locked_folder
from hedgehog.runtime.outputs import make_folder

STATUS_FILE: Final = "build.json"
"""File of the status of a task in the folder that the task writes to (:mod:`hedgehog.runtime.engines.status`)."""


class Job(Protocol):
    """One job. It can be hashed and pickled, and its text names it in messages."""

    @property
    def group(self) -> str:
        """Name of the jobs whose times are alike, apart from their costs."""

    @property
    def path(self) -> Path | None:
        """File of the result; None if results have no files and are handed to the caller alone."""


Worker = Callable[[Any], bytes]
"""A function that does a job and returns the content of its file."""


class Work(Protocol):
    """A task as far as the engine needs it. It is sent to the workers by pickle, once to each."""

    @property
    def work(self) -> Path | None:
        """The folder of the finished jobs and of the status; None if there is none."""

    @property
    def unit(self) -> str:
        """What one job is, for messages: ``flop``."""

    def open_worker(self) -> Worker:
        """Returns the function that does jobs; called once in every worker process."""

    def jobs(self) -> Sequence[Any]:
        """Returns all jobs in the order in which they are to be done."""

    def seconds(self, job: Any) -> float | None:
        """Returns the CPU time in seconds that a finished job took, None if the job is still to be done."""

    def needed_bytes(self, job: Any) -> int:
        """Returns the bytes of memory that a job needs, besides what every worker process needs."""

    def cost(self, job: Any) -> float:
        """Returns how much work a job is, compared with other jobs of its group."""

    @property
    def inputs_digest(self) -> str:
        """A digest of everything that the results depend on, apart from the program."""


def hold_work(folder: Path) -> AbstractContextManager[None]:
    """Returns a context that makes a work folder and keeps other processes from working in it.

    :raises ResourceError: if another process works in it.
    """
    return locked_folder(make_folder(folder), ResourceError(f"another process is working in {folder}"))
