"""Strategies and ranges as they show themselves: grid, bar, table, data frame, chart."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from hedgehog.poker.cards import NUM_COMBOS, combo_mask, parse_cards
from hedgehog.poker.evaluation.equity import range_equity
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from hedgehog.poker.hand_grid import COLOURS
from hedgehog.poker.hand_strategy import HandStrategy
from hedgehog.poker.range_view import Range
from hedgehog.poker.ranges import format_range, parse_range
from hedgehog.runtime.errors import RangeError
from tests.shown import check_shown

TEMPLATES = Path(__file__).parents[2] / "analysis" / "templates"


@pytest.fixture
def strategy() -> HandStrategy:
    generator = np.random.default_rng(1)
    reach = np.where(combo_mask(parse_cards("Qh Jh 2c")), generator.random(NUM_COMBOS), 0.0)
    reach[generator.random(NUM_COMBOS) < 0.7] = 0
    shares = generator.dirichlet(np.ones(3), NUM_COMBOS).T
    return HandStrategy("<b>river</b>", ("X", "B500", "A9500"), np.where(reach > 0, shares, np.nan), reach)


def test_averages_are_those_of_the_combos(strategy: HandStrategy) -> None:
    reach, rows = strategy.reach, strategy.strategy
    assert np.allclose(strategy.frequency(), np.nansum(rows * reach, axis=1) / reach.sum())
    by_class = strategy.class_strategy()
    held = np.unique(HAND_CLASS[reach > 0])
    assert 50 < len(held) < len(HAND_CLASS_NAMES)
    assert np.array_equal(held, np.flatnonzero(~np.isnan(by_class[0])))
    for hand in held:
        members = np.flatnonzero((hand == HAND_CLASS) & (reach > 0))
        assert np.allclose(by_class[:, hand], np.average(rows[:, members], axis=1, weights=reach[members]))
    records = strategy.table().records()
    assert [one["hand"] for one in records] == [n for n in _aces_down() if n in {one["hand"] for one in records}]
    assert math.isclose(sum(float(one["combos"] or 0) for one in records), reach.sum())
    for one in records:
        hand = HAND_CLASS_NAMES.index(str(one["hand"]))
        assert [one[action] for action in strategy.actions] == by_class[:, hand].tolist()


def _aces_down() -> list[str]:
    ranks = "AKQJT98765432"
    return [
        name
        for i, high in enumerate(ranks)
        for name in [high * 2, *(f"{high}{low}{kind}" for low in ranks[i + 1 :] for kind in "so")]
    ]


def test_a_strategy_shows_itself(strategy: HandStrategy) -> None:
    tags, text = check_shown(strategy)
    assert tags.count("svg") == 2
    assert "b" in tags  # the kind of the object; the title is data
    assert tags.count("b") == 1
    assert "<b>river</b>: X " in text
    assert "B500" in text
    assert all(name in text for name in HAND_CLASS_NAMES)
    axes = strategy.plot()
    assert [one.get_text().split()[0] for one in axes.get_legend().get_texts()] == ["X", "B500", "A9500"]


def test_the_bar_is_as_wide_as_the_frequencies(strategy: HandStrategy) -> None:
    widths = [float(wide) for wide in re.findall(r'<rect [^>]*width="([\d.]+)" height="14"', strategy.picture())]
    assert np.allclose(np.array(widths) / sum(widths), strategy.frequency(), atol=1e-3)


def test_the_colours_are_those_of_the_reports() -> None:
    styles = (TEMPLATES / "hand_grid.css").read_text() + (TEMPLATES / "node.html").read_text()
    light = re.sub(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}", "", styles)
    found = dict(re.findall(r"\.(\w+)\{fill:(#\w{6})\}", light))
    assert {style: found[style] for style in COLOURS} == COLOURS


def test_a_range_is_an_array_of_weights() -> None:
    hands = Range("QQ+,AKs:0.5")
    assert np.array_equal(np.asarray(hands), parse_range("QQ+,AKs:0.5"))
    assert format_range(hands) == str(hands) == "QQ+,AKs:0.5"
    assert hands.combos == 20
    board = parse_cards("Qh Jh 2c")
    assert range_equity(hands, Range("random"), board) == range_equity(
        parse_range("QQ+,AKs:0.5"), parse_range("random"), board
    )
    with pytest.raises(ValueError, match="read-only"):
        hands.weights[0] = 1
    own = parse_range("AA")
    assert Range(own).combos == 6
    own[:] = 0.5  # the array stays the caller's
    assert Range("AA").combos == 6


def test_a_range_shows_itself() -> None:
    hands = Range("QQ+,AhKh:0.5")
    assert repr(hands) == "<Range: 18.5 combos, 1.4 %: QQ+,AhKh:0.5>"
    tags, _ = check_shown(hands)
    assert "table" not in tags
    assert {(one["combo"], one["weight"]) for one in hands.table().records()} >= {("AhKh", 0.5), ("QdQc", 1.0)}
    assert sum(float(one["weight"] or 0) for one in hands.table().records()) == hands.combos
    long = Range(np.random.default_rng(1).random(NUM_COMBOS))
    check_shown(long, frames=False)
    assert repr(long) == f"<Range: {long.combos:.4g} combos, {long.combos / 13.26:.1f} %>"
    assert repr(Range(np.zeros(NUM_COMBOS))) == "<Range: 0 combos, 0.0 %>"


def test_what_is_no_range_is_refused() -> None:
    with pytest.raises(RangeError, match="range entry 'QX'"):
        Range("QX")
    with pytest.raises(RangeError, match="between 0 and 1"):
        Range(np.full(NUM_COMBOS, 1.5))
    with pytest.raises(ValueError, match=r"shape \(1326,\)"):
        Range(np.ones(3))
