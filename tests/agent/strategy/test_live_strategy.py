"""Whole hands through packs and live solutions: ranges by Bayes' rule, and one answer however it is asked for."""

from __future__ import annotations

import random
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.agent.strategy.hand_view import Event, HandView, view_of
from hedgehog.agent.strategy.live_strategy import (
    LIVE,
    OPPONENT_FLOOR,
    OPPONENT_TREMBLE,
    OWN_FLOOR,
    LiveStrategy,
    Promise,
    range_after,
)
from hedgehog.agent.strategy.pack_strategy import BLUEPRINT, PackStrategy
from hedgehog.agent.strategy.shadow import Situation
from hedgehog.agent.strategy.sources import ExactFlops
from hedgehog.agent.strategy.think_time import SolveTime
from hedgehog.poker.cards import NUM_COMBOS, combo_mask, parse_cards
from hedgehog.poker.state import CALL, Action, HandState
from hedgehog.poker.streets import FLOP, TURN
from hedgehog.runtime.errors import MatchStateError, SpotError
from hedgehog.strategies.quantize import SCALE
from tests.agent.live_fixtures import RIVER_BOARD, TURN_BOARD, RandomStreet
from tests.agent.pack_fixtures import GAME, random_source

THINK_MS = 400.0
QJ2 = tuple(parse_cards("QhJh2c"))


class CountingSolver:
    """Notes what it is asked to solve on turn and river; flops are left to the packs."""

    def __init__(self) -> None:
        self.solved: list[tuple[str, NDArray[np.float64]]] = []

    def root(self, view: HandView) -> HandView:
        return view.after_own_action()

    def covers(self, view: HandView) -> bool:
        return view.situation.street >= TURN

    def has_time(self, view: HandView, plan_ms: float) -> bool:
        return True

    def solve(self, view: HandView, ranges: NDArray[np.float64], allowed: SolveTime, promise: Any = None) -> Any:
        if view.situation.street == FLOP:
            return None
        assert ranges.shape == (2, NUM_COMBOS)
        assert not ranges[:, ~combo_mask(view.board)].any()
        self.solved.append((view.betting, ranges))
        return RandomStreet(view.events_on(view.situation.street))


class FailingSolver:
    def root(self, view: HandView) -> HandView:
        return view.after_own_action()

    def covers(self, view: HandView) -> bool:
        return view.situation.street >= TURN

    def has_time(self, view: HandView, plan_ms: float) -> bool:
        return True

    def solve(self, view: HandView, ranges: NDArray[np.float64], allowed: SolveTime, promise: Any = None) -> Any:
        raise SpotError("no")


def make(solver: Any) -> LiveStrategy:
    source = random_source()
    return LiveStrategy(PackStrategy(source, ExactFlops(GAME, source.tree, [])), [solver], THINK_MS)


def bayes(row: NDArray[np.float64], floor: float, prior: NDArray[np.float64]) -> NDArray[np.float64]:
    tremble = OPPONENT_TREMBLE if floor == OPPONENT_FLOOR else 0
    after = prior * (row + tremble + floor * (prior @ row) / prior.sum())
    return np.asarray(after / after.max())


def test_ranges_follow_bayes_with_a_floor_for_each_player() -> None:
    live = make(CountingSolver())
    # Button raises on the tree, big blind calls.
    view = view_of("r250c/", QJ2, GAME)
    mask = combo_mask(QJ2)
    raised = random_source().rows(0, ())[2] / SCALE
    for position, floor in ((0, OPPONENT_FLOOR), (1, OWN_FLOOR)):
        found = live.ranges_now(view.street_start(), position)[1]
        strategy = (
            make(CountingSolver()).options(view_of("", (), GAME))[1].probabilities[2] if position == 1 else raised
        )
        np.testing.assert_allclose(found, bayes(strategy, floor, np.ones(NUM_COMBOS)) * mask, atol=1e-12)
        assert live.ranges_now(view.street_start(), position)[0][mask].std() > 0


