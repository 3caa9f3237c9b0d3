"""Does the jobs of a flop pack with any engine (:mod:`hedgehog.solver.packs.engines.local`).

The result of a job depends on the build alone, and every result is a file. So the finished pack does not depend on the
engine, on the order in which jobs end, or on interruptions. If a process is killed, only its unfinished jobs are lost.
"""

from __future__ import annotations

import math
import os
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Final

from hedgehog.runtime.errors import ResourceError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.memory import format_bytes
from hedgehog.solver.packs.build_status import STATUS_FILE, BuildStatus, RunningJob, write_status
from hedgehog.solver.packs.engines.local import Engine
from hedgehog.solver.packs.jobs import FlopBuild, Job, hold_work
from hedgehog.solver.packs.tasks import BatchResult, Order, do_batch, write_job

MAX_DEATHS: Final = 3
"""A job has failed when this many workers have died on it."""
MAX_FAILED: Final = 3
"""The build ends when this many jobs have failed. The others are done before it ends with an error."""
MAX_LOST: Final = 10
"""A job has failed when the engine has lost its task this often."""
_BATCH_SECONDS: Final = 1.0
_MAX_BATCH: Final = 16
"""Jobs that take less than a second are handed out in batches, but never more than this many."""
_SMALL_ORDER: Final = 100_000
"""Bytes of an order that goes along with every batch. A larger one goes to every worker once."""
_POLL_S: Final = 0.5
_STATUS_EVERY_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """A report on the progress of a running build."""

    done: int
    """Number of finished jobs."""
    total: int
    """Number of all jobs."""
    job: Job | None
    """The job that has just ended; None in other reports."""
    running: tuple[Job, ...]
    """The jobs that have been handed out, in the order in which they were."""
    failed: int
    """Number of jobs that have failed in this run."""
    seconds: dict[str, float]
    """Mean CPU seconds per job, by line. Lines without a finished job are left out."""
    worker_bytes: int
    """Most bytes of memory that any worker has used so far."""
    remaining_seconds: float
    """CPU seconds still needed, estimated from the finished jobs; NaN before the first job is finished."""
    workers: int
    """Number of workers at the moment."""
    per_hour: float
    """Jobs finished per hour in this run."""

    def __str__(self) -> str:
        parts = [f"{self.done:,} of {self.total:,} flops", f"{len(self.running)} running on {self.workers} workers"]
        if self.failed:
            parts.append(f"{self.failed} failed")
        if self.per_hour:
            parts.append(f"{self.per_hour:,.0f} per hour")
        if self.worker_bytes:
            parts.append(f"{format_bytes(self.worker_bytes)} per worker")
        return ", ".join(parts)


def run_jobs(
    build: FlopBuild,
    engine: Engine,
    progress: Callable[[BuildProgress], None] = lambda _: None,
    *,
    only: Iterable[Job] | None = None,
) -> BuildProgress:
    """Does every job whose file is missing or damaged, and returns the last report.

    :param engine: does the tasks. It stays open.
    :param progress: called with every report.
    :param only: the jobs to do; None for all.
    :raises ResourceError: if another process builds in the same folder, the memory does not suffice, the workers cannot
        be reached or keep dying, or a file cannot be written.
    :raises InputError: if a worker finds fault with the configuration or runs another program.
    """
    with hold_work(build.work):
        return _Run(build, engine, progress).run(None if only is None else set(only))


