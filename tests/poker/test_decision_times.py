"""hedgehog.poker.decision_times: percentiles against numpy's."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.poker.decision_times import DecisionTimes
from hedgehog.poker.streets import STREETS

TIMES = st.lists(st.tuples(st.integers(0, 3), st.floats(0.001, 1e5)), min_size=1, max_size=60)


@given(TIMES, st.sampled_from([0.25, 0.5, 0.75, 0.99, 1.0]))
def test_percentiles_are_exact_to_one_percent(decisions: list[tuple[int, float]], share: float) -> None:
    times = DecisionTimes()
    for street, ms in decisions:
        times.add(street, ms)
    assert times.total_ms() == pytest.approx(sum(ms for _, ms in decisions), rel=0.0101)
    for street in {street for street, _ in decisions}:
        values = [ms for at, ms in decisions if at == street]
        exact = np.percentile(values, share * 100, method="inverted_cdf")
        assert times.percentile_ms(STREETS[street], share) == pytest.approx(exact, rel=0.0101)


@given(TIMES, TIMES)
def test_merging_after_json_equals_adding(first: list[tuple[int, float]], second: list[tuple[int, float]]) -> None:
    together, a, b = DecisionTimes(), DecisionTimes(), DecisionTimes()
    for times, decisions in ((a, first), (b, second), (together, first + second)):
        for street, ms in decisions:
            times.add(street, ms)
    a.merge(DecisionTimes.from_dict(json.loads(json.dumps(b.as_dict()))))
    assert a.as_dict() == together.as_dict()


def test_no_time_at_all_is_the_shortest() -> None:
    times = DecisionTimes()
    times.add(0, 0.0)
    assert times.percentile_ms("preflop", 0.5) == pytest.approx(0.001, rel=0.0101)
    assert times.as_dict()["preflop"]["n"] == 1
    assert times.count("river") == 0


@given(TIMES, st.sampled_from([0.5, 10.0, 300.0]))
def test_shares_of_long_times_are_exact_but_near_the_limit(decisions: list[tuple[int, float]], limit: float) -> None:
    times = DecisionTimes()
    for street, ms in decisions:
        times.add(street, ms)
    for street in {street for street, _ in decisions}:
        values = np.array([ms for at, ms in decisions if at == street])
        share = times.share_over(STREETS[street], limit)
        assert np.mean(values > 1.011 * limit) <= share <= np.mean(values > limit / 1.011)
