"""The match runner: plays the seatings of matches in parallel, and goes on with interrupted matches.

Every player is created anew for every seating, so that no player remembers the cards it has already seen. Seatings are
independent of each other. The results do not depend on how many run at a time.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from enum import Enum
from pathlib import Path
from typing import Any, Final, TypeVar

from hedgehog.arena.match import MATCH_PLAN_FILE, MatchPlan, PlayedSeating, TableJob
from hedgehog.arena.plans import verify_same_plan
from hedgehog.arena.seating_log import (
    ExpectedLog,
    Progress,
    count_unfinished_hands,
    flush_to_disk,
    read_finished_log,
)
from hedgehog.arena.seatings.blocks import begin_blocks, join_blocks
from hedgehog.arena.seatings.processes import ChildProcess, Guardian, ProcessPool
from hedgehog.arena.seatings.tcp import SeatingError, TableKilledError, play_over_tcp, use_table
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import write_text_file
from hedgehog.runtime.folder_lock import POLL_S, FolderLock

TABLE_COMMAND: Final = (sys.executable, "-P", "-m", "hedgehog.arena.table_process")
"""Command that starts a process in which all players of a seating sit."""
MAX_TABLES: Final = 3
"""A seating has failed when this many processes have been killed while they played it."""
_LOCK_PATIENCE_S = 5.0
"""Seconds to wait for a folder whose last user was killed, until the guardian has killed all its processes."""

T = TypeVar("T")


async def run_match(
    plan: MatchPlan,
    on_progress: Callable[[Progress], None] | None = None,
    *,
    jobs: int = 1,
    resume: bool = False,
    resume_all: bool = False,
    note: Callable[[str], None] = lambda _: None,
) -> list[PlayedSeating]:
    """Plays all seatings of a match and returns their files. Whatever happens, no process is left running.

    :param plan: the match.
    :param on_progress: called as soon as the folder is held, and then a few times per second, with the progress, an
        object that is updated in place.
    :param jobs: number of seatings played at the same time. The result does not depend on it.
    :param resume: keep the finished seatings that an interrupted run of the same match has left in ``plan.out``, and
        go on with its unfinished seatings if no player remembers earlier hands.
    :param resume_all: with ``resume``, go on with unfinished seatings even if players may remember earlier hands.
    :param note: called with a line on every process that was killed and replaced.
    :raises SeatingError: if the dealer or a player fails; the message says which and why.
    :raises InputError: if a player's command cannot be started, or the folder holds another match.
    """
    progress = Progress(chips={entrant.name: 0.0 for entrant in plan.entrants})
    async with seating_runner(plan.out, jobs, note) as runner:
        go_on = begin_match(plan, resume=resume, resume_all=resume_all)
        kept = go_on is not GoOn.NEVER
        tell = on_progress or (lambda _: None)
        tell(progress)
        return await runner.play(plan, progress, tell, keep_finished=kept, go_on=go_on)


def begin_match(plan: MatchPlan, *, resume: bool, resume_all: bool) -> GoOn:
    """Writes the plan of a match into its folder, or compares it with the plan that is there.

    :param resume: go on with the match in the folder, if there is one.
    :param resume_all: go on with unfinished seatings even if players may remember earlier hands.
    :returns: when to go on with unfinished seatings; ``NEVER``: nothing is kept.
    :raises InputError: if the folder holds another match.
    """
    plan_file = plan.out / MATCH_PLAN_FILE
    if resume and plan_file.exists():
        verify_same_plan(plan.as_dict(), plan_file)
        return GoOn.ALWAYS if resume_all else GoOn.WITHOUT_MEMORY
    write_text_file(plan_file, json.dumps(plan.as_dict(), indent=2) + "\n")
    return GoOn.NEVER


@asynccontextmanager
async def seating_runner(
    folder: Path, jobs: int, note: Callable[[str], None] = lambda _: None
) -> AsyncIterator[SeatingRunner]:
    """Context manager: gives a runner that plays at most ``jobs`` seatings at a time, and locks ``folder`` meanwhile.

    :param note: called with a line on every process that was killed and replaced.
    :raises InputError: if another match or tournament is writing to the folder.
    """
    with FolderLock(folder) as lock:
        deadline = time.monotonic() + _LOCK_PATIENCE_S
        while not lock.take():
            if time.monotonic() >= deadline:
                raise another_writer(folder)
            await asyncio.sleep(POLL_S)
        async with Guardian(keep_open=[lock.descriptor]) as guardian, ProcessPool(guardian) as tables:
            yield SeatingRunner(jobs, guardian, tables, note)


def another_writer(folder: Path) -> InputError:
    """Returns the error which says that another match or tournament is writing to ``folder``."""
    return InputError("another match or tournament is writing to this folder", source=str(folder))


async def all_or_none(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Runs coroutines at the same time and returns their results in order.

    When one fails, or the caller is cancelled, the others are cancelled, and the error is raised after all have ended.
    Unlike with ``asyncio.gather``, each is cancelled only once, so that its cleaning up is not interrupted.
    """
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    if not tasks:
        return []
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    for task in done:
        task.result()
    return [task.result() for task in tasks]


class GoOn(Enum):
    """Says when an unfinished seating goes on after the hands in its log instead of starting anew."""

    NEVER = "never"
    """All unfinished seatings start anew."""
    WITHOUT_MEMORY = "without memory"
    """A seating goes on if none of its players may remember earlier hands."""
    ALWAYS = "always"
    """Every unfinished seating goes on."""


