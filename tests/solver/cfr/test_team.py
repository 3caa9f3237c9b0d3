"""Threads that share tasks: every task of every phase is done once, in its phase, however many threads there are."""

from __future__ import annotations

import _thread
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.runtime.jit import njit
from hedgehog.solver.cfr.kernels._team_kernels import (
    end_phases,
    finish_task,
    is_over,
    open_number,
    open_phase,
    share_start,
    take_task,
    wait_for_phase,
    wait_for_tasks,
)
from hedgehog.solver.cfr.team import new_team

COUNTS = np.array([5, 48, 0, 1, 17, 3, 0, 100], dtype=np.int64)
"""Tasks of the phases; they come again and again."""
PHASES = 20_000


@njit(nogil=True)
def count_of(phase: int, counts: NDArray[np.int64]) -> int:
    count: int = counts[phase % counts.size]
    return count


@njit(nogil=True)
def do(done: NDArray[np.int64], phase: int, task: int, last: NDArray[np.int64]) -> None:
    """Notes that a task is done in its phase, or an error if the phase is not the one that comes next for it."""
    if last[task] >= phase:
        done[0] = -1
    last[task] = phase
    done[1 + task] += 1


@njit(nogil=True)
def lead(team: NDArray[np.int64], counts: NDArray[np.int64], done: NDArray[np.int64], last: NDArray[np.int64]) -> None:
    thread: Any = np.int64(0)
    for phase in range(1, PHASES + 1):
        count = count_of(phase, counts)
        open_phase(team, phase)
        while True:
            found, owner, place = take_task(team, thread, phase, count)
            if not found:
                break
            do(done, found, share_start(team, owner, count) + place, last)
            finish_task(team)
        wait_for_tasks(team, count)


@njit(nogil=True)
def assist(
    team: NDArray[np.int64], counts: NDArray[np.int64], done: NDArray[np.int64], last: NDArray[np.int64], thread: int
) -> None:
    while not is_over(team):
        opened = open_number(team)
        number: Any = np.int64(0)
        owner: Any = np.int64(0)
        place: Any = np.int64(0)
        if opened:
            number, owner, place = take_task(team, thread, opened, count_of(opened, counts))
        if not number:
            wait_for_phase(team, thread, opened)
            continue
        count = count_of(number, counts)
        task = share_start(team, owner, count) + place
        if task < share_start(team, owner + 1, count):
            do(done, number, task, last)
            finish_task(team)


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
def test_every_task_is_done_once(threads: int) -> None:
    team = new_team(threads)
    done = np.zeros(1 + COUNTS.max(), dtype=np.int64)
    last = np.zeros(COUNTS.max(), dtype=np.int64)
    idle = new_team(1)
    end_phases(idle)
    assist(idle, COUNTS, done.copy(), last.copy(), 1)  # compiles it, as helpers must not
    ended: list[int] = []

    def help_along(thread: int) -> None:
        assist(team, COUNTS, done, last, thread)
        ended.append(thread)

    for thread in range(1, threads):
        _thread.start_new_thread(help_along, (thread,))
    lead(team, COUNTS, done, last)
    end_phases(team)
    counts = COUNTS[np.arange(1, PHASES + 1) % COUNTS.size]
    expected = [int((counts > task).sum()) for task in range(100)]
    assert done.tolist() == [0, *expected]
    deadline = time.monotonic() + 60
    while len(ended) < threads - 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sorted(ended) == list(range(1, threads))
