"""The TCP connection of one seat: splits received bytes into lines, and buffers what is sent up to a bound.

The dealer reads a connection only while it waits for an answer of that seat. What a client sends out of turn stays in
the buffers of the operating system. When these are full, the client has to wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import socket
from typing import Final

from hedgehog.poker.acpc.gamedef import MAX_LINE_LENGTH
from hedgehog.runtime.socket_stream import SocketStream

_CHUNK: Final = 1 << 12
"""Largest number of bytes read at a time."""
WRITE_BEHIND: Final = 1 << 20
"""Largest number of unsent bytes kept for a client that does not read."""


class SeatConnection(SocketStream):
    """The TCP connection of one seat."""

    def __init__(self, client: socket.socket, linger_s: float = 0.0) -> None:
        """Takes over a connected socket.

        :param linger_s: seconds for which a read blocks the process; see
            :class:`hedgehog.runtime.socket_stream.SocketStream`.
        """
        super().__init__(client, linger_s, _CHUNK)
        self._received = b""  # what has not been taken as a line yet
        self._unsent = b""
        self.at_end = False
        """True once the client has closed its side: nothing more will arrive."""
        self.stuck = False
        """True if more than :data:`WRITE_BEHIND` bytes wait because the client does not read."""

    def next_line(self) -> str | None:
        """Returns the next received line with its line end, or None if the next line is not complete yet.

        A line longer than the protocol allows is cut. At the end of the stream an incomplete line is returned as it is.
        """
        received = self._received
        if not received:
            return None
        end = received.find(b"\n", 0, MAX_LINE_LENGTH) + 1
        if not end:
            if len(received) >= MAX_LINE_LENGTH:
                end = MAX_LINE_LENGTH
            elif self.at_end:
                end = len(received)
            else:
                return None
        if end == len(received):  # as nearly always
            self._received = b""
        else:
            received, self._received = received[:end], received[end:]
        return received.decode("latin-1")

    def read_now(self) -> bool:
        """Reads what has arrived or arrives within the time to linger. Returns False if nothing has arrived."""
        return self._take(self.receive())

    def poll(self, patience_s: float) -> bool:
        """Reads what has arrived or arrives within ``patience_s`` seconds. Returns False if nothing has arrived."""
        return self._take(self.receive_soon(patience_s))

    async def read(self, timeout_s: float = math.inf) -> bool:
        """Waits until something arrives and reads it. Returns False if nothing arrives within ``timeout_s`` seconds."""
        await self.readable(timeout_s)
        return self.read_now()

    def _take(self, data: bytes | None) -> bool:
        if data:
            self._received = self._received + data if self._received else data
        elif data is not None:
            self.at_end = True
        return data is not None

    def write(self, text: str) -> None:
        """Sends what fits of a text now and the rest when the client reads. Does nothing if the client has left."""
        data = text.encode("latin-1")
        if self._unsent:
            self._unsent += data
            self.stuck = len(self._unsent) > WRITE_BEHIND
            return
        try:
            sent = self._socket.send(data, socket.MSG_DONTWAIT)
        except BlockingIOError:
            sent = 0
        except OSError:  # the client has left
            return
        if sent < len(data):
            self._unsent = data[sent:]
            asyncio.get_running_loop().add_writer(self._socket, self._send_rest)

    def _send_rest(self) -> None:
        try:
            self._unsent = self._unsent[self._socket.send(self._unsent, socket.MSG_DONTWAIT) :]
        except BlockingIOError:
            return
        except OSError:  # the client has left
            self._unsent = b""
        self.stuck = len(self._unsent) > WRITE_BEHIND
        if not self._unsent:
            asyncio.get_running_loop().remove_writer(self._socket)

    async def close(self, patience_s: float) -> None:
        """Closes the connection when everything written has been sent, after ``patience_s`` seconds at the latest."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                while self._unsent:
                    await asyncio.sleep(0.01)
        asyncio.get_running_loop().remove_writer(self._socket)
        self._socket.close()
