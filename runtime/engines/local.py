"""Where jobs run: an :class:`Engine` has places, each of which does one task at a time.

:class:`LocalEngine` starts worker processes on this machine, :class:`SerialEngine` does everything in this process, and
:class:`DaskEngine` of the module beside uses a cluster. :class:`Engine` itself takes an executor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from concurrent.futures.thread import ThreadPoolExecutor
from types import TracebackType
from typing import Any, ClassVar, Final, Self

from hedgehog.runtime.engines.processes import ChildProcess, WorkerDiedError, as_task, run_task
from hedgehog.runtime.errors import ResourceError
from hedgehog.runtime.machine import available_memory, format_bytes, num_processors

BASE_BYTES: Final = 650_000_000
"""Bytes of memory that a worker process needs besides its job: Python, libraries, kernels and what compiles them.

Quick flops with no kernel in the cache took 641 to 773 MB in all, of which 159 MB count as the job's.
"""


class Engine:
    """An executor and what a run must know about it; a context manager that ends the executor's workers."""

    dashboard: str | None = None
    """Address of a page that shows the workers; None if there is none."""
    ahead: ClassVar[int] = 1
    """Tasks that a place may have at any moment, so that it need not wait for the client."""
    alike: ClassVar[bool] = True
    """Whether all places are the same machine: what dies at one of them would die at any."""

    def __init__(self, executor: Executor | None, workers: int, name: str = "an executor") -> None:
        """
        :param executor: does the tasks. It must run them in processes, or one at a time: kernels share their scratch.
        :param workers: number of tasks that the executor does at the same time.
        :param name: what runs the tasks, for messages.
        """
        self.executor = executor
        self.name = name
        self._places = [str(place) for place in range(workers)]

    def places(self) -> Sequence[str]:
        """Returns the names of the places that can be given tasks at this moment."""
        return self._places

    @property
    def workers(self) -> int:
        """Number of tasks that run at the same time."""
        return len(self.places())

    @property
    def waiting(self) -> str:
        """What the engine waits for, such as a scheduler that does not answer; empty if for nothing."""
        return ""

    def verify(self, needed: int) -> None:
        """Checks before the first task that the workers can do the tasks.

        :param needed: bytes of memory that the largest task needs, besides :data:`BASE_BYTES`.
        :raises ResourceError: if the memory does not suffice, or no worker answers.
        :raises InputError: if no worker runs this program.
        """
        verify_local_memory(needed, self.workers)

    def look(self) -> list[str]:
        """Looks at the workers now and then during a run, and returns what a user wants to know of them.

        :raises ResourceError: if they cannot be reached.
        """
        return []

    def leave_out(self, place: str, reason: str) -> str:
        """Gives a place no more tasks, and returns a line that says so."""
        raise NotImplementedError

    def publish(self, key: str, status: str) -> None:
        """Tells those who ask the engine how far a run is, if it can be asked by others.

        :param key: names the run; a run that goes on with another has its key.
        :param status: a status as JSON (:class:`hedgehog.runtime.engines.status.RunStatus`); empty at the end.
        """

    def submit(
        self, place: str, function: Callable[..., Any], *arguments: object, data: bytes | None, needed: int
    ) -> Future[bytes]:
        """Hands a task to a place.

        :param function: called as ``function(data, *arguments)``. Its result comes pickled.
        :param data: what goes to every place once.
        :param needed: bytes of memory that the task needs, besides :data:`BASE_BYTES`.
        """
        assert self.executor is not None
        return self.executor.submit(run_task, as_task(function, *arguments), data)

    def died(self, error: BaseException) -> str:
        """Returns what ended the worker, if an error says that a worker has died on a task; otherwise nothing."""
        if isinstance(error, WorkerDiedError):
            return str(error)
        return "it died" if isinstance(error, BrokenExecutor) else ""

    def close(self) -> None:
        """Ends the executor. Tasks that are running are lost."""
        if self.executor is not None:
            self.executor.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class SerialEngine(Engine):
    """This process, which does a task as soon as it is handed out."""

    def __init__(self) -> None:
        super().__init__(None, 1, "this process")

    def verify(self, needed: int) -> None:
        """Does nothing: whoever works in this process has checked its memory."""

    def submit(
        self, place: str, function: Callable[..., Any], *arguments: object, data: bytes | None, needed: int
    ) -> Future[bytes]:
        future: Future[bytes] = Future()
        try:
            future.set_result(run_task(as_task(function, *arguments), data))
        except Exception as error:
            future.set_exception(error)
        return future


class LocalEngine(Engine):
    """Worker processes on this machine, which start one by one. If one dies, the other tasks go on."""

    def __init__(self, workers: int) -> None:
        super().__init__(None, workers, f"{workers} local process{'es' if workers > 1 else ''}")
        self._children = [ChildProcess() for _ in range(workers)]
        self._threads = [ThreadPoolExecutor(1, "worker") for _ in range(workers)]

    def submit(
        self, place: str, function: Callable[..., Any], *arguments: object, data: bytes | None, needed: int
    ) -> Future[bytes]:
        number = int(place)
        return self._threads[number].submit(self._children[number].call, as_task(function, *arguments), data)

    def close(self) -> None:
        for thread in self._threads:
            thread.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            child.end()
        for thread in self._threads:
            thread.shutdown()


def local_workers(needed: int, threads: int = 1) -> int:
    """Returns the number of worker processes for which there are processors and memory, at least 1.

    :param needed: bytes that the largest job needs, besides :data:`BASE_BYTES`.
    :param threads: threads of a worker.
    """
    processors = num_processors() // threads
    return int(max(min(processors, available_memory() // (needed + BASE_BYTES)), 1))


def verify_local_memory(needed: int, workers: int) -> None:
    """Checks that worker processes fit into the memory of this machine.

    :param needed: bytes that the largest job needs.
    :raises ResourceError: if they do not fit.
    """
    free, each = available_memory(), needed + BASE_BYTES
    if each > free:
        raise ResourceError(
            f"the largest job needs {format_bytes(needed)} of memory and its process {format_bytes(BASE_BYTES)}, "
            f"{format_bytes(free)} are free"
        )
    if workers * each > free:
        raise ResourceError(
            f"{workers} workers need {format_bytes(workers * each)} of memory, {format_bytes(free)} are free: "
            f"{int(free // each)} would fit"
        )
