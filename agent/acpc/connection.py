"""The client's TCP connection to a dealer."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import time
from ipaddress import ip_address
from typing import Final

from hedgehog.runtime.errors import MatchError
from hedgehog.runtime.socket_stream import POLL_S, SocketStream

logger = logging.getLogger(__name__)

_CHUNK: Final = 1 << 16
"""Largest number of bytes per read."""
_RETRY_S: Final = 0.2
"""Seconds between two attempts to reach a dealer that is not there yet."""
_READS_PER_TURN: Final = 64
"""Reads after which the event loop gets a turn, so that signals are handled even if the dealer never pauses."""


class DealerConnection(SocketStream):
    """A client's TCP connection to a dealer."""

    def __init__(self, dealer: socket.socket, linger_s: float) -> None:
        """Takes over a connected socket.

        :param linger_s: seconds for which a read may block the process;
            :class:`hedgehog.runtime.socket_stream.SocketStream` explains it.
        """
        super().__init__(dealer, linger_s, _CHUNK)
        self._reads = 0

    @classmethod
    async def open(cls, host: str, port: int, linger_s: float, patience_s: float = 0.0) -> DealerConnection:
        """Returns a new connection to a dealer.

        :param linger_s: seconds for which a read may block the process;
            :class:`hedgehog.runtime.socket_stream.SocketStream` explains it.
        :param patience_s: seconds to wait for a dealer that cannot be reached yet; 0 tries once.
        :raises MatchError: if the dealer cannot be reached.
        """
        until = time.monotonic() + patience_s
        waiting = False
        while True:
            try:
                async with asyncio.timeout(max(until - time.monotonic(), _RETRY_S) if patience_s else None):
                    return cls(await _connected(host, port), linger_s)
            except OSError as error:
                if time.monotonic() >= until:
                    raise _unreachable(host, port, error, patience_s) from error
            if not waiting:
                waiting = True
                logger.warning("waiting %g s at most for a dealer at %s port %d", patience_s, host, port)
            await asyncio.sleep(_RETRY_S)

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


async def _connected(host: str, port: int) -> socket.socket:
    """Returns a socket that is connected to a dealer.

    :raises OSError: if the dealer cannot be reached.
    """
    loop = asyncio.get_running_loop()
    problem = OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
    for family, kind, protocol, _, address in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        dealer = socket.socket(family, kind, protocol)
        dealer.setblocking(False)
        try:
            await loop.sock_connect(dealer, address)
        except OSError as error:
            dealer.close()
            problem = error
        except BaseException:
            dealer.close()
            raise
        else:
            return dealer
    raise problem


def _unreachable(host: str, port: int, error: OSError, patience_s: float = 0.0) -> MatchError:
    # asyncio words the refusal itself ("Connect call failed"); name look-up errors have negative numbers.
    reason = (
        os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or str(error) or "no answer"
    )
    waited = f" ({patience_s:g} s waited)" if patience_s else ""
    return MatchError(f"cannot connect to {host} port {port}: {reason}{waited}")


def verify_dealer_listens(host: str, port: int) -> None:
    """Checks that a dealer may listen on a port, before a player is loaded for minutes in vain.

    A dealer takes whoever connects for its player, so a connection is no test. A port of this machine is bound for a
    moment instead, which is possible only if nobody listens on it. About other machines nothing is known.

    :raises MatchError: if nobody listens, or the host has no address.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise _unreachable(host, port, error) from error
    for family, kind, protocol, _, address in found:
        try:
            with socket.socket(family, kind, protocol) as probe:
                # Without it a port that a former connection still occupies could not be bound, either, and a dealer
                # that begins to listen in this moment might fail.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL and ip_address(address[0]).is_loopback:
                continue  # localhost has an IPv6 address that this machine lacks
            return
    raise _unreachable(host, port, ConnectionRefusedError(errno.ECONNREFUSED, ""))
