"""Reading from a connected TCP socket with little delay: what both ends of a match have in common."""

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
"""How long a read of a process that has nothing else to do may hold it up; see :class:`SocketStream`."""
POLL_S: Final = 150e-6
"""How long a read waits without falling asleep: a process that sleeps is woken up slowly."""


class SocketStream:
    """The receiving side of a connection, read by one task."""

    def __init__(self, peer: socket.socket, linger_s: float, chunk: int) -> None:
        """Takes over a connected socket.

        :param linger_s: how long a read holds up the whole process before it lets the event loop run. A dealer or
            client in a process of its own has nothing else to do, and a line that comes within that time costs a
            system call or two instead of a turn of the event loop. 0 if anything else runs in this event loop.
        :param chunk: bytes read at a time.
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
        """Returns what is there or comes within the time to linger, None if that is nothing.

        At the end of the stream it returns empty bytes. A reset counts as the end.

        :param flags: ``socket.MSG_DONTWAIT`` does not linger.
        """
        try:
            return self._socket.recv(self._chunk, flags)
        except BlockingIOError:
            return None
        except OSError as error:
            logger.info("connection reset by the other end: %s", error)
            return b""

    def receive_soon(self, patience_s: float) -> bytes | None:
        """Returns what is there or comes within ``patience_s`` seconds, without falling asleep; see :meth:`receive`.

        Other processes may use the core meanwhile. A stream that does not linger is looked at once.
        """
        deadline = time.monotonic() + patience_s if self._lingers else 0.0
        while (data := self.receive(socket.MSG_DONTWAIT)) is None and time.monotonic() < deadline:
            os.sched_yield()
        return data

    async def readable(self, timeout_s: float = math.inf) -> None:
        """Waits until there is something to receive, at most ``timeout_s`` seconds, while the event loop runs."""
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
