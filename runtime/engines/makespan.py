"""Simulates how long the jobs of a build take on many workers, from measured or estimated times of the jobs.

The builder hands out jobs in the order of the build, and a worker that is done gets the next one: list scheduling,
whose result is at most twice the shortest possible (Graham 1969, Bounds on multiprocessing timing anomalies).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

DEFAULT_SEED: Final = 1


@dataclass(frozen=True, slots=True)
class Cluster:
    """The machines of a simulation."""

    workers: int
    dispatch_s: float = 0.0
    """Seconds that the client is busy with every job; it hands out one job after the other."""
    latency_s: float = 0.0
    """Seconds from a job's end until its worker begins the next one, besides waiting for the client."""
    start_s: float = 0.0
    """Seconds that a worker needs before its first job: imports, kernels, card tables."""
    slow_share: float = 0.0
    """Share of the workers that are slower than the others."""
    slow_factor: float = 1.0
    """How many times as long a slow worker takes."""


@dataclass(frozen=True, slots=True)
class Makespan:
    """The result of a simulation."""

    seconds: float
    """From the start until the last job is done."""
    efficiency: float
    """Seconds of all jobs on a worker of normal speed, divided by the seconds of all workers until the end."""


def simulate(jobs: Sequence[float] | NDArray[np.float64], cluster: Cluster, seed: int = DEFAULT_SEED) -> Makespan:
    """Returns the makespan of jobs that are handed out in the given order.

    :param jobs: seconds of every job on a worker of normal speed.
    :param seed: decides which workers are slow.
    """
    times = np.asarray(jobs, dtype=np.float64)
    slow = np.random.default_rng(seed).random(cluster.workers) < cluster.slow_share
    speed = np.where(slow, cluster.slow_factor, 1.0)
    free = [(cluster.start_s, worker) for worker in range(cluster.workers)]
    heapq.heapify(free)
    client = 0.0
    end = 0.0
    for seconds in times.tolist():
        at, worker = heapq.heappop(free)
        client = max(client, at) + cluster.dispatch_s
        done = client + seconds * float(speed[worker])
        end = max(end, done)
        heapq.heappush(free, (done + cluster.latency_s, worker))
    return Makespan(end, float(times.sum()) / (cluster.workers * end) if end > 0 else 1.0)
