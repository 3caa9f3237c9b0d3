"""Parts of a measurement played by processes of this machine, in any order."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from typing import Any, TypeVar

from hedgehog.runtime.errors import MatchError

T = TypeVar("T")


def play_parts(
    jobs: int,
    start: Callable[..., None],
    arguments: tuple[Any, ...],
    play: Callable[..., T],
    parts: Iterable[tuple[Any, ...]],
) -> Iterator[T]:
    """Yields the results of parts that worker processes play, as they are done.

    :param jobs: number of processes.
    :param start: called with ``arguments`` in every process before its first part.
    :param play: called with each part.
    :raises MatchError: if a process is killed; also what ``play`` raises.
    """
    with ProcessPoolExecutor(jobs, get_context("spawn"), start, arguments) as pool:
        waiting = [pool.submit(play, *part) for part in parts]
        try:
            for done in as_completed(waiting):
                try:
                    yield done.result()
                except BrokenProcessPool as error:
                    raise MatchError(f"a process that played was killed (too little memory for {jobs}?)") from error
        except BaseException:
            for process in active_children():  # a part may take minutes, and nobody waits for its result any more
                process.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def leave_signals_to_the_parent() -> None:
    """Makes a worker process ignore the signals by which a person or a terminal ends a command."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
