"""Tells which tests start processes, finds those that a test has started, directly or not, and waits for conditions."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType

TOKEN_NAME = "HEDGEHOG_TEST_TOKEN"
"""Environment variable that marks a process and everything it starts."""


def processes_marked(token: str) -> list[int]:
    """Returns the ids of the processes, other than this one, that inherited :data:`TOKEN_NAME` = ``token``."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:  # it has just ended
            continue
        if f"{TOKEN_NAME}={token}".encode() in environment.split(b"\0"):
            found.append(int(folder.name))
    return [pid for pid in found if pid != os.getpid()]


def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Waits until a condition is true.

    A killed process does not end at once on a busy machine. The signal is delivered, memory is freed, then files are
    closed and their locks end. A test may see each of these steps before the next.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def no_process_marked(token: str) -> None:
    """Waits until the last process that inherited the token is gone."""
    until(lambda: not processes_marked(token))


@cache
def starts_processes(function: Callable[..., object]) -> bool:
    """Whether a test, a fixture or a helper they call names a starter of processes."""
    waiting, seen = [inspect.unwrap(function)], set()
    while waiting:
        one = waiting.pop()
        if not isinstance(one, FunctionType) or not one.__module__.startswith("tests") or one in seen:
            continue
        seen.add(one)
        names = _names(one.__code__)
        if names & {"subprocess", "Popen"}:
            return True
        waiting += [inspect.unwrap(one.__globals__[name]) for name in names & one.__globals__.keys()]
    return False


@cache
def _names(code: CodeType) -> frozenset[str]:
    """Returns the names a function uses, and those the functions in it use."""
    inner = [_names(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return frozenset(code.co_names).union(*inner)
