"""Serves the explorer on 127.0.0.1 until it is interrupted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hedgehog.explorer.access import make_token
from hedgehog.explorer.app import create_app
from hedgehog.explorer.library import Library
from hedgehog.runtime.serving.web import LOOPBACK, open_port, serve_app


def serve(
    library: Library,
    *,
    port: int,
    ready: Callable[[str], None],
    solves: Path | None = None,
    progress: Path | None = None,
) -> None:
    """Serves the page and the API until SIGINT, SIGTERM or SIGHUP.

    :param library: the items to show.
    :param port: TCP port; 0 takes a free one.
    :param ready: called with the address of the page, as soon as the server answers; it must not block.
    :param solves: folder for solves that the page starts; None for ``solves`` in the working folder.
    :param progress: file in which answers of drills are kept; None keeps them nowhere.
    :raises ResourceError: if the port cannot be opened.
    """
    token = make_token()
    listener = open_port(port)
    real = listener.getsockname()[1]
    hosts = [f"{LOOPBACK}:{real}", f"localhost:{real}"]
    app = create_app(library, token=token, hosts=hosts, solves=solves, progress=progress, warm=True)
    serve_app(app, listener, lambda: ready(f"http://{LOOPBACK}:{real}/{token}/"))
