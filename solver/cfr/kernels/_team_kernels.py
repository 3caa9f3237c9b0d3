"""How threads share the tasks of a pass without waiting for each other more than they must.

The work of a pass is a sequence of *phases*, each of which has a number of independent tasks. One thread leads: it
opens a phase, takes tasks itself, and opens the next phase once all tasks are done. The other threads take tasks as
long as there are some. A thread that does not come in time, because another program has its core, holds up nobody: the
others take its tasks. Only a task that a thread has taken and not finished is waited for.

Every thread has a *share* of the tasks, in every pass the same one. It takes the tasks of its own share first, so that
what they read and write is still in the caches of its core, and then those that are left of other shares.

A thread that finds nothing to do looks again for some time, then sleeps on a semaphore of its own until it is woken. If
looking was in vain it looks half as long the next time, otherwise twice as long: where other programs want the cores,
it would only take time from the threads it waits for.

The threads talk through an array ``team`` of int64, in which each number has a cache line of its own::

    team[0]             number of the open phase
    team[8]             tasks of this phase that are done
    team[16]            1 once the last phase is over
    team[24 + 24 t]     1 while thread t sleeps or is about to; the leader is thread 0
    team[25 + 24 t]     how often thread t looks before it sleeps
    team[32 + 24 t]     semaphore of thread t
    team[40 + 24 t]     the share of thread t: number of the phase times 2^24, plus how many of its tasks are taken

Phases are numbered from 1. The shares are opened one by one, and ``team[0]`` is written last.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.jit import lean_njit
from hedgehog.solver.cfr.kernels._simd_kernels import (
    add_to_word,
    await_semaphore,
    post_semaphore,
    start_semaphore,
    store_word,
    swap_word,
    word_at,
)

Words = NDArray[np.int64]

_DONE, _OVER, _THREADS = 8, 16, 24
_LOOKS, _SEMAPHORE, _SHARE, _PER_THREAD = 1, 8, 16, 24
"""Places in the part of the array that belongs to a thread, and the length of this part."""
_SHIFT = 24
_LEAST_LOOKS, _MOST_LOOKS = 50, 150_000
"""Fewest and most looks before a thread sleeps. The most take about 200 microseconds: in a virtual machine, a core that
sleeps needs nearly as long to wake up."""


@lean_njit
def team_words(num_threads: int) -> int:
    """Returns the size of the array for a number of threads."""
    return _THREADS + _PER_THREAD * num_threads


@lean_njit
def start_team(team: Words) -> None:
    """Prepares an array of zeros."""
    for place in range(_THREADS, team.size, _PER_THREAD):
        team[place + _LOOKS] = _MOST_LOOKS
        start_semaphore(team, place + _SEMAPHORE)


@lean_njit
def open_phase(team: Words, phase: int) -> None:
    """Offers the tasks of a phase to all threads. All tasks of the phase before must be done."""
    store_word(team, _DONE, 0)
    for place in range(_THREADS, team.size, _PER_THREAD):
        store_word(team, place + _SHARE, phase << _SHIFT)
    store_word(team, 0, phase)
    wake_helpers(team)


@lean_njit
def wake_helpers(team: Words) -> None:
    """Wakes all threads but the leader."""
    for place in range(_THREADS + _PER_THREAD, team.size, _PER_THREAD):
        if swap_word(team, place, 0):
            post_semaphore(team, place + _SEMAPHORE)


@lean_njit
def share_start(team: Words, thread: int, count: int) -> int:
    """Returns the number of the first of ``count`` tasks in the share of a thread."""
    return count * thread // ((team.size - _THREADS) // _PER_THREAD)


@lean_njit
def take_task(team: Words, thread: int, phase: int, count: int) -> tuple[int, int, int]:
    """Takes a task, of the own share if there is one.

    :param phase: number of a phase that has been opened, and ``count`` its number of tasks.
    :returns: a phase, a thread and a number in the share of this thread; phase 0 if there was nothing to take. The
        phase may be a later one, whose share may have no such task: then nothing was taken.
    """
    threads = (team.size - _THREADS) // _PER_THREAD
    for step in range(threads):
        owner = (thread + step) % threads
        size = share_start(team, owner + 1, count) - share_start(team, owner, count)
        place = _THREADS + _PER_THREAD * owner + _SHARE
        # Looking before taking keeps the number of tasks taken small.
        word = word_at(team, place)
        if word >> _SHIFT == phase and word & ((1 << _SHIFT) - 1) < size:
            word = add_to_word(team, place, 1)
            number = word & ((1 << _SHIFT) - 1)
            if word >> _SHIFT != phase or number < size:
                return word >> _SHIFT, owner, number
    return 0, 0, 0


@lean_njit
def open_number(team: Words) -> int:
    """Returns the number of the open phase, 0 before the first."""
    number: int = word_at(team, 0)
    return number


@lean_njit
def finish_task(team: Words) -> None:
    """Says that a task that this thread had taken is done."""
    add_to_word(team, _DONE, 1)
    if word_at(team, _THREADS) and swap_word(team, _THREADS, 0):
        post_semaphore(team, _THREADS + _SEMAPHORE)


@lean_njit
def look_longer(team: Words, place: int) -> None:
    """Doubles how often a thread looks before it sleeps; ``team[place]`` says whether it sleeps."""
    team[place + _LOOKS] = min(2 * team[place + _LOOKS], _MOST_LOOKS)


@lean_njit
def look_shorter(team: Words, place: int) -> None:
    """Halves how often a thread looks before it sleeps."""
    team[place + _LOOKS] = max(team[place + _LOOKS] // 2, _LEAST_LOOKS)


@lean_njit
def wait_for_tasks(team: Words, count: int) -> None:
    """Returns once all ``count`` tasks of the open phase are done."""
    for _ in range(team[_THREADS + _LOOKS]):
        if word_at(team, _DONE) >= count:
            look_longer(team, _THREADS)
            return
    look_shorter(team, _THREADS)
    while word_at(team, _DONE) < count:
        store_word(team, _THREADS, 1)
        # A thread that finishes its task from now on sees the line above, or this thread sees its task finished.
        if word_at(team, _DONE) < count or not swap_word(team, _THREADS, 0):
            await_semaphore(team, _THREADS + _SEMAPHORE)


@lean_njit
def wait_for_phase(team: Words, thread: int, phase: int) -> None:
    """Returns once another phase than ``phase`` is open, or the last phase is over.

    :param thread: number of the calling thread, at least 1.
    """
    place = _THREADS + _PER_THREAD * thread
    for _ in range(team[place + _LOOKS]):
        if word_at(team, 0) != phase or word_at(team, _OVER):
            look_longer(team, place)
            return
    look_shorter(team, place)
    store_word(team, place, 1)
    if (word_at(team, 0) == phase and not word_at(team, _OVER)) or not swap_word(team, place, 0):
        await_semaphore(team, place + _SEMAPHORE)


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
