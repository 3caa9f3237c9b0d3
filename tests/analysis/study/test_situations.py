"""Errors of the sizes of a menu in a situation: the figures of the published study, other lines, bad lines."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.analysis.study.batches import HandBatch
from hedgehog.analysis.study.situations import SITUATIONS, Situations, parse_situation, size_errors
from hedgehog.analysis.study.translation import menu_from_texts, reference_menu
from hedgehog.runtime.errors import InputError
from tests.analysis.study.hand_fixtures import batch_of


def everything(batch: HandBatch) -> np.ndarray:
    return np.ones(batch.num_actions, np.bool_)


def test_sizes_of_the_reference_menus() -> None:
    """The figures that the published error tables imply."""
    first, second = SITUATIONS
    sizes = {
        (name, one.name): one.sizes(reference_menu(name)) for one in SITUATIONS for name in ("own", "fcpa", "fchpda")
    }
    assert sizes["fchpda", "situation1"] == [175, 250, 400, 20000]
    assert first.sizes(reference_menu("fcpta")) == [250, 1600, 20000]
    assert sizes["own", "situation1"] == [200, 300, 400, 20000]
    assert sizes["fchpda", "situation2"] == [250, 500, 1000, 20000]
    assert sizes["own", "situation2"] == [250, 375, 500, 20000]
    assert second.sizes(reference_menu("fcpa")) == [500, 20000]


def test_sizes_of_other_menus_and_lines() -> None:
    menu = menu_from_texts("x", {"preflop": "2.5x / 3x", "limped": "4x", "flop": "50% / 3x,100%", "turn ip": "75%"})
    assert parse_situation("r").sizes(menu) == [250, 20000]
    assert parse_situation("cr").sizes(menu) == [400, 20000]
    assert parse_situation("r3r").sizes(menu) == [900, 20000]
    assert parse_situation("r3c/r").sizes(menu) == [300, 19700]
    # The bet of 3 into 6, its call, and the pot of 12 on top.
    assert parse_situation("r3c/r3r").sizes(menu) == [900, 300 + 1200, 19700]
    assert parse_situation("r3c/r3c/r").sizes(menu) == [19400]
    assert parse_situation("r3c/r3c/cr").sizes(menu) == [900, 19400]


def test_errors_of_a_menu_in_both_situations(tmp_path: Path) -> None:
    """Raises to 200, 250 and 300: 250 is half-way and goes to 200. A bet of 300 chips into 500 in situation 2."""
    batch, _ = batch_of(
        tmp_path,
        "STATE:0:r200f:2c3d|4h5s:-100|100:A|B",
        "STATE:1:r300f:2c3d|4h5s:-100|100:A|B",
        "STATE:2:r250c/cr550f:2c3d|4h5s/6c7c8c:-250|250:A|B",
        "STATE:3:r300c/cr600f:2c3d|4h5s/6c7c8c:-300|300:A|B",
    )
    other = parse_situation("r3c/cr")
    situations = Situations((*SITUATIONS, other))
    situations.add(batch, everything(batch))
    own = situations.errors(reference_menu("own"), SITUATIONS[0])
    assert [(error.size, error.bets) for error in own] == [(200, 2), (300, 2), (400, 0), (20000, 0)]
    assert own[0].rms == pytest.approx((50**2 / 2) ** 0.5)
    assert own[1].rms == 0
    assert own[2].rms is None
    assert [error.bets for error in situations.errors(reference_menu("own"), SITUATIONS[1])] == [1, 0, 0, 0]
    assert [error.bets for error in situations.errors(reference_menu("own"), other)] == [1, 0, 0, 0]
    assert situations.errors(reference_menu("own"), other)[0].rms == 0  # 300 into 600
    uncounted = Situations()
    uncounted.add(batch, np.zeros(batch.num_actions, np.bool_))
    assert sum(error.bets for error in uncounted.errors(reference_menu("own"), SITUATIONS[0])) == 0


@given(st.lists(st.integers(1, 500), min_size=1, max_size=30), st.sets(st.integers(1, 500), min_size=1, max_size=4))
def test_errors_by_definition(bets: list[int], sizes: set[int]) -> None:
    offered = sorted(sizes)
    different, counts = np.unique(bets, return_counts=True)
    found = size_errors(different.astype(float), counts.astype(float), offered)
    groups: dict[int, list[int]] = {size: [] for size in offered}
    for bet in bets:
        groups[min(offered, key=lambda size: (abs(size - bet), size))].append(bet)
    for error in found:
        group = groups[error.size]
        assert error.bets == len(group)
        if group:
            assert error.rms == pytest.approx((sum((bet - error.size) ** 2 for bet in group) / len(group)) ** 0.5)


def test_the_state_of_a_line() -> None:
    found = parse_situation("r2.5r7.5c/cr5r")
    assert (found.round, found.role, found.ordinal) == (1, 0, 1)
    assert (found.faced, found.own, found.pot) == (500, 0, 2000)
    assert found.actions[-2] == (1, "r", Fraction(5))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "c",
        "cc",
        "r2",
        "rr",
        "r0.5r",
        "r3r2r",
        "ccr",
        "cc/cc/cc/cc/r",
        "cc//r",
        "c/r",
        "c2r",
        "xr",
        "r3c/cr3c",
    ],
)
def test_bad_lines(line: str) -> None:
    with pytest.raises(InputError, match="expected a betting line"):
        parse_situation(line)
