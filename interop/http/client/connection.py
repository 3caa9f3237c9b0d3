"""JSON requests over HTTP or HTTPS, with the one distinction that a client of a game needs: was anything sent?"""

from __future__ import annotations

import http.client
import json
import select
import ssl
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import urlsplit

from hedgehog.runtime.errors import HedgehogError, InputError

TIMEOUT_S: Final = 180.0
"""Seconds that a server may take for an answer, as in the benchmark's own client."""
_LONGEST_ANSWER: Final = 1 << 22
_SHOWN: Final = 200


class NotSentError(HedgehogError):
    """The server could not be reached; it has seen nothing of the request."""


class LostError(HedgehogError):
    """The request was sent, and no whole answer came: nobody knows whether the server has acted on it."""


class StatusError(HedgehogError):
    """The server has refused a request.

    :param status: status of the answer.
    :param reason: what the server says.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"the server answers {status}: {reason}")
        self.status = status


def verify_address(address: str) -> str:
    """Returns the address of a server without the slash at its end.

    :raises InputError: unless it is ``http://HOST`` or ``https://HOST``, perhaps with a port and a path.
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise InputError(f"not an address: {address[:_SHOWN]!r} ({error})") from None
    known = parts.scheme in ("http", "https") and parts.hostname and address.isascii() and address.isprintable()
    if not known or " " in address or parts.query or parts.fragment or parts.username or port == 0:
        raise InputError(f"expected an address such as http://127.0.0.1:8050, got {address[:_SHOWN]!r}")
    return address.rstrip("/")


class Connection:
    """One connection to a server, which is kept open between requests. It belongs to one thread."""

    def __init__(self, address: str, headers: Mapping[str, str], timeout_s: float = TIMEOUT_S) -> None:
        """Makes a connection; the first request opens it.

        :param address: as :func:`verify_address` returns it.
        :param headers: further headers of every request.
        """
        parts = urlsplit(address)
        assert parts.hostname is not None
        self._path = parts.path
        agent = f"hedgehog/{version('hedgehog-poker')}"
        self._headers = {"User-Agent": agent, "Accept": "application/json", **headers}
        host, port = parts.hostname, parts.port
        self._make: Callable[[], http.client.HTTPConnection]
        if parts.scheme == "https":
            context = ssl.create_default_context()
            self._make = lambda: http.client.HTTPSConnection(host, port, timeout=timeout_s, context=context)
        else:
            self._make = lambda: http.client.HTTPConnection(host, port, timeout=timeout_s)
        self._open: http.client.HTTPConnection | None = None

    def request(self, method: str, path: str, body: object = None) -> Any:
        """Returns the JSON value of the answer to a request.

        :param body: JSON value to send; None: nothing is sent.
        :raises NotSentError: if the server cannot be reached.
        :raises LostError: if no whole answer in JSON comes.
        :raises StatusError: if the status of the answer is not 200.
        """
        connection = self._connected()
        headers = dict(self._headers)
        content = None
        if body is not None:
            content = json.dumps(body).encode("ascii")
            headers["Content-Type"] = "application/json"
        try:
            connection.request(method, self._path + path, content, headers)
            answer = connection.getresponse()
            data = answer.read(_LONGEST_ANSWER)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise LostError(f"no answer from the server ({type(error).__name__}: {error})") from error
        if answer.length:
            self.close()
            raise LostError(f"the answer of the server breaks off, or is longer than {_LONGEST_ANSWER >> 20} MB")
        if answer.will_close or not answer.isclosed():
            self.close()
        if not 200 <= answer.status < 300:
            raise StatusError(answer.status, data.decode("utf-8", "replace")[:_SHOWN].strip() or answer.reason)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise LostError(f"the answer is no JSON: {data[:_SHOWN]!r}") from error

    def verify_reachable(self) -> None:
        """Opens the connection.

        :raises NotSentError: if the server cannot be reached.
        """
        self._connected()

    def _connected(self) -> http.client.HTTPConnection:
        """Returns an open connection. One that the server has closed meanwhile is opened again."""
        if self._open is not None and self._open.sock is not None and select.select([self._open.sock], [], [], 0)[0]:
            self.close()
        if self._open is None or self._open.sock is None:
            self._open = self._make()
            try:
                self._open.connect()
            except (OSError, http.client.HTTPException) as error:
                self.close()
                raise NotSentError(f"cannot reach the server ({error})") from error
        return self._open

    def close(self) -> None:
        """Closes the connection."""
        if self._open is not None:
            self._open.close()
            self._open = None
