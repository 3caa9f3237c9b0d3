"""Does the jobs of a work with any engine (:mod:`hedgehog.runtime.engines.local`).

The result of a job depends on the work alone. So what is made of the results does not depend on the engine, on the
order in which jobs end, or on interruptions. If a process is killed, only its unfinished jobs are lost.
"""

from __future__ import annotations

import json
import math
import pickle
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hedgehog.runtime.engines.jobs import STATUS_FILE, Work, hold_work
from hedgehog.runtime.engines.local import Engine
from hedgehog.runtime.engines.places import Places
from hedgehog.runtime.engines.status import RunningJob, RunStatus, write_status
from hedgehog.runtime.engines.tasks import BatchResult, Order, do_batch, write_job
from hedgehog.runtime.errors import ResourceError, StoppedError
from hedgehog.runtime.files import real_path
from hedgehog.runtime.machine import format_bytes

MAX_FAILED: Final = 3
"""The run ends when this many jobs have failed. The others are done before it ends with an error."""
MAX_LOST: Final = 10
"""A job has failed when the engine has lost its task this often."""
NO_WORKER_S: Final = 1800.0
"""Seconds that a run waits for a new worker when all have gone."""
_BATCH_SECONDS: Final = 1.0
_MAX_BATCH: Final = 16
"""Jobs that take less than a second are handed out in batches, but never more than this many."""
_LAST_ROUNDS: Final = 4
"""When no more jobs than this many per task slot are left, the longest of them are handed out first."""
_POLL_S: Final = 0.5
_IDLE_S: Final = 0.1
_STATUS_EVERY_S: Final = 2.0
_KEPT_NOTES: Final = 20


@dataclass(frozen=True, slots=True)
class RunProgress:
    """A report on the progress of a run."""

    done: int
    """Number of finished jobs."""
    total: int
    """Number of all jobs."""
    job: Any
    """The job that has just ended; None in other reports."""
    running: tuple[Any, ...]
    """The jobs that have been handed out, in the order in which they were."""
    failed: int
    """Number of jobs that have failed in this run."""
    seconds: dict[str, float]
    """Mean CPU seconds per job, by group. Groups without a finished job are left out."""
    worker_bytes: int
    """Most bytes of memory that any worker has used so far."""
    remaining_seconds: float
    """CPU seconds still needed, estimated from the finished jobs; NaN before the first job is finished."""
    workers: int
    """Number of workers at the moment."""
    per_hour: float
    """Jobs finished per hour in this run."""
    start_seconds: float
    """CPU seconds of all workers for their inputs and for compiling so far, which are no time of jobs."""
    waiting: str
    """What the run waits for; empty if for nothing."""
    unit: str
    """What one job is."""

    @property
    def begun(self) -> bool:
        """Whether a job was finished in this run, so that its speed can be told."""
        return self.per_hour > 0

    def __str__(self) -> str:
        parts = [
            f"{self.done:,} of {self.total:,} {self.unit}s",
            f"{len(self.running)} running on {self.workers} workers",
        ]
        if self.waiting:
            parts.append(self.waiting)
        if self.failed:
            parts.append(f"{self.failed} failed")
        if self.per_hour:
            parts.append(f"{self.per_hour:,.0f} per hour")
        if self.start_seconds >= 1:
            parts.append(f"{self.start_seconds:,.0f} s of starting and compiling")
        if self.worker_bytes:
            parts.append(f"{format_bytes(self.worker_bytes)} per worker")
        return ", ".join(parts)


