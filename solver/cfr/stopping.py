"""Runs a solver until it is good enough, and says when to compute the exploitability: often enough to stop in time,
rarely enough to cost little."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Protocol, TypeVar

from hedgehog.runtime.watch import SILENT, Watch

MAX_ITERATIONS: Final = 100_000
"""Largest number of iterations of one solve that users may ask for, and the default."""
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


class Reached(Protocol):
    """The exploitability that a solve has reached, in percent of the pot at the root."""

    @property
    def pct_pot(self) -> float:
        """The exploitability in percent of the pot at the root."""

    @property
    def abstract_pct_pot(self) -> float | None:
        """With a hand abstraction the exploitability inside it, else None."""

    @property
    def reached_pct_pot(self) -> float:
        """What a target is compared with."""


Found_co = TypeVar("Found_co", bound=Reached, covariant=True)
Found = TypeVar("Found", bound=Reached)


class Iterating(Protocol[Found_co]):
    """What :func:`run_until` runs: a solver of single hands or of groups of hands."""

    @property
    def iterations(self) -> int:
        """Number of iterations run so far."""

    def run(self, iterations: int, deadline: float | None = None, progress: Callable[[int], None] | None = None) -> int:
        """Runs at most some iterations, calls ``progress`` between them, and returns how many were run."""

    def exploitability(self) -> Found_co:
        """Returns the exploitability of the average strategies."""


class _StopError(Exception):
    """The watch has asked the solve to end; raised between two iterations."""


def run_until(
    solver: Iterating[Found],
    target_pct: float,
    max_iterations: int,
    *,
    check_every: int | None = None,
    deadline: float | None = None,
    watch: Watch = SILENT,
    looked: Callable[[int, Found], None] | None = None,
    between: Callable[[], None] | None = None,
) -> Found:
    """Runs a solver until the exploitability is at most a target, and returns the exploitability.

    :param target_pct: exploitability to stop at, in percent of the pot at the root, on groups of hands inside the
        abstraction; 0 if there is none.
    :param max_iterations: total number of iterations, earlier runs included, at which to stop in any case.
    :param check_every: iterations between two computations of the exploitability; None for those of
        :func:`iterations_until_check`.
    :param deadline: value of ``time.monotonic()`` at which to stop.
    :param watch: hears of the iterations and of how many are expected in all, and may end the run early.
    :param looked: called with the iterations so far and the exploitability after each computation.
    :param between: called now and then between two iterations.
    """
    history: list[tuple[int, float]] = []

    def look() -> Found:
        found = solver.exploitability()
        history.append((solver.iterations, found.reached_pct_pot))
        total = float(max_iterations)
        if target_pct:
            total = min(total, round(forecast_iterations(history, target_pct)))
        watch.update(solver.iterations, _describe(found), total=total)
        if looked is not None:
            looked(solver.iterations, found)
        return found

    def after_iterations(done: int) -> None:
        watch.update(done)
        if watch.stopped:
            raise _StopError
        if between is not None:
            between()

    # Without anybody to tell, a solver need not come up for air between two iterations.
    progress = None if watch is SILENT and between is None else after_iterations
    found = look() if solver.iterations else None
    while not watch.stopped and solver.iterations < max_iterations:
        if found is not None and found.reached_pct_pot <= target_pct:
            break
        step = iterations_until_check(history, target_pct) if check_every is None else check_every
        end = min(solver.iterations + step, max_iterations)
        with suppress(_StopError):
            solver.run(end - solver.iterations, deadline, progress)
        found = look()
        if solver.iterations < end:
            break
    return look() if found is None else found


def _describe(found: Reached) -> str:
    text = f"exploitability {found.pct_pot:.3f} % of the pot"
    return text if found.abstract_pct_pot is None else f"{text}, {found.abstract_pct_pot:.3f} % inside the abstraction"
