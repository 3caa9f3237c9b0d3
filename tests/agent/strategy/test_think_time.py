"""All solves of one decision share its time; questions about unplayed hands give each decision the full time."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.agent.strategy.hand_view import HandView, view_of
from hedgehog.agent.strategy.live import PostflopLiveSolver
from hedgehog.agent.strategy.live_strategy import LIVE, LiveStrategy
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.sources import ExactFlops
from hedgehog.agent.strategy.think_time import DecisionTime, SolveTime, TimePerDecision
from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.streets import TURN
from hedgehog.solver.cfr.solver import CfrSolver
from tests.agent.live_fixtures import RIVER_BOARD, TURN_BOARD, RandomStreet
from tests.agent.pack_fixtures import GAME, random_source

RIVER = "r250c/cc/cr777c/"
"""The big blind is to act on the river after an odd bet on the turn; both of its turn decisions need a solve."""


class Recorder:
    """Notes the time of every solve."""

    def __init__(self) -> None:
        self.solves: list[tuple[str, SolveTime]] = []

    def root(self, view: HandView) -> HandView:
        return view.after_own_action()

    def covers(self, view: HandView) -> bool:
        return view.situation.street >= TURN

    def has_time(self, view: HandView, plan_ms: float) -> bool:
        return True

    def solve(self, view: HandView, ranges: NDArray[np.float64], allowed: SolveTime, promise: Any = None) -> Any:
        self.solves.append((view.betting, allowed))
        return RandomStreet(view.events_on(view.situation.street))


def make(solver: Any, think_ms: float = 1000) -> LiveStrategy:
    source = random_source()
    return LiveStrategy(PackStrategy(source, ExactFlops(GAME, source.tree, [])), [solver], think_ms)


def test_a_river_whose_turn_was_never_solved_shares_the_time_of_one_decision() -> None:
    recorder = Recorder()
    layer, _ = make(recorder).options(view_of(RIVER, RIVER_BOARD, GAME), DecisionTime(1000, 77.0))
    assert layer == LIVE
    solved = [betting for betting, _ in recorder.solves]
    assert solved == ["r250c/cc/", "r250c/cc/cr777", RIVER]
    plans = [allowed.plan_ms for _, allowed in recorder.solves]
    assert sum(plans) == pytest.approx(1000)
    assert plans[-1] > max(plans[:-1])
    assert {allowed.deadline for _, allowed in recorder.solves} == {77.0}


def test_a_street_solved_before_leaves_all_the_time() -> None:
    recorder = Recorder()
    live = make(recorder)
    live.options(view_of("r250c/cc/", TURN_BOARD, GAME), DecisionTime(1000, 5.0))
    live.options(view_of("r250c/cc/cr777", TURN_BOARD, GAME), DecisionTime(700, 6.0))
    live.options(view_of("r250c/cc/cr777c/", RIVER_BOARD, GAME), DecisionTime(300, 9.0))
    assert [allowed for _, allowed in recorder.solves] == [(1000, 5.0), (700, 6.0), (300, 9.0)]


def test_a_question_gives_every_decision_of_the_hand_the_full_time() -> None:
    recorder = Recorder()
    make(recorder).options(view_of(RIVER, RIVER_BOARD, GAME))
    assert [allowed for _, allowed in recorder.solves] == [SolveTime(1000, math.inf)] * 3
    time = TimePerDecision(50)
    assert time.take(last=False) == time.take(last=True) == SolveTime(50)


def test_without_time_nothing_is_solved_and_what_was_solved_is_used() -> None:
    recorder = Recorder()
    live = make(recorder)
    layer, _ = live.options(view_of("r250c/cc/", TURN_BOARD, GAME), DecisionTime(0, 0.0))
    assert layer != LIVE
    assert not recorder.solves
    live = make(recorder)
    live.options(view_of("r250c/cc/", TURN_BOARD, GAME), DecisionTime(500, 1.0))
    layer, _ = live.options(view_of("r250c/cc/", TURN_BOARD, GAME), DecisionTime(0, 0.0))
    assert layer == LIVE


def test_an_earlier_street_that_cannot_be_solved_takes_no_time_away() -> None:
    class OnlyRivers(Recorder):
        def has_time(self, view: HandView, plan_ms: float) -> bool:
            return view.situation.street > TURN

    recorder = OnlyRivers()
    make(recorder).options(view_of(RIVER, RIVER_BOARD, GAME), DecisionTime(1000, 77.0))
    assert recorder.solves == [(RIVER, SolveTime(1000, 77.0))]


def test_a_slow_machine_gives_up_what_it_cannot_finish(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 40 ms per iteration, the fewest iterations of a turn would take almost twice the time allowed."""
    now = slow_clock(40.0, monkeypatch)
    view = view_of("r250c/cc/", TURN_BOARD, GAME)
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(TURN_BOARD)
    assert PostflopLiveSolver(1).solve(view, ranges, SolveTime(300, 100.0 + 0.27)) is None
    assert now[0] < 100.0 + 0.5 * 0.27
    # Where any number of iterations is of use, all the time is used.
    now[0] = 100.0
    found = PostflopLiveSolver(1, least_iterations={TURN: 0}).solve(view, ranges, SolveTime(300, 100.0 + 0.27))
    assert found is not None
    assert now[0] > 100.0 + 0.8 * 0.27


def slow_clock(ms_per_iteration: float, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Replaces the clock of solves by one on which only iterations take time; returns its time."""
    now = [100.0]
    real_step = CfrSolver.step

    def step(solver: CfrSolver, iterations: int) -> Any:
        now[0] += iterations * ms_per_iteration / 1000
        return real_step(solver, 1)

    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr(CfrSolver, "step", step)
    monkeypatch.setattr("hedgehog.solver.postflop.solver.time", clock)
    monkeypatch.setattr("hedgehog.agent.strategy.live.time", clock)
    return now


@pytest.mark.parametrize("ms_per_iteration", [5.0, 40.0])
@pytest.mark.parametrize("board", [TURN_BOARD, RIVER_BOARD])
def test_a_slow_machine_stops_at_the_deadline(
    board: tuple[int, ...], ms_per_iteration: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock is ours: each iteration takes far longer than planned."""
    now = slow_clock(ms_per_iteration, monkeypatch)
    view = view_of("r250c/cc/" + "cc/" * (len(board) - 4), board, GAME)
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(board)
    PostflopLiveSolver(1).solve(view, ranges, SolveTime(300, 100.0 + 0.27))
    assert 100.0 + ms_per_iteration / 1000 <= now[0]
    assert now[0] <= 100.0 + 0.27 + ms_per_iteration / 1000
