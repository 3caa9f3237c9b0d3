"""The convergence laboratory: measures how an algorithm's exploitability falls over iterations and seconds."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from hedgehog.solver.abstraction.group_solver import GroupSolver
from hedgehog.solver.postflop.solver import PostflopSolver

LEVELS_PCT: Final = (1.0, 0.5, 0.1)
"""Exploitabilities in % of the pot. The table says after how many iterations and seconds each was reached."""
_GRID: Final = 1.1


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a run. It ends when the first of them is reached."""

    target_pct: float
    """Target of the exploitability in % of the pot; on groups of hands of that inside the abstraction."""
    iterations: int
    seconds: float
    """Time for iterations in seconds. The time for measuring the exploitability does not count."""
    every: bool = False
    """Measure after every iteration, not on a geometric grid."""


class Look(NamedTuple):
    """The exploitability measured after one iteration."""

    iteration: int
    seconds: float
    """Time spent on the iterations so far, in seconds."""
    pct_pot: float
    """Exploitability in % of the pot."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The measurements of one algorithm on one spot."""

    algorithm: str
    memory_bytes: int
    looks: tuple[Look, ...]
    """The measurements, in order of the iterations; at least one."""

    def first_below(self, pct_pot: float) -> Look | None:
        """Returns the first measurement of at most ``pct_pot`` % of the pot, or None if there is none."""
        return next((look for look in self.looks if look.pct_pot <= pct_pot), None)

    @property
    def ms_per_iteration(self) -> float:
        """Mean time of an iteration in milliseconds."""
        last = self.looks[-1]
        return 1000 * last.seconds / last.iteration


def next_look(iteration: int) -> int:
    """Returns the next iteration after ``iteration`` at which to measure the exploitability, on a geometric grid."""
    return max(iteration + 1, math.floor(_GRID * iteration))


def run_looks(solver: PostflopSolver | GroupSolver, budget: Budget, *, cpu_time: bool) -> Iterator[Look]:
    """Runs a new solver until its budget is spent, and yields the exploitability at some iterations.

    :param solver: a solver that has not run yet.
    :param budget: when to stop.
    :param cpu_time: measure processor time instead of real time. Other work on the machine disturbs it least. It is
        right for one thread only.
    """
    clock = time.process_time if cpu_time else time.perf_counter
    seconds = 0.0
    while True:
        following = solver.iterations + 1 if budget.every else next_look(solver.iterations)
        step = min(following, budget.iterations) - solver.iterations
        start = clock()
        solver.run(step, deadline=time.monotonic() + budget.seconds - seconds)
        seconds += clock() - start
        found = solver.exploitability()
        look = Look(solver.iterations, seconds, found.pct_pot)
        yield look
        # Stops a little before the deadline, when the time left is too short for an iteration.
        left = budget.seconds - seconds
        if (
            found.reached_pct_pot <= budget.target_pct
            or look.iteration >= budget.iterations
            or left < seconds / look.iteration
        ):
            return
