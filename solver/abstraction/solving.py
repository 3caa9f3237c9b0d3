"""Solves a spot as its file asks: every hand for itself, or groups of hands.

:func:`solve` is one call for everything. :func:`open_run` is for callers that look at the solver before it runs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hedgehog.runtime.display.progress import usual_watch
from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.runtime.machine import available_memory
from hedgehog.runtime.outputs import verify_output_folder
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.abstraction.abstraction import SpotGroups, SpotValues
from hedgehog.solver.abstraction.group_solver import GroupSolver, verify_group_algorithm, verify_group_storage
from hedgehog.solver.cfr.algorithms import Algorithm, parse_algorithm
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.cfr.stopping import MAX_ITERATIONS, run_until
from hedgehog.solver.postflop.estimate import choose_storage
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.run import Looked, SolveRun, tiny_spot
from hedgehog.solver.postflop.saving import SAVE_EVERY_S, Saver, exclusive_folder, find_saved
from hedgehog.solver.postflop.solution_files import SOLVE_FOLDER, load_state
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot


@dataclass(frozen=True, slots=True)
class SaveTo:
    """Where a solve is saved, and how."""

    folder: Path
    every_s: float = SAVE_EVERY_S
    """Least seconds between two saves."""
    overwrite: bool = False
    """Whether a solve of something else in the folder may be replaced."""
    source: str = ""
    """Name of the spot file, for messages."""


class GroupRun:
    """A solver of groups of hands, which runs as a :class:`~hedgehog.solver.postflop.run.SolveRun` but saves nothing.

    :param name: name of the spot, for the watch.
    :param threads: number of threads that the solver was made with.
    """

    continued = None
    save_error = None

    def __init__(self, solver: GroupSolver, name: str = "", *, threads: int | None = None) -> None:
        self.solver = solver
        self.name = name
        self.threads = threads
        self.seconds = 0.0
        self.found: Exploitability
        """Exploitability after :meth:`run`."""

    def run(
        self,
        target_pct: float,
        max_iterations: int,
        *,
        watch: Watch = SILENT,
        looked: Looked | None = None,
    ) -> None:
        """Runs until the target, the largest number of iterations or the word of the watch.

        The parameters are those of :func:`~hedgehog.solver.cfr.stopping.run_until`.
        """
        watch.begin(self.name, None, "iterations", "compiling")
        compile_group_kernels(self.threads, self.solver.algorithm)
        watch.update(0, "")
        start = time.perf_counter()
        self.found = run_until(self.solver, target_pct, max_iterations, watch=watch, looked=looked)
        self.seconds = time.perf_counter() - start

    def solution(self) -> PostflopSolver:
        """Returns a solver with the strategy of every hand, which is not meant to be run on."""
        return self.solver.written_out()


def solve(
    spot: PostflopSpot | PreparedSpot,
    target_pct: float = 0.1,
    max_iterations: int = MAX_ITERATIONS,
    *,
    threads: int | None = None,
    storage: Literal["auto", "f32", "f16"] = "auto",
    algorithm: Algorithm | str = "dcfr",
    save: str | Path | SaveTo | None = None,
    watch: Watch | None = None,
    progress: Looked | None = None,
) -> PostflopSolver:
    """Returns a solver that has solved a spot and answers questions about it, as ``hedgehog solve`` does.

    With a hand abstraction the solver holds the strategy of every hand written out, and is not meant to be run on.

    :param spot: a spot, or one that :func:`~hedgehog.solver.postflop.prepared.prepare` has prepared.
    :param target_pct: exploitability in percent of the pot at which to stop, with a hand abstraction inside it.
    :param max_iterations: iterations after which to stop in any case.
    :param threads: number of threads; None takes one per processor, but one on a small river.
    :param storage: precision of regrets and averages, ``f32`` or ``f16``; ``auto`` is ``f32`` if it fits into memory.
    :param algorithm: an algorithm or its text (:mod:`hedgehog.solver.cfr.algorithms`).
    :param save: folder to save the whole solve in, now and then and at the end. A solve of this spot that is there
        goes on, to the same result as without a break.
    :param watch: hears of the progress, and may end the solve early; its strategies are returned all the same. None
        shows a bar in a notebook, a line in a terminal, and nothing elsewhere.
    :param progress: called with the number of iterations so far and the exploitability after each computation.
    :raises SpotError: if the text names no algorithm, or one that needs more precision, cannot keep the locks or does
        not work on groups of hands; or the spot cannot be saved, because it was not read from a spot file.
    :raises ResourceError: if the solve needs more memory than is free, or it cannot be saved. Nothing has been
        allocated if memory is short.
    :raises InputError: if the folder holds something else, or another process is saving there.
    """
    opened = open_run(spot, threads=threads, storage=storage, algorithm=algorithm, save=save)
    with opened as run, usual_watch(watch) as shown:
        run.run(target_pct, max_iterations, watch=shown, looked=progress)
    if run.save_error is not None:
        raise run.save_error
    return run.solution()


@contextmanager
def open_run(
    spot: PostflopSpot | PreparedSpot,
    prepared: PreparedSpot | None = None,
    *,
    threads: int | None = None,
    storage: Literal["auto", "f32", "f16"] = "auto",
    algorithm: Algorithm | str = "dcfr",
    groups: SpotGroups | None = None,
    save: str | Path | SaveTo | None = None,
) -> Iterator[SolveRun | GroupRun]:
    """Yields the run of a solve, ready to go, and keeps other processes from saving to its folder meanwhile.

    The parameters are those of :func:`solve`, and these:

    :param prepared: the spot as :func:`~hedgehog.solver.postflop.prepared.prepare` prepares it, if the caller has it.
    :param groups: the groups of hands of its abstraction, if the caller has them.
    :raises HedgehogError: as :func:`solve`.
    """
    chosen = parse_algorithm(algorithm)
    file = spot if isinstance(spot, PostflopSpot) else None
    base = prepared if prepared is not None else spot if isinstance(spot, PreparedSpot) else prepare(spot)
    name = "" if file is None else file.name
    if base.abstraction:
        verify_groups(chosen, storage, save)
        groups = SpotValues(base).group(base.abstraction) if groups is None else groups
        grouped = GroupSolver(base, groups, threads=threads, algorithm=chosen, memory_limit=available_memory())
        yield GroupRun(grouped, name, threads=threads)
        return
    with ExitStack() as held:
        saver, saved = None, None
        if save is not None:
            place = save if isinstance(save, SaveTo) else SaveTo(Path(save))
            folder = place.folder
            if file is None or not file.text:
                raise SpotError("only a spot that was read from a spot file can be saved")
            verify_output_folder(folder, SOLVE_FOLDER, proceed=True)
            held.enter_context(exclusive_folder(folder))
            precision: Storage | None = None if storage == "auto" else storage
            saved = find_saved(folder, file, place.source, str(chosen), precision, overwrite=place.overwrite)
            saver = Saver(folder, file, place.every_s)
        found = choose_storage(file, base, str(chosen), saved.storage if saved else storage, threads)
        solver = PostflopSolver(base.for_algorithm(chosen), threads=threads, storage=found, algorithm=chosen)
        if saver is not None:
            saver.verify_space(solver)
        if saved is not None:
            load_state(saved, solver)
        yield SolveRun(solver, name, saver, saved, threads=threads)


def verify_groups(algorithm: Algorithm, storage: str, save: object) -> None:
    """Checks that a solve on groups of hands can be done as it is asked for.

    :raises SpotError: if the algorithm or the storage does not work on groups.
    :raises InputError: if it is to be saved.
    """
    verify_group_algorithm(algorithm)
    verify_group_storage(storage)
    if save is not None:
        raise InputError("a solve on groups of hands cannot be continued: expected --save-strategy instead of --save")


def compile_group_kernels(threads: int | None, algorithm: Algorithm) -> None:
    """Solves a game of a few nodes on groups, so that the time of a solve does not depend on numba's cache."""
    spot = tiny_spot()
    solver = GroupSolver(spot, SpotValues(spot).group("rank-river"), threads=threads, algorithm=algorithm)
    solver.run(1)
    solver.epsilon()
