"""How threads share the tasks of a pass without waiting for each other more than they must.

The work of a pass is a sequence of *phases*, each of which has a number of independent tasks. One thread leads: it
opens a phase, takes tasks itself, and opens the next phase once all tasks are done. The other threads take tasks as
long as there are some. A thread that does not come in time, because another program has its core, holds up nobody: the
others take its tasks. Only a task that a thread has taken and not finished is waited for.

A thread that finds nothing to do looks again for some microseconds, then sleeps on a semaphore of its own until it is
woken. If looking was in vain it looks half as long the next time, otherwise twice as long: where other programs want
the cores, it would only take time from the threads it waits for.

The threads talk through an array ``team`` of int64, in which each number has a cache line of its own::

    team[0]             number of the open phase times 2^24, plus the number of the next task
    team[8]             tasks of this phase that are done
    team[16]            1 once the last phase is over
    team[24 + 16 t]     1 while thread t sleeps or is about to; the leader is thread 0
    team[25 + 16 t]     how often thread t looks before it sleeps
    team[32 + 16 t]     semaphore of thread t

Phases are numbered from 1. A thread may find that all tasks are taken; it then waits for a phase with another number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from runtime.jit import lean_njit
from solver.cfr._simd_kernels import (
    add_to_word,
    await_semaphore,
    post_semaphore,
    start_semaphore,
    store_word,
    swap_word,
    word_at,
)

Words = NDArray[np.int64]

_DONE, _OVER, _ASLEEP, _SEMAPHORE = 8, 16, 24, 32
_PER_THREAD = 16
_SHIFT = 24
_LEAST_LOOKS, _MOST_LOOKS = 50, 15_000
"""Fewest and most looks before a thread sleeps. The most take about 20 microseconds, as long as waking up again."""


@lean_njit
def team_words(num_threads: int) -> int:
    """Returns the size of the array for a number of threads."""
    return _ASLEEP + _PER_THREAD * num_threads


@lean_njit
def start_team(team: Words) -> None:
    """Prepares an array of zeros."""
    for place in range(_ASLEEP, team.size, _PER_THREAD):
        team[place + 1] = _MOST_LOOKS
        start_semaphore(team, place + _SEMAPHORE - _ASLEEP)


@lean_njit
def open_phase(team: Words, phase: int) -> None:
    """Offers the tasks of a phase to all threads. All tasks of the phase before must be done."""
    store_word(team, _DONE, 0)
    store_word(team, 0, phase << _SHIFT)
    wake_helpers(team)


@lean_njit
def wake_helpers(team: Words) -> None:
    """Wakes all threads but the leader."""
    for place in range(_ASLEEP + _PER_THREAD, team.size, _PER_THREAD):
        if swap_word(team, place, 0):
            post_semaphore(team, place + _SEMAPHORE - _ASLEEP)


@lean_njit
def take_task(team: Words) -> tuple[int, int]:
    """Returns the number of the open phase and of its next task. The phase may have no such task any more."""
    word = add_to_word(team, 0, 1)
    return word >> _SHIFT, word & ((1 << _SHIFT) - 1)


@lean_njit
def next_task(team: Words) -> tuple[int, int]:
    """Returns what :func:`take_task` would, without taking the task."""
    word = word_at(team, 0)
    return word >> _SHIFT, word & ((1 << _SHIFT) - 1)


@lean_njit
def finish_task(team: Words) -> None:
    """Says that a task that this thread had taken is done."""
    add_to_word(team, _DONE, 1)
    if word_at(team, _ASLEEP) and swap_word(team, _ASLEEP, 0):
        post_semaphore(team, _SEMAPHORE)


@lean_njit
def look_longer(team: Words, place: int) -> None:
    """Doubles how often a thread looks before it sleeps; ``team[place]`` says whether it sleeps."""
    team[place + 1] = min(2 * team[place + 1], _MOST_LOOKS)


@lean_njit
def look_shorter(team: Words, place: int) -> None:
    """Halves how often a thread looks before it sleeps."""
    team[place + 1] = max(team[place + 1] // 2, _LEAST_LOOKS)


@lean_njit
def wait_for_tasks(team: Words, count: int) -> None:
    """Returns once all ``count`` tasks of the open phase are done."""
    for _ in range(team[_ASLEEP + 1]):
        if word_at(team, _DONE) >= count:
            look_longer(team, _ASLEEP)
            return
    look_shorter(team, _ASLEEP)
    while word_at(team, _DONE) < count:
        store_word(team, _ASLEEP, 1)
        # A thread that finishes its task from now on sees the line above, or this thread sees its task finished.
        if word_at(team, _DONE) < count or not swap_word(team, _ASLEEP, 0):
            await_semaphore(team, _SEMAPHORE)


@lean_njit
def wait_for_phase(team: Words, thread: int, phase: int, task: int) -> None:
    """Returns once :func:`next_task` no longer returns ``phase`` and ``task``, or the last phase is over.

    :param thread: number of the calling thread, at least 1.
    """
    seen = phase << _SHIFT | task
    place = _ASLEEP + _PER_THREAD * thread
    for _ in range(team[place + 1]):
        if word_at(team, 0) != seen or word_at(team, _OVER):
            look_longer(team, place)
            return
    look_shorter(team, place)
    store_word(team, place, 1)
    if (word_at(team, 0) == seen and not word_at(team, _OVER)) or not swap_word(team, place, 0):
        await_semaphore(team, place + _SEMAPHORE - _ASLEEP)


@lean_njit
def end_phases(team: Words) -> None:
    """Sends the other threads home."""
    store_word(team, _OVER, 1)
    wake_helpers(team)


@lean_njit
def is_over(team: Words) -> bool:
    """Tells whether the last phase is over."""
    over: bool = word_at(team, _OVER) != 0
    return over
