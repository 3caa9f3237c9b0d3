"""``go``: a solve that runs in a thread while the dialogue goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hedgehog.runtime.errors import HedgehogError
from hedgehog.runtime.watch import Watch
from hedgehog.solver.cfr.stopping import run_until
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver

_MOST_ITERATIONS: Final = 10_000_000
_LOOK_EVERY_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits at which a solve ends, whichever comes first."""

    target_pct: float = 0.0
    """Exploitability in percent of the pot; 0 is no target."""
    iterations: int | None = None
    """Most iterations of this run; None for no limit."""
    seconds: float | None = None
    """Most seconds of this run; None for no limit."""
    report_every: int | None = None
    """Iterations between two reports; None lets the solver choose."""


class _Stop(Watch):
    """Ends a solve when it is asked to."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    @property
    def stopped(self) -> bool:
        return self.asked.is_set()


class Task:
    """One solve in the background.

    :param say: takes the lines of a report, from another thread.
    :param ended: hears of the strategies at the end, before ``say`` hears of the end.
    """

    def __init__(
        self,
        solver: PostflopSolver,
        limits: Limits,
        say: Callable[[list[str], bool], None],
        ended: Callable[[Exploitability], None],
    ) -> None:
        self.solver = solver
        self.limits = limits
        self._say = say
        self._ended = ended
        self._stop = _Stop()
        self._thread = threading.Thread(target=self._run, daemon=True, name="upi go")

    def start(self) -> None:
        """Begins the solve."""
        self._thread.start()

    @property
    def runs(self) -> bool:
        """Whether the solve has not ended."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Asks the solve to end, without waiting for it."""
        self._stop.asked.set()

    def wait(self) -> None:
        """Waits until the solve has ended and has said so."""
        while self._thread.is_alive():
            # Not without end: a signal that comes just before the wait begins would be handled after it only.
            self._thread.join(_LOOK_EVERY_S)

    def _run(self) -> None:
        limits, start, first = self.limits, time.monotonic(), self.solver.iterations

        def looked(iterations: int, found: Exploitability) -> None:
            if iterations > first or found.reached_pct_pot <= limits.target_pct:
                self._say([
                    "SOLVER:", f"running time: {time.monotonic() - start:.3f}",
                    *format_results(found, self.solver.tree.root_pot),
                ], True)  # fmt: skip

        try:
            found = run_until(
                self.solver,
                limits.target_pct,
                first + min(_MOST_ITERATIONS if limits.iterations is None else limits.iterations, _MOST_ITERATIONS),
                check_every=limits.report_every,
                deadline=None if limits.seconds is None else start + limits.seconds,
                watch=self._stop,
                looked=looked,
            )
            self._ended(found)
            reason = self._reason(found, time.monotonic() - start)
        except (HedgehogError, MemoryError) as problem:
            reason = f"failed: {problem or 'not enough memory'}"
        self._say([f"SOLVER: stopped ({reason})"], False)

    def _reason(self, found: Exploitability, seconds: float) -> str:
        limits = self.limits
        if found.reached_pct_pot <= limits.target_pct:
            return "required accuracy reached"
        if self._stop.stopped:
            return "requested"
        if limits.seconds is not None and seconds >= limits.seconds / 2:
            return "time limit reached"
        return "number of steps reached"


def format_results(found: Exploitability, pot: int) -> list[str]:
    """Returns the five lines of ``calc_results``; MES are the values of best responses.

    :param pot: chips in the pot at the root.
    """
    evs = [value + pot / 2 for value in found.ev_minus_half_pot]
    best = [value + pot / 2 for value in found.best_response_ev_minus_half_pot]
    return [
        f"EV OOP: {_decimals(evs[0])}",
        f"EV IP: {_decimals(evs[1])}",
        f"OOP's MES: {_decimals(best[0])}",
        f"IP's MES: {_decimals(best[1])}",
        f"Exploitable for: {_decimals(found.exploitability)}",
    ]


def _decimals(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}"
