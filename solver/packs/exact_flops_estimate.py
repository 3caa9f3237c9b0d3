"""Estimates the solves of an exact flop pack: their exact memory, and their time from a few iterations of one solve."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from poker.isomorphism import flop_pattern, flop_representative
from runtime.memory import available_memory
from solver.packs.exact_flops import CHECK_EVERY, ExactBuild
from solver.packs.jobs import Job
from solver.postflop.chance import measure_solve
from solver.postflop.estimate import estimate
from solver.postflop.solver import PostflopSolver

PROBE_ITERATIONS: Final = 3
"""Iterations that are timed."""
_CHECK_COST: Final = 2.0
"""Iterations that one measurement of the exploitability takes."""


@dataclass(frozen=True, slots=True)
class LineEstimate:
    """What the solves of one preflop line need."""

    name: str
    pot: int
    stack: int
    flops: int
    """Number of flops to solve."""
    betting_lines: int
    """Number of nodes of the betting tree."""
    needed: int
    """Bytes of memory that the largest solve needs."""
    elements: int
    """Total over all solves of hands times actions times boards, the numbers that are updated in an iteration."""


@dataclass(frozen=True, slots=True)
class FlopsEstimate:
    """What all solves of a flop pack need. They run one after the other."""

    lines: tuple[LineEstimate, ...]
    seconds: float | None
    """Time in seconds if every solve takes ``max_iterations``; None if the smallest solve does not fit into memory."""

    @property
    def needed(self) -> int:
        """Bytes of memory that the largest solve needs."""
        return max(line.needed for line in self.lines)


def estimate_flops(build: ExactBuild) -> FlopsEstimate:
    """Returns the memory and time that a build needs, after running a few iterations of its smallest solve.

    Flops with the same pattern of suits and pairs need nearly the same, so only one flop of each pattern is measured.
    """
    measured: dict[tuple[str, str], tuple[Job, int, int]] = {}  # line and pattern: flop, bytes, elements
    config, jobs = build.config, build.jobs()
    for job in jobs:
        key = _key(job)
        if key not in measured:
            measured[key] = (job, *_measure(build, job))
    lines = []
    for line in config.lines:
        mine = [measured[_key(job)] for job in jobs if job.line == line.name]
        start = build.starts[line.name]
        tree = build.tree(line.name)
        needed = max(found[1] for found in mine)
        elements = sum(found[2] for found in mine)
        lines.append(LineEstimate(line.name, start.pot, start.stack, len(mine), tree.num_nodes, needed, elements))
    probe, needed, elements = min(measured.values(), key=lambda found: found[2])
    seconds = None
    if needed <= available_memory():
        solver = PostflopSolver(build.spot(probe), threads=build.threads, storage=config.storage)
        solver.run(1)  # compiles
        begun = time.monotonic()
        solver.run(PROBE_ITERATIONS)
        per_element = (time.monotonic() - begun) / PROBE_ITERATIONS / max(elements, 1)
        iterations = config.max_iterations * (1 + _CHECK_COST / CHECK_EVERY)
        seconds = per_element * iterations * sum(line.elements for line in lines)
    return FlopsEstimate(tuple(lines), seconds)


def _key(job: Job) -> tuple[str, str]:
    return job.line, flop_pattern(flop_representative(job.flop_class))


def _measure(build: ExactBuild, job: Job) -> tuple[int, int]:
    """Returns the bytes of memory that one solve needs and the number of its elements."""
    spot = build.spot(job)
    size = measure_solve(spot.tree, spot.runouts, spot.ranges)
    return estimate(spot, storage=build.config.storage, threads=build.threads).memory_bytes, size.elements
