"""The run of one solve: iterations, checks of the exploitability, saves, interruption and progress."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from hedgehog.cli.progress import Progress
from hedgehog.cli.solves.saving import Saver
from hedgehog.cli.termination import ending_signals, handling
from hedgehog.runtime.errors import ResourceError
from hedgehog.solver.abstraction.group_solver import GroupSolver
from hedgehog.solver.cfr.stopping import forecast_iterations, iterations_until_check
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver


class _InterruptedError(Exception):
    """Ctrl-C or a signal came; raised between two iterations."""


class SolveRun:
    """Runs a solver until it is good enough, with checks of the exploitability and saves in between."""

    def __init__(
        self,
        solver: PostflopSolver | GroupSolver,
        target_pct: float,
        max_iterations: int,
        saver: Saver | None,
        seconds: float,
    ) -> None:
        self.solver = solver
        self.target_pct = target_pct
        self.max_iterations = max_iterations
        self.saver = saver
        self.seconds = seconds
        """Seconds of the whole solve, with the time before an interruption."""
        self.found: Exploitability
        self.save_error: ResourceError | None = None
        """Why the solve could not be saved at its end; its results can still be written."""

    def solve(self, bar: Progress, interrupted: list[int]) -> None:
        """Runs until the target, the largest number of iterations or a signal, then saves if there is a saver.

        :param interrupted: a list that is no longer empty once a signal came (see :func:`interrupts`).
        """
        start = time.perf_counter() - self.seconds
        solver = self.solver

        def between_iterations(done: int) -> None:
            bar.update(done)
            if interrupted:
                raise _InterruptedError
            if self.saver is not None and self.saver.due and isinstance(solver, PostflopSolver):
                self._save_on_the_way(self.saver, solver, time.perf_counter() - start)

        history: list[tuple[int, float]] = []
        if solver.iterations:
            self._look(bar, history)
        while not (interrupted or self._finished()):
            step = min(iterations_until_check(history, self.target_pct), self.max_iterations - solver.iterations)
            with suppress(_InterruptedError):
                solver.run(step, progress=between_iterations)
            self._look(bar, history)
        if not history:
            self._look(bar, history)
        self.seconds = time.perf_counter() - start
        if self.saver is not None and isinstance(solver, PostflopSolver):
            try:
                self.saver.save(solver, self.found, self.seconds)
            except ResourceError as error:
                self.save_error = error

    def _look(self, bar: Progress, history: list[tuple[int, float]]) -> None:
        self.found = self.solver.exploitability()
        history.append((self.solver.iterations, self.found.reached_pct_pot))
        bar.total = self.max_iterations
        if self.target_pct:
            bar.total = min(self.max_iterations, round(forecast_iterations(history, self.target_pct)))
        bar.update(self.solver.iterations, exploitability_text(self.found))

    def _finished(self) -> bool:
        done = self.solver.iterations
        return done > 0 and (done >= self.max_iterations or self.found.reached_pct_pot <= self.target_pct)

    def _save_on_the_way(self, saver: Saver, solver: PostflopSolver, seconds: float) -> None:
        try:
            saver.save(solver, solver.exploitability(), seconds)
        except ResourceError as error:
            # The solve may still end well, and what was saved before is still there.
            click.echo(f"not saved at iteration {solver.iterations}: {error}", err=True)
            saver.postpone()


def exploitability_text(found: Exploitability) -> str:
    """Returns the exploitability for a progress bar, with a hand abstraction also the one inside it."""
    text = f"exploitability {found.pct_pot:.3f} % of the pot"
    return text if found.abstract_pct_pot is None else f"{text}, {found.abstract_pct_pot:.3f} % inside the abstraction"


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """Yields a list to which the first Ctrl-C, SIGTERM or SIGHUP adds its number; a second raises KeyboardInterrupt."""
    received: list[int] = []

    def note(number: int) -> None:
        if received:
            raise KeyboardInterrupt
        received.append(number)

    with handling((signal.SIGINT, *ending_signals()), note):
        yield received
