"""Estimates of builds: the true times of made-up builds lie inside the band, and knowledge makes it narrower."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from hedgehog.runtime.engines.jobs import Worker
from hedgehog.solver.packs.build_estimate import Trial, error_factor, estimate_build
from hedgehog.solver.packs.jobs import Job
from hedgehog.solver.packs.solve_trial import _extrapolated


@dataclass
class MadeUp:
    """A build of 60 jobs whose true times are its costs times a random rate around that of its line."""

    seed: int
    done: int = 0
    work: Path = Path("/nowhere")
    unit: str = "flop"
    tried: list[Job] = field(default_factory=list)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        self._jobs = [Job(line, number, Path(f"{line}-{number}")) for number in range(30) for line in ("a", "b")]
        self._costs = {job: float(rng.choice([1, 2, 3])) for job in self._jobs}
        rate = {"a": 10.0, "b": 40.0}
        self.times = {job: self._costs[job] * rate[job.line] * rng.lognormal(0, 0.2) for job in self._jobs}

    def open_worker(self) -> Worker:
        raise AssertionError

    def jobs(self) -> list[Job]:
        return self._jobs

    def seconds(self, job: Job) -> float | None:
        return self.times[job] if self._jobs.index(job) < self.done else None

    def needed_bytes(self, job: Job) -> int:
        return int(1e6 * self._costs[job])

    def cost(self, job: Job) -> float:
        return self._costs[job]

    @property
    def inputs_digest(self) -> str:
        return ""

    def try_job(self, job: Job, seconds: float) -> Trial:
        self.tried.append(job)
        return Trial(self.times[job], 0.0)

    def pack_bytes(self) -> int:
        return 7


def test_the_true_time_lies_inside_the_band() -> None:
    inside = 0
    for seed in range(100):
        build = MadeUp(seed)
        found = estimate_build(build)
        true = sum(build.times.values())
        inside += found.total / found.factor <= true <= found.total * found.factor
        assert len(build.tried) == 6
        assert len(found.seconds) == 60
        assert (found.needed_bytes, found.pack_bytes) == (3_000_000, 7)
    assert inside >= 95


def test_finished_jobs_are_known_and_not_tried_again() -> None:
    build = MadeUp(1, done=40)
    found = estimate_build(build)
    assert build.tried == []
    assert [(line.done, line.tried) for line in found.lines] == [(20, 20), (20, 20)]
    assert len(found.seconds) == 20
    assert found.factor < estimate_build(MadeUp(1)).factor


def test_the_band() -> None:
    assert error_factor([[1.0], [5.0]], []) > error_factor([[1.0, 1.0], [5.0, 5.0]], [])
    assert error_factor([[1.0, 1.0]], []) < error_factor([[1.0, 1.0]], [0.1]) < error_factor([[1.0, 1.0]], [0.3])
    assert error_factor([[1.0, 1.1, 0.9]], []) < error_factor([[1.0, 2.0, 0.5]], [])


@pytest.mark.parametrize("power", [0.8, 1.0, 1.5])
def test_a_power_law_is_extrapolated_exactly(power: float) -> None:
    reached = [(t, 100 * t**-power) for t in (8, 16, 32)]
    iterations, error = _extrapolated(reached, 100 * 500**-power)
    assert iterations == pytest.approx(500)
    assert error == pytest.approx(0.15 * np.log(500 / 32))
