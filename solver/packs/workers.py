"""Does the jobs of a flop pack in local worker processes. If any process is killed, only its unfinished job is lost."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Final

from runtime.array_files import write_npz
from runtime.errors import HedgehogError, InputError, ResourceError
from runtime.memory import available_memory
from solver.packs.jobs import FlopBuild, Job, Worker, hold_work

MAX_DEATHS: Final = 3
"""The build ends with an error when this many workers have died on the same job."""


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """A report on the progress of a running build."""

    done: int
    """Number of finished jobs."""
    total: int
    """Number of all jobs."""
    job: Job | None
    """The job that this report is about; None at the start."""
    state: str
    """State of the job in a few words; empty if it is finished."""
    seconds: dict[str, float]
    """Mean CPU seconds per job, by line. Lines without a finished job are left out."""
    worker_bytes: int
    """Most bytes of memory that any worker has used so far."""
    remaining_seconds: float
    """CPU seconds still needed, estimated from ``seconds``."""


def run_jobs(
    build: FlopBuild, workers: int, progress: Callable[[BuildProgress], None], *, estimate_only: bool = False
) -> BuildProgress:
    """Does every job whose file is missing or damaged, and returns the last report.

    First a single worker does one flop of every line, which gives the estimates of time and memory and compiles the
    kernels once. Then the other workers join.

    :param workers: number of worker processes.
    :param progress: called with every report.
    :param estimate_only: stop after the first flop of every line.
    :raises ResourceError: if another process builds in the same folder, the workers need more memory than is free, or
        they keep dying on the same job.
    :raises InputError: if a worker finds fault with the configuration.
    """
    with hold_work(build.work):
        return _Run(build, progress).run(workers, estimate_only)


class _Run:
    """One call of :func:`run_jobs`."""

    def __init__(self, build: FlopBuild, progress: Callable[[BuildProgress], None]) -> None:
        self._crew = _Crew(build.open_worker)
        self._progress = progress
        self._total = 0
        self._todo: list[Job] = []
        self._times: dict[str, list[float]] = {}
        self._most_bytes = 0
        self._deaths: dict[Job, int] = {}
        for job in build.jobs():
            self._total += 1
            times = self._times.setdefault(job.line, [])
            seconds = build.seconds(job)
            if seconds is None:
                self._todo.append(job)
            else:
                times.append(seconds)

    def run(self, workers: int, estimate_only: bool) -> BuildProgress:
        probes = {job.line: job for job in reversed(self._todo)}  # the first of every line
        first = [job for job in self._todo if probes[job.line] is job and (estimate_only or not self._times[job.line])]
        last = self._report(None)
        try:
            last = self._do(first or self._todo[:1], 1) or last
            if self._todo and not estimate_only:
                needed, free = (workers - 1) * self._most_bytes, available_memory()
                if needed > free:
                    raise ResourceError(
                        f"{workers} workers need {needed / 1e9:.2f} GB more memory, {free / 1e9:.2f} GB are free; "
                        "try fewer with --threads"
                    )
                last = self._do(self._todo, workers) or last
        finally:
            self._crew.stop()
        return last

    def _do(self, jobs: list[Job], workers: int) -> BuildProgress | None:
        """Does the given jobs and returns the last report, None if there were no jobs."""
        last = None
        queue = deque(jobs)
        while queue or self._crew.busy:
            while queue and len(self._crew.busy) < workers:
                self._crew.submit(queue.popleft())
            for job, result in self._crew.collect():
                if isinstance(result, str):
                    last = self._report(job, result)
                elif isinstance(result, HedgehogError):
                    raise type(result)(f"{job}: {result}")
                elif result is None:
                    self._deaths[job] = self._deaths.get(job, 0) + 1
                    if self._deaths[job] >= MAX_DEATHS:
                        raise ResourceError(f"{job}: {MAX_DEATHS} workers have died on it")
                    queue.appendleft(job)
                else:
                    self._todo.remove(job)
                    self._times[job.line].append(result[0])
                    self._most_bytes = max(self._most_bytes, result[1])
                    last = self._report(job)
        return last

    def _report(self, job: Job | None, state: str = "") -> BuildProgress:
        means = {line: sum(found) / len(found) for line, found in self._times.items() if found}
        average = sum(means.values()) / len(means) if means else float("nan")
        remaining = sum(means.get(job.line, average) for job in self._todo)
        done = self._total - len(self._todo)
        now = BuildProgress(done, self._total, job, state, means, self._most_bytes, remaining)
        self._progress(now)
        return now


class _Crew:
    """Worker processes that start one by one and are replaced when they die."""

    def __init__(self, open_worker: Callable[[], Worker]) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._open_worker = open_worker
        self.busy: dict[Connection, tuple[SpawnProcess, Job]] = {}
        self._idle: list[tuple[Connection, SpawnProcess]] = []

    def submit(self, job: Job) -> None:
        """Gives a job to an idle worker or a new one."""
        if self._idle:
            mine, process = self._idle.pop()
        else:
            mine, theirs = self._context.Pipe()
            process = self._context.Process(target=_work, args=(theirs, self._open_worker), daemon=True)
            process.start()
            theirs.close()
        self.busy[mine] = (process, job)
        with suppress(OSError):  # it may have died; collect() will find out
            mine.send(job)

    def collect(self) -> Iterator[tuple[Job, tuple[float, int] | HedgehogError | str | None]]:
        """Waits for workers and yields jobs with their results.

        The result is (CPU seconds, most bytes used so far) for a finished job, a text for a report on its state, an
        error, or None if its worker has died.
        """
        for ready in wait(list(self.busy)):
            assert isinstance(ready, Connection)
            process, job = self.busy[ready]
            try:
                result = ready.recv()
            except (EOFError, OSError):
                result = None
                ready.close()
                process.join()
            if not isinstance(result, str):
                del self.busy[ready]
                if result is not None:
                    self._idle.append((ready, process))
            yield job, result

    def stop(self) -> None:
        """Kills all workers."""
        for connection, process in [*self._idle, *((c, p) for c, (p, _) in self.busy.items())]:
            connection.close()
            process.kill()
            process.join()


def _work(connection: Connection, open_worker: Callable[[], Worker]) -> None:
    """Runs one worker: receives jobs, writes their files and sends the results that :meth:`_Crew.collect` yields."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    threading.Thread(target=_watch_parent, daemon=True).start()
    try:
        work = open_worker()
        while (job := connection.recv()) is not None:
            started = time.process_time()
            write_npz(job.path, work(job, connection.send), compressed=True)
            used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            connection.send((time.process_time() - started, used))
    except (EOFError, BrokenPipeError):
        pass
    except ResourceError as error:
        connection.send(ResourceError(str(error)))  # as text: a subclass may not survive pickling
    except HedgehogError as error:
        connection.send(InputError(str(error)))


def _watch_parent() -> None:
    """Ends this process as soon as its parent has ended, for whatever reason."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
