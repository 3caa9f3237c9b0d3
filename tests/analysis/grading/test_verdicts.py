"""Verdicts by the lower end of a loss."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.analysis.grading.options import VERDICTS, verdict_of

# Loss and error in big blinds, pot, verdict.
CASES = [
    (0.01, 1.0, 10, "best"),
    (0.04, 0.0, 10, "fine"),
    (0.19, 0.15, 10, "fine"),
    (0.1, 0.01, 10, "inaccuracy"),
    (0.3, 0.05, 10, "mistake"),
    (1.2, 0.1, 10, "blunder"),
    (2.5, 0.1, 100, "blunder"),  # 2 BB and 2 % of the pot
    (2.5, 0.1, 200, "inaccuracy"),  # 2 BB, but less than 2 % of the pot
    (3.0, 2.99, 10, "unsure"),
]


@pytest.mark.parametrize(("loss", "error", "pot", "verdict"), CASES)
def test_cases(loss: float, error: float, pot: float, verdict: str) -> None:
    assert verdict_of(loss, error, pot) == verdict


@given(st.floats(0, 300), st.floats(0, 50), st.floats(1, 400), st.floats(0, 50))
def test_a_larger_error_never_accuses_more(loss: float, error: float, pot: float, more: float) -> None:
    order = {"best": 0, "fine": 1, "unsure": 1, "inaccuracy": 2, "mistake": 3, "blunder": 4}
    assert set(order) == set(VERDICTS)
    assert order[verdict_of(loss, error + more, pot)] <= order[verdict_of(loss, error, pot)]


@given(st.floats(0, 0.5), st.floats(0, 50), st.floats(1, 400))
def test_half_a_percent_of_the_pot_is_never_accused(percent: float, error: float, pot: float) -> None:
    """How often our player takes the action is not asked."""
    assert verdict_of(percent / 100 * pot * (1 - 1e-9), error, pot) in ("best", "fine")
