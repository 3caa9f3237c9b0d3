"""Standard output and standard error whose loss ends no work.

Whoever reads our output may leave at any moment (``| head -3``), the terminal may be closed, the disk behind ``> file``
may be full. A command still does its work and writes its files. What cannot be printed is dropped.
"""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final, TextIO

_READER_LEFT: Final = (errno.EPIPE, errno.ECONNRESET, errno.EIO)
"""Errors of a pipe, a socket or a terminal that nobody reads any more; none of them is a fault of the work."""


class _LastingStream(io.RawIOBase):
    """Passes bytes on until the stream below fails, and drops all bytes after that."""

    def __init__(self, below: BinaryIO) -> None:
        self._below = below
        self._held: bytearray | None = None
        self.error: OSError | None = None

    def hold(self) -> None:
        """Keeps all bytes from now on until :meth:`release`, except those for a terminal, where a person waits."""
        if self._held is None and not self.isatty():
            self._held = bytearray()

    def release(self) -> None:
        """Passes on what was kept."""
        held, self._held = self._held, None
        if held:
            self.write(held)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return not self._below.closed and self._below.isatty()  # libraries ask as the process ends

    def fileno(self) -> int:
        return self._below.fileno()

    def write(self, data: object, /) -> int:
        view = memoryview(data).cast("B")  # type: ignore[arg-type]  # BufferedWriter passes bytes
        if self._held is not None:
            self._held += view
            return len(view)
        sent = 0
        while sent < len(view) and self.error is None:
            try:
                count = self._below.write(view[sent:])
                if count is None:  # another program has made the stream non-blocking
                    select.select((), (self._below,), ())
                sent += count or 0
            except OSError as error:
                self.error = error
        return len(view)


@contextmanager
def lasting_streams() -> Iterator[Callable[[], str | None]]:
    """Lets nothing that befalls standard output or standard error end the block.

    Closed standard streams become the null device, so that no output file gets their number. Text that the encoding of
    a stream lacks, such as the bytes of a file name that are not UTF-8, is printed as escapes.

    :returns: a function that flushes standard output and returns why it could not be written, None if it was written or
        if nobody reads it.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    before = sys.stdout, sys.stderr
    sys.stdout, lasting = _lasting(before[0], 1)
    sys.stderr, _ = _lasting(before[1], 2)

    def failure() -> str | None:
        lasting.release()
        sys.stdout.flush()
        error = lasting.error
        return None if error is None or error.errno in _READER_LEFT else error.strerror

    try:
        yield failure
    finally:
        lasting.release()
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = before


def _lasting(stream: TextIO | None, descriptor: int) -> tuple[TextIO, _LastingStream]:
    """Returns a text stream on top of a standard stream, which is None if it was closed when Python started."""
    below: Any
    if stream is None:
        below, encoding = io.FileIO(descriptor, "w", closefd=False), "utf-8"
    else:
        stream.flush()
        # Below Python's own buffer: what stays in a buffer after an error is complained about when Python ends.
        below, encoding = getattr(stream.buffer, "raw", stream.buffer), stream.encoding
    lasting = _LastingStream(below)
    by_line = below.isatty() or descriptor == 2
    text = io.TextIOWrapper(
        io.BufferedWriter(lasting), encoding=encoding, errors="backslashreplace", line_buffering=by_line
    )
    return text, lasting


def lasting_stdout() -> _LastingStream | None:
    """Returns what is below standard output in a block of :func:`lasting_streams`; None elsewhere."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw if isinstance(raw, _LastingStream) else None
