"""Child processes that are guaranteed to end, even if this process is killed.

Each child leads a process group of its own. Leaving the block of a :class:`ProcessPool` kills the groups of its
children. If this process itself is killed, its :class:`Guardian`, a small separate program, kills them.
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
from typing import Any, Final, Self

from hedgehog.runtime.errors import InputError, ResourceError

_TAIL_BYTES = 4096
_PIPE_GRACE_S = 1.0
_PIPE_LIMIT: Final = 2**16
"""Most bytes of a line that a process writes to its pipe, asyncio's default."""
_GUARDIAN_COMMAND: Final = (sys.executable, "-I", "-S", str(Path(__file__).with_name("guardian.py").resolve()))
_MAX_SUCCESSORS: Final = 100
"""Number of times that a guardian which has died is replaced."""
_MSG_NOSIGNAL: Final = getattr(socket, "MSG_NOSIGNAL", 0)
"""Flag with which sending to a dead guardian is an error and not a signal; 0 if the system lacks the flag."""


class ChildProcess:
    """A running or ended child process with its output file."""

    def __init__(
        self, name: str, process: asyncio.subprocess.Process, transport: asyncio.SubprocessTransport, output: Path
    ) -> None:
        self.name = name
        self.process = process
        self.transport = transport
        """Holds the pipes of the process. :attr:`ended` is done only when they are closed, too."""
        self.output = output
        """File with everything that the process has written to stderr, and to stdout unless stdout is a pipe."""
        self.ended = asyncio.ensure_future(process.wait())
        """Done when the process has ended; its result is the exit code (negative: killed by that signal)."""

    @property
    def exit_code(self) -> int | None:
        """Exit code of the process, or None while it runs. Minus N: killed by signal N."""
        return self.ended.result() if self.ended.done() else None

    def last_words(self) -> str:
        """Returns the last line of the output that starts with "error" in any case, else the last line.

        It is empty if there is no output.
        """
        with suppress(OSError), self.output.open("rb") as file:
            file.seek(-min(_TAIL_BYTES, file.seek(0, os.SEEK_END)), os.SEEK_END)
            lines = [line.strip() for line in file.read().decode("utf-8", "replace").split("\n") if line.strip()]
            errors = [line for line in lines if line.lower().startswith("error")]
            return (errors or lines or [""])[-1]
        return ""

    def obituary(self) -> str:
        """Returns one line about how the process ended: exit code or signal, last line of its output, output file."""
        code = self.ended.result()
        how = f"was killed by {_signal_name(-code)}" if code < 0 else f"ended with exit code {code}"
        if code == 0:
            how += " before the match was over"
        words = self.last_words()
        return f"{self.name} {how}" + (f": {words}" if words else "") + f" (see {self.output})"

    def group_runs(self) -> bool:
        """Tells whether the process, or a process that it has started in its group, still runs."""
        try:
            os.killpg(self.process.pid, 0)
        except (ProcessLookupError, PermissionError):  # gone, or its number is somebody else's by now
            return False
        return True

    def kill_group(self) -> None:
        """Kills the process and everything that it has started in its group."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # real-time signals have no name
        return f"signal {number}"


class Guardian:
    """Starts the guardian program (:mod:`hedgehog.arena.seatings.guardian`) and tells it which process groups run.

    A child announces its group itself, before it becomes another program. So there is no moment in which it runs
    unknown to the guardian. A guardian that dies is replaced.
    """

    def __init__(self, keep_open: Sequence[int] = ()) -> None:
        """Prepares the guardian; ``async with`` starts it.

        :param keep_open: descriptors of locks that the guardian holds open, too, until all groups are killed.
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
        """Process id of the guardian program that runs now."""
        return self._process.pid

    def announce(self) -> None:
        """Tells the guardian the group of the calling process. A child calls it between fork and exec."""
        self._send(f"+{os.getpid()}\n")

    def watch(self, group: int) -> None:
        """Tells the guardian that a process group runs.

        :param group: id of the group.
        """
        self._groups.add(group)
        self._send(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Tells the guardian that a process group has ended. The system may give its id to another group.

        :param group: id of the group.
        """
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
    """Starts processes. When its ``async with`` block is left, for whatever reason, all of them are killed."""

    def __init__(self, guardian: Guardian) -> None:
        self.children: list[ChildProcess] = []
        self._guardian = guardian
        self._transports: list[asyncio.SubprocessTransport] = []

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
        """Starts a process in a group of its own and returns it.

        A Ctrl-C at the terminal reaches this process, but not the new group.

        :param name: name of the process in messages.
        :param command: program and arguments.
        :param output: file for the stderr of the process, and for its stdout unless ``pipe_stdout`` is set.
        :param cwd: working directory; None for that of this process.
        :param pipe_stdin: make stdin of the process a pipe; otherwise it is empty.
        :param pipe_stdout: make stdout of the process a pipe.
        :raises InputError: if the command cannot be started.
        :raises ResourceError: if the output file cannot be written.
        """
        try:
            file = output.open("wb")
        except OSError as error:
            raise ResourceError(f"cannot write {output}: {error.strerror}") from error
        with file:
            try:
                # A cancellation here would leave pipes open. So it waits until the pool owns the process.
                starting = asyncio.ensure_future(
                    _start_process(
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
                    started = await asyncio.shield(starting)
                except asyncio.CancelledError:
                    self._own(ChildProcess(name, *await starting, output))
                    raise
            except OSError as error:
                raise InputError(f"cannot start {name}, command {command[0]!r}: {error.strerror}") from error
        child = ChildProcess(name, *started, output)
        self._own(child)
        return child

    def _own(self, child: ChildProcess) -> None:
        """Takes over a process that has been started."""
        process = child.process
        self.children.append(child)
        self._transports.append(child.transport)
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
                # Something that has left the group of its process may hold a pipe open: it is not waited for.
                await asyncio.wait([child.ended for child in children], timeout=_PIPE_GRACE_S)
        finally:
            # Also when a second Ctrl-C breaks off the wait. A pipe that outlives the event loop ends in a traceback.
            for transport in self._transports:
                transport.close()
            for child in children:
                self._forget(child)
        if children:
            await asyncio.wait([child.ended for child in children])


async def _start_process(
    *command: str, **options: Any
) -> tuple[asyncio.subprocess.Process, asyncio.SubprocessTransport]:
    """Does what ``asyncio.create_subprocess_exec`` does, and returns the transport, too, which closes the pipes."""
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        lambda: asyncio.subprocess.SubprocessStreamProtocol(_PIPE_LIMIT, loop), *command, **options
    )
    return asyncio.subprocess.Process(transport, protocol, loop), transport