def effective_hands(weights: NDArray[np.float64]) -> float:
    """Returns the exponential of the entropy of a range: 1 for one hand, n for n hands of equal weight."""
    shares = weights[weights > 0] / weights.sum()
    return float(np.exp(-(shares @ np.log(shares))))


def test_an_action_that_is_hardly_ever_taken_tells_next_to_nothing() -> None:
    """Such rows are the noise of early iterations: a few hands of 1e-4, and all others far below."""
    noise = np.random.default_rng(5).random(NUM_COMBOS) ** 200 * 1e-4
    before = np.ones(NUM_COMBOS)
    assert effective_hands(noise) < 30
    for scale in (1.0, 1e-3, 1e-6):
        assert effective_hands(range_after(before, scale * noise, own=False)) > 0.95 * NUM_COMBOS
    np.testing.assert_array_equal(range_after(before, np.zeros(NUM_COMBOS), own=False), before)
    # Where it is known who trembles, that is what an action that never happens tells.
    tremble = np.linspace(0, 0.001, NUM_COMBOS)
    found = range_after(before, np.zeros(NUM_COMBOS), own=False, tremble=tremble)
    np.testing.assert_allclose(found, before * tremble / (before * tremble).max())
    nobody = np.zeros(NUM_COMBOS)
    np.testing.assert_array_equal(range_after(before, nobody, own=False, tremble=nobody), before)


def test_an_action_that_is_often_taken_tells_as_much_as_it_says() -> None:
    row = np.where(np.arange(NUM_COMBOS) < 100, 0.9, 0.0)
    for own, share in ((False, 0.95), (True, 0.99)):
        after = range_after(np.ones(NUM_COMBOS), row, own=own)
        assert after[:100].sum() > share * after.sum()


def test_the_range_takes_an_odd_size_for_both_neighbours() -> None:
    live = make(CountingSolver())
    view = view_of("r600c/", QJ2, GAME)
    packs = PackStrategy(random_source(), ExactFlops(GAME, random_source().tree, []))
    row = packs.likelihood("", (), Action("r", 600))
    assert row is not None
    expected = bayes(row, OPPONENT_FLOOR, np.ones(NUM_COMBOS)) * combo_mask(QJ2)
    np.testing.assert_allclose(live.ranges_now(view.street_start(), 0)[1], expected, atol=1e-12)


def test_a_street_is_solved_once_and_again_for_a_bet_it_lacks() -> None:
    solver = CountingSolver()
    live = make(solver)
    for betting in ("r250c/cc/", "r250c/cc/cr777", "r250c/cc/"):
        layer, _ = live.options(view_of(betting, TURN_BOARD, GAME))
        assert layer == LIVE
    assert [betting for betting, _ in solver.solved] == ["r250c/cc/", "r250c/cc/cr777"]
    # The solution in force after the odd bet is the one with that bet; its rows make the range on the river.
    layer, _ = live.options(view_of("r250c/cc/cr777c/", RIVER_BOARD, GAME))
    assert layer == LIVE
    assert [betting for betting, _ in solver.solved][2:] == ["r250c/cc/cr777c/"]


def test_a_solve_starts_with_the_ranges_after_the_own_action() -> None:
    solver = CountingSolver()
    live = make(solver)
    # The big blind (position 0) checks, and bets as little as possible on the river; both are raised by odd sizes.
    live.options(view_of("r250c/cc/cr777", TURN_BOARD, GAME))
    start = live.ranges_now(view_of("r250c/cc/", TURN_BOARD, GAME), 0)
    checked = live.options(view_of("r250c/cc/", TURN_BOARD, GAME))[1].probabilities[0]
    (betting, ranges), (other, after) = solver.solved
    assert (betting, other) == ("r250c/cc/", "r250c/cc/cr777")
    np.testing.assert_array_equal(ranges, start)
    np.testing.assert_allclose(after[0], bayes(checked, OWN_FLOOR, start[0]), atol=1e-12)
    np.testing.assert_array_equal(after[1], start[1])


class Trembling(RandomStreet):
    """Some hands take any action by a tremble, and the others never do."""

    def tremble(self, events: list[Event]) -> NDArray[np.float64] | None:
        return np.where(np.arange(NUM_COMBOS) % 2, 0.25, 0.0)


