"""The flop at the table: off-tree bets are in the tree with their true size, and the packs answer all others."""

from __future__ import annotations

import time

import numpy as np
import pytest

from hedgehog.agent.strategy.hand_view import HandView, view_of
from hedgehog.agent.strategy.live_flop import LEAST_BOARDS, FlopLiveSolver, SolvedFlop, planned_boards
from hedgehog.agent.strategy.live_strategy import LIVE, LiveStrategy
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.planning_speed import DEFAULT_SPEED
from hedgehog.agent.strategy.player_packs import open_player_packs
from hedgehog.agent.strategy.sources import BlueprintSource, ExactFlops
from hedgehog.agent.strategy.think_time import SolveTime
from hedgehog.poker.acpc.matchstate import parse_betting
from hedgehog.poker.cards import NUM_COMBOS, combo_mask, parse_cards
from hedgehog.poker.state import Action
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.strategies.pack import default_packs
from hedgehog.strategies.pack_games import find_game_packs
from tests.agent.pack_fixtures import GAME

FLOP = tuple(parse_cards("Qh7h2c"))
FULL = np.ones((2, NUM_COMBOS)) * combo_mask(FLOP)
LINE = "r250r850r2125c/"
"""A line with few decisions, which is refined fast."""
UNCOVERED = "r250r850r2125r5313c/"
"""A line that no flop pack holds."""


@pytest.fixture(scope="module")
def packs() -> PackStrategy:
    opened = open_player_packs(find_game_packs([default_packs()])[-1])
    abstraction = CardAbstraction.load_or_build(opened.blueprint.config["cards"])
    source = BlueprintSource(opened.gamedef, opened.blueprint, abstraction, opened.quick)
    return PackStrategy(source, ExactFlops(opened.gamedef, opened.blueprint.tree, []))


@pytest.fixture(scope="module")
def solver(packs: PackStrategy) -> FlopLiveSolver:
    source = packs.blueprint
    return FlopLiveSolver(packs, source._abstraction, everywhere=True, least_boards=8, speed=DEFAULT_SPEED)


def view(betting: str) -> HandView:
    return view_of(betting, FLOP, GAME)


def solve(solver: FlopLiveSolver, betting: str, plan_ms: float = 400) -> SolvedFlop | None:
    return solver.solve(view(betting), FULL, SolveTime(plan_ms))


@pytest.mark.parametrize(
    "betting",
    [
        "cr3333",  # between two sizes
        "r2300",  # smaller than all sizes
        "cr19900",  # a hundred chips short of all-in
        "cr3333r9000",  # a raise of an odd bet
        "cr3333r6000r13001",  # a raising war
        "cr3333r20000",  # all-in
    ],
)
@pytest.mark.quick_cases(every=2)
def test_options_after_an_odd_bet_are_legal_and_sum_to_one(solver: FlopLiveSolver, betting: str) -> None:
    found, seen = solve(solver, LINE + betting), view(LINE + betting)
    assert found is not None
    options = found.options(seen.events_on(1), seen.situation)
    assert options is not None
    state = parse_betting(LINE + betting, GAME)
    for action in options.actions:
        state.verify(action)
    assert len(set(options.actions)) == len(options.actions)
    np.testing.assert_allclose(options.probabilities[:, combo_mask(FLOP)].sum(axis=0), 1, atol=1e-5)
    assert np.all(options.probabilities[:, ~combo_mask(FLOP)] == 0)


def test_the_real_bet_is_in_the_tree_with_its_true_size(solver: FlopLiveSolver) -> None:
    found, seen = solve(solver, LINE + "cr3333"), view(LINE + "cr3333")
    assert found is not None
    row = found.likelihood(seen.events_on(1))
    assert row is not None
    assert 0 < row[combo_mask(FLOP)].mean() < 1
    check, bet = seen.events_on(1)
    other = [check, bet._replace(action=Action("r", 3334))]
    assert found.likelihood(other) is None
    assert np.array_equal(found.tree.committed[0], [2125, 2125])
    assert found.tree.committed.max() == 20000


def test_the_packs_answer_where_a_flop_pack_holds_the_flop(packs: PackStrategy) -> None:
    solver = FlopLiveSolver(packs, packs.blueprint._abstraction, least_boards=8)
    for betting in (LINE, LINE + "cr3333"):
        assert not solver.covers(view(betting))
    for betting in (UNCOVERED, UNCOVERED + "cr6666"):
        assert solver.covers(view(betting))
        assert solve(solver, betting) is not None


def test_the_packs_answer_if_there_is_too_little_time(solver: FlopLiveSolver) -> None:
    assert solve(solver, LINE + "cr3333", plan_ms=50) is None
    assert solver.solve(view(LINE + "cr3333"), FULL, SolveTime(500, time.monotonic() - 1)) is None


def test_the_number_of_runouts_follows_from_the_planned_time() -> None:
    boards = [planned_boards(560, plan_ms, DEFAULT_SPEED) for plan_ms in (10, 300, 1500)]
    assert boards == sorted(boards)
    assert boards[0] == 0 < boards[1] < LEAST_BOARDS < boards[2]
    assert planned_boards(560, 3000, DEFAULT_SPEED.times(2)) == boards[2]


def test_the_same_question_has_the_same_answer(solver: FlopLiveSolver) -> None:
    first, second = solve(solver, LINE + "cr3333"), solve(solver, LINE + "cr3333")
    assert first is not None
    assert second is not None
    assert all(np.array_equal(first.rows[node], second.rows[node]) for node in first.rows)


def test_a_larger_bet_makes_more_hands_fold(solver: FlopLiveSolver) -> None:
    folds = []
    for size in (2700, 12000):
        seen = view(f"{LINE}cr{size}")
        found = solve(solver, f"{LINE}cr{size}")
        assert found is not None
        options = found.options(seen.events_on(1), seen.situation)
        assert options is not None
        folds.append(options.probabilities[options.actions.index(Action("f"))][combo_mask(FLOP)].mean())
    assert folds[0] < folds[1]


def test_the_strategy_says_that_the_flop_was_solved_live(packs: PackStrategy, solver: FlopLiveSolver) -> None:
    strategy = LiveStrategy(packs, [solver], 400)
    explained = strategy.explain(view_of(LINE + "cr3333", FLOP, GAME))
    assert explained.layer == LIVE
    assert explained.iterations == planned_boards(208, 400, DEFAULT_SPEED)
    assert {one.event.situation.street for one in explained.translations} == {0}  # the flop bet is not translated


def test_a_pot_that_the_blueprint_lacks_keeps_its_chips(solver: FlopLiveSolver) -> None:
    betting = "r280r900r2200c/cr3333"
    found = solve(solver, betting)
    assert found is not None
    assert found.tree.pot(0) == 4400
    seen = view(betting)
    options = found.options(seen.events_on(1), seen.situation)
    assert options is not None
    state = parse_betting(betting, GAME)
    for action in options.actions:
        state.verify(action)
