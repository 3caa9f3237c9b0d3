"""Serves a web application at one address until it is interrupted."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

import uvicorn

from hedgehog.runtime.errors import ResourceError

LOOPBACK: Final = "127.0.0.1"
"""The address that no other machine can reach."""
_PATIENCE_S: Final = 2
"""Seconds that answers under way have when the server ends."""
_KEEP_ALIVE_S: Final = 75
"""Seconds after which an unused connection is closed: later than clients close theirs, which would else send a request
just when the connection ends."""


def open_port(port: int, address: str = LOOPBACK) -> socket.socket:
    """Returns a socket that holds a TCP port; the server listens on it.

    :param port: TCP port; 0 takes a free one.
    :param address: an IP address of this machine.
    :raises ResourceError: if the port cannot be opened.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
    except OSError as error:
        listener.close()
        raise ResourceError(f"cannot open port {port} on {address}: {error.strerror or error}") from error
    except OverflowError:
        listener.close()
        raise ResourceError(f"expected a port from 0 to 65535, got {port}") from None
    return listener


def serve_app(app: Any, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serves an ASGI application on an open socket until SIGINT, SIGTERM or SIGHUP, and closes the socket.

    :param ready: called as soon as the server answers; it must not block.
    """
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=_PATIENCE_S,
        timeout_keep_alive=_KEEP_ALIVE_S,
    )
    with listener:
        _Server(config, ready).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server for which SIGINT, SIGTERM and SIGHUP are the usual end: it closes everything and returns."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        """
        :param ready: called as soon as the server answers.
        """
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        ending = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        numbers = [number for number in ending if signal.getsignal(number) != signal.SIG_IGN]  # as nohup has it
        before = [signal.signal(number, self._stop) for number in numbers]
        try:
            yield
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self.should_exit:  # a second time: without waiting for answers that are under way
            self.force_exit = True
        self.should_exit = True
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # answers that are broken off now are no errors
