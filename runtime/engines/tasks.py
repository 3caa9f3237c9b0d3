"""What the workers of a run do: batches of jobs, wherever the worker runs.

A worker needs nothing but Hedgehog. The work and its inputs reach it once, in an :class:`Order`, and it returns every
result as bytes. A worker that sees the client's folder writes the files itself, so that they are not lost with the
client.
"""

from __future__ import annotations

import json
import os
import pickle
import resource
import socket
import sys
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Self

from hedgehog.runtime.engines.compile_time import compile_seconds
from hedgehog.runtime.engines.identity import Identity, own_identity
from hedgehog.runtime.engines.jobs import Work, Worker
from hedgehog.runtime.errors import HedgehogError, InputError, MatchError, ResourceError
from hedgehog.runtime.files import replacing

_KEPT_ORDERS: Final = 2
"""Number of orders that a worker keeps open."""
_ERRORS: Final[dict[str, type[HedgehogError]]] = {"input": InputError, "match": MatchError, "resource": ResourceError}
"""What a job may raise, by its name in the answer."""
_RSS_UNIT: Final = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Order:
    """A work as it is sent to the workers."""

    key: str
    """Names the order: a digest of its content."""
    identity: Identity
    """The program of the client."""
    inputs: str
    """Digest of the inputs (:attr:`~hedgehog.runtime.engines.jobs.Work.inputs_digest`)."""
    work: bytes
    """The work, pickled and compressed. It is opened only by a worker that runs the client's program."""
    mark: Path | None
    """A file in the work's folder that holds ``token`` as JSON. A worker that can read it shares the folder."""
    token: str

    @classmethod
    def of(cls, work: Work, mark: Path | None, token: str) -> Self:
        """Returns the order of a work."""
        data = zlib.compress(pickle.dumps(work), 1)
        return cls(sha256(data + token.encode()).hexdigest(), own_identity(), work.inputs_digest, data, mark, token)

    def pickled(self) -> bytes:
        """Returns the order as it travels."""
        return pickle.dumps(self)


@dataclass(frozen=True, slots=True)
class Done:
    """A job that has been finished, with its result."""

    number: int
    """Which of the jobs of the batch it was, from 0: the job itself, which may be large, does not travel back."""
    data: bytes | None
    """The result; None if the worker has written its file."""
    seconds: float
    """CPU seconds of the worker without compiling; 0 if the file was there already."""


@dataclass(slots=True)
class BatchResult:
    """What a worker answers to a batch of jobs."""

    worker: str
    """Name of the worker: host and process."""
    done: list[Done] = field(default_factory=list)
    worker_bytes: int = 0
    """Most bytes of memory that the worker has used so far."""
    start_seconds: float = 0.0
    """CPU seconds for opening the order, and for compiling kernels in this batch."""
    wants_order: bool = False
    """The worker does not know the order yet: it has done nothing."""
    fault: str = ""
    """Why the run cannot go on; empty if it can."""
    kind: str = "input"
    """The error that the fault is: the input's, the worker's machine's, or a player's."""

    def verify(self) -> None:
        """Raises the error that the worker has met, if any.

        :raises InputError: if the worker finds fault with the input or runs another program.
        :raises ResourceError: if the worker lacks memory or disk space.
        :raises MatchError: if a player fails.
        """
        if self.fault:
            raise _ERRORS[self.kind](self.fault)


@dataclass(frozen=True, slots=True)
class _Opened:
    """An order that this process works on."""

    work: Work
    do: Worker
    shares_folder: bool


_opened: dict[str, _Opened] = {}
"""The orders of this process by key, the last one last."""


def worker_name() -> str:
    """Returns the name of this process for messages: host and process number."""
    return f"{socket.gethostname()}:{os.getpid()}"


def report_identity(_: bytes | None) -> Identity:
    """Returns the program of the worker that is asked."""
    return own_identity()


def do_batch(order: bytes | None, key: str, jobs: Sequence[Any]) -> BatchResult:
    """Does jobs in this process and returns their results.

    :param order: the order, pickled; None if the worker is thought to know it.
    :param key: key of the order.
    """
    result = BatchResult(worker_name())
    compiled = compile_seconds()
    job: Any = None
    try:
        if order is not None and key not in _opened:
            started = time.process_time()
            _opened[key] = _open(pickle.loads(order))
            result.start_seconds = time.process_time() - started - (compile_seconds() - compiled)
            while len(_opened) > _KEPT_ORDERS:
                del _opened[next(iter(_opened))]
        if key not in _opened:
            result.wants_order = True
            return result
        opened = _opened[key]
        for number, job in enumerate(jobs):
            result.done.append(_do(opened, number, job))
    except HedgehogError as error:  # as text: a subclass may not survive pickling
        result.fault = str(error) if job is None or not str(job) else f"{job}: {error}"
        result.kind = next((name for name, kind in _ERRORS.items() if isinstance(error, kind)), "resource")
    result.start_seconds += compile_seconds() - compiled
    result.worker_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT
    return result


def _open(order: Order) -> _Opened:
    """Returns an order that is ready to be worked on.

    :raises InputError: if this process runs another program than the client, or the inputs have been damaged.
    """
    difference = order.identity.difference(own_identity())
    if difference is not None:
        raise InputError(f"the worker {worker_name()} runs another program than the client: {difference}")
    work: Work = pickle.loads(zlib.decompress(order.work))
    if work.inputs_digest != order.inputs:
        raise InputError(f"the worker {worker_name()} has other inputs than the client")
    return _Opened(work, work.open_worker(), shares_folder(order.mark, order.token))


def shares_folder(mark: Path | None, token: str) -> bool:
    """Returns True if a JSON file has a key ``token`` with the given value: this process sees the client's files."""
    if mark is None:
        return False
    try:
        found = json.loads(mark.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("token") == token


def _do(opened: _Opened, number: int, job: Any) -> Done:
    if opened.shares_folder and job.path.exists() and opened.work.seconds(job) is not None:
        return Done(number, None, 0.0)  # another worker died after it had written the file
    started, compiled = time.process_time(), compile_seconds()
    data = opened.do(job)
    seconds = time.process_time() - started - (compile_seconds() - compiled)
    if opened.shares_folder:
        write_job(job.path, data)
    return Done(number, None if opened.shares_folder else data, seconds)


def write_job(path: Path, data: bytes) -> None:
    """Writes the file of a job.

    :raises ResourceError: if it cannot be written.
    """
    with replacing(path, make_folder=True) as file:
        file.write(data)
