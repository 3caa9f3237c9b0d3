"""When a solve may end because no decision is in doubt."""

from __future__ import annotations

import pytest

from hedgehog.analysis.grading.options import PASSES
from hedgehog.analysis.grading.street import is_settled
from hedgehog.poker.streets import RIVER

WAY = PASSES["quick"][RIVER][0]


@pytest.mark.parametrize(
    ("losses", "settled"),
    [
        ({40: 0.5, 60: 0.5, 80: 0.5, 120: 0.5}, True),  # best: 0.05 % of the pot
        ({40: 0.5, 60: 0.5, 80: 0.5}, False),  # one change alone may be small by chance
        ({40: 1.2, 60: 0.5, 80: 0.5, 120: 0.5}, False),  # may be off by 1.4: best or fine
        ({40: 3.0, 60: 3.0, 80: 3.0, 120: 3.0}, True),  # fine: 0.3 %
        ({40: 90.0, 60: 90.0, 80: 90.0, 120: 90.0}, False),  # an accusation is never settled
    ],
)
def test_only_best_and_fine_are_settled(losses: dict[int, float], settled: bool) -> None:
    assert is_settled(losses, WAY, pot=1000, big_blind=100) == settled
