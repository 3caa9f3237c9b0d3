"""Choice of weighted subsets: against all subsets of small sets, and on made-up figures."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.subset_error import random_errors, root_mean_square, subset_error
from hedgehog.analysis.packs.choose_flops import build_order, calibrate, choose_flops, k_medoids, squared_distances
from hedgehog.analysis.packs.flop_figures import LineFigures
from hedgehog.poker.isomorphism import board_classes
from hedgehog.poker.textures import texture_table

COUNTS = board_classes(3).multiplicities.astype(np.float64)


def made_up_figures(seed: int, classes: int = 300) -> LineFigures:
    """Returns figures that depend on the textures of the flops, and a little noise."""
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(1755, classes, replace=False))
    chosen = np.sort(np.random.default_rng(0).choice(1755, classes, replace=False))  # the same classes for every seed
    textures = texture_table()[chosen].astype(float)
    features = textures @ rng.normal(size=(textures.shape[1], 4)) + rng.normal(scale=0.3, size=(classes, 4))
    first = np.exp(features[:, :3])
    first /= first.sum(axis=1, keepdims=True)
    answer = 1 / (1 + np.exp(features[:, 3]))
    shares = np.column_stack([first, first[:, 2] * answer, first[:, 2] * (1 - answer)])
    decisions = [SimpleNamespace(actions=("check", "bet 33%", "bet 75%")), SimpleNamespace(actions=("fold", "call"))]
    line: Any = SimpleNamespace(betting=f"line{seed}", decisions=decisions)
    equity = 0.5 + 0.02 * features[:, 0]
    return LineFigures(
        line,
        chosen,
        rng.uniform(0.9, 1.1, classes),
        equity,
        equity + 0.01 * features[:, 1],
        np.full(classes, 0.01),
        np.full(classes, np.nan),
        shares,
    )


def cost(distances: Any, counts: Any, medoids: Any) -> float:
    return float(counts @ distances[:, list(medoids)].min(axis=1))


@given(st.integers(0, 10**6), st.integers(2, 12), st.data())
@settings(max_examples=60)
def test_no_single_swap_makes_the_medoids_better(seed: int, size: int, data: st.DataObject) -> None:
    rng = np.random.default_rng(seed)
    count = data.draw(st.integers(1, size))
    counts = rng.integers(1, 25, size).astype(float)
    distances = squared_distances(rng.normal(size=(size, 3)))
    found = k_medoids(distances, counts, count).tolist()
    assert len(set(found)) == count
    reached = cost(distances, counts, found)
    for out in found:
        for candidate in set(range(size)) - set(found):
            assert cost(distances, counts, {*found, candidate} - {out}) >= reached * (1 - 1e-6) - 1e-9
    if count <= 2:
        best = min(cost(distances, counts, medoids) for medoids in combinations(range(size), count))
        assert reached <= 2 * best + 1e-9


@given(st.integers(0, 10**6), st.integers(1, 15))
@settings(max_examples=40)
def test_the_order_is_that_of_the_plain_greedy_search(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 25, size).astype(float)
    distances = squared_distances(rng.normal(size=(size, 2)))
    found = build_order(distances, counts, np.arange(size))
    assert sorted(found.tolist()) == list(range(size))
    chosen: list[int] = []
    for place in found.tolist():
        left = [other for other in range(size) if other not in chosen]
        assert (
            cost(distances, counts, [*chosen, place])
            <= min(cost(distances, counts, [*chosen, other]) for other in left) * (1 + 1e-9) + 1e-9
        )
        chosen.append(place)
    assert build_order(distances, counts, np.arange(size), 1).tolist() == found[:1].tolist()


def test_a_subset_stands_for_all_flops() -> None:
    lines = [made_up_figures(seed) for seed in (1, 2)]
    counts = COUNTS[lines[0].classes]
    found = choose_flops(lines, 30)
    again = choose_flops(lines, 30)
    np.testing.assert_array_equal(found.places, again.places)
    np.testing.assert_array_equal(found.weights, again.weights)
    assert len(set(found.places.tolist())) == 30
    assert found.weights.sum() == pytest.approx(counts.sum())
    assert (found.weights > 0).all()
    textures = texture_table()[lines[0].classes]
    np.testing.assert_allclose(
        found.weights @ textures[found.places] / counts.sum(), counts @ textures / counts.sum(), atol=0.02
    )
    for line in lines:
        error = subset_error(line, "30", found.places, found.weights)
        random = root_mean_square(list(random_errors(line, 30, 50, seed=1)))
        assert abs(error.equity) < 0.5 * random.equity
        assert error.frequency < 0.5 * random.frequency
        assert error.largest < random.largest
    # Calibration brings the figures closer than the sizes of the clusters do.
    features = squared_distances(np.column_stack([line.shares for line in lines]))
    plain = np.bincount(np.argmin(features[:, found.places], axis=1), weights=counts, minlength=30) + 1e-9
    moved = calibrate(lines, found.places, plain)
    for line in lines:
        before = subset_error(line, "plain", found.places, plain).frequency
        assert subset_error(line, "moved", found.places, moved).frequency < before


def test_all_flops_have_no_error() -> None:
    line = made_up_figures(3)
    found = choose_flops([line], 300)
    error = subset_error(line, "all", found.places, found.weights)
    assert (error.equity, error.ev, error.frequency, error.largest) == pytest.approx((0, 0, 0, 0), abs=1e-9)


def test_errors_by_hand() -> None:
    line = made_up_figures(4, classes=3)
    places, weights = np.array([0, 2]), np.array([1.0, 3.0])
    error = subset_error(line, "mine", places, weights)
    everything = COUNTS[line.classes] * line.mass
    everything /= everything.sum()
    part = weights * line.mass[places]
    part /= part.sum()
    assert error.flops == 2
    assert error.equity == pytest.approx(100 * (part @ line.equity[places] - everything @ line.equity))
    assert error.ev == pytest.approx(100 * (part @ line.ev[places] - everything @ line.ev))
    assert error.ev_noise == pytest.approx(np.sqrt((part**2).sum()))
    first = np.abs(part @ line.shares[places, :3] - everything @ line.shares[:, :3])
    here, there = part @ line.shares[places, 3:], everything @ line.shares[:, 3:]
    second = np.abs(here / here.sum() - there / there.sum())
    reach = there.sum()
    assert error.frequency == pytest.approx(100 * (first.mean() + reach * second.mean()) / (1 + reach))
    assert error.largest == pytest.approx(100 * max(first.max(), second.max()))
