"""One seat's TCP connection: bytes in, lines out of a bounded buffer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from poker.gamedef import MAX_LINE_LENGTH

_CHUNK: Final = 1 << 12
"""Bytes read at a time."""
_READ_AHEAD: Final = 1 << 16
"""Bytes kept of a seat that talks out of turn; more stay in the kernel, which makes the client wait."""
_WRITE_BEHIND: Final = 1 << 20
"""Bytes that may wait for a client which does not read."""


class SeatConnection(asyncio.BufferedProtocol):
    """The connection of one seat; made before its client connects.

    A buffered protocol, because for a plain one asyncio allocates 256 KiB anew for every message it reads.
    """

    def __init__(self, on_change: Callable[[], None]) -> None:
        """Prepares a seat nobody has connected to yet.

        :param on_change: called after the client connected, sent bytes or went away.
        """
        self._on_change = on_change
        self._chunk = bytearray(_CHUNK)  # what the last read brought
        self._buffer = bytearray()  # what has not been taken as a line yet
        self._transport: asyncio.Transport | None = None
        self._closed = asyncio.Event()
        self.at_end = False
        """Nothing more will arrive."""
        self.stuck = False
        """The client does not read what it is sent."""

    @property
    def connected(self) -> bool:
        """Tells whether a client has taken this seat (it may have left since)."""
        return self._transport is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.set_write_buffer_limits(high=_WRITE_BEHIND)
        self._transport = transport
        self._on_change()

    def get_buffer(self, sizehint: int) -> bytearray:
        return self._chunk

    def buffer_updated(self, nbytes: int) -> None:
        self._buffer += self._chunk[:nbytes]
        if len(self._buffer) > _READ_AHEAD and self._transport is not None:
            self._transport.pause_reading()
        self._on_change()

    def eof_received(self) -> bool:
        self.at_end = True
        self._on_change()
        return True  # the other direction stays open: the client may still read

    def connection_lost(self, exc: Exception | None) -> None:
        self.at_end = True
        self._closed.set()
        self._on_change()

    def pause_writing(self) -> None:
        self.stuck = True

    def resume_writing(self) -> None:
        self.stuck = False

    def next_line(self) -> str | None:
        """Takes the next line with its line end, or None if it is not complete yet.

        Longer lines than the protocol allows are cut; at the end of the stream the rest is a line.
        """
        buffer = self._buffer
        if not buffer:
            return None
        end = buffer.find(b"\n", 0, MAX_LINE_LENGTH) + 1
        if not end:
            if len(buffer) >= MAX_LINE_LENGTH:
                end = MAX_LINE_LENGTH
            elif self.at_end:
                end = len(buffer)
            else:
                return None
        line = buffer[:end].decode("latin-1")
        del buffer[:end]
        if self._transport is not None and not self._transport.is_reading() and not self.at_end:
            self._transport.resume_reading()
        return line

    def write(self, text: str) -> None:
        """Sends text; to a client that has left, nothing."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(text.encode("latin-1"))

    async def close(self, patience_s: float) -> None:
        """Closes the connection once everything written has been sent, at the latest after ``patience_s`` seconds."""
        if self._transport is None:
            return
        self._transport.close()
        try:
            await asyncio.wait_for(self._closed.wait(), patience_s)
        except TimeoutError:
            self._transport.abort()
            await self._closed.wait()


class RefusedConnection(asyncio.Protocol):
    """A client too many for a seat: hung up on at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.abort()
