"""Charts rated in the tournament: against the published figures of always going all-in, and against the equilibrium."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.gametheory.tournaments.chart_rating import ChartRating, JamChart, rate_chart
from hedgehog.gametheory.tournaments.freeze_out import exact_freeze_out
from hedgehog.gametheory.tournaments.jam_fold import Bound, Stage, Structure, Tournament, solve_bound, solve_tournament
from hedgehog.gametheory.tournaments.jam_stages import HandTables
from hedgehog.poker.evaluation.equity import class_outcomes
from hedgehog.poker.evaluation.matchups import MATCHUP_BOARDS
from hedgehog.poker.hand_classes import HAND_CLASS_NAMES
from hedgehog.runtime.errors import GameError

SHAPE = Structure(1500, 100, 200, 100)


@pytest.fixture(scope="module")
def tables() -> HandTables:
    """A few classes of hold'em, dealt alone."""
    counts = class_outcomes()
    some = [HAND_CLASS_NAMES.index(name) for name in ("AA", "A5s", "KTo", "98s", "72o")]
    pairs = counts.pairs[np.ix_(some, some)].astype(float)
    win = counts.wins[np.ix_(some, some)] / (MATCHUP_BOARDS * pairs)
    return HandTables(tuple(HAND_CLASS_NAMES[i] for i in some), pairs / pairs.sum(), win)


@pytest.fixture(scope="module")
def solved(tables: HandTables) -> tuple[Tournament, Bound, np.ndarray]:
    bound = solve_bound(tables, SHAPE)
    values = np.array([[seat[stack].value for stack in SHAPE.stacks] for seat in (bound.small, bound.big)])
    return solve_tournament(tables, SHAPE), bound, values


def rows(tables: HandTables, stages: dict[int, Stage], *, reply: bool = False) -> np.ndarray:
    found = [stages[SHAPE.total - s].reply if reply else stages[s].jam for s in SHAPE.stacks]
    return np.array([np.zeros(len(tables.weights)) if one is None else one for one in found])


def losses(rating: ChartRating) -> float:
    return float(np.mean(rating.equilibrium) - np.mean(rating.wins))


def test_always_all_in_wins_what_the_exact_freeze_out_leaves(tables: HandTables, solved: tuple) -> None:
    tournament, _, values = solved
    ones = np.ones((len(SHAPE.stacks), len(tables.weights)))
    for stack in (500, 700, 1200):
        rating = rate_chart(tables, tournament, values, JamChart(ones, ones, ones), stack)
        hero = exact_freeze_out(tables, tournament, "allin", SHAPE.total - stack)
        assert rating.wins == pytest.approx((1 - hero.wins[1], 1 - hero.wins[0]), abs=1e-12)
        assert sum(row.loss for row in rating.hands) == pytest.approx(losses(rating), abs=1e-12)
        assert rating.hands[0].hand == tables.names.index("72o")
        assert rating.hands[0].taken == 1
        assert rating.hands[0].best < 0.5


def test_the_equilibrium_loses_nothing(tables: HandTables, solved: tuple) -> None:
    tournament, _, values = solved
    jam, call = rows(tables, tournament.stages), rows(tables, tournament.stages, reply=True)
    rating = rate_chart(tables, tournament, values, JamChart(jam, call, call), 800)
    assert rating.wins == pytest.approx(rating.equilibrium, abs=1e-12)
    assert rating.best_jam_fold == pytest.approx(rating.equilibrium, abs=1e-9)
    assert sum(row.loss for row in rating.hands) < 1e-9


def test_the_bound_guarantees_its_values(tables: HandTables, solved: tuple) -> None:
    tournament, bound, values = solved
    over = rows(tables, bound.big)
    chart = JamChart(rows(tables, bound.small), over, over)
    for stack in (700, 900):
        rating = rate_chart(tables, tournament, values, chart, stack)
        assert rating.guaranteed == pytest.approx((bound.small[stack].value, bound.big[stack].value), abs=1e-9)
        assert rating.perfect[0] - rating.guaranteed[0] == pytest.approx(bound.loss(stack), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_random_chart(tables: HandTables, solved: tuple, seed: int) -> None:
    tournament, _, values = solved
    shape = (3, len(SHAPE.stacks), len(tables.weights))
    rating = rate_chart(tables, tournament, values, JamChart(*np.random.default_rng(seed).random(shape)), 800)
    assert sum(row.loss for row in rating.hands) == pytest.approx(losses(rating), abs=1e-12)
    for some, more in zip(
        (rating.guaranteed, rating.best_jam_fold, rating.wins),
        (rating.best_jam_fold, rating.wins, rating.equilibrium),
        strict=True,
    ):
        assert (np.array(some) <= np.array(more) + 1e-12).all()


def test_no_other_reply_leaves_less(tables: HandTables, solved: tuple) -> None:
    """Random opponents, played out by their own equations, win less than the best response found."""
    tournament, _, values = solved
    ones = np.ones((len(SHAPE.stacks), len(tables.weights)))
    chart = JamChart(ones * np.array([1, 1, 0.5, 0.2, 0]), ones * np.array([1, 0.5, 0.5, 0, 0]), ones)
    best = rate_chart(tables, tournament, values, chart, 800).best_jam_fold
    generator = np.random.default_rng(3)
    for _ in range(20):
        stages = {
            s: Stage(
                0.5,
                None if one.jam is None else generator.integers(0, 2, 5).astype(float),
                None if one.reply is None else generator.integers(0, 2, 5).astype(float),
                {},
            )
            for s, one in tournament.stages.items()
        }
        wins = rate_chart(tables, Tournament(SHAPE, stages, 0), values, chart, 800).wins
        assert (np.array(wins) >= np.array(best) - 1e-12).all()


def test_a_chart_of_another_shape_is_refused(tables: HandTables, solved: tuple) -> None:
    tournament, _, values = solved
    wrong = np.ones((2, 5))
    with pytest.raises(GameError, match="expected probabilities of shape"):
        rate_chart(tables, tournament, values, JamChart(wrong, wrong, wrong), 800)
