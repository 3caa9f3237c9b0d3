"""Where the tasks of a build run: an executor of :mod:`concurrent.futures`, and what the builder must know about it.

:class:`LocalEngine` starts worker processes on this machine, :class:`DaskEngine` of the module beside uses a cluster,
and :class:`Engine` takes any other executor.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from concurrent.futures.process import ProcessPoolExecutor
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Final, Self

from hedgehog.runtime.errors import ResourceError
from hedgehog.runtime.memory import available_memory, format_bytes

BASE_BYTES: Final = 400_000_000
"""Bytes of memory that a worker process needs besides its solve: Python, libraries, kernels and card tables."""


class Engine:
    """An executor and what the builder must know about it; a context manager that ends the executor's workers."""

    dashboard: str | None = None
    """Address of a page that shows the workers; None if there is none."""

    def __init__(self, executor: Executor, workers: int, name: str = "an executor") -> None:
        """
        :param executor: does the tasks. It must run them in processes, or one at a time: kernels share their scratch.
        :param workers: number of tasks that the executor does at the same time.
        :param name: what runs the tasks, for messages.
        """
        self.executor = executor
        self.name = name
        self._workers = workers

    @property
    def workers(self) -> int:
        """Number of tasks that run at the same time."""
        return self._workers

    @property
    def slots(self) -> int:
        """Number of tasks that the builder may have submitted at any moment."""
        return self._workers

    def verify(self, needed: int) -> None:
        """Checks before the first task that the workers can do the tasks.

        :param needed: bytes of memory that the largest task needs, besides :data:`BASE_BYTES`.
        :raises ResourceError: if the memory does not suffice.
        :raises InputError: if a worker runs another program.
        """
        verify_local_memory(needed, self._workers)

    def verify_alive(self) -> None:
        """Checks now and then during the build that the workers can still be reached.

        :raises ResourceError: if they cannot.
        """

    def submit(self, function: Callable[..., Any], *arguments: object, needed: int) -> Future[Any]:
        """Hands a task to the executor.

        :param needed: bytes of memory that the task needs, besides :data:`BASE_BYTES`.
        """
        return self.executor.submit(function, *arguments)

    def deaths(self, error: BaseException) -> int:
        """Returns the number of workers that have died on a task that ended with an error; 0 for any other error."""
        return int(isinstance(error, BrokenExecutor))

    def close(self) -> None:
        """Ends the executor. Tasks that are running are lost."""
        self.executor.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def verify_local_memory(needed: int, workers: int) -> None:
    """Checks that worker processes fit into the memory of this machine.

    :param needed: bytes that the largest task needs.
    :raises ResourceError: if they do not fit.
    """
    free, each = available_memory(), needed + BASE_BYTES
    if each > free:
        raise ResourceError(
            f"the largest solve needs {format_bytes(needed)} of memory and its process {format_bytes(BASE_BYTES)}, "
            f"{format_bytes(free)} are free"
        )
    if workers * each > free:
        raise ResourceError(
            f"{workers} workers need {format_bytes(workers * each)} of memory, {format_bytes(free)} are free; try "
            f"--threads {int(free // each)}"
        )


class LocalEngine(Engine):
    """Worker processes on this machine, by default as many as there are processors and memory."""

    def __init__(self, workers: int) -> None:
        super().__init__(LocalProcesses(workers), workers, f"{workers} local process{'es' if workers > 1 else ''}")


class LocalProcesses(Executor):
    """Worker processes that start one by one. If one dies, its task fails and the other tasks go on.

    A :class:`~concurrent.futures.ProcessPoolExecutor` fails as a whole when one of its processes dies. Here every
    process is a pool of its own.
    """

    def __init__(self, workers: int) -> None:
        self._places: list[_Place] = [_Place() for _ in range(workers)]

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        place = min(self._places, key=lambda place: place.load)
        return place.submit(function, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends all processes; with ``cancel_futures`` at once, otherwise after their tasks."""
        for place in self._places:
            place.end(at_once=cancel_futures)


class _Place:
    """The place of one worker process."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._leash: Connection | None = None
        self._futures: list[Future[Any]] = []

    @property
    def load(self) -> tuple[int, bool]:
        """Sorts places: those with few tasks first, and among them those whose process runs already."""
        self._futures = [future for future in self._futures if not future.done()]
        return len(self._futures), self._pool is None

    def submit(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
        try:
            future = self._running().submit(function, *args, **kwargs)
        except BrokenExecutor:  # its process has died since the last task
            self.end(at_once=True)
            future = self._running().submit(function, *args, **kwargs)
        self._futures.append(future)
        return future

    def _running(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            theirs, self._leash = context.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=_begin, initargs=(theirs,))
        return self._pool

    def end(self, *, at_once: bool) -> None:
        pool, leash, self._pool, self._leash = self._pool, self._leash, None, None
        if leash is not None and at_once:
            leash.close()
        if pool is not None:
            pool.shutdown(cancel_futures=at_once)
        if leash is not None:
            leash.close()


def _begin(leash: Connection) -> None:
    """Prepares a worker process. It ends as soon as the other end of ``leash`` is closed, or its parent has ended."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the parent decides when to stop
    threading.Thread(target=_end_with, args=(leash,), daemon=True).start()


def _end_with(leash: Connection) -> None:
    parent = multiprocessing.parent_process()
    wait([leash] if parent is None else [leash, parent.sentinel])
    os._exit(1)
