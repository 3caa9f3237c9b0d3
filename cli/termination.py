"""Signals that ask a command to end."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def on_ending_signals(end: Callable[[int], None]) -> Iterator[None]:
    """Calls ``end`` with the number of the signal if SIGTERM or SIGHUP comes in the block.

    ``kill``, a closed terminal and a cluster's scheduler send these signals. By default they end a process at once, and
    the locks of its workers are left for the system to clean up. A signal that the process ignores, as ``nohup`` makes
    it ignore SIGHUP, stays ignored. Only the main thread can enter the block.

    :param end: function that raises an exception, which ends the block.
    """

    def handle(number: int, frame: FrameType | None) -> None:
        end(number)

    signals = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) != signal.SIG_IGN]
    before = {number: signal.signal(number, handle) for number in signals}
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

    with on_ending_signals(interrupt):
        yield


@contextmanager
def unmoved_by_signals() -> Iterator[None]:
    """Ignores Ctrl-C, SIGTERM and SIGHUP in the block, which finishes what an earlier one has ended."""
    before = {
        number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
