"""Student's t distribution and Lambert's W against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import lambertw, stdtr, stdtrit

from hedgehog.analysis.stats.student import lower_lambert_w, student_cdf, student_quantile

FREEDOM = [0.5, 1, 1.5, 2, 3, 5, 10, 39, 79, 80, 81, 150, 1000, 9_999, 10_000, 1e6, 1e8]


@pytest.mark.parametrize("freedom", FREEDOM)
def test_quantiles(freedom: float) -> None:
    shares = np.array([1e-6, 0.001, 0.025, 0.1, 0.3, 0.45, 0.55, 0.8, 0.975, 0.995, 1 - 1e-6])
    found = [student_quantile(freedom, float(share)) for share in shares]
    # scipy's own quantiles do not quite have the shares at many degrees of freedom.
    np.testing.assert_allclose(found, stdtrit(freedom, shares), rtol=1e-11 if freedom < 1e8 else 1e-8)
    assert student_quantile(freedom, 0.5) == 0


@pytest.mark.parametrize("freedom", FREEDOM)
def test_probabilities(freedom: float) -> None:
    places = np.array([-30, -8, -3, -1.7, -1, -0.3, -1e-3, 0, 0.5, 2, 5])
    found = [student_cdf(freedom, float(place)) for place in places]
    np.testing.assert_allclose(found, stdtr(freedom, places), rtol=1e-10 if freedom < 1e8 else 1e-7)


def test_lower_lambert_w() -> None:
    for x in [-0.36787944, -0.3678, -0.36, -0.2, -1e-3, -1e-30]:
        found = lower_lambert_w(x)
        assert found < -1
        assert found * math.exp(found) == pytest.approx(x, rel=1e-12)
        if x > -0.3678:  # closer to the branch point scipy is less precise
            assert found == pytest.approx(lambertw(x, -1).real, rel=1e-13)
    assert lower_lambert_w(-1 / math.e) == pytest.approx(-1, abs=1e-5)
