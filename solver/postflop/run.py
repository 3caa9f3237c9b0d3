"""The run of one solve, for everybody: iterations until it is good enough, saves in between, and an early end.

The loop is :func:`hedgehog.solver.cfr.stopping.run_until`, and :mod:`hedgehog.solver.postflop.saving` says when and
where a solve is saved.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.poker.streets import RIVER
from hedgehog.runtime.errors import ResourceError
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.cfr.stopping import run_until
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.saving import Saver
from hedgehog.solver.postflop.solution_files import SavedSolve
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree

Looked = Callable[[int, Exploitability], None]
"""Called with the number of iterations so far and the exploitability, whenever it has been computed."""


class SolveRun:
    """A solver of single hands and the folder that it is saved to.

    :param name: name of the spot, for the watch.
    :param saver: where to save; None saves nothing.
    :param continued: the save that the solver goes on from, if there is one.
    :param threads: number of threads that the solver was made with.
    """

    def __init__(
        self,
        solver: PostflopSolver,
        name: str = "",
        saver: Saver | None = None,
        continued: SavedSolve | None = None,
        *,
        threads: int | None = None,
    ) -> None:
        self.solver = solver
        self.threads = threads
        self.name = name
        self.saver = saver
        self.continued = continued
        self.seconds = 0.0 if continued is None else continued.seconds
        """Seconds of the whole solve, with the time before an interruption."""
        self.found: Exploitability
        """Exploitability after :meth:`run`."""
        self.save_error: ResourceError | None = None
        """Why the solve could not be saved at its end. Its results are there nevertheless."""

    def run(
        self,
        target_pct: float,
        max_iterations: int,
        *,
        watch: Watch = SILENT,
        looked: Looked | None = None,
    ) -> None:
        """Runs until the target, the largest number of iterations or the word of the watch, then saves.

        A save on the way that fails is a warning, because the solve may still end well and an earlier save is still
        there. For the last one see :attr:`save_error`. The parameters are those of
        :func:`~hedgehog.solver.cfr.stopping.run_until`.
        """
        watch.begin(self.name, None, "iterations", "compiling")
        compile_kernels(self.threads, self.solver.algorithm, self.solver.storage)
        watch.update(self.solver.iterations, "")
        start = time.perf_counter() - self.seconds

        def save_if_due() -> None:
            if self.saver is not None and self.saver.due:
                try:
                    self.saver.save(self.solver, None, time.perf_counter() - start)
                except ResourceError as error:
                    watch.warn(f"not saved at iteration {self.solver.iterations}: {error}")
                    self.saver.postpone()

        self.found = run_until(self.solver, target_pct, max_iterations, watch=watch, looked=looked, between=save_if_due)
        self.seconds = time.perf_counter() - start
        if self.saver is not None and self.solver.iterations:
            try:
                self.saver.save(self.solver, self.found, self.seconds)
            except ResourceError as error:
                self.save_error = error

    def solution(self) -> PostflopSolver:
        """Returns the solver, which answers questions about its strategies."""
        return self.solver


def compile_kernels(threads: int | None, algorithm: Algorithm, storage: Storage) -> None:
    """Solves a game of a few nodes, so that the time of the solve itself does not depend on numba's cache."""
    solver = PostflopSolver(tiny_spot(), threads=threads, algorithm=algorithm, storage=storage)
    solver.run(1)
    solver.exploitability()


def tiny_spot() -> PreparedSpot:
    """Returns a spot of a few nodes on the river."""
    sizes = StreetSizes(parse_bet_sizes(""), parse_bet_sizes(""))
    tree = build_postflop_tree(TreeConfig(street=RIVER, pot=2, stack=1, sizes=(sizes,)))
    hands = parse_range("AhKh,7c2c")
    return prepare_tree(tree, parse_cards("QsJs2d3d8c"), (hands, hands))