def run_jobs(
    work: Work,
    engine: Engine,
    progress: Callable[[RunProgress], None] = lambda _: None,
    *,
    only: Iterable[Any] | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> RunProgress:
    """Does every job that is not finished, writes the files of the results, and returns the last report.

    :param engine: does the tasks. It stays open.
    :param progress: called with every report.
    :param only: the jobs to do; None for all.
    :param note: called with what a user wants to know of the workers, such as one that is left out.
    :raises ResourceError: if another process works in the same folder, the memory does not suffice, the workers cannot
        be reached or keep dying, or a file cannot be written.
    :raises InputError: if a worker finds fault with the input, or none runs this program.
    :raises MatchError: if a player of a job fails.
    """
    run = Run(work, engine, progress, only=only, note=note)
    for _ in run.results():
        pass
    return run.report(None)


@dataclass(frozen=True, slots=True)
class _Task:
    """What a place has been given."""

    place: str
    jobs: list[Any]


class Run:
    """One run of the jobs of a work."""

    def __init__(
        self,
        work: Work,
        engine: Engine,
        progress: Callable[[RunProgress], None] = lambda _: None,
        *,
        only: Iterable[Any] | None = None,
        note: Callable[[str], None] = lambda _: None,
        status: Path | None = None,
        before: int = 0,
        result: Callable[[], str] = lambda: "",
    ) -> None:
        """The parameters are those of :func:`run_jobs`.

        :param status: file of the status of a work without a folder (:mod:`hedgehog.runtime.engines.status`). It is
            there as long as the run is not finished.
        :param before: number of jobs that earlier runs have done and that are not in the work.
        :param result: tells in a line what has come out so far, for the status; empty for nothing.
        """
        self._work = work
        self._engine = engine
        self._progress = progress
        self._note = note
        self._result = result
        folder = work.work
        mark = None if folder is None else real_path(folder) / STATUS_FILE
        self._status_file = mark or status
        self._order = Order.of(work, mark, secrets.token_hex(8))
        self._order_bytes = self._order.pickled()
        self._knows: set[str] = set()
        self._pending: dict[Future[bytes], _Task] = {}
        self._since: dict[Any, float] = {}
        self._again: deque[Any] = deque()
        self._places = Places(alike=engine.alike)
        self._lost: dict[Any, int] = {}
        self._failed: dict[Any, str] = {}
        self._times: dict[str, list[float]] = {}
        self._spent: dict[str, float] = {}  # cost of the finished jobs of a group
        self._most_bytes = 0
        self._todo: dict[Any, float] = {}
        self._total = before
        self._finished = 0
        self._cpu = 0.0
        self._start_cpu = 0.0
        self._notes: deque[str] = deque(maxlen=_KEPT_NOTES)
        self._began = time.time()
        self._first_begun = self._began
        self._status_due = 0.0
        self._deserted: float | None = None
        self._find_finished()
        wanted = None if only is None else set(only)
        self._jobs = deque(job for job in self._todo if wanted is None or job in wanted)

    def _find_finished(self) -> None:
        for job in self._work.jobs():
            self._total += 1
            self._times.setdefault(job.group, [])
            seconds = self._work.seconds(job)
            if seconds is None:
                self._todo[job] = self._work.cost(job)
            else:
                self._count_time(job, seconds)

    def _count_written(self) -> None:
        """Counts jobs whose result is on disk, although their worker was not heard any more."""
        for job in list(self._todo):
            seconds = self._work.seconds(job)
            if seconds is not None:
                del self._todo[job]
                self._count_time(job, seconds)

    def _count_time(self, job: Any, seconds: float) -> None:
        self._times[job.group].append(seconds)
        self._spent[job.group] = self._spent.get(job.group, 0.0) + self._work.cost(job)

    def results(self) -> Iterator[tuple[Any, bytes | None]]:
        """Does the jobs, and yields each one as it is finished, with its result; None if a worker has kept it.

        The errors are those of :func:`run_jobs`.
        """
        with self._hold_folder():
            yield from self._results()

    def _hold_folder(self) -> AbstractContextManager[None]:
        """Returns a context that makes the folder of the work and keeps other processes from working in it."""
        folder = self._work.work
        if folder is None:
            return nullcontext()
        return hold_work(folder)

    def _results(self) -> Iterator[tuple[Any, bytes | None]]:
        self._say("starting")
        try:
            if self._jobs:
                self._engine.verify(max(self._work.needed_bytes(job) for job in self._jobs))
                yield from self._do()
        except BaseException as error:
            ended = isinstance(error, KeyboardInterrupt | GeneratorExit | StoppedError)
            self._count_written()
            self._say("interrupted" if ended else "stopped", "" if ended else str(error))
            raise
        finally:
            for future in self._pending:
                future.cancel()
        self._say("finished" if not self._todo else "stopped", str(self._failure()) if self._failed else "")
        if self._failed:
            raise self._failure()
        if self._status_file is not None and self._work.work is None:
            self._status_file.unlink(missing_ok=True)

    def _failure(self) -> ResourceError:
        job, reason = next(iter(self._failed.items()))
        done = self._total - len(self._todo)
        how_many = f"{len(self._failed)} {self._work.unit}{'s' if len(self._failed) > 1 else ''} failed"
        return ResourceError(f"{job}: {reason}; {how_many}, {done} of {self._total} are done")

    def _do(self) -> Iterator[tuple[Any, bytes | None]]:
        while self._jobs or self._again or self._pending:
            for text in self._engine.look():
                self._tell(text)
            usable = list(self._engine.places())
            self._wait_for_workers(usable)
            yield from self._lose_tasks(usable)
            self._hand_out(usable)
            if self._pending:
                ended, _ = wait(self._pending, timeout=_POLL_S, return_when=FIRST_COMPLETED)
                for future in ended:
                    yield from self._take(future, self._pending.pop(future), usable)
            else:
                time.sleep(_IDLE_S)
            if len(self._failed) >= MAX_FAILED:
                raise self._failure()
            self._say_if_due()

    def _tell(self, text: str) -> None:
        self._notes.append(text)
        self._note(text)

    def _wait_for_workers(self, usable: Sequence[str]) -> None:
        now = time.monotonic()
        if usable:
            self._deserted = None
        elif self._deserted is None:
            self._deserted = now
        elif now - self._deserted > NO_WORKER_S:
            raise ResourceError(f"{self._engine.name}: there has been no worker for {NO_WORKER_S / 60:.0f} minutes")

    def _lose_tasks(self, usable: Sequence[str]) -> Iterator[tuple[Any, bytes | None]]:
        """Takes the tasks of places that have gone."""
        gone = [future for future, task in self._pending.items() if task.place not in usable and not future.done()]
        for future in gone:
            task = self._pending.pop(future)
            future.cancel()
            self._knows.discard(task.place)
            yield from self._return_lost(task.jobs)

    def _hand_out(self, usable: Sequence[str]) -> None:
        load = dict.fromkeys(usable, 0)
        for task in self._pending.values():
            if task.place in load:
                load[task.place] += 1
        # The last jobs wait for the first worker that is free, not behind another job.
        ahead = self._engine.ahead if len(self._jobs) > len(usable) else 1
        free = deque(sorted((place for place in usable if load[place] < ahead), key=load.__getitem__))
        while free and (self._jobs or self._again):
            place = free.popleft()
            job = next((job for job in self._again if self._places.may_do(job, place, usable)), None)
            if job is not None:
                self._again.remove(job)
                self._submit(place, [job])
            elif self._jobs:
                self._submit(place, self._next_batch(len(usable) * self._engine.ahead))
            else:
                continue
            load[place] += 1
            if load[place] < ahead:
                free.append(place)

    def _next_batch(self, slots: int) -> list[Any]:
        """Takes jobs that together take about a second, so that handing them out costs next to nothing."""
        if len(self._jobs) <= _LAST_ROUNDS * slots:
            self._jobs = deque(sorted(self._jobs, key=self._expected, reverse=True))
        known = [seconds for times in self._times.values() for seconds in times[-20:]]
        mean = sum(known) / len(known) if known else _BATCH_SECONDS
        share = len(self._jobs) // max(slots, 1)  # the last ones are handed out one by one
        size = min(int(_BATCH_SECONDS / max(mean, 1e-3)), _MAX_BATCH, share)
        return [self._jobs.popleft() for _ in range(max(size, 1))]

    def _expected(self, job: Any) -> float:
        """Returns the CPU seconds that a job is expected to take; before any are known, its cost."""
        spent = self._spent.get(job.group, 0.0)
        return self._todo.get(job, 0.0) * (sum(self._times[job.group]) / spent if spent > 0 else 1.0)

    def _submit(self, place: str, jobs: list[Any]) -> None:
        data = None if place in self._knows else self._order_bytes
        self._knows.add(place)
        needed = max(self._work.needed_bytes(job) for job in jobs)
        future = self._engine.submit(place, do_batch, self._order.key, jobs, data=data, needed=needed)
        self._pending[future] = _Task(place, jobs)
        self._since |= dict.fromkeys(jobs, time.time())

    def _take(self, future: Future[bytes], task: _Task, usable: Sequence[str]) -> Iterator[tuple[Any, bytes | None]]:
        """Takes what a task has returned."""
        if future.cancelled():
            self._knows.discard(task.place)
            yield from self._return_lost(task.jobs)
            return
        error = future.exception()
        if error is not None:
            cause = self._engine.died(error)
            if not cause:
                raise error
            self._knows.discard(task.place)
            yield from self._return_fatal(task, cause, usable)
            return
        result: BatchResult = pickle.loads(future.result())
        self._most_bytes = max(self._most_bytes, result.worker_bytes)
        self._start_cpu += result.start_seconds
        if result.wants_order:
            self._knows.discard(task.place)
            self._submit(task.place, task.jobs)
            return
        for done in result.done:
            self._places.finished(task.place)
            yield from self._finish(task.jobs[done.number], done.data, done.seconds)
        result.verify()

    def _return_fatal(self, task: _Task, cause: str, usable: Sequence[str]) -> Iterator[tuple[Any, bytes | None]]:
        """Hands out jobs again, one by one, at which a worker has died, unless they are to blame for that."""
        self._places.died(task.jobs[0], task.place, alone=len(task.jobs) == 1)
        if self._places.is_suspect(task.place, usable):
            self._tell(self._engine.leave_out(task.place, f"jobs end it that others may do: {cause}"))
            usable = [place for place in usable if place != task.place]
        for job in task.jobs:
            if self._work.seconds(job) is not None:  # the worker has written the file before it died
                yield from self._finish(job)
            elif self._places.has_failed(job, usable):
                self._fail(job, f"{self._places.deaths(job)} workers have died on it ({cause})")
            else:
                self._again.append(job)

    def _return_lost(self, jobs: Sequence[Any]) -> Iterator[tuple[Any, bytes | None]]:
        """Hands out jobs again, one by one, that were lost on the way, unless that has happened too often."""
        for job in jobs:
            self._lost[job] = self._lost.get(job, 0) + (len(jobs) == 1)
            if self._work.seconds(job) is not None:
                yield from self._finish(job)
            elif self._lost[job] >= MAX_LOST:
                self._fail(job, f"its task was lost {MAX_LOST} times")
            else:
                self._again.append(job)

    def _fail(self, job: Any, reason: str) -> None:
        self._failed[job] = reason
        self._since.pop(job, None)

    def _finish(self, job: Any, data: bytes | None = None, seconds: float = 0.0) -> Iterator[tuple[Any, bytes | None]]:
        """Takes the result of a job; without data, a worker has written its file."""
        if self._todo.get(job) is None:
            return
        if data is not None and job.path is not None:
            write_job(job.path, data)
        del self._todo[job]
        if not self._finished:
            self._first_begun = time.time() - seconds
        self._finished += 1
        self._since.pop(job, None)
        self._cpu += seconds
        self._count_time(job, seconds or self._work.seconds(job) or 0.0)
        self._progress(self.report(job))
        yield job, data

    def report(self, job: Any) -> RunProgress:
        """Returns a report.

        :param job: the job that has just ended; None if there is none.
        """
        means = {group: sum(found) / len(found) for group, found in self._times.items() if found}
        # A group without a finished job counts like the mean of the others.
        rates = {group: sum(self._times[group]) / self._spent[group] for group in means if self._spent[group] > 0}
        average = sum(rates.values()) / len(rates) if rates else float("nan")
        waiting = self._engine.waiting
        if not waiting and self._deserted is not None:
            waiting = "waiting for a worker"
        return RunProgress(
            done=self._total - len(self._todo),
            total=self._total,
            job=job,
            running=tuple(self._since),
            failed=len(self._failed),
            seconds=means,
            worker_bytes=self._most_bytes,
            remaining_seconds=sum(cost * rates.get(job.group, average) for job, cost in self._todo.items()),
            workers=self._engine.workers,
            per_hour=3600 * self._finished / self._busy_seconds() if self._finished else 0.0,
            start_seconds=self._start_cpu,
            waiting=waiting,
            unit=self._work.unit,
        )

    def _busy_seconds(self) -> float:
        """Returns the seconds since the first job of this run was begun, without what came before it."""
        return max(time.time() - self._first_begun, 1e-3)

    def _say_if_due(self) -> None:
        now = time.monotonic()
        if now >= self._status_due:
            self._status_due = now + _STATUS_EVERY_S
            self._progress(self.report(None))
            self._say("running")

    def _say(self, state: str, message: str = "") -> None:
        """Writes the status file and publishes the status, which tell others how far the run is."""
        now = self.report(None)
        # From the speed of this run, which tells how many workers there were and what else they did.
        remaining = now.remaining_seconds * self._busy_seconds() / self._cpu if self._cpu else math.nan
        status = RunStatus.of_this_process(
            self._order.token,
            state,
            message,
            started=self._began,
            engine=self._engine.name,
            workers=now.workers,
            dashboard=self._engine.dashboard,
            done=now.done,
            total=now.total,
            running=[RunningJob(str(job), since) for job, since in self._since.items()],
            failed={str(job): reason for job, reason in self._failed.items()},
            per_hour=now.per_hour,
            cpu_seconds=now.seconds,
            remaining_seconds=None if math.isnan(remaining) or now.waiting else remaining,
            worker_bytes=now.worker_bytes,
            start_seconds=now.start_seconds,
            waiting=now.waiting,
            notes=[*self._notes, *filter(None, [self._result()])],
            unit=now.unit,
        )
        if self._status_file is not None:
            write_status(self._status_file, status)
        key = self._order.token if self._status_file is None else f"{status.host}:{self._status_file}"
        self._engine.publish(key, "" if state == "finished" else json.dumps(status.to_json()))