class Promising(RandomStreet):
    """Promises the opponent's hands something on every river, and notes what it was asked."""

    asked: ClassVar[list[tuple[list[Action], int]]] = []

    def promise(self, events: list[Event], card: int) -> Promise | None:
        self.asked.append(([event.action for event in events], card))
        return Promise(np.full(NUM_COMBOS, float(card)), np.ones(NUM_COMBOS), np.ones(NUM_COMBOS))


class PromisedSolver(CountingSolver):
    def __init__(self) -> None:
        super().__init__()
        self.promised: dict[str, Promise | None] = {}

    def solve(
        self, view: HandView, ranges: NDArray[np.float64], allowed: SolveTime, promise: Promise | None = None
    ) -> Any:
        self.promised[view.betting] = promise
        return Promising(view.events_on(view.situation.street))


def test_a_river_is_solved_with_what_the_solve_of_the_turn_promises() -> None:
    """A solve from its start has the promise of the turn's last solve; one after an own action that of the river's."""
    solver = PromisedSolver()
    Promising.asked.clear()
    live = make(solver)
    live.options(view_of("r250c/cc/cc/", RIVER_BOARD, GAME))
    promise = solver.promised["r250c/cc/cc/"]
    assert promise is not None
    assert set(promise.values.tolist()) == {RIVER_BOARD[4]}
    assert Promising.asked == [([CALL, CALL], RIVER_BOARD[4])]
    # The big blind bets, and is raised by a size that its solution lacks.
    live.options(view_of("r250c/cc/cc/r500r1777", RIVER_BOARD, GAME))
    assert solver.promised["r250c/cc/cc/r500r1777"] is not None
    assert Promising.asked[1:] == [([Action("r", 500)], RIVER_BOARD[4])]
    assert solver.promised["r250c/cc/"] is None


class SeldomBetting(RandomStreet):
    def options(self, events: list[Event], situation: Situation) -> Options | None:
        found = super().options(events, situation)
        return found and found._replace(probabilities=np.repeat([[0.99], [0.01]], NUM_COMBOS, axis=1))


class SolverOfEveryStreet(CountingSolver):
    def covers(self, view: HandView) -> bool:
        return True

    def solve(self, view: HandView, ranges: NDArray[np.float64], allowed: SolveTime, promise: Any = None) -> Any:
        return SeldomBetting(view.events_on(view.situation.street))


@pytest.mark.parametrize(("board", "share"), [(QJ2, 0), (TURN_BOARD, 0.01), (RIVER_BOARD, 0.01)])
def test_what_a_hand_seldom_does_is_played_but_on_flops(board: tuple[int, ...], share: float) -> None:
    live = make(SolverOfEveryStreet())
    layer, found = live.options(view_of("r250c/" + "cc/" * (len(board) - 3), board, GAME))
    assert layer == LIVE
    np.testing.assert_allclose(found.probabilities[1], share * combo_mask(board))


class TremblingSolver(CountingSolver):
    def solve(self, view: HandView, ranges: NDArray[np.float64], allowed: SolveTime, promise: Any = None) -> Any:
        return Trembling(view.events_on(TURN))


def test_trembles_that_a_solution_knows_take_the_place_of_those_of_all_hands() -> None:
    live = make(TremblingSolver())
    # The button has checked to the river, and has bet before the turn.
    seen = view_of("r250c/cc/cc/", RIVER_BOARD, GAME)
    turn = view_of("r250c/cc/c", TURN_BOARD, GAME)
    start = live.ranges_now(turn, 0)[1]
    checked = Trembling([]).likelihood(seen.events[-2:])
    tremble = Trembling([]).tremble([])
    assert checked is not None
    assert tremble is not None
    wanted = start * (checked + tremble + OPPONENT_FLOOR * (start @ checked) / start.sum())
    found = live.ranges_now(seen, 0)[1]
    np.testing.assert_allclose(found, wanted / wanted.max() * combo_mask(RIVER_BOARD), atol=1e-9)