class SeatingRunner:
    """Plays the seatings of one or several matches, each as soon as one of a fixed number of slots is free."""

    def __init__(self, jobs: int, guardian: Guardian, tables: ProcessPool, note: Callable[[str], None]) -> None:
        self._slots = asyncio.Semaphore(jobs)
        self._note = note
        self._guardian = guardian
        self._tables = tables
        self._idle_tables: list[ChildProcess] = []

    async def play(
        self,
        plan: MatchPlan,
        progress: Progress,
        on_progress: Callable[[Progress], None],
        *,
        keep_finished: bool,
        go_on: GoOn = GoOn.NEVER,
    ) -> list[PlayedSeating]:
        """Plays the seatings of a match and returns their files.

        :param plan: the match.
        :param progress: progress of the match, updated in place.
        :param on_progress: called with ``progress`` a few times per second.
        :param keep_finished: do not play seatings again whose logs are complete.
        :param go_on: when to go on with unfinished seatings.
        :raises SeatingError: if the dealer or a player fails. The other seatings of the match are then broken off.
        :raises StartError: if a player's command cannot be started.
        """
        progress.chips.update({entrant.name: 0.0 for entrant in plan.entrants})

        def tell() -> None:
            on_progress(progress)

        def play_part(part: MatchPlan, index: int) -> Coroutine[Any, Any, PlayedSeating]:
            return self.play_seating(part, index, progress, tell, keep_finished=keep_finished, go_on=go_on)

        indices = range(1, len(plan.seatings()) + 1)
        if plan.block_hands is None:
            return await all_or_none(play_part(plan, index) for index in indices)
        parts: list[tuple[MatchPlan, int]] = []
        for index in indices:
            if keep_finished and (chips := read_finished_log(plan.expected_log(index))) is not None:
                progress.add(plan.hands, chips)
                tell()
            else:
                parts += [(part, index) for part in begin_blocks(plan, index, progress)]
        parts.sort(key=lambda part: part[0].first_hand)  # so that there are groups of the same cards early
        await all_or_none(play_part(part, index) for part, index in parts)
        join_blocks(plan)
        return [plan.played(index) for index in indices]

    async def play_seating(
        self,
        plan: MatchPlan,
        index: int,
        progress: Progress,
        on_progress: Callable[[], None],
        *,
        keep_finished: bool,
        go_on: GoOn,
    ) -> PlayedSeating:
        """Plays a seating (number ``index``, from 1) or a block of it, and returns its files; see :meth:`play`."""
        expected = plan.expected_log(index)
        chips = read_finished_log(expected) if keep_finished else None
        if chips is not None:
            progress.add(plan.hands, chips)
            on_progress()
        else:
            async with self._slots:
                progress.started = progress.started or time.monotonic()
                if plan.table is None:
                    goes_on = clear_seating(plan, index, go_on)
                    await play_over_tcp(self._guardian, plan, index, progress, on_progress, goes_on=goes_on)
                else:
                    await self._play_at_tables(plan, plan.table, index, progress, on_progress, go_on)
            flush_to_disk(expected.path)
        return plan.played(index)

    async def _play_at_tables(
        self,
        plan: MatchPlan,
        table: TableJob,
        index: int,
        progress: Progress,
        on_progress: Callable[[], None],
        go_on: GoOn,
    ) -> None:
        """Plays a seating in a process, and in another one if that is killed."""
        for killed in range(1, MAX_TABLES + 1):
            job = table(plan, index, clear_seating(plan, index, go_on))
            try:
                await self._play_at_table(job, plan.expected_log(index), progress, on_progress)
                return
            except TableKilledError as error:
                if killed == MAX_TABLES:
                    raise SeatingError(f"{error}, the last of {MAX_TABLES}") from None
                self._note(f"{error}; another one goes on")
                go_on = GoOn.WITHOUT_MEMORY if go_on is GoOn.NEVER else go_on

    async def _play_at_table(
        self, job: str, expected: ExpectedLog, progress: Progress, on_progress: Callable[[], None]
    ) -> None:
        output = expected.path.with_suffix(".table.err")
        if self._idle_tables:
            table = self._idle_tables.pop()
            table.output = output
        else:
            table = await self._tables.start("the table", TABLE_COMMAND, output, pipe_stdin=True, pipe_stdout=True)
        try:
            await use_table(table, job, expected, progress, on_progress)
        except BaseException:
            table.kill_group()
            raise
        self._idle_tables.append(table)
        if read_finished_log(expected) is None:
            raise SeatingError(f"the table has not finished {expected.path}")


def clear_seating(plan: MatchPlan, index: int, go_on: GoOn) -> bool:
    """Removes what an earlier run has left of an unfinished seating, and tells whether to go on with its log."""
    expected = plan.expected_log(index)
    halves = plan.out.glob(f".{expected.match}.*.tmp")  # files a killed run has not finished
    goes_on = _goes_on(plan, expected, go_on)
    anew = () if goes_on else (expected.path, plan.answers(index), *plan.records(index))
    for stale in (*plan.reports(index), *halves, *anew):
        stale.unlink(missing_ok=True)
    return goes_on


def _goes_on(plan: MatchPlan, expected: ExpectedLog, go_on: GoOn) -> bool:
    """Tells whether a seating goes on after the hands in its log."""
    if go_on is GoOn.NEVER or not count_unfinished_hands(expected):
        return False
    return go_on is GoOn.ALWAYS or all(entrant.resume is not None for entrant in plan.entrants)
