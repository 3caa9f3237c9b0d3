"""The client's TCP connection to a dealer."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from typing import Final

from runtime.errors import MatchError
from runtime.socket_stream import POLL_S, SocketStream

logger = logging.getLogger(__name__)

_CHUNK: Final = 1 << 16
"""Largest number of bytes per read."""
_READS_PER_TURN: Final = 64
"""Reads after which the event loop gets a turn, so that signals are handled even if the dealer never pauses."""


class DealerConnection(SocketStream):
    """A client's TCP connection to a dealer."""

    def __init__(self, dealer: socket.socket, linger_s: float) -> None:
        """Takes over a connected socket.

        :param linger_s: seconds for which a read may block the process; :class:`runtime.socket_stream.SocketStream`
            explains it.
        """
        super().__init__(dealer, linger_s, _CHUNK)
        self._reads = 0

    @classmethod
    async def open(cls, host: str, port: int, linger_s: float) -> DealerConnection:
        """Returns a new connection to a dealer.

        :param linger_s: seconds for which a read may block the process; :class:`runtime.socket_stream.SocketStream`
            explains it.
        :raises MatchError: if the dealer cannot be reached.
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
        """Returns the bytes that arrive next; empty bytes at the end of the stream.

        A connection that was reset counts as ended, because a dealer that exits may cause a reset.
        """
        self._reads += 1
        if self._reads % _READS_PER_TURN == 0:
            await asyncio.sleep(0)
        data = self.receive_soon(POLL_S)
        while data is None and (data := self.receive()) is None:
            await self.readable()
        return data

    async def write(self, data: bytes) -> None:
        """Sends ``data``. If the dealer has left, it sends nothing, and :meth:`read` returns the end of the stream."""
        try:
            sent = self._socket.send(data)
            if sent < len(data):
                await asyncio.get_running_loop().sock_sendall(self._socket, data[sent:])
        except BlockingIOError:
            await asyncio.get_running_loop().sock_sendall(self._socket, data)
        except ConnectionError as error:
            logger.info("the dealer has left: %s", error)

    def close(self) -> None:
        """Closes the connection."""
        self._socket.close()
