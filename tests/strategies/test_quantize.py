"""Rows of bytes sum to 255 and stay within one unit of the probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hedgehog.strategies.quantize import dequantize_rows, quantize_rows


@given(
    hnp.arrays(
        np.float32,
        hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=6),
        elements=st.floats(0, 1, width=32),
    )
)
def test_rows_sum_to_255_and_are_close(weights: np.ndarray) -> None:
    rows = quantize_rows(weights)
    assert np.all(rows.sum(axis=-1, dtype=int) == 255)
    total = weights.astype(float).sum(axis=-1, keepdims=True)
    exact = np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / weights.shape[-1])
    assert np.all(np.abs(dequantize_rows(rows) - exact) <= 1 / 255 + 1e-6)


def test_pure_rows_stay_pure() -> None:
    np.testing.assert_array_equal(quantize_rows(np.eye(3, dtype=np.float32)), 255 * np.eye(3, dtype=np.uint8))


@pytest.mark.parametrize("bad", [[-0.1, 1.1], [np.nan, 1.0], [np.inf, 0.0]])
def test_bad_probabilities(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="finite and not negative"):
        quantize_rows(np.array(bad, dtype=np.float32))
