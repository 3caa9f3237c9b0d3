"""The status of a run, which the client keeps in the folder of the work for other shells."""

from __future__ import annotations

import dataclasses
import json
import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import TypeAdapter, ValidationError

from hedgehog.runtime.documents import json_document
from hedgehog.runtime.engines.jobs import STATUS_FILE
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import write_text_file
from hedgehog.runtime.folder_lock import is_locked
from hedgehog.runtime.input_files import read_file

MAX_BYTES: Final = 1 << 24
HEARD_S: Final = 60.0
"""Seconds since the last word of a client on another machine until it is taken to be dead."""
_FORMAT: Final = "jobs"


@dataclass(frozen=True, slots=True)
class RunningJob:
    """A job that has been handed out."""

    job: str
    since: float
    """When it was handed out, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How far a run is."""

    token: str
    """Names this run. A worker that can read it shares the folder."""
    state: Literal["starting", "running", "finished", "interrupted", "stopped"] | str
    """``stopped`` is the end by an error."""
    message: str
    """The error; empty if there was none."""
    host: str
    process: int
    started: float
    """In seconds since 1970, as ``updated``."""
    updated: float
    engine: str
    workers: int
    dashboard: str | None
    done: int
    total: int
    running: list[RunningJob]
    failed: dict[str, str]
    """The reasons, by job."""
    per_hour: float
    """Jobs finished per hour in this run."""
    cpu_seconds: dict[str, float]
    """Mean CPU seconds of a job, by group."""
    remaining_seconds: float | None
    """Seconds until the end with the workers of the moment; None if it is not known."""
    worker_bytes: int
    """Most bytes of memory that any worker has used."""
    start_seconds: float = 0.0
    """CPU seconds of all workers for their inputs and for compiling, which are no time of jobs."""
    waiting: str = ""
    """What the run waits for, such as a scheduler that does not answer; empty if for nothing."""
    notes: list[str] = dataclasses.field(default_factory=list)
    """Workers that were left out, and other things to know, the last one last."""
    unit: str = "flop"
    """What one job is."""

    @classmethod
    def of_this_process(cls, token: str, state: str, message: str, *, started: float, **more: Any) -> Self:
        """Returns the status of a run of this process at this moment.

        :param more: the other values.
        """
        host, process, now = socket.gethostname(), os.getpid(), time.time()
        return cls(
            token=token,
            state=state,
            message=message,
            host=host,
            process=process,
            started=started,
            updated=now,
            **more,
        )

    def to_json(self) -> dict[str, Any]:
        """Returns the status as a JSON document."""
        return json_document(_FORMAT, **dataclasses.asdict(self))

    def is_alive(self, target: Path) -> bool:
        """Returns whether the client of a run still works.

        On its own machine the lock of the folder or file tells. From another machine, which may not see locks, a
        client that works has been heard of within a minute.

        :param target: the folder or file that it writes to.
        """
        if target.exists() and is_locked(target):
            return True
        return self.host != socket.gethostname() and self.is_heard_of()

    def is_heard_of(self) -> bool:
        """Returns whether the client says that it works, and said so within a minute."""
        return self.state in ("starting", "running") and time.time() - self.updated < HEARD_S


_CHECKED: Final = TypeAdapter(RunStatus)


def status_file(target: Path) -> Path:
    """Returns the file of the status of a task, which is there while the task runs and after it was broken off.

    :param target: the folder or the file that the task writes to. The status of a file lies beside it.
    """
    return target / STATUS_FILE if target.is_dir() else target.with_name(f"{target.name}.status")


def find_status(target: Path) -> RunStatus:
    """Returns the status of the task that writes to a folder or file.

    :raises InputError: if there is no status, or it is damaged.
    """
    path = status_file(target)
    if not path.is_file():
        if target.exists() and is_locked(target):
            raise InputError("a task works here that keeps no status", source=str(target))
        raise InputError("no task runs here, and none was broken off", source=str(target))
    return parse_status(read_file(path), str(path))


def verify_status_place(path: Path) -> None:
    """Checks that a status may be written to a file.

    :raises InputError: if the file holds anything but a status.
    """
    if path.exists():
        parse_status(read_file(path), str(path))


def write_status(path: Path, status: RunStatus) -> None:
    """Writes the status file of a run.

    :raises ResourceError: if it cannot be written.
    """
    write_text_file(path, json.dumps(status.to_json()) + "\n", sync=False)


def parse_status(data: bytes, source: str) -> RunStatus:
    """Returns the status in the bytes of a status file.

    :param source: file name, for messages.
    :raises InputError: if they are no status.
    """
    try:
        if len(data) > MAX_BYTES:
            raise ValueError
        found = json.loads(data)
        if not isinstance(found, dict) or found.get("format") != f"hedgehog.{_FORMAT}":
            raise ValueError
        names = {field.name for field in dataclasses.fields(RunStatus)}
        return _CHECKED.validate_python({key: value for key, value in found.items() if key in names})
    except (ValueError, RecursionError, ValidationError):
        raise InputError("is not the status of a run", source=source) from None