class _Run:
    """One call of :func:`run_jobs`."""

    def __init__(self, build: FlopBuild, engine: Engine, progress: Callable[[BuildProgress], None]) -> None:
        self._build = build
        self._engine = engine
        self._progress = progress
        self._order = Order.of(build, real_path(build.work) / STATUS_FILE, secrets.token_hex(8))
        self._sent = 0
        self._pending: dict[Future[BatchResult], list[Job]] = {}
        self._since: dict[Job, float] = {}
        self._queue: deque[list[Job]] = deque()
        self._deaths: dict[Job, int] = {}
        self._lost: dict[Job, int] = {}
        self._failed: dict[Job, str] = {}
        self._times: dict[str, list[float]] = {}
        self._spent: dict[str, float] = {}  # cost of the finished jobs of a line
        self._most_bytes = 0
        self._todo: dict[Job, float] = {}
        self._total = 0
        self._finished = 0
        self._cpu = 0.0
        self._began = time.time()
        self._status_due = 0.0
        self._find_finished()

    def _find_finished(self) -> None:
        for job in self._build.jobs():
            self._total += 1
            self._times.setdefault(job.line, [])
            seconds = self._build.seconds(job)
            if seconds is None:
                self._todo[job] = self._build.cost(job)
            else:
                self._count_time(job, seconds)

    def _count_time(self, job: Job, seconds: float) -> None:
        self._times[job.line].append(seconds)
        self._spent[job.line] = self._spent.get(job.line, 0.0) + self._build.cost(job)

    def run(self, only: set[Job] | None) -> BuildProgress:
        wanted = [job for job in self._todo if only is None or job in only]
        self._say("starting")
        try:
            if wanted:
                self._engine.verify(max(self._build.needed_bytes(job) for job in wanted))
                self._do(deque(wanted))
        except BaseException as error:
            self._say("interrupted" if isinstance(error, KeyboardInterrupt) else "stopped", str(error))
            raise
        finally:
            for future in self._pending:
                future.cancel()
        self._say("finished" if not self._todo else "stopped")
        if self._failed:
            raise self._failure()
        return self._report(None)

    def _failure(self) -> ResourceError:
        job, reason = next(iter(self._failed.items()))
        done = self._total - len(self._todo)
        how_many = f"{len(self._failed)} flop{'s' if len(self._failed) > 1 else ''} failed"
        return ResourceError(f"{job}: {reason}; {how_many}, {done} of {self._total} are done")

    def _do(self, jobs: deque[Job]) -> None:
        while jobs or self._queue or self._pending:
            self._engine.verify_alive()
            while (jobs or self._queue) and len(self._pending) < self._engine.slots:
                self._submit(self._queue.popleft() if self._queue else self._next_batch(jobs))
            ended, _ = wait(self._pending, timeout=_POLL_S, return_when=FIRST_COMPLETED)
            for future in ended:
                self._take(future, self._pending.pop(future))
            if len(self._failed) >= MAX_FAILED:
                raise self._failure()
            self._say_if_due()

    def _next_batch(self, jobs: deque[Job]) -> list[Job]:
        """Takes jobs that together take about a second, so that handing them out costs next to nothing."""
        known = [time for times in self._times.values() for time in times[-20:]]
        mean = sum(known) / len(known) if known else _BATCH_SECONDS
        share = len(jobs) // max(self._engine.slots, 1)  # the last ones are handed out one by one
        size = min(int(_BATCH_SECONDS / max(mean, 1e-3)), _MAX_BATCH, share)
        return [jobs.popleft() for _ in range(max(size, 1))]

    def _submit(self, jobs: list[Job], *, with_order: bool = False) -> None:
        self._sent += 1
        small = len(self._order.build) < _SMALL_ORDER
        order = self._order if with_order or small or self._sent <= self._engine.slots else None
        needed = max(self._build.needed_bytes(job) for job in jobs)
        future = self._engine.submit(do_batch, self._order.key, order, jobs, needed=needed)
        self._pending[future] = jobs
        now = time.time()
        self._since |= dict.fromkeys(jobs, now)

    def _take(self, future: Future[BatchResult], jobs: list[Job]) -> None:
        """Takes what a task has returned."""
        if future.cancelled():
            self._engine.verify_alive()
            self._again(jobs, self._lost, 1, MAX_LOST, f"its task was lost {MAX_LOST} times")
            return
        error = future.exception()
        if error is not None:
            deaths = self._engine.deaths(error)
            if not deaths:
                self._engine.verify_alive()
                raise error
            self._again(jobs, self._deaths, deaths, MAX_DEATHS, f"{MAX_DEATHS} workers have died on it")
            return
        result = future.result()
        self._most_bytes = max(self._most_bytes, result.worker_bytes)
        if result.wants_order:
            self._submit(jobs, with_order=True)
            return
        for done in result.done:
            if done.data is not None:
                write_job(done.job.path, done.data)
            self._finish(done.job, done.seconds)
        result.verify()

    def _again(self, jobs: Sequence[Job], counts: dict[Job, int], by: int, most: int, reason: str) -> None:
        """Hands out jobs again, one by one, unless that has happened too often."""
        for job in jobs:
            if self._build.seconds(job) is not None:  # its worker has written the file before it died
                self._finish(job, 0.0)
                continue
            if len(jobs) == 1:
                counts[job] = counts.get(job, 0) + by
            if counts.get(job, 0) >= most:
                self._failed[job] = reason
                self._since.pop(job, None)
            else:
                self._queue.append([job])

    def _finish(self, job: Job, seconds: float) -> None:
        if self._todo.pop(job, None) is None:
            return
        self._finished += 1
        self._since.pop(job, None)
        self._cpu += seconds
        self._count_time(job, seconds or self._build.seconds(job) or 0.0)
        self._progress(self._report(job))

    def _report(self, job: Job | None) -> BuildProgress:
        means = {line: sum(found) / len(found) for line, found in self._times.items() if found}
        # A line without a finished job counts like the mean of the others.
        rates = {line: sum(self._times[line]) / self._spent[line] for line in means if self._spent[line] > 0}
        average = sum(rates.values()) / len(rates) if rates else float("nan")
        elapsed = max(time.time() - self._began, 1e-3)
        return BuildProgress(
            done=self._total - len(self._todo),
            total=self._total,
            job=job,
            running=tuple(self._since),
            failed=len(self._failed),
            seconds=means,
            worker_bytes=self._most_bytes,
            remaining_seconds=sum(cost * rates.get(job.line, average) for job, cost in self._todo.items()),
            workers=self._engine.workers,
            per_hour=3600 * self._finished / elapsed,
        )

    def _say_if_due(self) -> None:
        now = time.monotonic()
        if now >= self._status_due:
            self._status_due = now + _STATUS_EVERY_S
            self._progress(self._report(None))
            self._say("running")

    def _say(self, state: str, message: str = "") -> None:
        """Writes the status file, which tells other shells how far the build is."""
        now = self._report(None)
        # From the speed of this run, which tells how many workers there were and what else they did.
        elapsed = time.time() - self._began
        remaining = now.remaining_seconds * elapsed / self._cpu if self._cpu else math.nan
        status = BuildStatus(
            token=self._order.token,
            state=state,
            message=message,
            host=socket.gethostname(),
            process=os.getpid(),
            started=self._began,
            updated=time.time(),
            engine=self._engine.name,
            workers=now.workers,
            dashboard=self._engine.dashboard,
            done=now.done,
            total=now.total,
            running=[RunningJob(str(job), since) for job, since in self._since.items()],
            failed={str(job): reason for job, reason in self._failed.items()},
            per_hour=now.per_hour,
            cpu_seconds=now.seconds,
            remaining_seconds=None if math.isnan(remaining) else remaining,
            worker_bytes=now.worker_bytes,
        )
        write_status(self._build.work / STATUS_FILE, status)
