"""Loads the kernels of a solve on groups of hands before it is timed."""

from __future__ import annotations

from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.group_solver import GroupSolver
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.postflop.warm_up import tiny_spot


def compile_group_kernels(threads: int | None, algorithm: Algorithm) -> None:
    """Solves a game of a few nodes on groups, so that the time of a solve does not depend on numba's cache."""
    spot = tiny_spot()
    solver = GroupSolver(spot, SpotValues(spot).group("rank-river"), threads=threads, algorithm=algorithm)
    solver.run(1)
    solver.epsilon()
