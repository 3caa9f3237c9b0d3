"""Processes beside a server: they hold what is large or slow, so that the server stays small and always answers.

A worker ends with the server, whatever ends the server: it reads the end of its pipe.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final

from hedgehog.runtime.errors import InputError, MatchError, PackError, ResourceError

logger = logging.getLogger(__name__)

_ERRORS: Final = {"pack": PackError, "input": InputError, "match": MatchError, "resource": ResourceError}
"""What a call may raise, by its name in the answer; PackError is also an InputError."""


class Worker:
    """A process that calls functions of one module, one call after the other. It is started by the first call."""

    def __init__(self, module: str) -> None:
        """
        :param module: name of the module whose public functions are called.
        """
        self._module = module
        self._lock = threading.Lock()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def call(self, function: str, *args: object) -> Any:
        """Returns what a function of the module returns. Arguments and result are pickled.

        :raises InputError: as the function raises it; also PackError, MatchError and ResourceError.
        :raises ResourceError: if the process died. The next call starts a new one.
        """
        with self._lock:
            pipe = self._start()
            try:
                pipe.send((function, args))
                status, content = pipe.recv()
            except (EOFError, OSError):
                self._forget()
                raise ResourceError("a worker process has ended: try again") from None
        if status == "ok":
            return content
        raise _ERRORS.get(status, ResourceError)(content)

    def _start(self) -> Connection:
        if self._process is not None and not self._process.is_alive():
            self._forget()
        if self._pipe is None:
            self._process, self._pipe = start_process(serve_calls, self._module)
        return self._pipe

    def _forget(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def break_off(self) -> None:
        """Ends the call that is under way, with its process; the next call starts a new one."""
        process = self._process
        if process is not None:
            process.kill()
            process.join(5)

    def close(self) -> None:
        """Ends the process."""
        self.break_off()
        self._forget()


def start_process(target: Callable[..., None], *args: object) -> tuple[BaseProcess, Connection]:
    """Starts ``target(pipe, *args)`` in a new process and returns the process and our end of the pipe."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_quiet, args=(target, theirs, *args), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _quiet(target: Callable[..., None], pipe: Connection, *args: object) -> None:
    """Runs the target of a new process: what a terminal sends is for the server alone, which then closes the pipe."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        target(pipe, *args)
    os._exit(0)  # threads of numba and of the target do not matter any more


def serve_calls(pipe: Connection, name: str) -> None:
    """Answers calls until the pipe is closed."""
    module = importlib.import_module(name)
    while True:
        function, args = pipe.recv()
        pipe.send(_answer(module, function, args))


def _answer(module: Any, function: str, args: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        return "ok", getattr(module, function)(*args)
    except (PackError, InputError, MatchError, ResourceError) as error:
        return next(name for name, kind in _ERRORS.items() if isinstance(error, kind)), str(error)
    except MemoryError:
        return "resource", "not enough memory"
    except Exception as error:
        logger.exception("fault in a worker process")
        return "resource", f"a worker process made a mistake ({type(error).__name__}); the terminal shows which"
