"""hedgehog.agent.limit.line_bias: a bias by line is read, refused if malformed, and added to probabilities."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.agent.limit.line_bias import LineBias, add_bias, merged_tree, read_any_bias, read_line_bias
from hedgehog.runtime.errors import InputError


def written(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content))
    return path


def test_lines_with_the_same_players_and_pot_share_a_bias(tmp_path: Path) -> None:
    found = read_any_bias(written(tmp_path / "b.json", {"lines": {"rcc/r": [0.2, -0.1, -0.1]}}))
    assert isinstance(found, LineBias)
    assert found.of("rcc/r") == found.of("ccrcc/r") == (0.2, -0.1, -0.1)
    assert found.of("rcc/") is None
    assert found.by_node == {merged_tree().index("rcc/r"): (0.2, -0.1, -0.1)}


def test_a_bias_of_hand_classes_is_still_one(tmp_path: Path) -> None:
    found = read_any_bias(written(tmp_path / "b.json", {"bias": {"AKs": -0.5}}))
    assert not isinstance(found, LineBias)
    assert found.sum() == -0.5


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1], "expected a JSON object"),
        ({"lines": [1]}, "the key 'lines'"),
        ({"lines": {"rcc/r": [0.2, 0.1]}}, "three numbers"),
        ({"lines": {"rcc/r": [0.2, 0.1, 2]}}, "three numbers"),
        ({"lines": {"rcc/r": [0.2, 0.1, True]}}, "three numbers"),
        ({"lines": {"ccc/": [0.1, -0.1, 0]}}, "not legal"),
        ({"lines": {"fff": [0, 0, 0]}}, "betting"),
        ({"lines": {"xyz": [0, 0, 0]}}, "betting"),
    ],
)
def test_malformed_files_are_refused(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_line_bias(written(tmp_path / "b.json", content))


@given(
    weights=st.tuples(*[st.floats(0, 1)] * 3).filter(lambda row: sum(row) > 0.01),
    bias=st.tuples(*[st.floats(-1, 1)] * 3),
)
def test_what_is_added_leaves_probabilities(
    weights: tuple[float, float, float], bias: tuple[float, float, float]
) -> None:
    total = sum(weights)
    fold, call, raising = (weight / total for weight in weights)
    found = add_bias((fold, call, raising), bias)
    assert sum(found) == pytest.approx(1)
    assert min(found) >= 0
    assert add_bias((fold, call, raising), (0.0, 0.0, 0.0)) == pytest.approx((fold, call, raising))


def test_the_bias_moves_the_mean_to_the_other_strategy() -> None:
    assert add_bias((0.1, 0.3, 0.6), (0.4, -0.1, -0.3)) == pytest.approx((0.5, 0.2, 0.3))
