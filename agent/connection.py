"""The client's TCP connection to a dealer."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
import time
from typing import Final

from runtime.errors import MatchError

logger = logging.getLogger(__name__)

_CHUNK: Final = 1 << 16
"""Bytes read at a time."""
_READS_PER_TURN: Final = 64
"""Reads after which the event loop gets a turn although the dealer never pauses (for signals)."""
_POLL_S: Final = 150e-6
"""For so long the client waits for the dealer without falling asleep: a process that sleeps is woken up slowly."""


class DealerConnection:
    """A connection that is read by one task."""

    def __init__(self, dealer: socket.socket, linger_s: float) -> None:
        """Takes over a connected socket.

        :param linger_s: how long a read holds up the whole process before it lets the event loop run. A client in a
            process of its own has nothing else to do while the dealer is silent, and a line that comes within that
            time costs a system call or two instead of a turn of the event loop. 0 if anything else runs in this
            event loop.
        """
        dealer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        dealer.setblocking(linger_s > 0)
        if linger_s > 0:
            seconds, fraction = divmod(linger_s, 1)
            timeout = struct.pack("ll", int(seconds), int(fraction * 1e6))
            dealer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeout)
        self._socket = dealer
        self._lingers = linger_s > 0
        self._reads = 0

    @classmethod
    async def open(cls, host: str, port: int, linger_s: float) -> DealerConnection:
        """Connects to a dealer.

        :raises MatchError: if it cannot be reached.
        """
        loop = asyncio.get_running_loop()
        problem: OSError | None = None
        try:
            for family, kind, protocol, _, address in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                dealer = socket.socket(family, kind, protocol)
                dealer.setblocking(False)
                try:
                    await loop.sock_connect(dealer, address)
                    return cls(dealer, linger_s)
                except OSError as error:
                    dealer.close()
                    problem = error
        except OSError as error:
            problem = error
        assert problem is not None
        # asyncio words the refusal itself ("Connect call failed"); name look-up errors have negative numbers.
        reason = os.strerror(problem.errno) if problem.errno and problem.errno > 0 else problem.strerror or problem
        raise MatchError(f"cannot connect to {host} port {port}: {reason}") from problem

    async def read(self) -> bytes:
        """Reads what arrives next; nothing at the end of the stream.

        A reset counts as the end, because a dealer that exits may cause one.
        """
        self._reads += 1
        if self._reads % _READS_PER_TURN == 0:
            await asyncio.sleep(0)
        deadline = time.monotonic() + _POLL_S if self._lingers else 0.0
        try:
            while time.monotonic() < deadline:
                try:
                    return self._socket.recv(_CHUNK, socket.MSG_DONTWAIT)
                except BlockingIOError:
                    os.sched_yield()  # other processes may use the core meanwhile
            while True:
                try:
                    return self._socket.recv(_CHUNK)
                except BlockingIOError:
                    await self._readable()
        except ConnectionError as error:
            logger.info("connection reset by the dealer: %s", error)
            return b""

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        readable: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self._socket, _done, readable)
        try:
            await readable
        finally:
            loop.remove_reader(self._socket)

    async def write(self, data: bytes) -> None:
        """Sends ``data``; to a dealer that has left, nothing (:meth:`read` will tell)."""
        try:
            sent = self._socket.send(data)
            if sent < len(data):
                await asyncio.get_running_loop().sock_sendall(self._socket, data[sent:])
        except BlockingIOError:
            await asyncio.get_running_loop().sock_sendall(self._socket, data)
        except ConnectionError as error:
            logger.info("the dealer has left: %s", error)

    def close(self) -> None:
        """Hangs up."""
        self._socket.close()


def _done(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
