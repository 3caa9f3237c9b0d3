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
"""Bytes read at a time."""
_READS_PER_TURN: Final = 64
"""Reads after which the event loop gets a turn although the dealer never pauses (for signals)."""


class DealerConnection(SocketStream):
    """A connection to a dealer."""

    def __init__(self, dealer: socket.socket, linger_s: float) -> None:
        """Takes over a connected socket.

        :param linger_s: see :class:`runtime.socket_stream.SocketStream`.
        """
        super().__init__(dealer, linger_s, _CHUNK)
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
        data = self.receive_soon(POLL_S)
        while data is None and (data := self.receive()) is None:
            await self.readable()
        return data

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
