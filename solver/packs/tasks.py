"""What the workers of a build do: batches of jobs, wherever the worker runs.

A worker needs nothing but Hedgehog. The build's configuration and inputs reach it once, in an :class:`Order`, and it
returns every result as the bytes of its file. A worker that sees the client's work folder writes the files itself, so
that they are not lost with the client.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import resource
import socket
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, Self

import numpy as np

from hedgehog.runtime.errors import HedgehogError, InputError, ResourceError
from hedgehog.runtime.files import replacing
from hedgehog.solver.packs.engines.identity import Identity, own_identity
from hedgehog.solver.packs.jobs import Arrays, FlopBuild, Job, Worker

_KEPT_ORDERS: Final = 2
"""Number of builds that a worker keeps open."""


@dataclass(frozen=True, slots=True)
class Order:
    """A build as it is sent to the workers."""

    key: str
    """Names the order: a digest of its content."""
    identity: Identity
    """The program of the client."""
    inputs: str
    """Digest of the blueprint and of the other inputs (:attr:`~hedgehog.solver.packs.jobs.FlopBuild.inputs_digest`)."""
    build: bytes
    """The build, pickled and compressed. It is opened only by a worker that runs the client's program."""
    mark: Path
    """A file in the work folder that holds ``token`` as JSON. A worker that can read it shares the folder."""
    token: str

    @classmethod
    def of(cls, build: FlopBuild, mark: Path, token: str) -> Self:
        """Returns the order of a build."""
        data = zlib.compress(pickle.dumps(build), 1)
        return cls(sha256(data + token.encode()).hexdigest(), own_identity(), build.inputs_digest, data, mark, token)


@dataclass(frozen=True, slots=True)
class Done:
    """A finished job."""

    job: Job
    data: bytes | None
    """Content of the job's file; None if the worker has written it."""
    seconds: float
    """CPU seconds of the worker; 0 if the file was there already."""


@dataclass(slots=True)
class BatchResult:
    """What a worker answers to a batch of jobs."""

    worker: str
    """Name of the worker: host and process."""
    done: list[Done] = field(default_factory=list)
    worker_bytes: int = 0
    """Most bytes of memory that the worker has used so far."""
    wants_order: bool = False
    """The worker does not know the order yet: it has done nothing."""
    fault: str = ""
    """Why the build cannot go on; empty if it can."""
    lacks_resource: bool = False
    """The fault lies with the worker's machine and not with the input."""

    def verify(self) -> None:
        """Raises the error that the worker has met, if any.

        :raises InputError: if the worker finds fault with the configuration or runs another program.
        :raises ResourceError: if the worker lacks memory or disk space.
        """
        if self.fault:
            raise ResourceError(self.fault) if self.lacks_resource else InputError(self.fault)


@dataclass(frozen=True, slots=True)
class _Opened:
    """An order that this process works on."""

    build: FlopBuild
    work: Worker
    shares_folder: bool


_opened: dict[str, _Opened] = {}
"""The orders of this process by key, the last one last."""


def worker_name() -> str:
    """Returns the name of this process for messages: host and process number."""
    return f"{socket.gethostname()}:{os.getpid()}"


def do_batch(key: str, order: Order | None, jobs: Sequence[Job]) -> BatchResult:
    """Does jobs in this process and returns their results.

    :param key: key of the order.
    :param order: the order itself; None if the worker is thought to know it.
    """
    result = BatchResult(worker_name())
    job: Job | None = None
    try:
        if order is not None and key not in _opened:
            _opened[key] = _open(order)
            while len(_opened) > _KEPT_ORDERS:
                del _opened[next(iter(_opened))]
        if key not in _opened:
            result.wants_order = True
            return result
        opened = _opened[key]
        for job in jobs:
            result.done.append(_do(opened, job))
    except HedgehogError as error:  # as text: a subclass may not survive pickling
        result.fault = str(error) if job is None else f"{job}: {error}"
        result.lacks_resource = isinstance(error, ResourceError)
    result.worker_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return result


def _open(order: Order) -> _Opened:
    """Returns an order that is ready to be worked on.

    :raises InputError: if this process runs another program than the client, or the inputs have been damaged.
    """
    difference = order.identity.difference(own_identity())
    if difference is not None:
        raise InputError(f"the worker {worker_name()} runs another program than the client: {difference}")
    build: FlopBuild = pickle.loads(zlib.decompress(order.build))
    if build.inputs_digest != order.inputs:
        raise InputError(f"the worker {worker_name()} has another blueprint than the client")
    return _Opened(build, build.open_worker(), shares_folder(order.mark, order.token))


def shares_folder(mark: Path, token: str) -> bool:
    """Returns True if a JSON file has a key ``token`` with the given value: this process sees the client's files."""
    try:
        found = json.loads(mark.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("token") == token


def _do(opened: _Opened, job: Job) -> Done:
    if opened.shares_folder and job.path.exists() and opened.build.seconds(job) is not None:
        return Done(job, None, 0.0)  # another worker died after it had written the file
    started = time.process_time()
    data = npz_bytes(opened.work(job))
    if opened.shares_folder:
        write_job(job.path, data)
    return Done(job, None if opened.shares_folder else data, time.process_time() - started)


def npz_bytes(arrays: Arrays) -> bytes:
    """Returns the content of a compressed .npz file."""
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def write_job(path: Path, data: bytes) -> None:
    """Writes the file of a job.

    :raises ResourceError: if it cannot be written.
    """
    with replacing(path, make_folder=True) as file:
        file.write(data)
