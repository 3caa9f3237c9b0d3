"""What counts as probabilities and weights in packs, in floats, half floats and bytes."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.runtime.errors import PackError
from hedgehog.strategies.soundness import count_bad_rows, verify_finite, verify_rows, verify_weights


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_weights_are_neither_negative_nor_infinite(kind: type[np.floating]) -> None:
    verify_weights("pack", "average", np.array([0.0, 1.0, 3e30], kind))
    for bad in (-1e-6, np.inf, np.nan):
        with pytest.raises(PackError, match="average holds a number that is negative or not finite"):
            verify_weights("pack", "average", np.array([0.0, bad, 1.0], kind))


def test_half_floats_are_looked_at_as_numbers() -> None:
    half = np.array([0.0, 0.5, 60000.0], np.float16)
    verify_weights("pack", "average", half.view(np.uint16))
    for bad in (-0.5, np.inf, np.nan):
        with pytest.raises(PackError):
            verify_weights("pack", "average", np.array([0.5, bad], np.float16).view(np.uint16))


def test_regrets_may_be_negative_but_not_infinite() -> None:
    verify_finite("pack", "regret", np.array([-1e30, 0.0, 1e30], np.float32))
    for bad in (-np.inf, np.inf, np.nan):
        with pytest.raises(PackError, match="regret holds a number that is not finite"):
            verify_finite("pack", "regret", np.array([0.0, bad], np.float32))


def test_rows_sum_to_one_block_by_block() -> None:
    rows = np.array([0.25, 0.75, 1.0, 0.0, 0.2, 0.3, 0.5], np.float32)
    counts, actions = np.array([2, 1]), np.array([2, 3])
    assert count_bad_rows(rows, counts, actions) == 0
    for index, bad, faults in ((0, 0.3, 1), (1, np.nan, 1), (4, -0.2, 1), (6, np.inf, 1)):
        damaged = rows.copy()
        damaged[index] = bad
        assert count_bad_rows(damaged, counts, actions) == faults
    assert count_bad_rows(np.array([-0.5, 1.5], np.float32), np.array([1]), np.array([2])) == 1
    verify_rows("pack", "rows", 0)
    with pytest.raises(PackError, match="rows: 1,200 strategy rows do not sum to one"):
        verify_rows("pack", "rows", 1200)


def test_rows_of_bytes_sum_to_255() -> None:
    counts, actions = np.array([1, 1]), np.array([2, 2])
    assert count_bad_rows(np.array([255, 0, 100, 155], np.uint8), counts, actions) == 0
    assert count_bad_rows(np.array([255, 1, 100, 154], np.uint8), counts, actions) == 2
