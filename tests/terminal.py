"""Runs a program in a pseudo-terminal, where a test waits for a text, types, and waits again, like a person."""

from __future__ import annotations

import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from fcntl import ioctl
from types import TracebackType

AGAIN_S = 5.0
"""Seconds to wait before a signal is sent again."""
PATIENCE_S = 120.0
"""Seconds to wait for an output that must come; a machine may be busy."""


class Terminal:
    """Starts a program in a terminal of 80 columns; as a context manager it ends the program."""

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: str | None = None) -> None:
        self._master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **(env or {})},
            cwd=cwd,
            start_new_session=True,
            preexec_fn=_take_terminal,  # noqa: PLW1509  (one system call, in tests without threads of their own)
        )
        os.close(slave)
        self._data = b""
        self._read_to = 0

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)

    @property
    def output(self) -> str:
        """Everything that the program has written so far, with the echo of what was typed."""
        return self._data.decode("utf-8", "replace").replace("\r\n", "\n")

    def wait_for(self, *texts: str) -> str:
        """Waits until the program writes one of some texts, after the text that the last call has found.

        :returns: the output up to the first of the texts, and including it.
        """
        deadline = time.monotonic() + PATIENCE_S
        while not (found := [place for text in texts if (place := self._find(text.encode())) is not None]):
            if not self._read(deadline):
                raise AssertionError(f"{' or '.join(map(repr, texts))} did not come; it wrote:\n{self.output}")
        start, self._read_to = self._read_to, min(found)
        return self._data[start : self._read_to].decode("utf-8", "replace").replace("\r\n", "\n")

    def _find(self, text: bytes) -> int | None:
        """Returns where the next occurrence of a text ends, after the text that :meth:`wait_for` has found last."""
        found = self._data.find(text, self._read_to)
        return None if found < 0 else found + len(text)

    def type(self, text: str) -> None:
        """Types a text and Enter."""
        os.write(self._master, text.encode() + b"\r")

    def interrupt(self) -> int:
        """Presses Ctrl-C until the program ends; returns its exit code."""
        return self._insist(lambda: os.write(self._master, b"\x03"))

    def hang_up(self) -> int:
        """Sends the signal of a closed terminal window until the program ends; returns its exit code."""
        return self._insist(lambda: self.process.send_signal(signal.SIGHUP))

    def _insist(self, end: Callable[[], object]) -> int:
        """Calls ``end`` again and again until the program ends; returns its exit code.

        One signal is not always enough. If it comes after the prompt, but just before Python begins to wait for a key,
        Python notices it only with the next key or signal.
        """
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            end()
            again = time.monotonic() + AGAIN_S
            while self._read(again):
                pass
            if time.monotonic() < again:
                return self.process.wait(timeout=PATIENCE_S)
        raise AssertionError(f"the program did not end; it wrote:\n{self.output}")

    def wait(self) -> int:
        """Waits for the end of the program; returns its exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while self._read(deadline):
            pass
        return self.process.wait(timeout=PATIENCE_S)

    def _read(self, deadline: float) -> bool:
        """Reads output, and waits for it if there is none; returns False at its end or when time is up."""
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:  # the last process has closed the terminal
            return False
        self._data += data
        return bool(data)


def _take_terminal() -> None:
    """Makes the terminal the controlling terminal of the new session, so that Ctrl-C reaches the program."""
    ioctl(0, termios.TIOCSCTTY, 0)
