"""Child processes that are guaranteed to end, whatever becomes of us.

Each child leads a process group of its own. Leaving the block of a :class:`ProcessPool` kills its groups. Should this
process itself be killed, its :class:`Guardian`, a tiny program of its own, kills them.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from runtime.errors import InputError, ResourceError

_TAIL_BYTES = 4096
_PIPE_GRACE_S = 1.0
_GUARDIAN_COMMAND: Final = (sys.executable, "-I", "-S", str(Path(__file__).with_name("guardian.py").resolve()))
_MAX_SUCCESSORS: Final = 100
"""So many deaths are no accidents any more."""
_MSG_NOSIGNAL: Final = getattr(socket, "MSG_NOSIGNAL", 0)
"""Where the system has it: a dead guardian is an error code and not a signal."""


class ChildProcess:
    """A running or ended child process with its output file."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, output: Path) -> None:
        self.name = name
        self.process = process
        self.output = output
        """File with everything it wrote to stderr (and to stdout, unless that is a pipe)."""
        self.ended = asyncio.ensure_future(process.wait())
        """Done when the process has ended; its result is the exit code (negative: killed by that signal)."""

    @property
    def exit_code(self) -> int | None:
        """Exit code, or None while it runs."""
        return self.ended.result() if self.ended.done() else None

    def last_words(self) -> str:
        """Returns the last line of its output that starts with "error" in any case, else the last line, or nothing."""
        with suppress(OSError), self.output.open("rb") as file:
            file.seek(-min(_TAIL_BYTES, file.seek(0, os.SEEK_END)), os.SEEK_END)
            lines = [line.strip() for line in file.read().decode("utf-8", "replace").split("\n") if line.strip()]
            errors = [line for line in lines if line.lower().startswith("error")]
            return (errors or lines or [""])[-1]
        return ""

    def obituary(self) -> str:
        """Returns one line about how it ended: exit code or signal, last line of its output, where to read more."""
        code = self.ended.result()
        how = f"was killed by {_signal_name(-code)}" if code < 0 else f"ended with exit code {code}"
        words = self.last_words()
        return f"{self.name} {how}" + (f": {words}" if words else "") + f" (see {self.output})"

    def group_runs(self) -> bool:
        """True while the process or anything it has started and left in its group runs."""
        try:
            os.killpg(self.process.pid, 0)
        except (ProcessLookupError, PermissionError):  # gone, or its number is somebody else's by now
            return False
        return True

    def kill_group(self) -> None:
        """Kills the process and everything it has started, at once."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # real-time signals have no name
        return f"signal {number}"


class Guardian:
    """Our side of the guardian program (:mod:`arena.guardian`): tells it which process groups run.

    A child announces its group itself, before it becomes another program, so that there is no moment in which it runs
    unknown to the guardian. A guardian that dies is replaced.
    """

    def __init__(self, keep_open: Sequence[int] = ()) -> None:
        """Prepares the guardian; ``async with`` starts it.

        :param keep_open: file descriptors the guardian holds open, too: locks that shall last until all is killed.
        """
        self._keep_open = tuple(keep_open)
        self._groups: set[int] = set()

    async def __aenter__(self) -> Self:
        await self._start()
        self._successor = asyncio.create_task(self._replace_the_dead())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._successor.cancel()
        await asyncio.wait([self._successor])
        self._send(".\n")
        self._socket.close()
        await self._process.wait()

    @property
    def pid(self) -> int:
        """Process id of the present guardian."""
        return self._process.pid

    def announce(self) -> None:
        """Makes the group of the calling process known; to be called in a child between fork and exec."""
        self._send(f"+{os.getpid()}\n")

    def watch(self, group: int) -> None:
        """Makes a group known."""
        self._groups.add(group)
        self._send(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Lets go of a group that has ended: its number may be given to another one."""
        self._groups.discard(group)
        self._send(f"-{group}\n")

    def _send(self, line: str) -> None:
        # A guardian that is dead is about to be replaced, and its successor is told all groups.
        with suppress(OSError):
            self._socket.send(line.encode(), socket.MSG_DONTWAIT | _MSG_NOSIGNAL)

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *_GUARDIAN_COMMAND,
                    stdin=theirs.fileno(),
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.DEVNULL,
                    cwd="/",
                    start_new_session=True,
                    pass_fds=self._keep_open,
                )
            except OSError as error:
                ours.close()
                raise ResourceError(f"cannot start {_GUARDIAN_COMMAND[0]}: {error.strerror}") from error
        self._socket = ours
        for group in self._groups:
            self._send(f"+{group}\n")

    async def _replace_the_dead(self) -> None:
        for _ in range(_MAX_SUCCESSORS):
            await self._process.wait()
            self._socket.close()
            await self._start()


