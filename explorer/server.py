"""Serves the explorer on 127.0.0.1 until it is interrupted."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import uvicorn

from hedgehog.explorer.access import make_token
from hedgehog.explorer.app import create_app
from hedgehog.explorer.library import Library
from hedgehog.runtime.errors import ResourceError

ADDRESS = "127.0.0.1"


def serve(library: Library, *, port: int, ready: Callable[[str], None], solves: Path | None = None) -> None:
    """Serves the page and the API until SIGINT, SIGTERM or SIGHUP.

    :param library: the items to show.
    :param port: TCP port; 0 takes a free one.
    :param ready: called with the address of the page, as soon as the server answers; it must not block.
    :param solves: folder for solves that the page starts; None for ``solves`` in the working folder.
    :raises ResourceError: if the port cannot be opened.
    """
    token = make_token()
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((ADDRESS, port))
    except OSError as error:
        listener.close()
        raise ResourceError(f"cannot open port {port} on {ADDRESS}: {error.strerror}") from error
    except OverflowError:
        listener.close()
        raise ResourceError(f"expected a port from 0 to 65535, got {port}") from None
    real = listener.getsockname()[1]
    hosts = [f"{ADDRESS}:{real}", f"localhost:{real}"]
    app = create_app(library, token=token, hosts=hosts, solves=solves, warm=True)
    config = uvicorn.Config(
        app, log_level="error", access_log=False, server_header=False, lifespan="on", timeout_graceful_shutdown=2
    )
    with listener:
        _Server(config, lambda: ready(f"http://{ADDRESS}:{real}/{token}/")).run(sockets=[listener])


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
