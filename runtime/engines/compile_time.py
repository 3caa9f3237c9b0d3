"""How much CPU time this process has spent on compiling kernels, so that it does not count as time of its jobs."""

from __future__ import annotations

import time
from functools import cache
from importlib import import_module
from typing import Any, Final

import hedgehog.runtime.jit  # noqa: F401  # sets what numba reads from the environment

_EVENT: Final = "numba:compile"
_events: Any = import_module("numba.core.event")  # it has no type annotations


class _Clock(_events.Listener):  # type: ignore[misc]
    """Adds up the CPU time of compilations. A kernel that compiles another one counts once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0
        self._started = 0.0

    def on_start(self, event: object) -> None:
        """Hears of numba that a compilation begins."""
        if self._depth == 0:
            self._started = time.process_time()
        self._depth += 1

    def on_end(self, event: object) -> None:
        """Hears of numba that a compilation ends."""
        self._depth = max(self._depth - 1, 0)
        if self._depth == 0:
            self.seconds += time.process_time() - self._started


@cache
def _clock() -> _Clock:
    clock = _Clock()
    _events.register(_EVENT, clock)
    return clock


def compile_seconds() -> float:
    """Returns the CPU seconds of all compilations in this process since the first call of this function."""
    return _clock().seconds
