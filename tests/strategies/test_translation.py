"""Mappings of bets between two sizes, against the values of Ganzfried and Sandholm 2013 and the published formulas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.analysis.lbr._kernels import lower_share_kernel
from hedgehog.strategies.translation import SizeMapping, lower_share, translate_size


def share_of_lower(lower: float, upper: float, size: float) -> float:
    """Returns the share of the lower one of two sizes by the pseudo-harmonic mapping."""
    return dict(translate_size([lower, upper], size)).get(0, 0.0)


@pytest.mark.parametrize(
    ("lower", "upper", "size", "expected"),
    [
        (0.5, 1.0, 0.75, 3 / 7),  # (1-.75)(1.5)/((.5)(1.75))
        (0.0, 1.0, 1 / 3, 0.5),  # indifference point of a check and a pot bet
        (0.5, 1.0, (0.5 + 1 + 2 * 0.5) / (0.5 + 1 + 2), 0.5),  # x* = (A+B+2AB)/(A+B+2)
        (0.5, 1.0, 0.5, 1.0),
        (0.5, 1.0, 1.0, 0.0),
        (0.5, 1.0, 0.1, 1.0),
        (0.5, 1.0, 9.0, 0.0),
    ],
)
def test_known_values(lower: float, upper: float, size: float, expected: float) -> None:
    assert share_of_lower(lower, upper, size) == pytest.approx(expected)


@given(
    st.lists(st.floats(0.01, 50), min_size=1, max_size=6, unique=True).map(sorted),
    st.floats(0.001, 100),
    st.sampled_from(list(SizeMapping)),
)
def test_weights_are_a_distribution_over_neighbours(sizes: list[float], size: float, mapping: SizeMapping) -> None:
    pairs = translate_size(sizes, size, mapping)
    assert sum(weight for _, weight in pairs) == pytest.approx(1)
    assert all(weight > 0 for _, weight in pairs)
    if len(pairs) == 2:
        (a, _), (b, _) = pairs
        assert b == a + 1
        assert sizes[a] < size < sizes[b]


@given(st.floats(0, 5), st.floats(0.1, 5), st.floats(0.01, 0.98), st.floats(0.001, 0.01))
def test_larger_bets_count_less_as_the_smaller_size(lower: float, gap: float, at: float, step: float) -> None:
    upper = lower + gap
    assert share_of_lower(lower, upper, lower + gap * (at + step)) <= share_of_lower(lower, upper, lower + gap * at)


def test_errors() -> None:
    with pytest.raises(ValueError, match="no abstract size"):
        translate_size([], 1.0)


@pytest.mark.parametrize(
    ("mapping", "size", "expected"),
    [
        (SizeMapping.GEOMETRIC, 1.0, 0.5),  # as far from 0.5 as from 2, in ratios
        (SizeMapping.GEOMETRIC, 0.75, (2 / 3 - 1 / 4) / (2 / 3 + 3 / 8 - 1 / 2)),
        (SizeMapping.NEAREST, 0.99, 1.0),
        (SizeMapping.NEAREST, 1.01, 0.0),
        (SizeMapping.HARMONIC, 1.0, 1 * 1.5 / (1.5 * 2)),
    ],
)
def test_every_mapping_has_its_share(mapping: SizeMapping, size: float, expected: float) -> None:
    assert lower_share(0.5, 2.0, size, mapping) == pytest.approx(expected)
    shares = dict(translate_size((0.5, 2.0), size, mapping))
    assert shares.get(0, 0.0) == pytest.approx(expected)
    assert 0 not in shares.values()


@given(st.floats(0.01, 5), st.floats(0.1, 5), st.floats(0.01, 0.99), st.sampled_from(list(SizeMapping)))
def test_the_kernel_of_local_best_response_shares_alike(
    lower: float, gap: float, at: float, mapping: SizeMapping
) -> None:
    upper, size = lower + gap, lower + gap * at
    assert 0 <= lower_share(lower, upper, size, mapping) <= 1
    found = lower_share_kernel(lower, upper, size, int(mapping))
    assert found == pytest.approx(lower_share(lower, upper, size, mapping), abs=1e-12)
    assert lower_share(lower, upper, lower, SizeMapping.GEOMETRIC) == pytest.approx(1)
    assert lower_share(lower, upper, upper, SizeMapping.GEOMETRIC) == pytest.approx(0)
