"""The outputs of a match: log files that always end in a whole line, and messages for whoever watches."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from hedgehog.runtime.errors import MatchError


def encode(text: str) -> bytes:
    """Returns a text as UTF-8 bytes. Text that came from the command line becomes the bytes that were typed."""
    return text.encode("utf-8", "surrogateescape")


class LineWriter(Protocol):
    """Where whole lines go: a file open for writing, or a :class:`LineFile`."""

    def write(self, lines: bytes | memoryview, /) -> object:
        """Writes whole lines."""


class LineFile:
    """A file that grows by whole lines: it never ends in the middle of a line.

    Lines are written without a buffer, so a killed process leaves whole lines. If the disk is full, the part of a line
    that was written is cut off again.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        """Continues a file at its end.

        :param file: open for writing without a buffer.
        :param name: the name of the file in error messages.
        """
        self._file = file
        self._name = name
        self._size = file.seek(0, os.SEEK_END) if file.seekable() else None

    def write(self, lines: bytes | memoryview, /) -> None:
        """Writes whole lines at the end of the file.

        :param lines: text in bytes, with line ends.
        :raises MatchError: if the lines cannot be written. The file is then as long as before.
        """
        try:
            written = self._file.write(lines)
            while written < len(lines):  # the disk is nearly full: the next write says so
                written += self._file.write(lines[written:])
        except OSError as error:
            if self._size is not None:
                with contextlib.suppress(OSError):  # a device cannot be truncated
                    self._file.truncate(self._size)
            raise MatchError(f"could not write {self._name} ({error.strerror})") from error
        if self._size is not None:
            self._size += len(lines)

    def sync(self) -> None:
        """Waits until the lines are on the disk, where they survive a power cut. Does nothing for a device or pipe."""
        with contextlib.suppress(OSError):  # not a file on disk
            os.fsync(self._file.fileno())


class MessageStream:
    """Messages for whoever watches the match (the dealer's stderr), collected and written together.

    The match does not depend on the messages. When they cannot be written any more, they are dropped.
    """

    def __init__(self, file: BinaryIO | None) -> None:
        """Prepares a stream of messages.

        :param file: open for writing without a buffer; None drops all messages.
        """
        self._file = file
        self._pending: list[bytes] = []

    def write(self, text: bytes) -> None:
        """Adds a text to those that the next :meth:`flush` writes."""
        self._pending.append(text)

    def flush(self) -> None:
        """Writes all texts that were added since the last call."""
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
    """The outputs of one match: messages and two log files."""

    messages: MessageStream
    """Warnings and, unless the server is quiet, every line sent and received."""
    log: LineFile | None = None
    """The match log; None: no log is written."""
    transaction_log: LineFile | None = None
    """The log of actions from which an interrupted match can be resumed; None: none is written."""

    def sync(self) -> None:
        """Waits until both logs are on the disk, so that they survive a power cut."""
        for file in (self.log, self.transaction_log):
            if file is not None:
                file.sync()
