"""Extrapolates the time of a whole solve from a moment's work on it."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Final

from hedgehog.solver.abstraction.group_solver import GroupSolver
from hedgehog.solver.packs.build_estimate import Trial
from hedgehog.solver.postflop.solver import PostflopSolver

_LEAST_POWER: Final = 0.7
_MOST_POWER: Final = 2.0
"""Bounds of the power of the number of iterations with which the exploitability falls, when it is extrapolated."""
_POWER_ERROR: Final = 0.15
"""Relative standard error of this power."""


def try_solve(
    solver: PostflopSolver | GroupSolver, target_pct: float, max_iterations: int, seconds: float, *, check_every: int
) -> Trial:
    """Runs a new solve for a moment and extrapolates the CPU time until it reaches its target.

    The exploitability is taken to fall as a power of the number of iterations. The power comes from the last two of the
    measurements, which are made after 4, 8, 16, ... iterations.

    :param target_pct: exploitability in percent of the pot at which the solve stops, with a hand abstraction inside it.
    :param max_iterations: iterations after which it stops in any case.
    :param seconds: CPU seconds for the moment, after compiling.
    :param check_every: iterations between two computations of the exploitability in the whole solve.
    """
    solver.run(1)  # compiles
    started = time.process_time()
    spent = 0.0  # CPU seconds of iterations alone
    reached: list[tuple[int, float]] = []
    while True:
        begun = time.process_time()
        solver.run(min(max(3, solver.iterations), max_iterations - solver.iterations))
        now = time.process_time()
        spent += now - begun
        reached.append((solver.iterations, solver.exploitability().reached_pct_pot))
        check = time.process_time() - now
        each = spent / max(solver.iterations - 1, 1)
        finished = reached[-1][1] <= target_pct or solver.iterations >= max_iterations
        if finished or (len(reached) > 2 and time.process_time() - started > seconds):
            break
    iterations, error = float(solver.iterations), 0.0
    if not finished:
        iterations, error = _extrapolated(reached, target_pct)
    iterations = min(math.ceil(iterations / check_every) * check_every, max_iterations)
    return Trial(iterations * each + math.ceil(iterations / check_every) * check, error)


def _extrapolated(reached: Sequence[tuple[int, float]], target_pct: float) -> tuple[float, float]:
    """Returns the iterations until a target is reached, and the standard error of their logarithm.

    :param reached: (iterations, exploitability in percent of the pot), at least two.
    """
    (before, worse), (now, better) = reached[-2:]
    power = math.log(max(worse, 1e-9) / max(better, 1e-9)) / math.log(now / before)
    power = min(max(power, _LEAST_POWER), _MOST_POWER)
    further = math.log(max(better / target_pct, 1.0)) / power
    return now * math.exp(further), _POWER_ERROR * further