class ProcessPool:
    """Starts processes; when the ``async with`` block is left, for whatever reason, none of them runs any more."""

    def __init__(self, guardian: Guardian) -> None:
        self.children: list[ChildProcess] = []
        self._guardian = guardian
        self._pipes: list[asyncio.StreamReader] = []

    async def start(
        self,
        name: str,
        command: Sequence[str],
        output: Path,
        *,
        cwd: Path | None = None,
        pipe_stdin: bool = False,
        pipe_stdout: bool = False,
    ) -> ChildProcess:
        """Starts a process in a group of its own, so that a Ctrl-C at the terminal reaches only us.

        :param name: what to call it in messages.
        :param output: file for its stderr, and for its stdout unless ``pipe_stdout``.
        :raises InputError: if the command cannot be started.
        :raises ResourceError: if the output cannot be written.
        """
        try:
            file = output.open("wb")
        except OSError as error:
            raise ResourceError(f"cannot write {output}: {error.strerror}") from error
        with file:
            try:
                # Not torn by being cancelled, which would leave pipes open: the process is ours, then we are cancelled.
                starting = asyncio.ensure_future(
                    asyncio.create_subprocess_exec(
                        *command,
                        stdin=asyncio.subprocess.PIPE if pipe_stdin else asyncio.subprocess.DEVNULL,
                        stdout=asyncio.subprocess.PIPE if pipe_stdout else file,
                        stderr=file,
                        cwd=cwd,
                        start_new_session=True,
                        preexec_fn=self._guardian.announce,
                    )
                )
                try:
                    process = await asyncio.shield(starting)
                except asyncio.CancelledError:
                    self._own(ChildProcess(name, await starting, output))
                    raise
            except OSError as error:
                raise InputError(f"cannot start {name}, command {command[0]!r}: {error.strerror}") from error
        child = ChildProcess(name, process, output)
        self._own(child)
        return child

    def _own(self, child: ChildProcess) -> None:
        """Takes over a process that has been started."""
        process = child.process
        self.children.append(child)
        if process.stdout is not None:
            self._pipes.append(process.stdout)
        self._guardian.watch(process.pid)
        child.ended.add_done_callback(lambda _: None if child.group_runs() else self._forget(child))

    def _forget(self, child: ChildProcess) -> None:
        if child in self.children:
            self.children.remove(child)
            self._guardian.forget(child.process.pid)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        children = self.children.copy()
        for child in children:  # first of all and without awaiting: a second Ctrl-C must find them killed
            child.kill_group()
        try:
            if children:
                await asyncio.wait([child.ended for child in children])
            await _read_to_the_end(self._pipes)
        finally:
            for child in children:
                self._forget(child)


async def _read_to_the_end(pipes: Sequence[asyncio.StreamReader]) -> None:
    """Reads what ended processes have left in their pipes, so that these are closed before the event loop is."""
    with suppress(TimeoutError):  # something that has left the group of its process may hold the pipe open
        await asyncio.wait_for(asyncio.gather(*(pipe.read() for pipe in pipes)), _PIPE_GRACE_S)
