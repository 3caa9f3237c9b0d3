"""Numbers as text: what is not known is never shown as a number."""

from __future__ import annotations

import math

import pytest

from hedgehog.analysis.stats.estimate import Estimate, mean_estimate
from hedgehog.analysis.stats.number_text import (
    format_covered,
    format_error,
    format_estimate,
    format_margin,
    format_with_margin,
    mbb_decimals,
)

UNKNOWN = Estimate(math.nan, -math.inf, math.inf, math.nan, 0)


@pytest.mark.parametrize(
    ("estimate", "plain", "margin"),
    [
        (Estimate(-491.52, -711.82, -271.22, 100.0, 9), "-491.5 ± 220.3", "± 220.3"),
        (mean_estimate([7.0]), "+7.0 ± none", "± none"),
        (mean_estimate([7.0, 7.0, 7.0]), "+7.0 ± none", "± none"),
        (mean_estimate([-0.01, -0.01]), "+0.0 ± none", "± none"),
        (UNKNOWN, "", "± none"),
    ],
)
def test_estimates(estimate: Estimate, plain: str, margin: str) -> None:
    assert format_estimate(estimate) == plain
    assert format_margin(estimate, 1) == margin
    assert ("none" in format_with_margin(estimate)) == (plain.endswith("none"))
    assert mbb_decimals([estimate, UNKNOWN]) == 0


@pytest.mark.parametrize(
    ("error", "text"), [(1.26, "± 1.3"), (0.0, "± none"), (math.inf, "± none"), (math.nan, "± none")]
)
def test_standard_errors(error: float, text: str) -> None:
    assert format_error(error) == text


@pytest.mark.parametrize(
    ("left_out", "whole", "text"),
    [(0, 45037, "100.0000"), (18, 40_177_601, "99.9999"), (1, 3, "66.6666"), (7, 7, "0.0000")],
)
def test_only_a_whole_is_100_percent(left_out: int, whole: int, text: str) -> None:
    assert format_covered(left_out, whole, 4) == text
