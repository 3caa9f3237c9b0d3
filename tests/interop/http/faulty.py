"""A server on loopback that fails as it is told: busy, full, with a fault, or silent after it has acted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from tests.interop.http.games import BOUND_S
from tests.processes import until

Messages = list[dict[str, Any]]


class Faulty:
    """An application that refuses requests, or breaks answers off, in front of another one."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.plan: dict[str, list[str]] = {}
        """End of a path -> what happens to the requests one after the other: a status, ``lost``, or ``ok``."""
        self.requests: list[str] = []
        """Paths of all requests."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        self.requests.append(scope["path"])
        plan = next((steps for end, steps in self.plan.items() if scope["path"].endswith(end) and steps), None)
        step = plan.pop(0) if plan else "ok"
        if step.isdigit():
            await _answer(send, int(step), b'{"detail": "planned"}', 21)
        elif step == "lost":
            sent: Messages = []

            async def keep(message: dict[str, Any]) -> None:
                sent.append(message)

            await self._app(scope, receive, keep)
            await _answer(send, 200, b'{"hand', 100)  # less than was promised: the connection breaks off
        else:
            await self._app(scope, receive, send)


async def _answer(send: Any, status: int, body: bytes, length: int) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(length).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def listening(app: Any) -> Iterator[str]:
    """Yields the address of a server in a thread of this process."""
    config = uvicorn.Config(app, port=0, log_level="critical", lifespan="on", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        until(lambda: server.started or not thread.is_alive(), BOUND_S)
        assert server.started
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(BOUND_S)
