"""One seat's TCP connection: bytes in, lines out of a bounded buffer.

The dealer reads a seat only while it waits for that seat. What a client sends out of turn stays in the kernel, which
makes the client wait once its buffers are full.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import socket
import struct
import time
from typing import Final

from poker.acpc.gamedef import MAX_LINE_LENGTH

_CHUNK: Final = 1 << 12
"""Bytes read at a time."""
WRITE_BEHIND: Final = 1 << 20
"""Bytes that may wait for a client which does not read."""


class SeatConnection:
    """The connection of one seat."""

    def __init__(self, client: socket.socket, linger_s: float = 0.0) -> None:
        """Takes over a connected socket.

        :param linger_s: how long a read holds up the whole process before it lets the event loop run. A dealer in a
            process of its own has nothing else to do, and a client that answers within that time costs a system call
            or two instead of a turn of the event loop. 0 if anything else runs in this event loop.
        """
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if linger_s:
            client.setblocking(True)
            seconds, fraction = divmod(linger_s, 1)
            timeout = struct.pack("ll", int(seconds), int(fraction * 1e6))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeout)
        else:
            client.setblocking(False)
        self._socket = client
        self._lingers = linger_s > 0
        self._received = b""  # what has not been taken as a line yet
        self._unsent = b""
        self.at_end = False
        """Nothing more will arrive."""
        self.stuck = False
        """The client does not read what it is sent."""

    def next_line(self) -> str | None:
        """Takes the next line with its line end, or None if it is not complete yet.

        Longer lines than the protocol allows are cut; at the end of the stream the rest is a line.
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
        """Reads what is there or comes within the time to linger; False if that is nothing."""
        return self._receive(0)

    def poll(self, patience_s: float) -> bool:
        """Does the same for a much shorter time, without falling asleep: a process that sleeps is woken up slowly.

        Other processes may use the core meanwhile.
        """
        deadline = time.monotonic() + patience_s if self._lingers else 0.0
        while not self._receive(socket.MSG_DONTWAIT):
            if time.monotonic() >= deadline:
                return False
            os.sched_yield()
        return True

    def _receive(self, flags: int) -> bool:
        try:
            data = self._socket.recv(_CHUNK, flags)
        except BlockingIOError:
            return False
        except OSError:  # the connection was reset
            data = b""
        if data:
            self._received = self._received + data if self._received else data
        else:
            self.at_end = True
        return True

    async def read(self, timeout_s: float = math.inf) -> bool:
        """Waits for something and reads it; False if nothing arrives within ``timeout_s`` seconds."""
        loop = asyncio.get_running_loop()
        readable: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self._socket, _done, readable)
        try:
            async with asyncio.timeout(None if timeout_s == math.inf else timeout_s):
                await readable
        except TimeoutError:
            pass
        finally:
            loop.remove_reader(self._socket)
        return self.read_now()

    def write(self, text: str) -> None:
        """Sends text, as much as fits now and the rest when the client reads; to a client that has left, nothing."""
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
        """Closes the connection once everything written has been sent, at the latest after ``patience_s`` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                while self._unsent:
                    await asyncio.sleep(0.01)
        asyncio.get_running_loop().remove_writer(self._socket)
        self._socket.close()


def _done(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
