"""Signals that ask a command to end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType


def ending_signals() -> list[signal.Signals]:
    """Returns SIGTERM and SIGHUP, without a signal that the process ignores, as ``nohup`` makes it ignore SIGHUP.

    ``kill``, a closed terminal and a cluster's scheduler send these signals. By default they end a process at once: its
    results are lost, and the locks of its workers are left for the system to clean up.
    """
    return [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) != signal.SIG_IGN]


@contextmanager
def handling(numbers: Iterable[signal.Signals], handle: Callable[[int], None]) -> Iterator[None]:
    """Calls ``handle`` with the number of the signal if one of the signals comes in the block.

    Only the main thread can change what signals do; in another thread the block runs as it is.
    """

    def call(number: int, frame: FrameType | None) -> None:
        handle(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, call) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def ended_as_by_ctrl_c() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP end the block as Ctrl-C does, by KeyboardInterrupt, so that it cleans up behind it."""

    def interrupt(number: int) -> None:
        raise KeyboardInterrupt

    with handling(ending_signals(), interrupt):
        yield


@contextmanager
def unmoved_by_signals() -> Iterator[None]:
    """Ignores Ctrl-C, SIGTERM and SIGHUP in the block, so that a second signal loses nothing."""
    with handling((signal.SIGINT, *ending_signals()), lambda number: None):
        yield
