"""Names and parameters of the algorithms, and the factors of their iterations."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.algorithms import describe_algorithms, parse_algorithm
from hedgehog.solver.cfr.own_rules import ALGORITHMS


def test_defaults_need_no_text() -> None:
    for name in ALGORITHMS:
        assert str(parse_algorithm(name)) == name
    gamma5 = parse_algorithm("gamma5")
    assert dict(gamma5.values) == dict(parse_algorithm("dcfr:reset=no,gamma=5").values)
    assert str(parse_algorithm("dcfr:gamma=3,forget=no,alpha=0.75")) == "dcfr:alpha=0.75,forget=no"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("magic", "unknown algorithm 'magic': expected dcfr, "),
        ("", "unknown algorithm ''"),
        ("dcfr:", "no parameter '': expected some of alpha=1.5, beta=0, gamma=3, reset=yes, forget=yes"),
        ("dcfr:gamma", "no parameter 'gamma'"),
        ("dcfr:delta=1", "no parameter 'delta=1'"),
        ("dcfr:gamma=2,gamma=3", "'gamma' is given twice"),
        ("dcfr:gamma=nan", "'gamma': expected a number from 0 to 20, got 'nan'"),
        ("dcfr:gamma=21", "'gamma': expected a number from 0 to 20"),
        ("dcfr:beta=-21", "'beta': expected a number from -20 to 20"),
        ("dcfr:reset=maybe", "'reset': expected no or yes, got 'maybe'"),
    ],
)
def test_says_what_is_possible(text: str, message: str) -> None:
    with pytest.raises(SpotError) as raised:
        parse_algorithm(text)
    assert message in str(raised.value)


def test_every_algorithm_and_parameter_is_described() -> None:
    lines = list(describe_algorithms())
    assert len(lines) == sum(1 + len(description.parameters) for description in ALGORITHMS.values())
    assert "  reset=yes: restart the average at powers of 4 (no or yes)" in lines


def test_default_forgets_the_first_pass_and_restarts_the_average_at_powers_of_4() -> None:
    factors = parse_algorithm("dcfr").discounts(0, 18)
    assert (factors[:2, 0] == 0).all()
    assert factors[5, 0] == pytest.approx(8 / 9)  # 4^1.5 = 8
    assert (factors[:, 1] == 0.5).all()
    assert np.flatnonzero(factors[:, 2] == 0).tolist() == [0, 1, 4, 16]
    assert factors[17, 2] == 1 / 8
    assert factors[15, 2] == pytest.approx((11 / 12) ** 3)
    np.testing.assert_array_equal(parse_algorithm("dcfr").discounts(7, 18), factors[7:])


def test_published_dcfr_discounts_every_pass() -> None:
    factors = parse_algorithm("dcfr:beta=-1,gamma=2,reset=no,forget=no").discounts(0, 5)
    assert factors[1].tolist() == pytest.approx([1 / 2, 1 / 2, 1 / 4])
    assert factors[4].tolist() == pytest.approx([8 / 9, 1 / 5, 16 / 25])


def test_published_order_is_the_default_without_forgetting() -> None:
    """Discounting the sum after adding gives the weights of discounting it before the next addition."""
    gains = np.random.default_rng(1).normal(size=(40, 3))
    factors = parse_algorithm("dcfr:forget=no,reset=no").discounts(0, 41).astype(np.float64)
    before = np.zeros(3)
    after = np.zeros(3)
    for t, gain in enumerate(gains):
        before = before * np.where(before > 0, factors[t, 0], factors[t, 1]) + gain
        after = after + gain
        np.testing.assert_allclose(np.maximum(before, 0), np.maximum(after, 0), rtol=1e-6)
        positive = (t + 1) ** 1.5 / ((t + 1) ** 1.5 + 1)
        after *= np.where(after > 0, positive, 0.5)


def test_hyperparameter_schedules_change_in_a_straight_line_and_then_stay() -> None:
    factors = parse_algorithm("hs-dcfr:n=100").discounts(0, 301)
    for t, alpha, beta, gamma in ((50, 2.5, -2, 27.5), (100, 4, -3, 25), (300, 4, -3, 25)):
        wanted = (t**alpha / (t**alpha + 1), t**beta / (t**beta + 1), (t / (t + 1)) ** gamma)
        assert factors[t].tolist() == pytest.approx(wanted, rel=1e-5)


def test_discounted_cfr_plus_drops_negative_regrets() -> None:
    factors = parse_algorithm("dcfr+").discounts(0, 5)
    assert (factors[:, 1] == 0).all()
    assert factors[4, 0] == pytest.approx(8 / 9.5)


def test_predictions_are_discounted_as_the_next_iteration_will() -> None:
    schedule = parse_algorithm("pdcfr+").schedule(0, 10)
    np.testing.assert_array_equal(schedule[:-1, 4], schedule[1:, 0])
    assert schedule[:, 3].tolist() == list(range(10))
    assert (parse_algorithm("pcfr+").schedule(0, 10)[:, 4] == 1).all()
