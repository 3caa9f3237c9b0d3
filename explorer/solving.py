"""Solving a spot from the page: the form's texts, the estimate, and the one solve that may run.

::

    POST api/1/solve/read      {spot}                     the form of a spot file (``work.spot_form``)
    POST api/1/solve/write     {form}                     the text of a form
    POST api/1/solve/range     {text, hands?, weight?}    a range after painting hands with a weight
    POST api/1/solve/lines     {stack, blinds?, player?}  the preflop lines that our player takes most
    POST api/1/solve/preset    {stack, line, board, blinds?, player?}  the spot with our player's ranges after a line
    POST api/1/solve/estimate  {spot}                     nodes and memory
    POST api/1/solve/start     {spot, name, storage, target_pct, iterations}
    POST api/1/solve/stop      {}                         ends the solve and saves it
    POST api/1/solve/save      {}                         saves the solve, which goes on
    GET  api/1/solve           state, iterations, exploitability so far
"""

from __future__ import annotations

import contextlib
import re
import threading
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from hedgehog.explorer.items.player_item import PlayerItem
from hedgehog.explorer.items.solve_item import SolveItem
from hedgehog.explorer.library import Library
from hedgehog.explorer.work.solve_work import SolveOrder, run_solve
from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, HAND_CLASS_SIZES, NUM_HAND_CLASSES
from hedgehog.poker.ranges import format_range, parse_range, round_weights
from hedgehog.runtime.errors import InputError, RangeError, ResourceError
from hedgehog.runtime.outputs import verify_output_folder
from hedgehog.runtime.serving.worker import Worker, start_process
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop.solution_files import SOLVE_FOLDER
from hedgehog.strategies.pack import default_packs

MOST_ITERATIONS: Final = 100_000
_WAIT_FOR_SAVING_S: Final = 60
_BUSY: Final = ("preparing", "running", "saving")


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class SpotRequest(_Request):
    """The body of ``read`` and ``estimate``."""

    spot: str = Field(max_length=1 << 18)


class FormRequest(_Request):
    """The body of the request ``write`` of the form for spots, as the page sends it."""

    form: dict[str, Any]


class RangeRequest(_Request):
    """The body of the request ``range`` of the form for spots, as the page sends it."""

    text: str = Field(max_length=1 << 18)
    hands: list[str] = Field(default_factory=list, max_length=NUM_HAND_CLASSES)
    weight: float = Field(default=1.0, ge=0, le=1)


class LinesRequest(_Request):
    """The body of the request ``lines`` of the form for spots, as the page sends it."""

    stack: str = Field(max_length=40)
    blinds: str = Field(default="", max_length=40)
    """Empty for 50/100."""
    player: str = Field(default="", max_length=200)
    """The item of a player; empty for the shipped one."""


class PresetRequest(LinesRequest):
    """The body of the request ``preset`` of the form for spots, as the page sends it."""

    line: str = Field(max_length=400)
    board: str = Field(max_length=40)


