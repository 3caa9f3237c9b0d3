"""The convergence laboratory: how the exploitability of a spot falls with an algorithm, over iterations and seconds."""

from __future__ import annotations

import csv
import io
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from analysis.stats.number_text import MISSING
from solver.postflop.solver import PostflopSolver

LEVELS_PCT: Final = (1.0, 0.5, 0.1)
"""Exploitabilities in % of the pot that the table gives iterations and seconds to."""
_GRID: Final = 1.1
_COLUMNS: Final = (
    "algorithm",
    *(f"iterations to {level:g} %" for level in LEVELS_PCT),
    *(f"seconds to {level:g} %" for level in LEVELS_PCT),
    "final % of pot",
    "iterations",
    "ms per iteration",
    "MB",
)


@dataclass(frozen=True, slots=True)
class Budget:
    """When a run ends: whichever of these comes first."""

    target_pct: float
    """Exploitability in % of the pot."""
    iterations: int
    seconds: float
    """Time spent on iterations; looks at the exploitability are free."""


class Look(NamedTuple):
    """One look at the exploitability."""

    iteration: int
    seconds: float
    """Time spent on the iterations so far."""
    pct_pot: float
    """Exploitability in % of the pot."""


@dataclass(frozen=True, slots=True)
class Curve:
    """What one algorithm did on one spot."""

    algorithm: str
    memory_bytes: int
    looks: tuple[Look, ...]
    """Ascending, at least one."""

    def first_below(self, pct_pot: float) -> Look | None:
        """Returns the first look at an exploitability of at most so many % of the pot; None if there is none."""
        return next((look for look in self.looks if look.pct_pot <= pct_pot), None)

    @property
    def ms_per_iteration(self) -> float:
        """Mean time of an iteration."""
        last = self.looks[-1]
        return 1000 * last.seconds / last.iteration


def next_look(iteration: int) -> int:
    """Returns the iteration after ``iteration`` at which the exploitability is looked at: a geometric grid."""
    return max(iteration + 1, math.floor(_GRID * iteration))


def run_looks(solver: PostflopSolver, budget: Budget, *, cpu_time: bool) -> Iterator[Look]:
    """Runs a fresh solver until the budget is spent and yields the looks; the time of the looks is not counted.

    :param cpu_time: measure the time by the processor's clock, which other work on the machine disturbs least; right
        for one thread only.
    """
    clock = time.process_time if cpu_time else time.perf_counter
    seconds = 0.0
    while True:
        step = min(next_look(solver.iterations), budget.iterations) - solver.iterations
        start = clock()
        solver.run(step, deadline=time.monotonic() + budget.seconds - seconds)
        seconds += clock() - start
        look = Look(solver.iterations, seconds, solver.exploitability().pct_pot)
        yield look
        # A deadline is met a little early: what is left would not do for an iteration.
        left = budget.seconds - seconds
        if look.pct_pot <= budget.target_pct or look.iteration >= budget.iterations or left < seconds / look.iteration:
            return


def table_rows(curves: Sequence[Curve]) -> list[list[str]]:
    """Returns the table of the laboratory: the names of the columns, then a row per curve."""
    rows = [list(_COLUMNS)]
    for curve in curves:
        looks = [curve.first_below(level) for level in LEVELS_PCT]
        last = curve.looks[-1]
        rows.append(
            [
                curve.algorithm,
                *(MISSING if look is None else str(look.iteration) for look in looks),
                *(MISSING if look is None else f"{look.seconds:.3g}" for look in looks),
                f"{last.pct_pot:.3g}",
                str(last.iteration),
                f"{curve.ms_per_iteration:.3g}",
                f"{curve.memory_bytes / 1e6:.3g}",
            ]
        )
    return rows


def format_csv(curves: Sequence[Curve]) -> str:
    """Returns the table as CSV; what an algorithm did not reach is empty."""
    return _csv([["" if cell == MISSING else cell for cell in row] for row in table_rows(curves)])


def format_looks_csv(curves: Sequence[Curve]) -> str:
    """Returns all looks as CSV, for plots elsewhere."""
    rows = [["algorithm", "iteration", "seconds", "exploitability_pct_pot"]]
    for curve in curves:
        rows += [[curve.algorithm, str(it), f"{seconds:.6g}", f"{pct:.6g}"] for it, seconds, pct in curve.looks]
    return _csv(rows)


def format_markdown(curves: Sequence[Curve]) -> str:
    """Returns the table as Markdown."""
    head, *rows = table_rows(curves)
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *rows))


def _csv(rows: Sequence[Sequence[str]]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()
