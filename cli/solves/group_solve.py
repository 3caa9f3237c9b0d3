"""Solves a spot whose file names a hand abstraction: hands of equal value share one strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hedgehog.cli.progress import show_progress
from hedgehog.cli.solves.solve_run import SolveRun, interrupts
from hedgehog.cli.solves.solver_options import MAX_ITERATIONS
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.memory import available_memory, format_bytes
from hedgehog.solver.abstraction.abstraction import SpotGroups, SpotValues
from hedgehog.solver.abstraction.group_layout import group_bytes, make_group_layout, measure_groups
from hedgehog.solver.abstraction.group_solver import GroupSolver, verify_group_algorithm, verify_group_storage
from hedgehog.solver.abstraction.warm_up import compile_group_kernels
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.memory import num_threads
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.queries import find_node
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot


@dataclass(slots=True)
class GroupedSolve:
    """A spot that is solved on groups of hands."""

    spot: PostflopSpot
    prepared: PreparedSpot
    groups: SpotGroups
    algorithm: Algorithm
    threads: int | None

    def describe(self) -> Iterator[tuple[str, str]]:
        """Yields label and text of the size of the solve."""
        size = measure_groups(self.prepared, self.groups)
        without = measure_groups(self.prepared, None)
        yield "abstraction", f"{self.groups.name}: {size.infosets:,} infosets with {size.entries:,} actions"
        yield "", f"{100 * size.entries / without.entries:.1f} % of those of single hands"
        workers = num_threads(self.prepared.solver_threads(self.threads))
        layout = make_group_layout(self.prepared, self.groups)
        yield "memory", format_bytes(group_bytes(self.prepared, self.groups, layout, self.algorithm, workers))

    def solve(
        self, target_pct: float, iterations: int | None, lines: Sequence[str]
    ) -> tuple[PostflopSolver, SolveRun, list[int]]:
        """Returns a solver with the strategy of every hand, the run, and the number of the signal that ended it.

        :param iterations: iterations to run; None if only the target ends the run.
        :param lines: lines whose nodes will be described; they are checked before the run.
        """
        solver = GroupSolver(
            self.prepared,
            self.groups,
            threads=self.threads,
            algorithm=self.algorithm,
            memory_limit=available_memory(),
        )
        for line in lines:
            find_node(self.prepared, line)
        run = SolveRun(solver, target_pct, iterations or MAX_ITERATIONS, None, 0.0)
        with interrupts() as interrupted, show_progress(self.spot.name, iterations, "iterations", "compiling") as bar:
            compile_group_kernels(self.threads, self.algorithm)
            bar.update(0, "")
            run.solve(bar, interrupted)
        return solver.written_out(), run, interrupted

    def describe_loss(self, found: Exploitability) -> Iterator[tuple[str, str]]:
        """Yields label and text of what the abstraction costs.

        :param found: exploitability of the solve on groups.
        """
        if found.abstract_pct_pot is not None:
            loss, inside = found.pct_pot - found.abstract_pct_pot, found.abstract_pct_pot
            yield "loss", f"{loss:.4f} % of the pot; inside the abstraction the exploitability is {inside:.4f} %"


def make_grouped_solve(
    spot: PostflopSpot,
    prepared: PreparedSpot,
    algorithm: Algorithm,
    threads: int | None,
    *,
    storage: str,
    save_folder: Path | None,
) -> GroupedSolve:
    """Returns a spot with its groups, ready to be described and solved.

    :raises SpotError: if the algorithm does not work on groups.
    :raises InputError: if an option does not go with an abstraction.
    """
    verify_group_algorithm(algorithm)
    verify_group_storage(storage)
    if save_folder is not None:
        raise InputError("a solve on groups of hands cannot be continued: expected --save-strategy instead of --save")
    return GroupedSolve(spot, prepared, SpotValues(prepared).group(spot.abstraction), algorithm, threads)
