"""Threads that help with passes while another thread leads them (:mod:`hedgehog.solver.cfr.kernels._team_kernels`)."""

from __future__ import annotations

import _thread
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.cfr.kernels._team_kernels import end_phases, start_team, team_words

_NUM_THREADS: Final = -1
"""Place of the number of threads among the arguments of a pass."""


def new_team(num_threads: int) -> NDArray[np.int64]:
    """Returns the array through which the threads of one call talk."""
    team = np.zeros(team_words(num_threads), dtype=np.int64)
    start_team(team)
    return team


@contextmanager
def shared(assist: Any, arguments: tuple[Any, ...], team: NDArray[np.int64]) -> Iterator[None]:
    """Lets threads help with the passes that are run inside the ``with`` block.

    The threads start when the system lets them; the leading thread does not wait for them. Without a compiler, kernels
    run in Python, and nobody helps.

    :param assist: the kernel of a helper, whose arguments are ``arguments`` and the number of the thread.
    :param arguments: the arguments of the passes; the last one is the number of threads.
    :param team: the array through which the threads talk.
    """
    threads = arguments[_NUM_THREADS]
    if threads == 1 or not hasattr(assist, "signatures"):
        yield
        return
    # A call that returns at once compiles the kernel if need be. Helpers must not compile: nobody waits for them.
    end_phases(team)
    assist(*arguments, 1)
    team[:] = 0
    start_team(team)
    # Threads of threading.Thread are waited for until they run, which takes long on a busy machine.
    with suppress(RuntimeError):  # the system has no more threads
        for thread in range(1, threads):
            _thread.start_new_thread(assist, (*arguments, thread))
    try:
        yield
    finally:
        end_phases(team)
