"""Drills from the page: which source is asked about, and the process that asks and judges."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from hedgehog.analysis.drills.sources import SourceOptions
from hedgehog.explorer.items.graded_item import GradedItem
from hedgehog.explorer.items.player_item import PlayerItem
from hedgehog.explorer.items.solve_item import SolveItem
from hedgehog.explorer.library import Library
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.serving.worker import Worker


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DrillRequest(_Request):
    """The body of the request ``start`` of a drill, as the page sends it."""

    item: str = Field(max_length=200)
    kind: Literal["same", "hands", "boards"] = "same"
    spot: str = Field(default="", max_length=200)
    """Words of the kind of graded decisions that are asked about."""
    streets: list[int] = Field(default_factory=list, max_length=4)
    seed: int | None = Field(default=None, ge=0, lt=2**32)
    new: int = Field(default=10, ge=0, le=1000)


class NextRequest(_Request):
    """The body of the request ``next`` of a drill, as the page sends it."""

    session: int = Field(ge=0)


class ReplyRequest(NextRequest):
    """The body of the request ``answer`` of a drill, as the page sends it."""

    number: int = Field(ge=1)
    """Number of the question in the session, from 1."""
    choice: int = Field(ge=0, le=100)


class GridRequest(NextRequest):
    """The body of the request ``grid`` of a drill, as the page sends it."""

    number: int = Field(ge=1)


class DrillDesk:
    """The sessions of the page. They are in a process of their own, which solves what is asked about."""

    def __init__(self, library: Library, progress: Path | None) -> None:
        """
        :param progress: file in which answers are kept; None keeps them nowhere.
        """
        self._library = library
        self._progress = None if progress is None else str(progress)
        self._worker = Worker("hedgehog.explorer.work.drill_work")

    def start(self, request: DrillRequest) -> dict[str, Any]:
        """Returns a new session with its first question.

        :raises InputError: if the item cannot be asked about.
        """
        item = self._library.find(request.item)
        if isinstance(item, PlayerItem):
            source = "default" if item.spec == "default" else str(item.path)
        elif isinstance(item, SolveItem | GradedItem):
            source = str(item.path)
        else:
            raise InputError(f"there is nothing to drill in {item.title}")
        seed = int.from_bytes(os.urandom(4), "little") if request.seed is None else request.seed
        options = SourceOptions(
            kind=request.kind,
            spot=" ".join(request.spot.split()),
            streets=tuple(sorted(set(request.streets))),
        )
        found: dict[str, Any] = self._worker.call("start", source, options, seed, request.new, self._progress)
        return found

    def next(self, request: NextRequest) -> dict[str, Any]:
        """Returns the next question of a session; that of the last call if it is not answered yet.

        :raises InputError: if there is no such session.
        """
        found: dict[str, Any] = self._worker.call("next_question", request.session)
        return found

    def answer(self, request: ReplyRequest) -> dict[str, Any]:
        """Returns what an answer was worth.

        :raises InputError: if the question is not the one that waits for an answer, or has no such choice.
        """
        found: dict[str, Any] = self._worker.call("answer", request.session, request.number, request.choice)
        return found

    def grid(self, request: GridRequest) -> dict[str, Any]:
        """Returns the grid of an answered question.

        :raises InputError: if the question is not answered yet.
        """
        found: dict[str, Any] = self._worker.call("grid", request.session, request.number)
        return found

    def close(self) -> None:
        """Ends the process. Every answer is on the disk by then."""
        self._worker.close()
