"""The experiments of the hand-abstraction laboratory: overfitting, speed, and profiles against each other."""

from __future__ import annotations

import pytest

from hedgehog.analysis.lab.experiments import E1_TIMES, judge_overfit, overfit_looks, percent_per_iteration
from hedgehog.analysis.lab.profiles import meet
from hedgehog.analysis.lab.rows import Look, Row, RowSize
from hedgehog.poker.cards import parse_cards
from hedgehog.solver.postflop.prepared import prepare_tree
from tests.solver.postflop_fixtures import CASES, tree_of, weights_of


def row_of(*looks: tuple[int, float, float]) -> Row:
    """Returns a row from iterations, real and abstract epsilon."""
    size = RowSize(1, 1, 1, 4, None, 4)
    return Row("rank-river", size, (), tuple(Look(n, float(n), real, abstract) for n, real, abstract in looks))


def test_overfitting_is_judged_from_the_least_real_epsilon() -> None:
    found = judge_overfit(row_of((400, 12.0, 9.0), (800, 10.4, 5.0), (1200, 10.0, 3.0), (2000, 13.0, 1.0)))
    assert (found.floor, found.plateau) == (10.0, 800)
    assert found.overfit == pytest.approx(0.3)
    assert (found.last_abstract, found.last_real) == (1.0, 13.0)


def test_an_epsilon_that_falls_to_the_end_is_no_overfitting() -> None:
    found = judge_overfit(row_of((400, 12.0, 9.0), (2000, 6.0, 5.0)))
    assert (found.floor, found.plateau, found.overfit) == (6.0, 2000, 0.0)


@pytest.mark.parametrize("iterations", [1, 3, 400])
def test_overfitting_is_looked_at_up_to_its_last_iteration(iterations: int) -> None:
    looks = overfit_looks(iterations)
    assert (looks[0], looks[-1]) == (iterations, E1_TIMES * iterations)
    assert looks == sorted(set(looks))


@pytest.mark.parametrize(
    ("first", "last", "percent"),
    # Epsilon of an independent program after 10 and 400 iterations, and what it makes of them.
    [(6384, 215, 0.87), (5794, 391, 0.69), (7950, 202, 0.94), (5142, 25.2, 1.36), (3071, 6.9, 1.55)],
)
def test_percent_per_iteration(first: float, last: float, percent: float) -> None:
    assert percent_per_iteration(row_of((10, first, first), (400, last, last)).looks) == pytest.approx(
        percent, abs=0.03
    )


def test_profiles_keep_what_they_guarantee() -> None:
    case = CASES["river, merged"]
    spot = prepare_tree(
        tree_of(case.board, case.sizes, case.pot, case.stack),
        parse_cards(case.board),
        (weights_of(case.oop), weights_of(case.ip)),
        merge_cards=False,
    )
    notes: list[str] = []
    found = meet(
        spot,
        ("cgh:c=0.175", "cfr:average=new", "dcfr"),
        30,
        deals=20_000,
        shown_deals=300,
        seed=1,
        threads=1,
        tick=notes.append,
    )
    guarantees = {profile.name: profile.guarantee for profile in found.profiles}
    for profile in found.profiles:
        assert sum(profile.guarantee) < 0
    assert len(found.meetings) == 6
    for meeting in found.meetings:
        seat = ("oop", "ip").index(meeting.seat)
        assert meeting.guarantee == guarantees[meeting.first][seat]
        assert meeting.ceiling == -guarantees[meeting.second][1 - seat]
        assert meeting.guarantee - 1e-3 <= meeting.ev <= meeting.ceiling + 1e-3
        assert meeting.holds
    # The same cards for the same seed; another profile in a seat wins something else.
    assert len({meeting.ev for meeting in found.meetings}) == 6
    assert [deals for deals, _ in next(iter(found.winnings.values()))] == [20 * part for part in range(1, 16)]
    assert len(notes) == 3 + 6
