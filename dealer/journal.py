"""What a match leaves behind: log files that always end in a whole line, and messages for whoever watches."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from runtime.errors import MatchError


def encode(text: str) -> bytes:
    """Encodes text made from command-line arguments back to the bytes they were."""
    return text.encode("utf-8", "surrogateescape")


class LineWriter(Protocol):
    """Where whole lines go: a file open for writing, or a :class:`LineFile`."""

    def write(self, lines: bytes | memoryview, /) -> object:
        """Writes whole lines."""


class LineFile:
    """A file that grows by whole lines: a line is in it completely or not at all, and at once.

    Every line is one unbuffered write, so that a killed process leaves whole lines; if the disk is full, what was
    written of a line is cut off again.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        """Continues a file at its end.

        :param file: open for writing without a buffer.
        :param name: what messages call it.
        """
        self._file = file
        self._name = name
        self._size = file.seek(0, os.SEEK_END) if file.seekable() else None

    def write(self, lines: bytes | memoryview, /) -> None:
        """Writes whole lines.

        :raises MatchError: if they could not be written; the file is as it was before.
        """
        try:
            written = self._file.write(lines)
            while written < len(lines):  # the disk is nearly full: the next write says so
                written += self._file.write(lines[written:])
        except OSError as error:
            if self._size is not None:
                with contextlib.suppress(OSError):  # as on a device, which has no size
                    self._file.truncate(self._size)
            raise MatchError(f"could not write {self._name} ({error.strerror})") from error
        if self._size is not None:
            self._size += len(lines)

    def sync(self) -> None:
        """Makes sure that the lines survive a power cut, where the file lies on a disk."""
        with contextlib.suppress(OSError):  # not a file on disk
            os.fsync(self._file.fileno())


class MessageStream:
    """Lines for whoever watches the match (the dealer's stderr), in one write per step.

    The match does not depend on them: when nobody can read them any more, they are dropped.
    """

    def __init__(self, file: BinaryIO | None) -> None:
        """Writes to a file open without a buffer, or to nobody."""
        self._file = file
        self._pending: list[bytes] = []

    def write(self, text: bytes) -> None:
        """Adds text to what :meth:`flush` writes."""
        self._pending.append(text)

    def flush(self) -> None:
        """Writes everything added so far."""
        if not self._pending:
            return
        text = b"".join(self._pending)
        self._pending.clear()
        if self._file is None:
            return
        try:
            while text:
                # Nothing is written to a full pipe that does not block; waiting for its reader is not worth a match.
                text = text[self._file.write(text) or len(text) :]
        except OSError:  # the reader of a pipe has gone, or the disk is full
            self._file = None


@dataclass(frozen=True, slots=True)
class Journal:
    """Where a match is written to."""

    messages: MessageStream
    """Warnings and, unless quiet, every line sent and received."""
    log: LineFile | None = None
    """The match log."""
    transaction_log: LineFile | None = None
    """The log from which an interrupted match can be resumed."""

    def sync(self) -> None:
        """Makes sure that both logs survive a power cut."""
        for file in (self.log, self.transaction_log):
            if file is not None:
                file.sync()
