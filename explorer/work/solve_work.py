"""The process that solves a spot for the page: it runs, reports, saves now and then, and stops when it is told to.

If the server is gone, whatever ended it, the process saves the solve and ends.
"""

from __future__ import annotations

import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from hedgehog.runtime.errors import HedgehogError, InputError, ResourceError
from hedgehog.runtime.folder_lock import locked_folder
from hedgehog.runtime.outputs import make_folder
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.cfr.stopping import forecast_iterations, iterations_until_check
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.solution_files import save_solve
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot

_REPORT_EVERY_S: Final = 0.25
_SAVE_EVERY_S: Final = 600.0


@dataclass(frozen=True, slots=True)
class SolveOrder:
    """What is to be solved."""

    text: str
    """Text of the spot file."""
    folder: Path
    """Folder for the saved solve."""
    storage: Storage
    target_pct: float
    """Exploitability in percent of the pot at which to stop; 0: at the number of iterations alone."""
    iterations: int


class _StopError(Exception):
    """The solve shall end now; raised between two iterations."""


class _Run:
    def __init__(self, pipe: Connection, order: SolveOrder) -> None:
        self.pipe = pipe
        self.order = order
        self.stopped = threading.Event()
        self.wanted_save = threading.Event()
        self.started = time.monotonic()
        self.reported = 0.0
        self.saved = time.monotonic()
        self.history: list[tuple[int, float]] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        """Waits for words of the server; the end of the pipe counts as ``stop``."""
        with suppress(EOFError, OSError):
            while True:
                word = self.pipe.recv()
                if word == "save":
                    self.wanted_save.set()
                else:
                    break
        self.stopped.set()

    def tell(self, **content: Any) -> None:
        with suppress(OSError):
            self.pipe.send(content)

    def go(self) -> None:
        order = self.order
        spot = parse_spot(order.text)
        self.tell(state="preparing")
        solver = PostflopSolver(prepare(spot), storage=order.storage)

        def between(done: int) -> None:
            now = time.monotonic()
            if now - self.reported >= _REPORT_EVERY_S:
                self.reported = now
                self.tell(state="running", iterations=done, seconds=now - self.started, expected=self._expected())
            if self.stopped.is_set():
                raise _StopError
            if self.wanted_save.is_set() or now - self.saved > _SAVE_EVERY_S:
                self.wanted_save.clear()
                try:
                    save_solve(order.folder, solver, spot, seconds=now - self.started)
                    self.tell(state="running", saved=True, warning=None)  # which takes back an earlier one
                except ResourceError as error:  # the solve may still end well, and an earlier save is still there
                    self.tell(state="running", warning=f"not saved at iteration {solver.iterations}: {error}")
                self.saved = time.monotonic()

        with locked_folder(make_folder(order.folder), InputError("another solve is saving to this folder")):
            while not self.stopped.is_set() and not self._finished(solver):
                step = iterations_until_check(self.history, order.target_pct)
                with suppress(_StopError):
                    solver.run(min(step, order.iterations - solver.iterations), progress=between)
                if solver.iterations:
                    self._look(solver)
            if not solver.iterations:
                self.tell(state="stopped")
                return
            seconds = time.monotonic() - self.started
            self.tell(state="saving", iterations=solver.iterations, seconds=seconds)
            found = solver.exploitability()
            save_solve(order.folder, solver, spot, found, seconds)
        self.tell(state="stopped" if self.stopped.is_set() else "done", saved=True, seconds=seconds)

    def _look(self, solver: PostflopSolver) -> None:
        pct = solver.exploitability().pct_pot
        self.history.append((solver.iterations, pct))
        seconds = time.monotonic() - self.started
        self.tell(
            state="running", iterations=solver.iterations, seconds=seconds, expected=self._expected(), pct_pot=pct
        )

    def _expected(self) -> int:
        """Returns the number of iterations at which the solve should end."""
        if self.history and self.order.target_pct > 0:
            return min(self.order.iterations, round(forecast_iterations(self.history, self.order.target_pct)))
        return self.order.iterations

    def _finished(self, solver: PostflopSolver) -> bool:
        if solver.iterations >= self.order.iterations:
            return True
        return bool(self.history) and self.history[-1][1] <= self.order.target_pct


def run_solve(pipe: Connection, order: SolveOrder) -> None:
    """Solves a spot and reports to the server; the last message has the state ``done``, ``stopped`` or ``failed``."""
    run = _Run(pipe, order)
    signal.signal(signal.SIGTERM, lambda *_: run.stopped.set())  # whoever ends the whole process group loses no solve
    try:
        run.go()
    except HedgehogError as error:
        run.tell(state="failed", error=str(error))
    except MemoryError:
        run.tell(state="failed", error="not enough memory")
