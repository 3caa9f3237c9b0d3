"""The web application of a served game: Slumbot's paths and those of the benchmark on one server.

::

    POST /api/new_hand, /api/act, /api/login         Slumbot's game; the same below /slumbot/api
    POST /hands, /hands/{hand_id}/act                the benchmark's game, with the header X-API-Key
    GET  /hands/in-progress, /results, /leaderboard

Statuses of Slumbot's game: 200 for every answer, mistakes in the game included (``error_msg``); 400 for a body that is
no JSON object; 500 if the player failed. Of the benchmark: 400 for a malformed or illegal action, 401 without a key,
404 for an unknown hand or game, 409 if the hand is over or the key plays twenty hands, 422 for a body that is no JSON
object or a wrong parameter, 503 if the player has too much to do; the reason is the text ``detail``.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hedgehog.interop.http import benchmark, slumbot
from hedgehog.interop.http.book import Session
from hedgehog.interop.http.service import BusyError, FullError, GoneError, Service
from hedgehog.runtime.errors import HedgehogError, InputError

logger = logging.getLogger(__name__)

LONGEST_BODY: Final = 1 << 16
SLUMBOT_PREFIXES: Final = ("/api", "/slumbot/api")
_KEY_HEADER: Final = "x-api-key"
_LONGEST_KEY: Final = 1000

SlumbotAnswer = Callable[[Service, dict[str, Any]], Awaitable[dict[str, Any]]]


def create_app(service: Service, keys: Collection[str] = ()) -> Starlette:
    """Returns the application.

    :param keys: keys of the benchmark that are accepted; none: every key is.
    """

    def slumbot_route(answer: SlumbotAnswer) -> Callable[[Request], Awaitable[Response]]:
        async def respond(request: Request) -> Response:
            try:
                body = await _object(request)
            except HTTPException as error:
                return _json({"error_msg": error.detail}, error.status_code)
            try:
                return _json(await answer(service, body))
            except slumbot.RefusedError as error:
                return _json({"error_msg": error.message})
            except HedgehogError as error:
                logger.error("%s", error)
                return _json({"error_msg": "the server failed; its terminal shows why"}, 500)

        return respond

    def session_of(request: Request) -> Session:
        given = request.headers.get(_KEY_HEADER, "").strip()
        accepted = 0 < len(given) <= _LONGEST_KEY
        if keys:
            accepted = any(hmac.compare_digest(given.encode(), key.encode()) for key in keys)
        if not accepted:
            raise HTTPException(401, "missing or unknown API key (header X-API-Key)")
        return benchmark.session_of(service, given)

    async def new_hand(request: Request) -> Response:
        session, body = session_of(request), await _object(request, 422)
        return _json(await benchmark.new_hand(service, session, body))

    async def act(request: Request) -> Response:
        session, body = session_of(request), await _object(request, 422)
        return _json(await benchmark.act(service, session, request.path_params["hand_id"], body))

    async def in_progress(request: Request) -> Response:
        session = session_of(request)
        return _json(await benchmark.in_progress(service, session, request.query_params.get("game_name")))

    async def results(request: Request) -> Response:
        session = session_of(request)
        _verify_game(service, request)
        return _json(benchmark.results_of(service, session, _number(request, "gto_wizard_version", 1)))

    async def leaderboard(request: Request) -> Response:
        _verify_game(service, request)
        limit, least = _number(request, "limit", 100), _number(request, "min_hands", 0)
        return _json(benchmark.leaderboard_of(service, limit, least, _number(request, "gto_wizard_version", 1)))

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        closing = asyncio.create_task(service.close_left_hands())
        yield
        closing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await closing

    routes = [
        Route(f"{prefix}/{name}", slumbot_route(answer), methods=["POST"])
        for prefix in SLUMBOT_PREFIXES
        for name, answer in (("new_hand", slumbot.new_hand), ("act", slumbot.act), ("login", slumbot.login))
    ]
    routes += [
        Route("/hands", new_hand, methods=["POST"]),
        Route("/hands/in-progress", in_progress),
        Route("/hands/{hand_id:int}/act", act, methods=["POST"]),
        Route("/results", results),
        Route("/leaderboard", leaderboard),
    ]
    return Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={HTTPException: _on_http_error, HedgehogError: _on_our_error, Exception: _on_fault},
    )


def _verify_game(service: Service, request: Request) -> None:
    name = request.query_params.get("game_name")
    if name is not None:
        benchmark.verify_game_name(service, name)


def _number(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise HTTPException(422, f"expected a number as {name}")
    return int(text)


async def _object(request: Request, status: int = 400) -> dict[str, Any]:
    """Returns the JSON object in the body of a request.

    :param status: status of the answer if it is no JSON object.
    :raises HTTPException: if it is none, is too long, or was sent by a page of another site.
    """
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        raise HTTPException(403, "the request comes from a page of another site")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            raise HTTPException(413, "the request is too long")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise HTTPException(status, "expected a JSON object as body")
    return found


def _json(content: object, status: int = 200) -> Response:
    """Returns an answer; ``": "`` and ``", "`` between its parts, and no line end, as the clients of Slumbot expect."""
    return Response(json.dumps(content, allow_nan=False).encode("ascii"), status, media_type="application/json")


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _json({"detail": error.detail}, error.status_code)


async def _on_our_error(request: Request, error: Exception) -> Response:
    if isinstance(error, benchmark.UnknownError):
        return _json({"detail": error.message}, 404)
    if isinstance(error, GoneError | FullError):
        return _json({"detail": str(error)}, 409)
    if isinstance(error, InputError):
        return _json({"detail": error.message}, 400)
    if isinstance(error, BusyError):
        return _json({"detail": str(error)}, 503)
    logger.error("%s", error)
    return _json({"detail": "the server failed; its terminal shows why"}, 500)


async def _on_fault(request: Request, error: Exception) -> Response:
    logger.exception("fault while answering %s", request.url.path, exc_info=error)
    return _json({"detail": "the server made a mistake; its terminal shows which"}, 500)
