"""Weighted subsets of flops: the shipped files, the notation, and mistakes in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.poker.isomorphism import board_classes
from hedgehog.poker.textures import TEXTURES, texture_table
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.flop_subsets import (
    SUBSET_SIZES,
    find_flop_subset,
    format_flop_subset,
    parse_flop_subset,
    read_flop_subset,
)

COUNTS = board_classes(3).multiplicities.astype(np.float64)


@pytest.mark.parametrize("size", SUBSET_SIZES)
def test_shipped_subsets_have_the_textures_of_all_flops(size: int) -> None:
    subset = find_flop_subset(str(size))
    assert (len(subset), subset.name) == (size, str(size))
    assert len(set(subset.classes.tolist())) == size
    assert subset.weights.sum() == pytest.approx(1)
    found = subset.weights @ texture_table()[subset.classes]
    of_all = COUNTS @ texture_table() / COUNTS.sum()
    for name, share, expected in zip(TEXTURES, found, of_all, strict=True):
        assert share == pytest.approx(expected, abs=0.08 if size == 23 else 0.02), name


def test_all_flops_have_their_number_of_flops_as_weight() -> None:
    subset = find_flop_subset("1755")
    np.testing.assert_allclose(subset.weights, COUNTS[subset.classes] / COUNTS.sum(), rtol=1e-6)
    # The order is that of the most useful first flops, not that of the class numbers.
    first = texture_table()[subset.classes[:49]].any(axis=0)
    assert [name for name, seen in zip(TEXTURES, first, strict=True) if not seen] in ([], ["trips"])


@given(st.lists(st.integers(0, 1754), min_size=1, max_size=20, unique=True), st.data())
def test_a_subset_survives_its_file(classes: list[int], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 10**6), min_size=len(classes), max_size=len(classes)))
    found = parse_flop_subset(format_flop_subset(classes, [weight / 1000 for weight in weights], ["a comment"]))
    assert found.classes.tolist() == classes
    np.testing.assert_allclose(found.weights, np.array(weights) / sum(weights))
    assert [index for index, _ in found.pairs()] == classes
    assert sum(weight for _, weight in found.pairs()) == pytest.approx(22_100)


def test_notations() -> None:
    found = parse_flop_subset("# mine\nQs Js 2h 3\n\nAsAhQs:1  # aces\n2s2h2d\n")
    assert found.classes.tolist() == [738, 3, 1754]
    np.testing.assert_allclose(found.weights, np.array([3, 1, 4]) / 8)
    # Another flop of the same class is as good.
    assert parse_flop_subset("Qd Jd 2c 3").classes.tolist() == [738]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.txt: has no flop, expected lines such as 'Qs Js 2h 31.5'"),
        ("# nothing\n", "f.txt: has no flop"),
        ("Qs Js 2h 1\nnonsense\n", "f.txt:2: expected a flop and a weight such as 'Qs Js 2h 31.5', got 'nonsense'"),
        ("Qs Js 1\n", "f.txt:1: expected a flop of three cards, got 2"),
        ("Qs Js 2h 3c 1\n", "f.txt:1: expected a flop of three cards, got 4"),
        ("Qs Qs 2h 1\n", "f.txt:1: a card is repeated"),
        ("Qs Js 2h 0\n", "f.txt:1: expected a weight above 0 after the flop, got '0'"),
        ("Qs Js 2h -1\n", "f.txt:1: expected a weight above 0"),
        ("Qs Js 2h nan\n", "f.txt:1: expected a weight above 0"),
        ("Qs Js 2h 1e999\n", "f.txt:1: expected a weight above 0"),
        ("Qs Js 2h 1\n\nQd Jd 2c 1\n", "f.txt:3: the flop 'Qd Jd 2c' is of the same class as that in line 1"),
    ],
)
def test_mistakes_name_their_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_flop_subset(text, "f.txt")
    assert str(raised.value).startswith(message)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no subset of 60 flop classes: expected 23, 49, 95, 184, 1755, or a"):
        find_flop_subset("60")
    with pytest.raises(InputError, match="cannot read a flop subset file: No such file"):
        read_flop_subset(tmp_path / "missing.txt")
    with pytest.raises(InputError, match="cannot read a flop subset file: Is a directory"):
        find_flop_subset(str(tmp_path))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\0")
    with pytest.raises(InputError, match="expected a flop and a weight"):
        read_flop_subset(tmp_path / "binary")
    (tmp_path / "large").write_bytes(b"#" * (1 << 20) + b"\n")
    with pytest.raises(InputError, match="a flop subset file has at most 1048576 bytes"):
        read_flop_subset(tmp_path / "large")
