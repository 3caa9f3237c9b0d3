"""The log of mappings and its two statistics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import linregress

from hedgehog.agent.limit.mapped_strategy import MappedAnswer, MappedStrategy
from hedgehog.agent.limit.nearest import Way
from hedgehog.analysis.three_players.mappings import MappingLog, collect, distance_table, slope_interval, variance_table
from hedgehog.runtime.errors import InputError
from tests.agent.limit_fixtures import made_up_table


def a_log(nearest: int = 10) -> tuple[MappingLog, list[MappedAnswer]]:
    found: list[MappedAnswer] = []
    strategy = MappedStrategy(Way.HBB2, made_up_table(), nearest=nearest, on_mapping=found.append)
    for betting in ("", "c", "r", "rcc/", "rcc/rr", "rfc/r"):
        for bucket in range(0, 160, 5):
            strategy.answer_bucket(betting, bucket)
    return collect([(number, mapping) for number, mapping in enumerate(found)]), found


def test_a_log_says_what_the_mappings_say(tmp_path: Path) -> None:
    log, found = a_log()
    assert log.used.tolist() == [len(mapping.used) for mapping in found]
    assert log.columns[:, 5].tolist() == [mapping.candidates for mapping in found]
    assert log.means.tolist() == [list(mapping.mean) for mapping in found]
    first = np.array([used.triple for used in found[0].used])
    assert log.variances[0] == pytest.approx(first.var(axis=0))
    assert log.means[0] == pytest.approx(first.mean(axis=0))
    log.write(tmp_path / "log.npz")
    again = MappingLog.read(tmp_path / "log.npz")
    assert again.triples.tolist() == log.triples.tolist()
    (tmp_path / "log.npz").write_bytes(b"PK damaged")
    with pytest.raises(InputError, match=r"log\.npz"):
        MappingLog.read(tmp_path / "log.npz")


def test_variances_are_grouped_by_the_candidates_used() -> None:
    log, _ = a_log()
    table = variance_table("hbb2", log)
    assert sum(int(str(row[1])) for row in table.rows) == len(log.means)
    full = log.used == 10
    last = table.rows[-1]
    assert (last[0], last[1]) == (10, int(full.sum()))
    assert last[2:] == pytest.approx(tuple(log.variances[full].mean(axis=0)))


def test_distances_count_mappings_that_mostly_raise() -> None:
    log, found = a_log(2)  # the mean of ten made-up rows is hardly ever a raise
    expected = [
        (used.distance, abs(used.triple[2] - mapping.mean[2]))
        for mapping in found
        if abs(mapping.mean[2] - 0.7) <= 0.1
        for used in mapping.used
    ]
    table = distance_table("hbb2", log)
    assert sum(int(str(row[1])) for row in table.rows) == len(expected) > 0
    for distance, count, mean in table.rows:
        values = [value for d, value in expected if d == distance]
        assert (len(values), np.mean(values)) == pytest.approx((count, mean))
    assert "Slope" in table.note


def test_slopes_agree_with_scipy() -> None:
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(200), 5)
    distances = rng.integers(0, 8, len(groups))
    values = 0.02 * distances + rng.normal(size=len(groups))
    slope, low, high = slope_interval(groups, distances, values, 0)
    fit = linregress(distances, values)
    assert slope == pytest.approx(fit.slope)
    # The groups say nothing here, so the bootstrap agrees with the classical standard error.
    assert (high - low) / 2 == pytest.approx(1.96 * fit.stderr, rel=0.15)
    empty = np.empty(0, dtype=np.int64)
    assert np.isnan(slope_interval(empty, empty, np.empty(0), 0)).all()
