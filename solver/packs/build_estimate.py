"""Estimates the time, memory and bytes of a flop pack's build from a moment's work on a few flops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from hedgehog.solver.packs.jobs import FlopBuild, Job

SAMPLES: Final = 3
"""Flops of every line that are tried, unless more are finished already."""
MOMENT_S: Final = 8.0
"""CPU seconds for one flop that is tried."""
CONFIDENCE: Final = 0.95
_TIMING_ERROR: Final = 0.15
"""Relative error of CPU times on a machine that does other work, too."""
_NO_SPREAD: Final = 0.25
"""Standard deviation of the logarithm of the cost per number if there are too few flops to measure it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What a moment's work on a job says about the whole job."""

    seconds: float
    """CPU seconds that the whole job takes."""
    error: float
    """Standard error of the logarithm of ``seconds``, if the job was not done to its end."""


class Estimable(FlopBuild, Protocol):
    """A build that can be estimated."""

    def try_job(self, job: Job, seconds: float) -> Trial:
        """Works on a job for about so many CPU seconds, after compiling, and says how long it takes as a whole."""

    def pack_bytes(self) -> int:
        """Returns the bytes of the finished pack; an upper bound if they depend on the results."""


@dataclass(frozen=True, slots=True)
class LineEstimate:
    """What the jobs of one preflop line need."""

    name: str
    flops: int
    """Number of jobs."""
    done: int
    """Number of jobs that are finished."""
    tried: int
    """Number of jobs that the estimate rests on."""
    seconds: float
    """Mean CPU seconds of a job."""
    needed_bytes: int
    """Bytes of memory of the largest job, besides what every worker process needs."""


@dataclass(frozen=True, slots=True)
class BuildEstimate:
    """What the rest of a build needs."""

    lines: tuple[LineEstimate, ...]
    seconds: NDArray[np.float64]
    """CPU seconds of every job that is still to be done, in the order of the build."""
    factor: float
    """The total is wrong by at most this factor, in either direction, with a probability of 95 %."""
    pack_bytes: int

    @property
    def needed_bytes(self) -> int:
        """Bytes of memory of the largest job, besides what every worker process needs."""
        return max(line.needed_bytes for line in self.lines)

    @property
    def total(self) -> float:
        """CPU seconds of all jobs that are still to be done."""
        return float(self.seconds.sum())


def estimate_build(
    build: Estimable, moment_s: float = MOMENT_S, on_try: Callable[[Job], None] = lambda _: None
) -> BuildEstimate:
    """Returns the estimate of a build, after a moment's work on a few flops of every line.

    The time of a job is taken to be its cost (:meth:`~hedgehog.solver.packs.jobs.FlopBuild.cost`) times a rate of its
    line.

    :param moment_s: CPU seconds for every flop that is tried.
    :param on_try: called with every job that is tried.
    """
    jobs: dict[str, list[Job]] = {}
    for job in build.jobs():
        jobs.setdefault(job.line, []).append(job)
    rates: dict[str, list[float]] = {}
    errors = []
    lines = []
    for line, mine in jobs.items():
        finished = [(job, seconds) for job in mine if (seconds := build.seconds(job)) is not None]
        rates[line] = [seconds / build.cost(job) for job, seconds in finished]
        done = {job for job, _ in finished}
        for job in _spread(build, [job for job in mine if job not in done], SAMPLES - len(finished)):
            on_try(job)
            trial = build.try_job(job, moment_s)
            rates[line].append(trial.seconds / build.cost(job))
            errors.append(trial.error)
        mean = float(np.mean(rates[line]) * np.mean([build.cost(job) for job in mine]))
        needed = max(build.needed_bytes(job) for job in mine)
        lines.append(LineEstimate(line, len(mine), len(finished), len(rates[line]), mean, needed))
    todo = [build.cost(job) * float(np.mean(rates[job.line])) for job in build.jobs() if build.seconds(job) is None]
    factor = error_factor(list(rates.values()), errors)
    return BuildEstimate(tuple(lines), np.array(todo, dtype=np.float64), factor, build.pack_bytes())


def _spread(build: FlopBuild, jobs: Sequence[Job], count: int) -> Iterator[Job]:
    """Yields jobs of different sizes: the cheapest, the dearest, and some between them."""
    if count > 0 and jobs:
        by_cost = sorted(jobs, key=build.cost)
        places = np.linspace(0, len(by_cost) - 1, min(count, len(by_cost)))
        yield from (by_cost[round(place)] for place in places)


def error_factor(rates: Sequence[Sequence[float]], errors: Sequence[float]) -> float:
    """Returns the factor by which an estimated total may be wrong, with a probability of 95 %.

    Three errors are added up as independent ones: the spread of the rates within the lines (a t interval of the mean of
    their logarithms), the extrapolation of unfinished jobs, and the timing.

    :param rates: the measured rates, line by line.
    :param errors: standard errors of the logarithm of extrapolated jobs.
    """
    logs = [np.log(np.maximum(each, 1e-300)) for each in rates if len(each)]
    count = sum(map(len, logs))
    freedom = count - len(logs)
    if freedom > 0:
        variance = sum(float(((each - each.mean()) ** 2).sum()) for each in logs) / freedom
        spread = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * math.sqrt(variance / count)
    else:
        spread = float(ndtri((1 + CONFIDENCE) / 2)) * _NO_SPREAD
    # All jobs are extrapolated by the same rule, so their errors do not cancel.
    extrapolated = float(ndtri((1 + CONFIDENCE) / 2)) * max(errors, default=0.0)
    return math.exp(math.sqrt(spread**2 + extrapolated**2 + _TIMING_ERROR**2))
