"""Figures of flops: shares of actions by counting pairs of hands, EVs from run-outs, and what the cache keeps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.analysis.packs.flop_figures import FlopEvaluator, estimate_evs
from hedgehog.analysis.packs.flop_lines import FlopPack, flop_pack_of
from hedgehog.poker.cards import COMBO_CARDS, combo_mask
from hedgehog.poker.evaluation.equity import equity_vector
from hedgehog.poker.isomorphism import flop_representative
from hedgehog.strategies.pack import open_pack
from tests.tiny_flop_pack import CLASSES, WEIGHTS, write_tiny_flop_pack


@pytest.fixture
def pack(tmp_path: Path) -> FlopPack:
    return flop_pack_of(open_pack(write_tiny_flop_pack(tmp_path)))


def test_names_of_decisions(pack: FlopPack) -> None:
    (line,) = pack.lines
    assert [(d.name, d.player, d.actions) for d in line.decisions] == [
        ("first", 0, ("check", "bet 50%", "bet 100%")),
        ("r100", 1, ("fold", "call")),
        ("r200", 1, ("fold", "call")),
    ]
    assert line.weights.tolist() == list(WEIGHTS)


def test_figures_by_counting_pairs_of_hands(pack: FlopPack, tmp_path: Path) -> None:
    (line,) = pack.lines
    evaluator = FlopEvaluator(pack, threads=2, folder=tmp_path / "cache")
    found = evaluator.figures(line, np.array([True, False, True, True]))
    assert found.classes.tolist() == [CLASSES[0], CLASSES[2], CLASSES[3]]
    assert found.exploitability.tolist() == [0.5, 2.5, 3.5]
    assert found.ev_error.tolist() == [0, 0, 0]
    for place, flop_class in enumerate(found.classes.tolist()):
        flop = flop_representative(flop_class)
        live = np.flatnonzero(combo_mask(flop))
        number = {int(combo): i for i, combo in enumerate(live)}
        first, small, large = line.rows(flop_class)
        mass = ev = equity = 0.0
        against = {}  # the equities of all hands against one
        if place == 0:
            for b in np.flatnonzero(line.ranges[1]):
                only = np.zeros(1326)
                only[b] = 1
                against[b] = equity_vector(only, flop)
        shares = np.zeros(7)
        for a in np.flatnonzero(line.ranges[0]):
            for b in np.flatnonzero(line.ranges[1]):
                cards = {*COMBO_CARDS[a].tolist(), *COMBO_CARDS[b].tolist(), *flop}
                if len(cards) < 7:
                    continue
                weight = float(line.ranges[0, a] * line.ranges[1, b])
                i, j = number[int(a)], number[int(b)]
                mass += weight
                shares[:3] += weight * first[i]
                shares[3:5] += weight * first[i, 1] * small[j]
                shares[5:] += weight * first[i, 2] * large[j]
                assert line.evs is not None
                ev += weight * float(line.evs[CLASSES.index(flop_class), 0, i])
                if place == 0:
                    equity += weight * float(against[b][a])
        assert found.mass[place] == pytest.approx(mass)
        np.testing.assert_allclose(found.shares[place], shares / mass, rtol=1e-5)
        assert found.ev[place] == pytest.approx(ev / mass, rel=1e-5)
        if place == 0:
            assert found.equity[place] == pytest.approx(equity / mass)


def test_combos_without_an_ev_are_left_out_of_the_average(pack: FlopPack, tmp_path: Path) -> None:
    """A solve leaves out combos that are not in the range and those that hardly are: they have NaN."""
    (line,) = pack.lines
    assert line.evs is not None
    live = np.flatnonzero(combo_mask(flop_representative(CLASSES[0])))
    weights = line.ranges[0, live]
    evs = np.where(weights > 0, 0.25, np.nan)[None, None].repeat(2, axis=1).repeat(len(line.evs), axis=0)
    evs[0, 0, np.flatnonzero(weights)[0]] = np.nan
    every = np.array([True, False, False, False])
    found = FlopEvaluator(pack, folder=tmp_path / "cache").figures(replace(line, evs=evs), every)
    assert found.ev.tolist() == [pytest.approx(0.25)]


def test_figures_are_kept_and_damaged_ones_made_again(pack: FlopPack, tmp_path: Path) -> None:
    (line,) = pack.lines
    asked: list[int] = []

    def rows(flop_class: int) -> Any:
        asked.append(flop_class)
        return line.rows(flop_class)

    done = 0

    def stop() -> None:
        nonlocal done
        done += 1
        if done == 2:
            raise KeyboardInterrupt

    watched = replace(line, rows=rows)
    every = np.ones(4, dtype=np.bool_)
    folder = tmp_path / "cache"
    with pytest.raises(KeyboardInterrupt):
        FlopEvaluator(pack, folder=folder).figures(watched, every, stop)
    asked.clear()
    evaluator = FlopEvaluator(pack, folder=folder)
    assert evaluator.missing(watched, every) == 2
    whole = evaluator.figures(watched, every)
    assert asked == [CLASSES[2], CLASSES[3]]
    undisturbed = FlopEvaluator(pack, folder=tmp_path / "other").figures(line, every)
    np.testing.assert_array_equal(whole.shares, undisturbed.shares)
    assert evaluator.missing(watched, every) == 0
    (file,) = folder.glob("*.npz")
    file.write_bytes(file.read_bytes()[:100])
    again = FlopEvaluator(pack, folder=folder)
    assert again.missing(watched, every) == 4
    np.testing.assert_array_equal(again.figures(watched, every).shares, whole.shares)


def test_a_cache_that_cannot_be_written_is_no_error(pack: FlopPack, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    found = FlopEvaluator(pack, folder=tmp_path / "file").figures(pack.lines[0], np.ones(4, dtype=np.bool_))
    assert len(found.classes) == 4
    assert (tmp_path / "file").read_text() == "mine"


def test_values_that_follow_the_control_variates_have_no_error() -> None:
    rng = np.random.default_rng(1)
    equity = rng.uniform(0.4, 0.6, size=6)
    weight = rng.normal(1, 0.1, size=(6, 5))
    showdown = equity[:, None] + rng.normal(0, 0.1, size=(6, 5))
    base = rng.uniform(-0.1, 0.1, size=6)
    value = base[:, None] + 0.8 * showdown + 0.3 * weight
    evs, errors = estimate_evs(np.stack([value, showdown, weight], axis=2), equity)
    np.testing.assert_allclose(evs, base + 0.8 * equity + 0.3)
    np.testing.assert_allclose(errors, 0, atol=1e-12)


def test_standard_errors_are_those_seen() -> None:
    rng = np.random.default_rng(2)
    flops, runouts = 3000, 6
    showdown = 0.5 + rng.normal(0, 0.1, size=(flops, runouts))
    weight = np.ones((flops, runouts))
    value = 0.4 + 0.9 * (showdown - 0.5) + rng.normal(0, 0.05, size=(flops, runouts))
    evs, errors = estimate_evs(np.stack([value, showdown, weight], axis=2), np.full(flops, 0.5))
    assert evs.mean() == pytest.approx(0.4, abs=0.002)
    assert evs.std() == pytest.approx(0.05 / runouts**0.5, rel=0.05)
    assert np.sqrt((errors**2).mean()) == pytest.approx(evs.std(), rel=0.1)
    one, unknown = estimate_evs(np.ones((2, 1, 3)), np.ones(2))
    assert np.isnan(unknown).all()
    assert np.isfinite(one).all()
