"""One worker process on this machine, and what ended it if it dies.

The process calls functions, one after the other. It ends with its parent, whatever ends the parent: it reads the end of
its pipe. What it writes to standard error is passed on, and the last line of it is part of the message if it dies.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, Final, NoReturn

from hedgehog.runtime.errors import ResourceError
from hedgehog.runtime.machine import format_bytes

LOOK_S: Final = 0.5
"""Seconds between two looks at the memory and the state of a process that works."""
STILL_S: Final = 60.0
"""Seconds after which a process that has been stopped is ended, so that another one does its job."""
_END_S: Final = 10.0
_LINE: Final = 300
"""Characters of a last line that a message repeats."""
_BOOT: Final = (
    "import sys, json\n"
    "sys.path[:] = json.loads(sys.argv[1])\n"
    "from hedgehog.runtime.engines.processes import serve\n"
    "serve(int(sys.argv[2]))\n"
)


class WorkerDiedError(ResourceError):
    """A worker process has ended in the middle of a task; the message says by what."""


class TaskFaultError(Exception):
    """Where an error of a task came from: the traceback in the worker process, as text."""


def run_task(task: bytes, data: bytes | None = None) -> bytes:
    """Calls a function and returns its result, pickled.

    :param task: the function and a tuple of its arguments, pickled by our own client.
    :param data: the first argument, if the function takes a large one.
    """
    function, arguments = pickle.loads(task)
    return pickle.dumps(function(data, *arguments))


class ChildProcess:
    """A worker process on this machine. It starts with the first call, and again after it has died."""

    def __init__(self) -> None:
        self.limit: float | None = None
        """Bytes of memory at which the process is ended; None for no limit."""
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: Connection | None = None
        self._answers: Connection | None = None
        self._last_line = ""
        self._reader: threading.Thread | None = None
        self._cause = ""
        self._still = 0.0
        self._starting = threading.Lock()
        self._ended = False

    def call(self, task: bytes, data: bytes | None = None, wanted: Callable[[], bool] = lambda: True) -> bytes:
        """Returns what :func:`run_task` returns in the process. Errors of the function are raised here.

        :param wanted: whether somebody still waits for the result; if not, the process is ended.
        :raises WorkerDiedError: if the process dies.
        """
        with self._starting:
            if self._ended:
                raise WorkerDiedError("the engine has been closed")
            if self._process is None or self._process.poll() is not None:
                self._start()
            requests = self._requests
        assert requests is not None
        assert self._answers is not None
        try:
            requests.send((task, data))
            while not wait([self._answers], LOOK_S):
                self._look(wanted())
            error, content, trace = self._answers.recv()
        except (EOFError, OSError):
            self._raise_death()
        if error is None:
            found: bytes = content
            return found
        raise pickle.loads(error) from TaskFaultError(trace)

    def _start(self) -> None:
        self._stop()
        self._last_line, self._cause, self._still = "", "", 0.0
        ours, theirs = os.pipe()
        path = json.dumps([entry or os.getcwd() for entry in sys.path])
        command = [sys.executable, "-P", "-c", _BOOT, path, str(theirs)]
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, pass_fds=[theirs]
            )
        except OSError as error:
            os.close(ours)
            raise WorkerDiedError(f"a worker process could not be started: {error.strerror}") from None
        finally:
            os.close(theirs)
        assert process.stdin is not None
        assert process.stderr is not None
        self._process = process
        self._requests = Connection(os.dup(process.stdin.fileno()), readable=False)
        process.stdin.close()
        self._answers = Connection(ours, writable=False)
        self._reader = threading.Thread(target=self._pass_on, args=(process.stderr,), daemon=True)
        self._reader.start()

    def _pass_on(self, stream: IO[bytes]) -> None:
        """Passes on what the process says, and remembers the last line of it."""
        with stream:
            for raw in stream:
                line = raw.decode(errors="backslashreplace").rstrip()
                self._last_line = line.strip()[:_LINE] or self._last_line
                if sys.stderr is not None:
                    print(line, file=sys.stderr, flush=True)

    def _look(self, wanted: bool) -> None:
        """Ends a process that takes too much memory, that has been stopped for long, or for which nobody waits."""
        assert self._process is not None
        taken = 0.0 if self.limit is None else resident_bytes(self._process.pid)
        self._still = self._still + LOOK_S if _is_stopped(self._process.pid) else 0.0
        if self.limit is not None and taken > self.limit:
            self._cause = f"it took {format_bytes(taken)} of memory and may have {format_bytes(self.limit)}"
        elif self._still >= STILL_S:
            self._cause = f"it stood still for {STILL_S:.0f} seconds"
        elif not wanted:
            self._cause = "nobody waits for its result"
        else:
            return
        self._process.kill()

    def _raise_death(self) -> NoReturn:
        process, cause = self._process, self._cause
        assert process is not None
        try:
            code = process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        if self._reader is not None:
            self._reader.join(_END_S)
        self._stop()
        if not cause:
            cause = f"it ended with exit code {code}"
            if code < 0:
                name = signal.Signals(-code).name
                cause = f"it was ended by {name}" + (", perhaps for lack of memory" if name == "SIGKILL" else "")
        raise WorkerDiedError(cause + (f"; its last line: {self._last_line}" if self._last_line else ""))

    def end(self) -> None:
        """Ends the process at once and for good. A call that waits for it raises WorkerDiedError."""
        with self._starting:
            self._ended = True
            self._stop()

    def _stop(self) -> None:
        process, requests, self._requests = self._process, self._requests, None
        if requests is not None:
            requests.close()
        if process is not None:
            process.kill()
            process.wait()


def resident_bytes(process: int | str = "self") -> float:
    """Returns the bytes of memory that a process holds; 0 if the system does not tell."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text().split()[1]
        return float(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0.0


def _is_stopped(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    except (OSError, IndexError):
        return False


def serve(answers: int) -> None:
    """Does what a worker process does: it answers calls until its parent has gone.

    :param answers: file descriptor of the pipe for the answers.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the parent decides when to stop
    requests = Connection(os.dup(0), writable=False)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    found: SimpleQueue[tuple[bytes, bytes | None]] = SimpleQueue()

    def listen() -> None:
        while True:
            try:
                found.put(requests.recv())
            except (EOFError, OSError):
                os._exit(1)

    threading.Thread(target=listen, daemon=True).start()
    pipe = Connection(answers, readable=False)
    while True:
        pipe.send(_answer(*found.get()))


def _answer(task: bytes, data: bytes | None) -> tuple[bytes | None, bytes, str]:
    """Returns the pickled error, if any, the result, and where the error came from."""
    try:
        return None, run_task(task, data), ""
    except MemoryError:
        return pickle.dumps(ResourceError("not enough memory")), b"", ""
    except Exception as error:
        trace = traceback.format_exc()
        return _pickled(error), b"", trace


def _pickled(error: Exception) -> bytes:
    try:
        data = pickle.dumps(error)
        pickle.loads(data)
    except Exception:  # whatever its class does
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return data


def as_task(function: Callable[..., Any], *arguments: object) -> bytes:
    """Returns a call for :func:`run_task`: of ``function(data, *arguments)``."""
    return pickle.dumps((function, arguments))
