"""The web application of the explorer: its page and its JSON API.

All paths begin with the token (:mod:`hedgehog.explorer.access`). The API has version 1::

    GET  api/1/items                     id, kind, title, path and note of everything that was opened
    GET  api/1/items/ID                  the description of an item
    GET  api/1/items/ID/verify           compares the checksums of its files
    GET  api/1/items/ID/QUESTION?...     an answer; the kinds of items list their questions
    GET  api/1/solve                     the solve that was started from the page (:mod:`hedgehog.explorer.solving`)
    POST api/1/solve/...
    POST api/1/drill/...                 questions and answers of a drill (:mod:`hedgehog.explorer.drilling`)

Answers are JSON objects. A refused request has the key ``error`` with one sentence, and status 400 for a wrong
parameter, 404 for an unknown item or question, and 409 for an item that is damaged, gone or cannot be used now.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hedgehog.explorer.access import Gate
from hedgehog.explorer.drilling import DrillDesk, DrillRequest, GridRequest, NextRequest, ReplyRequest
from hedgehog.explorer.items.item import Item, MissingError
from hedgehog.explorer.items.solve_item import SolveItem
from hedgehog.explorer.library import Library
from hedgehog.explorer.solving import (
    FormRequest,
    LinesRequest,
    PresetRequest,
    RangeRequest,
    SolveJob,
    SpotRequest,
    StartRequest,
    paint_range,
    parse_body,
)
from hedgehog.explorer.work.spot_form import write_form
from hedgehog.runtime.errors import HedgehogError, PackError, ResourceError

logger = logging.getLogger(__name__)

API: Final = "/api/1"
STATIC: Final = Path(__file__).parent / "static"
_TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

_LONGEST_BODY: Final = 1 << 20

_DRILL_REQUESTS: Final[Mapping[str, tuple[type[BaseModel], Callable[[DrillDesk, Any], dict[str, Any]]]]] = {
    "start": (DrillRequest, lambda desk, content: desk.start(content)),
    "next": (NextRequest, lambda desk, content: desk.next(content)),
    "answer": (ReplyRequest, lambda desk, content: desk.answer(content)),
    "grid": (GridRequest, lambda desk, content: desk.grid(content)),
}

T = TypeVar("T")


class Lanes:
    """Threads that answer questions, by name. Each does one thing at a time, as numba's threads need it."""

    def __init__(self) -> None:
        self._threads: dict[str, ThreadPoolExecutor] = {}

    async def run(self, lane: str, work: Callable[[], T]) -> T:
        """Returns the result of a function that is called in the thread of a lane."""
        if lane not in self._threads:
            self._threads[lane] = ThreadPoolExecutor(1, thread_name_prefix="explorer")
        return await asyncio.get_running_loop().run_in_executor(self._threads[lane], work)

    def close(self) -> None:
        """Ends the threads after what they are doing; work that waits is left undone."""
        for thread in self._threads.values():
            thread.shutdown(wait=False, cancel_futures=True)


class _NoContent(BaseModel):
    model_config = ConfigDict(extra="forbid")


_SOLVE_REQUESTS: Final[Mapping[str, tuple[type[BaseModel], Callable[[SolveJob, Any], dict[str, Any]]]]] = {
    "read": (SpotRequest, lambda jobs, content: jobs.read(content)),
    "write": (FormRequest, lambda jobs, content: {"spot": write_form(content.form)}),
    "range": (RangeRequest, lambda jobs, content: paint_range(content)),
    "lines": (LinesRequest, lambda jobs, content: jobs.lines(content)),
    "preset": (PresetRequest, lambda jobs, content: jobs.preset(content)),
    "estimate": (SpotRequest, lambda jobs, content: jobs.estimate(content)),
    "start": (StartRequest, lambda jobs, content: jobs.start(content)),
    "stop": (_NoContent, lambda jobs, content: jobs.send("stop")),
    "save": (_NoContent, lambda jobs, content: jobs.send("save")),
}


