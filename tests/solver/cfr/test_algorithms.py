"""Names and parameters of the algorithms, and the factors of their iterations."""

from __future__ import annotations

import numpy as np
import pytest

from runtime.errors import SpotError
from solver.cfr.algorithms import ALGORITHMS, describe_algorithms, parse_algorithm


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
