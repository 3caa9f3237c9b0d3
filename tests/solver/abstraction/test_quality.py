"""What forgetting costs on one flop, beside the figures of an independent program.

The figures are compared in docs/notebook/2026-11-22-cgh-rounding.md.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.group_layout import measure_groups
from hedgehog.solver.abstraction.group_solver import GroupSolver
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import read_spot

SPOT = Path(__file__).parents[3] / "docs" / "examples" / "spots" / "short-flop.yaml"
MBB_PER_CHIP = 10
# Abstraction -> entries in millions; abstract and real epsilon after 200 and after 400 iterations of cgh:c=0.175, mbb.
PUBLISHED = {
    "opp-river": (5.47, (21.99, 24.07), (9.54, 12.65)),
    "strength-river": (3.53, (22.61, 26.84), (9.86, 15.82)),
    "rank-river": (2.56, (23.42, 33.84), (11.59, 25.00)),
}
NONE = (17.92, 22.67, 9.87)
# The independent program resolves ties of CGH by other rounding errors (tests/verification/greedy_readings.py).
TOLERANCE = 0.14


@pytest.fixture(scope="module")
def spot() -> PreparedSpot:
    return prepare(read_spot(SPOT), merge_cards=False)


def test_sizes(spot: PreparedSpot) -> None:
    values = SpotValues(spot)
    assert round(measure_groups(spot, None).entries / 1e6, 2) == NONE[0]
    for name, (entries, _, _) in PUBLISHED.items():
        assert round(measure_groups(spot, values.group(name)).entries / 1e6, 2) == entries


@pytest.mark.slow
def test_finer_groups_lose_less(spot: PreparedSpot) -> None:
    single = PostflopSolver(spot, algorithm="cgh:c=0.175")
    real = []
    for iterations, expected in zip((200, 400), NONE[1:], strict=True):
        single.run(iterations - single.iterations)
        real.append(2 * MBB_PER_CHIP * single.exploitability().exploitability)
        print(f"none {iterations}: {real[-1]:.2f}, published {expected}")
        assert real[-1] == pytest.approx(expected, rel=TOLERANCE)
    values = SpotValues(spot)
    better_real, better_gap = real[-1], 0.0
    for name, (_, *published) in PUBLISHED.items():
        solver = GroupSolver(spot, values.group(name), algorithm="cgh:c=0.175")
        gaps = []
        for iterations, (abstract, epsilon) in zip((200, 400), published, strict=True):
            solver.run(iterations - solver.iterations)
            found = solver.epsilon()
            gaps.append(MBB_PER_CHIP * (found.real - found.abstract))
            print(f"{name} {iterations}: abstract {MBB_PER_CHIP * found.abstract:.2f}, published {abstract}; ", end="")
            print(f"real {MBB_PER_CHIP * found.real:.2f}, published {epsilon}")
            assert MBB_PER_CHIP * found.abstract == pytest.approx(abstract, rel=TOLERANCE)
            assert MBB_PER_CHIP * found.real == pytest.approx(epsilon, rel=TOLERANCE)
            assert gaps[-1] == pytest.approx(epsilon - abstract, rel=TOLERANCE)
        last = MBB_PER_CHIP * found.real
        assert last >= 1.05 * better_real
        assert gaps[1] > max(gaps[0], better_gap)
        better_real, better_gap = last, gaps[1]