def create_app(
    library: Library,
    *,
    token: str,
    hosts: Collection[str],
    solves: Path | None = None,
    progress: Path | None = None,
    warm: bool = False,
) -> Starlette:
    """Returns the application.

    :param library: the items that it shows.
    :param token: the secret first part of every path.
    :param hosts: values that the Host header of a request may have.
    :param solves: folder for solves that the page starts; None for ``solves`` in the working folder.
    :param progress: file in which answers of drills are kept; None keeps them nowhere.
    :param warm: load what first questions need as soon as the first page is opened.
    """
    lanes = Lanes()
    jobs = SolveJob(library, Path("solves") if solves is None else solves)
    drills = DrillDesk(library, progress)
    files = read_static()

    def item_of(request: Request) -> tuple[str, Item]:
        name = request.path_params["item"]
        return name, library.find(name)

    warming: set[asyncio.Task[None]] = set()

    async def items(request: Request) -> Response:
        if warm and not warming:
            for _, each in library:
                warming.add(asyncio.create_task(lanes.run(each.lane("", {}), each.warm_up)))
        return _json({"items": [describe_item(name, item) for name, item in library], "can_solve": True})

    async def item(request: Request) -> Response:
        name, found = item_of(request)
        content = await lanes.run(found.lane("", {}), found.describe)
        return _json(describe_item(name, found) | {"content": content})

    async def verify(request: Request) -> Response:
        _, found = item_of(request)
        if isinstance(found, SolveItem):
            return _json(await asyncio.to_thread(found.verify))
        return _json({"verified": True})

    async def question(request: Request) -> Response:
        _, found = item_of(request)
        asked, params = request.path_params["question"], dict(request.query_params)
        lane = found.lane(asked, params)
        body = await lanes.run(lane, lambda: _encode(found.ask(asked, params)))
        return Response(body, media_type="application/json")

    async def solve_status(request: Request) -> Response:
        return _json(jobs.status())

    async def solve(request: Request) -> Response:
        work = _SOLVE_REQUESTS.get(request.path_params["what"])
        if work is None:
            raise HTTPException(404, "there is no such request")
        model, answer = work
        content = parse_body(model, await _body(request))
        about_spots = isinstance(content, SpotRequest)
        lane = "spots" if about_spots else "presets" if isinstance(content, LinesRequest) else "form"
        if about_spots:
            await asyncio.to_thread(jobs.make_way)
        return _json(await lanes.run(lane, lambda: answer(jobs, content)))

    async def drill(request: Request) -> Response:
        work = _DRILL_REQUESTS.get(request.path_params["what"])
        if work is None:
            raise HTTPException(404, "there is no such request")
        content = parse_body(work[0], await _body(request))
        return _json(await lanes.run("drill", lambda: work[1](drills, content)))

    async def static(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in files:
            raise HTTPException(404, "there is no such file")
        return Response(files[name], media_type=_TYPES[Path(name).suffix])

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(jobs.close)
        await asyncio.to_thread(drills.close)
        lanes.close()
        for _, each in library:
            each.close()

    routes = [
        Route("/", static),
        Route(f"{API}/items", items),
        Route(f"{API}/solve", solve_status),
        Route(f"{API}/solve/{{what}}", solve, methods=["POST"]),
        Route(f"{API}/drill/{{what}}", drill, methods=["POST"]),
        Route(f"{API}/items/{{item}}", item),
        Route(f"{API}/items/{{item}}/verify", verify),
        Route(f"{API}/items/{{item}}/{{question}}", question),
        Route("/{name}", static),
    ]
    return Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(Gate, token=token, hosts=hosts)],
        exception_handlers={
            HTTPException: _on_http_error,
            HedgehogError: _on_our_error,
            Exception: _on_fault,
        },
    )


async def _body(request: Request) -> bytes:
    """Returns the body of a request.

    :raises HTTPException: if it is longer than any that the page sends.
    """
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LONGEST_BODY:
            raise HTTPException(413, "the request is too long")
    return body


def read_static() -> dict[str, bytes]:
    """Returns the files of the page by name. They are few and small, so that no path of a request is ever opened."""
    return {path.name: path.read_bytes() for path in STATIC.iterdir() if path.suffix in _TYPES}


def describe_item(name: str, item: Item) -> dict[str, Any]:
    """Returns the JSON of an item in the list of items."""
    return {"id": name, "kind": item.kind, "title": item.title, "path": str(item.path), "note": item.note}


def _encode(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()


def _json(content: dict[str, Any], status: int = 200) -> Response:
    return Response(_encode(content), status, media_type="application/json")


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _json({"error": error.detail}, error.status_code)


async def _on_our_error(request: Request, error: Exception) -> Response:
    if isinstance(error, MissingError):
        return _json({"error": str(error)}, 404)
    return _json({"error": str(error)}, 409 if isinstance(error, PackError | ResourceError) else 400)


async def _on_fault(request: Request, error: Exception) -> Response:
    logger.exception("fault while answering %s", request.url.path, exc_info=error)
    return _json({"error": "the explorer made a mistake; its terminal shows which"}, 500)
