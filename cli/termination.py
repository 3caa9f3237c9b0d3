"""Signals that ask a command to end, for commands whose work can be gone on with."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ended_as_by_ctrl_c() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP end the block as Ctrl-C does, by KeyboardInterrupt, so that it cleans up behind it.

    ``kill``, a closed terminal and a cluster's scheduler send these signals. By default they end a process at once, and
    its workers' locks are left for the system to clean up. Only the main thread can enter the block.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