class SureOfThePast(RandomStreet):
    """Takes the actions before the root for certain."""

    def __init__(self, view: HandView, root: HandView) -> None:
        super().__init__(view.events_on(TURN))
        self._past = len(root.events_on(TURN))

    def likelihood(self, events: list[Event]) -> NDArray[np.float64] | None:
        return np.ones(NUM_COMBOS) if len(events) <= self._past else super().likelihood(events)


class SureOfThePastSolver(CountingSolver):
    def solve(self, view: HandView, ranges: NDArray[np.float64], allowed: SolveTime, promise: Any = None) -> Any:
        return SureOfThePast(view, self.root(view))


def test_the_opponents_bet_counts_as_in_the_solution_that_answered_it() -> None:
    """A later solution takes the bet for certain, so it tells nothing about his hands."""
    live = make(SureOfThePastSolver())
    # The big blind bets the least, the button raises, and the big blind makes an odd raise.
    seen = view_of("r250c/cc/r350r1000r3333", TURN_BOARD, GAME)
    start = live.ranges_now(seen.street_start(), 1)[0]
    bet = RandomStreet([]).likelihood(seen.events[-3:-2])
    packs = PackStrategy(random_source(), ExactFlops(GAME, random_source().tree, []))
    raised = packs.likelihood("r250c/cc/r350r1000", TURN_BOARD, Action("r", 3333))
    assert bet is not None
    assert raised is not None
    expected = bayes(raised, OPPONENT_FLOOR, bayes(bet, OPPONENT_FLOOR, start))
    np.testing.assert_allclose(live.ranges_now(seen, 1)[0], expected, atol=1e-9)


def test_many_bets_at_one_decision_share_the_ranges() -> None:
    solver = CountingSolver()
    live = make(solver)
    for size in range(400, 3000, 100):
        live.options(view_of(f"r250c/cc/cc/r{size}", RIVER_BOARD, GAME))
    turns = [betting for betting, _ in solver.solved if betting.count("/") == 2]
    assert turns == ["r250c/cc/c"]  # the button's decision on the turn, lived through once
    rivers = [ranges for betting, ranges in solver.solved if betting.count("/") == 3]
    assert len(rivers) == 26
    assert all(np.array_equal(ranges, rivers[0]) for ranges in rivers)


def test_the_answer_does_not_depend_on_what_was_asked_before() -> None:
    rng = random.Random(4)
    lasting = make(CountingSolver())
    streets = set()
    for _ in range(25):
        deck = tuple(rng.sample(range(52), 5))
        state = HandState(GAME)
        while not state.finished:
            board, betting = deck[: (0, 3, 4, 5)[state.round]], state.betting_string()
            layer, found = lasting.options(view_of(betting, board, GAME))
            other_layer, other = make(CountingSolver()).options(view_of(betting, board, GAME))
            assert (layer, found.actions) == (other_layer, other.actions)
            np.testing.assert_array_equal(found.probabilities, other.probabilities)
            np.testing.assert_allclose(found.probabilities.sum(axis=0), combo_mask(board), atol=1e-9)
            streets.add((layer, state.round))
            limits = state.raise_range()
            if limits is not None and rng.random() < 0.3:
                state.apply(Action("r", min(limits[1], round(limits[0] * rng.uniform(1, 2)))))
            else:
                state.apply(CALL)
    assert streets == {(BLUEPRINT, 0), (BLUEPRINT, 1), (LIVE, 2), (LIVE, 3)}


def test_blueprint_answers_when_there_is_no_live_solution() -> None:
    live = make(FailingSolver())
    layer, found = live.options(view_of("r250c/cc/", TURN_BOARD, GAME))
    assert layer == BLUEPRINT
    packs = PackStrategy(random_source(), ExactFlops(GAME, random_source().tree, []))
    np.testing.assert_array_equal(found.probabilities, packs.options("r250c/cc/", TURN_BOARD)[1].probabilities)


@pytest.mark.parametrize("betting", ["f", "r250c/r", "r99"])
def test_a_view_needs_a_decision(betting: str) -> None:
    with pytest.raises(MatchStateError):
        view_of(betting, (), GAME)
