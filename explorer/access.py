"""Who may talk to the explorer: the Host header, the token in the address, and the headers of every answer.

The server listens on 127.0.0.1 alone, but pages of other origins in the same browser can still send requests there, and
names of other hosts can be made to resolve to 127.0.0.1. So three things are checked before a request is looked at: its
Host is one of ours, its path begins with a secret token, and a request that changes something was made by our page.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of the page: nothing comes from elsewhere, and no inline script or style runs."""
_HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
TOKEN_BYTES: Final = 16
"""Number of random bytes in a token."""


def make_token() -> str:
    """Returns a new random token for the address of the page."""
    return secrets.token_hex(TOKEN_BYTES)


class Gate:
    """ASGI middleware that lets requests of our own page pass, with the token removed from their path.

    :param app: the application behind the gate.
    :param token: the first part of every path.
    :param hosts: values that the Host header may have, such as ``127.0.0.1:8765``.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str]) -> None:
        self.app = app
        self.token = token.encode()
        self.hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            status, text = refusal
            await JSONResponse({"error": text}, status)(scope, receive, send_with_headers)
            return
        path: str = scope["path"]
        rest = "/" + path[1:].partition("/")[2]
        inner = dict(scope, path=rest, raw_path=rest.encode("utf-8", "surrogatepass"), root_path="")
        await self.app(inner, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Returns status and text of the answer to a request that may not pass; None if it may."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return 421, "this server answers only under the address that it printed"
        first, slash, _ = scope["path"][1:].partition("/")
        if not slash or not secrets.compare_digest(first.encode("utf-8", "surrogatepass"), self.token):
            return 403, "the address lacks the token: use the address that hedgehog explore printed"
        if scope["method"] not in ("GET", "HEAD"):
            origin = headers.get("origin")
            if origin is not None and origin.lower() not in {f"http://{host}" for host in self.hosts}:
                return 403, "the request comes from another page"
            if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                return 415, "expected application/json"
        return None
