"""When to compute the exploitability of a solve: often enough to stop in time, rarely enough to cost little."""

from __future__ import annotations

import math
from collections.abc import Sequence

SMALLEST_STEP = 10
"""Fewest iterations between two computations of the exploitability, which cost about 1.5 iterations each."""
_CAUTION = 0.8
_FAR = 8


def iterations_until_check(history: Sequence[tuple[int, float]], target: float) -> int:
    """Returns how many iterations to run before the exploitability is worth computing again.

    The exploitability falls roughly as a power of the iteration count, and the last two measurements give the power.
    Averages that restart make the fall uneven, so the step stays a little below the forecast. Near the target it also
    stays below a quarter of the iterations so far. Far from the target, or without one, the iterations double.

    :param history: (iteration, exploitability) of the measurements so far, in order.
    :param target: exploitability to stop at, in the same unit; 0 if there is none.
    """
    if not history:
        return SMALLEST_STEP
    iteration, now = history[-1]
    step = longest = iteration if now > _FAR * target else iteration // 4
    if target > 0:
        step = math.ceil(_CAUTION * (forecast_iterations(history, target) - iteration))
    return max(min(step, longest), SMALLEST_STEP)


def forecast_iterations(history: Sequence[tuple[int, float]], target: float) -> float:
    """Returns the iteration at which the exploitability should reach a positive target.

    :param history: (iteration, exploitability) of the measurements so far, in order; at least one.
    :param target: exploitability in the same unit.
    """
    iteration, now = history[-1]
    if now <= target:
        return iteration
    power = 1.0
    if len(history) > 1:
        before, higher = history[-2]
        if higher > now:
            power = min(max(math.log(higher / now) / math.log(iteration / before), 0.7), 2.5)
    return float(iteration * (now / target) ** (1 / power))
