"""The simulation of a cluster against bounds that hold for every schedule, and against schedules made by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.runtime.engines.makespan import Cluster, simulate


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=40), st.integers(1, 50))
def test_list_scheduling_is_within_grahams_bound(jobs: list[float], workers: int) -> None:
    found = simulate(jobs, Cluster(workers))
    shortest = max(*jobs, sum(jobs) / workers)
    assert shortest * (1 - 1e-9) <= found.seconds <= sum(jobs) / workers + max(jobs) * (1 - 1 / workers) + 1e-6
    assert found.efficiency == pytest.approx(sum(jobs) / (workers * found.seconds))


def test_schedules_made_by_hand() -> None:
    jobs = [2.0, 2.0, 4.0]
    assert simulate(jobs, Cluster(1)).seconds == 8
    assert simulate(jobs, Cluster(2)).seconds == 6  # the long job comes last
    assert simulate([4.0, 2.0, 2.0], Cluster(2)).seconds == 4
    assert simulate(jobs, Cluster(2, start_s=10)).seconds == 16
    # The client hands out one job a second: at 1, 2 and, when the first is done, at 4.
    assert simulate(jobs, Cluster(2, dispatch_s=1)).seconds == 8
    assert simulate([1.0, 1.0], Cluster(1, latency_s=3)).seconds == 5
    assert simulate([1.0, 1.0], Cluster(2, slow_share=1, slow_factor=3)).seconds == 3
    assert simulate([], Cluster(3)).seconds == 0
