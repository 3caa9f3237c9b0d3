"""Solves a spot as its file asks: every hand for itself, or groups of hands."""

from __future__ import annotations

from collections.abc import Callable

from hedgehog.runtime.memory import available_memory
from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.group_solver import GroupSolver, verify_group_storage
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop import solver as single
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot


def solve(
    spot: PostflopSpot | PreparedSpot,
    target_pct: float = 0.1,
    max_iterations: int = 100_000,
    *,
    threads: int | None = None,
    storage: Storage = "f32",
    algorithm: Algorithm | str = "dcfr",
    progress: Callable[[int, Exploitability], None] | None = None,
) -> PostflopSolver:
    """Returns a solver that has solved a spot and answers questions about it.

    With a hand abstraction the solver holds the strategy of every hand written out, and is not meant to be run on.

    :param spot: a spot, or one that :func:`prepare` has prepared.
    :param target_pct: exploitability in percent of the pot at which to stop, with a hand abstraction inside it; it is
        computed every 10 iterations.
    :param max_iterations: iterations after which to stop in any case.
    :param threads: number of threads; None takes all of numba's, but one on a small river.
    :param storage: precision of regrets and averages, ``f32`` or ``f16``.
    :param algorithm: an algorithm or its text (:mod:`hedgehog.solver.cfr.algorithms`).
    :param progress: called with the number of iterations so far and the exploitability after each computation.
    :raises SpotError: if the text names no algorithm, or one that needs more precision, cannot keep the locks or does
        not work on groups of hands.
    :raises MemoryShortageError: if the solve needs more memory than is free; nothing has been allocated then.
    """
    if isinstance(spot, PostflopSpot):
        spot = prepare(spot)
    if not spot.abstraction:
        return single.solve(
            spot, target_pct, max_iterations,
            threads=threads, storage=storage, algorithm=algorithm, progress=progress,
        )  # fmt: skip
    verify_group_storage(storage)
    groups = SpotValues(spot).group(spot.abstraction)
    solver = GroupSolver(spot, groups, threads=threads, algorithm=algorithm, memory_limit=available_memory())
    solver.solve(target_pct, max_iterations, progress=progress)
    return solver.written_out()
