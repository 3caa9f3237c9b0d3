"""Child processes that are guaranteed to end: each leads a process group, and leaving the block kills the groups."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from poker.errors import InputError, ResourceError

_TAIL_BYTES = 4096


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
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        words = self.last_words()
        return f"{self.name} {how}" + (f": {words}" if words else "") + f" (see {self.output})"

    def kill_group(self) -> None:
        """Kills the process and everything it has started, at once."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)


class ProcessPool:
    """Starts processes; when the ``async with`` block is left, for whatever reason, none of them runs any more."""

    def __init__(self) -> None:
        self.children: list[ChildProcess] = []

    async def start(
        self, name: str, command: Sequence[str], output: Path, *, cwd: Path | None = None, pipe_stdout: bool = False
    ) -> ChildProcess:
        """Starts a process in a group of its own, so that a Ctrl-C at the terminal reaches only us.

        :param name: what to call it in messages.
        :param output: file for its stderr, and for its stdout unless ``pipe_stdout``.
        :raises InputError: if the command cannot be started.
        """
        try:
            file = output.open("wb")
        except OSError as error:
            raise ResourceError(f"cannot write {output}: {error.strerror}") from error
        with file:
            try:
                process = await asyncio.create_subprocess_exec(
                    *command,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.PIPE if pipe_stdout else file,
                    stderr=file,
                    cwd=cwd,
                    start_new_session=True,
                )
            except OSError as error:
                raise InputError(f"cannot start {name}, command {command[0]!r}: {error.strerror}") from error
        child = ChildProcess(name, process, output)
        self.children.append(child)
        return child

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for child in self.children:  # first of all and without awaiting: a second Ctrl-C must find them killed
            child.kill_group()
        await asyncio.gather(*(child.ended for child in self.children))