class StartRequest(SpotRequest):
    """The body of the request ``start`` of the form for spots, as the page sends it."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$")
    storage: Literal["auto", "f32", "f16"] = "auto"
    target_pct: float = Field(default=0.5, ge=0, le=100)
    iterations: int = Field(default=MOST_ITERATIONS, ge=1, le=MOST_ITERATIONS)


def paint_range(request: RangeRequest) -> dict[str, Any]:
    """Returns a range as text and by hand class, after the hands of the request have got its weight.

    :raises RangeError: if the text is no range, or a hand is no hand class.
    """
    painted = np.zeros(NUM_HAND_CLASSES, dtype=np.bool_)
    for hand in request.hands:
        if hand not in HAND_CLASS_NAMES:
            raise RangeError(f"expected a hand such as AKs, got {hand!r}")
        painted[HAND_CLASS_NAMES.index(hand)] = True
    weights = parse_range(request.text) if request.text.strip() else np.zeros(NUM_COMBOS, dtype=np.float32)
    weights[painted[HAND_CLASS]] = request.weight
    if not weights.any():
        return {"text": "", "cells": {}, "combos": 0.0}
    cells = np.bincount(HAND_CLASS, weights, NUM_HAND_CLASSES) / HAND_CLASS_SIZES
    shares = round_weights(cells).tolist()
    return {
        "text": format_range(weights),
        "cells": {HAND_CLASS_NAMES[index]: shares[index] for index in np.flatnonzero(cells > 0).tolist()},
        "combos": round(float(weights.sum(dtype=np.float64)), 6),
    }


class SolveJob:
    """The one solve that may run. Its process reports to a thread here, so that any page can ask how far it is."""

    def __init__(self, library: Library, folder: Path) -> None:
        """
        :param library: gets the solve when it is saved.
        :param folder: folder in which solves are saved, each in a folder of its name.
        """
        self._library = library
        self._folder = folder
        self._lock = threading.Lock()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._status: dict[str, Any] = {"state": "none"}
        self._history: list[list[float]] = []
        self._spots = Worker("hedgehog.explorer.work.spot_work")
        self._presets = Worker("hedgehog.explorer.work.preset_work")
        self._estimating = threading.Event()
        self._gave_way = False
        self._way = threading.Lock()

    def read(self, request: SpotRequest) -> dict[str, Any]:
        """Returns the form of a text.

        :raises InputError: if the text describes no spot; the message has the line.
        """
        found: dict[str, Any] = self._spots.call("read", request.spot)
        return found

    def estimate(self, request: SpotRequest) -> dict[str, Any]:
        """Returns the size of a solve and the memory it needs, or ``broken_off`` if a newer request took its place.

        :raises InputError: if the text describes no spot, or one that the page does not solve.
        """
        self._gave_way = False
        self._estimating.set()
        try:
            found: dict[str, Any] = self._spots.call("measure", request.spot)
        except ResourceError:
            if not self._gave_way:
                raise
            return {"broken_off": True}
        finally:
            with self._way:
                self._estimating.clear()
        return found

    def lines(self, request: LinesRequest) -> dict[str, Any]:
        """Returns the preflop lines that a player takes most with a stack.

        :raises InputError: if stack or blinds are malformed, or the item is no player.
        """
        found: dict[str, Any] = self._presets.call("lines", self._packs_of(request), request.stack, request.blinds)
        return found

    def preset(self, request: PresetRequest) -> dict[str, Any]:
        """Returns the text of the spot with a player's ranges after a line on a board.

        :raises InputError: if stack, blinds, line or board are malformed, or the item is no player.
        """
        asked = (self._packs_of(request), request.stack, request.blinds, request.line, request.board)
        found: dict[str, Any] = self._presets.call("preset", *asked)
        return found

    def _packs_of(self, request: LinesRequest) -> str:
        """Returns the folder of a player's packs."""
        if not request.player:
            return str(default_packs())
        item = self._library.find(request.player)
        if not isinstance(item, PlayerItem):
            raise InputError(f"{request.player!r} is no player")
        return str(item.path)

    def make_way(self) -> None:
        """Breaks off an estimate that is under way; call it before the next request about a spot.

        The estimate of a large spot takes long, and nobody waits for it any more.
        """
        with self._way:
            if self._estimating.is_set():
                self._gave_way = True
                self._spots.break_off()

    def status(self) -> dict[str, Any]:
        """Returns the state of the solve, its progress, and its exploitability so far as (iteration, seconds, %)."""
        with self._lock:
            return {**self._status, "history": list(self._history), "folder": str(self._folder)}

    def start(self, request: StartRequest) -> dict[str, Any]:
        """Starts a solve and returns its state. Starts must not be called at the same time.

        :raises InputError: if the spot is wrong, or a folder of the name exists.
        :raises ResourceError: if a solve is running, or there is too little memory.
        """
        with self._lock:
            if self._status["state"] in _BUSY:
                raise ResourceError("another solve is running: stop it first")
        folder = self._folder / request.name
        verify_output_folder(folder, SOLVE_FOLDER, proceed=False)
        storage: Storage = self._spots.call("choose_storage", request.spot, request.storage)
        with self._lock:  # it is never held for long: the status is asked for meanwhile
            order = SolveOrder(request.spot, folder, storage, request.target_pct, request.iterations)
            self._process, self._pipe = start_process(run_solve, order)
            self._history = []
            self._status = {
                "state": "preparing",
                "name": request.name,
                "spot": request.spot,
                "storage": storage,
                "target_pct": request.target_pct,
                "iterations": 0,
                "expected": request.iterations,
                "seconds": 0.0,
                "item": None,
            }
            threading.Thread(target=self._listen, args=(self._process, self._pipe, folder), daemon=True).start()
        return self.status()

    def send(self, word: Literal["stop", "save"]) -> dict[str, Any]:
        """Tells the running solve to stop or to save, and returns its state.

        :raises ResourceError: if no solve is running.
        """
        with self._lock:
            if self._status["state"] not in _BUSY or self._pipe is None:
                raise ResourceError("no solve is running")
            try:
                self._pipe.send(word)
            except OSError:
                raise ResourceError("no solve is running") from None
        return self.status()

    def _listen(self, process: BaseProcess, pipe: Connection, folder: Path) -> None:
        try:
            while True:
                self._note(pipe.recv(), folder)
        except (EOFError, OSError):
            process.join(5)
        with self._lock:
            if self._status["state"] not in ("done", "stopped", "failed"):
                self._status |= {"state": "failed", "error": "the process of the solve has ended"}

    def _note(self, message: dict[str, Any], folder: Path) -> None:
        saved = message.pop("saved", False)
        pct = message.pop("pct_pot", None)
        item = None
        if saved:
            item = self._library.put(SolveItem(folder))
        with self._lock:
            self._status |= message
            if pct is not None:
                self._status["pct_pot"] = pct
                self._history.append([message["iterations"], round(message["seconds"], 2), round(pct, 6)])
            if item is not None:
                self._status["item"] = item

    def close(self) -> None:
        """Ends the solve; it is saved before, if that takes not too long."""
        self._spots.close()
        self._presets.close()
        process, pipe = self._process, self._pipe
        if process is None or pipe is None:
            return
        with contextlib.suppress(OSError):
            pipe.send("stop")
        process.join(_WAIT_FOR_SAVING_S)
        if process.is_alive():
            process.kill()


def parse_body(model: type[Any], body: bytes) -> Any:
    """Returns the content of a request.

    :raises InputError: if it does not fit the model.
    """
    try:
        return model.model_validate_json(body)
    except ValueError as error:
        errors = getattr(error, "errors", None)
        first = errors()[0] if errors else {"loc": (), "msg": str(error)}
        where = re.sub(r"[^\w.]", "", ".".join(map(str, first["loc"])))
        raise InputError(f"{where or 'request'}: {first['msg']}") from None
