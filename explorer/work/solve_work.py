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

from hedgehog.runtime.errors import HedgehogError
from hedgehog.runtime.watch import Watch
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.run import SolveRun
from hedgehog.solver.postflop.saving import SAVE_EVERY_S, Saver, exclusive_folder
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot

_REPORT_EVERY_S: Final = 0.25


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


class _PipeWatch(Watch):
    """Sends what a solve tells to the server, and hears from it when to stop."""

    def __init__(self, pipe: Connection, iterations: int) -> None:
        self.pipe = pipe
        self.ended = threading.Event()
        self._started = time.monotonic()
        self._reported = 0.0
        self._expected: float = iterations

    def tell(self, **content: Any) -> None:
        """Sends a message; if the server is gone, to nobody."""
        with suppress(OSError):
            self.pipe.send(content)

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        """Sends the number of iterations now and then."""
        self._expected = self._expected if total is None else total
        now = time.monotonic()
        if now - self._reported >= _REPORT_EVERY_S:
            self._reported = now
            self.tell_iterations(done)

    def tell_iterations(self, done: float, **content: Any) -> None:
        """Sends the number of iterations."""
        seconds = time.monotonic() - self._started
        self.tell(state="running", iterations=int(done), seconds=seconds, expected=self._expected, **content)

    def warn(self, text: str) -> None:
        """Sends a warning."""
        self.tell(state="running", warning=text)

    @property
    def stopped(self) -> bool:
        """Whether the server wants the solve to end, or is gone."""
        return self.ended.is_set()


class _ToldSaver(Saver):
    """Saves as any other solve, and tells the server of it, which takes back an earlier warning."""

    watch: _PipeWatch

    def save(self, solver: PostflopSolver, found: Exploitability | None, seconds: float) -> None:
        """Saves the solve.

        :raises ResourceError: if the folder cannot be written.
        """
        self.watch.tell(state="saving")
        super().save(solver, found, seconds)
        self.watch.tell(state="running", saved=True, warning=None)


def _listen(watch: _PipeWatch, saver: Saver) -> None:
    """Waits for words of the server; the end of the pipe counts as ``stop``."""
    with suppress(EOFError, OSError):
        while True:
            if watch.pipe.recv() != "save":
                break
            saver.ask()
    watch.ended.set()


def _solve(watch: _PipeWatch, order: SolveOrder) -> None:
    """Solves the spot of an order and saves it.

    :raises HedgehogError: if it cannot be solved or saved.
    """
    spot = parse_spot(order.text)
    saver = _ToldSaver(order.folder, spot, SAVE_EVERY_S)
    saver.watch = watch
    threading.Thread(target=_listen, args=(watch, saver), daemon=True).start()
    watch.tell(state="preparing")
    solver = PostflopSolver(prepare(spot), storage=order.storage)
    with exclusive_folder(order.folder):
        saver.verify_space(solver)
        run = SolveRun(solver, spot.name, saver)

        def looked(done: int, found: Exploitability) -> None:
            watch.tell_iterations(done, pct_pot=found.pct_pot)

        run.run(order.target_pct, order.iterations, watch=watch, looked=looked)
    if run.save_error is not None:
        raise run.save_error
    if not solver.iterations:
        watch.tell(state="stopped")
        return
    state = "stopped" if watch.stopped else "done"
    watch.tell(state=state, saved=True, iterations=solver.iterations, seconds=run.seconds)


def run_solve(pipe: Connection, order: SolveOrder) -> None:
    """Solves a spot and reports to the server; the last message has the state ``done``, ``stopped`` or ``failed``."""
    watch = _PipeWatch(pipe, order.iterations)
    signal.signal(signal.SIGTERM, lambda *_: watch.ended.set())  # whoever ends the whole process group loses no solve
    try:
        _solve(watch, order)
    except HedgehogError as error:
        watch.tell(state="failed", error=str(error))
    except MemoryError:
        watch.tell(state="failed", error="not enough memory")
