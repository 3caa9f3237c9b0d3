"""When a solve may end because no verdict is in doubt."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.analysis.grading.options import PASSES
from hedgehog.analysis.grading.street import check_points, is_settled
from hedgehog.poker.streets import RIVER

WAY = PASSES["quick"][RIVER][0]


@pytest.mark.parametrize(
    ("losses", "settled"),
    [
        ({40: 0.5, 60: 0.5, 80: 0.5, 120: 0.5}, True),  # best: 0.05 % of the pot
        ({40: 0.5, 60: 0.5, 80: 0.5}, False),  # one change alone may be small by chance
        ({40: 1.2, 60: 0.5, 80: 0.5, 120: 0.5}, False),  # may be off by 1.4: best or fine
        ({40: 3.0, 60: 3.0, 80: 3.0, 120: 3.0}, True),  # fine: 0.3 %
        ({40: 90.0, 60: 90.0, 80: 90.0, 120: 90.0}, True),  # a mistake: 9 %
        ({40: 94.0, 60: 94.0, 80: 92.0, 120: 92.0}, True),  # off by 4: still a mistake
        ({40: 98.0, 60: 98.0, 80: 94.0, 120: 94.0}, False),  # off by 8: a mistake or a blunder
        ({40: 98.0, 60: 98.0, 80: 96.0, 120: 98.0}, True),  # off by 4: either, but 10 % in any case
    ],
)
def test_a_verdict_is_settled_if_it_bears_twice_the_last_changes(losses: dict[int, float], settled: bool) -> None:
    by_action = {number: np.array([0.0, loss]) for number, loss in losses.items()}
    assert is_settled(by_action, 1, WAY, pot=1000, big_blind=100) == settled


@pytest.mark.parametrize(("loss", "settled"), [(3.0, True), (90.0, False)])
def test_an_accusation_waits_for_the_other_actions(loss: float, settled: bool) -> None:
    """Another action's loss goes on changing by 3 % of the pot."""
    by_action = {number: np.array([0.0, loss, other]) for number, other in {40: 70, 60: 70, 80: 40, 120: 40}.items()}
    assert is_settled(by_action, 1, WAY, pot=1000, big_blind=100) == settled


def test_looks_at_a_solve() -> None:
    assert check_points(130) == [40, 60, 80, 120]
    assert check_points(100, turn=True) == [30, 40, 60, 80]
    for way in (ways[RIVER][0] for ways in PASSES.values()):  # the last one is compared with half its iterations
        assert {way.most_iterations // 2, way.most_iterations} <= set(check_points(way.most_iterations))
    assert check_points(20) == [20]  # so many iterations of a flop are timed
