"""Reading from a connected TCP socket with little delay, for the dealer and the client of a match."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import socket
import struct
import time
from typing import Final

logger = logging.getLogger(__name__)

LINGER_S: Final = 0.005
"""The ``linger_s`` of :class:`SocketStream` for a process that has nothing to do but read, in seconds."""
POLL_S: Final = 150e-6
"""Seconds for which a read keeps looking for data before the process sleeps: waking up a process takes long."""


class SocketStream:
    """The receiving side of a connection, read by one task."""

    def __init__(self, peer: socket.socket, linger_s: float, chunk: int) -> None:
        """Takes over a connected socket.

        :param peer: the connected socket.
        :param linger_s: seconds for which a read may block the whole process before it lets the event loop run. A
            dealer or client in a process of its own has nothing else to do. A line that arrives within this time costs
            one or two system calls instead of a turn of the event loop. 0 if other tasks run in this event loop.
        :param chunk: largest number of bytes per read.
        """
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.setblocking(linger_s > 0)
        if linger_s > 0:
            seconds, fraction = divmod(linger_s, 1)
            timeout = struct.pack("ll", int(seconds), int(fraction * 1e6))
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeout)
        self._socket = peer
        self._lingers = linger_s > 0
        self._chunk = chunk

    def receive(self, flags: int = 0) -> bytes | None:
        """Returns the bytes that are there or arrive within ``linger_s`` seconds; None if there are none.

        It returns empty bytes at the end of the stream. A connection that was reset counts as ended.

        :param flags: flags of ``socket.recv``; with ``socket.MSG_DONTWAIT`` it does not wait.
        """
        try:
            return self._socket.recv(self._chunk, flags)
        except BlockingIOError:
            return None
        except OSError as error:
            logger.info("connection reset by the other end: %s", error)
            return b""

    def receive_soon(self, patience_s: float) -> bytes | None:
        """Returns the bytes that are there or arrive within ``patience_s`` seconds; None if there are none.

        The process does not sleep while it waits, but lets other processes use its core. If ``linger_s`` is 0 it does
        not wait. It returns empty bytes at the end of the stream.
        """
        deadline = time.monotonic() + patience_s if self._lingers else 0.0
        while (data := self.receive(socket.MSG_DONTWAIT)) is None and time.monotonic() < deadline:
            os.sched_yield()
        return data

    async def readable(self, timeout_s: float = math.inf) -> None:
        """Waits, while the event loop runs, until there is data to receive or ``timeout_s`` seconds have passed."""
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


def _done(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
