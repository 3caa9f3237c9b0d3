"""What the exact solves of a flop pack need: memory exactly, time from a few iterations of one of them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from poker.isomorphism import flop_pattern
from runtime.memory import available_memory
from solver.packs.exact_flops import CHECK_EVERY, FlopPackConfig, Job, PreflopLine, line_tree, plan_jobs
from solver.postflop.chance import measure_solve
from solver.postflop.estimate import estimate
from solver.postflop.prepared import PreparedSpot, prepare_tree
from solver.postflop.solver import PostflopSolver

PROBE_ITERATIONS: Final = 3
_CHECK_COST: Final = 2.0
"""Iterations that one measurement of the exploitability takes."""


@dataclass(frozen=True, slots=True)
class LineEstimate:
    """The solves of one preflop line."""

    name: str
    pot: int
    stack: int
    flops: int
    betting_lines: int
    """Nodes of the betting tree."""
    needed: int
    """Most bytes that one solve needs."""
    elements: int
    """Numbers (hands by actions by boards) of all solves."""


@dataclass(frozen=True, slots=True)
class FlopsEstimate:
    """All solves of a flop pack. They are done one after the other."""

    lines: tuple[LineEstimate, ...]
    seconds: float | None
    """Time if every solve takes ``max_iterations``; None if the smallest solve does not fit into memory."""

    @property
    def needed(self) -> int:
        """Most bytes that one solve needs."""
        return max(line.needed for line in self.lines)


def estimate_flops(config: FlopPackConfig, starts: Mapping[str, PreflopLine], threads: int) -> FlopsEstimate:
    """Returns what a build needs; a few iterations are run to find out.

    Flops of the same pattern of suits and pairs need nearly the same, so that one of each pattern is looked at.

    :param starts: :func:`solver.packs.exact_flops.preflop_lines` of the configuration.
    """
    measured: dict[tuple[str, str], tuple[Job, int, int]] = {}  # line and pattern: flop, bytes, elements
    jobs = plan_jobs(config)
    for job in jobs:
        key = _key(job)
        if key not in measured:
            measured[key] = (job, *_measure(config, job, starts[job.line.name], threads))
    lines = []
    for line in config.lines:
        mine = [measured[_key(job)] for job in jobs if job.line is line]
        start = starts[line.name]
        tree = line_tree(line, start)
        needed = max(found[1] for found in mine)
        elements = sum(found[2] for found in mine)
        lines.append(LineEstimate(line.name, start.pot, start.stack, len(mine), tree.num_nodes, needed, elements))
    probe, needed, elements = min(measured.values(), key=lambda found: found[2])
    seconds = None
    if needed <= available_memory():
        solver = PostflopSolver(_spot(probe, starts[probe.line.name]), threads=threads, storage=config.storage)
        solver.run(1)  # compiles
        begun = time.monotonic()
        solver.run(PROBE_ITERATIONS)
        per_element = (time.monotonic() - begun) / PROBE_ITERATIONS / max(elements, 1)
        iterations = config.max_iterations * (1 + _CHECK_COST / CHECK_EVERY)
        seconds = per_element * iterations * sum(line.elements for line in lines)
    return FlopsEstimate(tuple(lines), seconds)


def _key(job: Job) -> tuple[str, str]:
    return job.line.name, flop_pattern(job.representative)


def _measure(config: FlopPackConfig, job: Job, start: PreflopLine, threads: int) -> tuple[int, int]:
    """Returns the bytes and the elements of one solve."""
    spot = _spot(job, start)
    size = measure_solve(spot.tree, spot.runouts, spot.ranges)
    return estimate(spot, storage=config.storage, threads=threads).memory_bytes, size.elements


def _spot(job: Job, start: PreflopLine) -> PreparedSpot:
    return prepare_tree(line_tree(job.line, start), job.representative, list(start.ranges))
