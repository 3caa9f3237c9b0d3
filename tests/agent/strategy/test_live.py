"""Live re-solving: real bet sizes are in the tree, real actions come out, and the time allowed is kept."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.agent.pack_player import REHEARSAL_BOARD
from hedgehog.agent.strategy.hand_view import HandView, view_of
from hedgehog.agent.strategy.live import (
    ALGORITHM,
    MAX_ITERATIONS,
    MENUS,
    PROMISED,
    SINGLE_HANDS,
    START_ITERATION,
    START_WEIGHT,
    Menu,
    PostflopLiveSolver,
    PreparedStreet,
    menu_tree,
)
from hedgehog.agent.strategy.live_strategy import OPPONENT_TREMBLE, Promise
from hedgehog.agent.strategy.pack_prior import pack_prior
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.planning_speed import DEFAULT_SPEED
from hedgehog.agent.strategy.resolving import Resolving
from hedgehog.agent.strategy.solved_street import SolvedStreet
from hedgehog.agent.strategy.sources import ExactFlops
from hedgehog.agent.strategy.think_time import SolveTime
from hedgehog.poker.acpc.gamedef import find_gamedef, read_gamedef
from hedgehog.poker.acpc.matchstate import parse_matchstate
from hedgehog.poker.betsizes import parse_bet_sizes
from hedgehog.poker.cards import NUM_COMBOS, combo_index, combo_mask, parse_cards
from hedgehog.poker.state import Action, HandState
from hedgehog.poker.streets import RIVER, TURN
from hedgehog.runtime.errors import MemoryShortageError
from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.rank_river_solver import RankRiverSolver
from hedgehog.solver.cfr.trembles import Tremble
from hedgehog.solver.postflop.prepared import PreparedSpot, prepare_tree
from hedgehog.solver.postflop.queries import action_evs, view_node
from hedgehog.solver.postflop.responses.decisions import street_action_evs
from hedgehog.solver.postflop.solution import met_weight
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree, node_for_line
from hedgehog.strategies.betting_tree import ActionKind
from tests.agent.pack_fixtures import GAME as PACK_GAME
from tests.agent.pack_fixtures import random_source

ANY = {TURN: 0, RIVER: 0}
GAME = read_gamedef(find_gamedef("holdem.nolimit.2p.reverse_blinds"))


def view(text: str) -> HandView:
    matchstate = parse_matchstate(text, GAME)
    return view_of(matchstate.state.betting_string(), matchstate.board, GAME)


def solved(seen: HandView, think_ms: int = 100) -> SolvedStreet:
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(seen.board)
    found = PostflopLiveSolver(1, least_iterations=ANY).solve(seen, ranges, SolveTime(think_ms))
    assert found is not None
    return found


def options(solution: SolvedStreet, seen: HandView) -> Options | None:
    return solution.options(seen.events_on(seen.situation.street), seen.situation)


@pytest.mark.parametrize(
    "text",
    [
        "MATCHSTATE:0:0:r250c/cc/cr600c/r1437r3333:7c7d|/QhJh2c/5s/9d",
        "MATCHSTATE:1:0:r250c/cc/r600:|7c7d/QhJh2c/5s",
    ],
)
@pytest.mark.slow_cases("MATCHSTATE:1:0:r250c/cc/r600:|7c7d/QhJh2c/5s")
def test_a_street_is_solved_on_groups_of_hands(text: str) -> None:
    seen = view(text)
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(seen.board)
    solver = PostflopLiveSolver(1, least_iterations=ANY, abstraction="rank-river")
    found = solver.solve(seen, ranges, SolveTime(3000))
    assert found is not None
    groups = SpotValues(solver.prepare(seen, ranges, 3000).spot).group("rank-river").players
    for node, strategy in found.strategies.items():
        numbers, combos = groups[found.tree.player[node]][0].number_of[0], np.flatnonzero(combo_mask(seen.board))
        for group in range(numbers.max() + 1):
            assert np.ptp(strategy[:, combos[numbers == group]], axis=1).max() == 0


def test_opponents_tremble_in_a_solve_that_is_asked_to() -> None:
    seen = view("MATCHSTATE:0:0:r250c/cc/cr600c/:7c7d|/QhJh2c/5s/9d")
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(seen.board)
    plain, trembling = (PostflopLiveSolver(1, least_iterations=ANY, tremble=share) for share in (0.0, 0.01))
    street = plain.prepare(seen, ranges, 1000)
    solver = trembling.start(street)
    assert solver.spot.tremble == Tremble(0.01, 0.05 * street.spot.tree.pot(0))
    other = plain.start(street)
    assert other.spot.tremble is None
    assert trembling.iterations(street, 50) < plain.iterations(street, 50)
    strategies = []
    for each in (solver, other):
        each.run(20)
        strategies.append(each.node_strategy(0))
    assert np.abs(strategies[0] - strategies[1]).max() > 1e-4


def test_the_opponent_of_a_turn_trembles_and_cheap_bets_come_first() -> None:
    """After a bet that nobody makes, its range is made of the hands that lose least by it."""
    seen = view("MATCHSTATE:1:0:r250c/cc/r500:|7c7d/QhJh2c/5s")
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(seen.board)
    solver = PostflopLiveSolver(1, least_iterations=ANY)
    assert solver.start(solver.prepare(seen, ranges, 100)).spot.tremble == Tremble(OPPONENT_TREMBLE, 25.0)
    found = solver.solve(seen, ranges, SolveTime(100))
    assert found is not None
    assert {int(found.tree.player[node]) for node in found.trembles} == {0}
    live = combo_mask(seen.board)
    for chances in found.trembles.values():
        np.testing.assert_allclose(chances.sum(axis=0)[live], OPPONENT_TREMBLE, rtol=1e-5)
    row = found.tremble(seen.events_on(2))
    assert row is not None
    assert row[live].std() > 0
    assert row.max() <= OPPONENT_TREMBLE
    # Its own strategy is known: the answer to the bet has no trembles.
    state = state_of("MATCHSTATE:1:0:r250c/cc/r500c/:|7c7d/QhJh2c/5s/9d")
    later = view_of(state.betting_string(), (*seen.board, *parse_cards("9d")), GAME)
    assert found.tremble(later.events_on(2)) is None


def test_a_turn_with_time_to_spare_is_solved_again_with_single_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = view("MATCHSTATE:0:0:r250r850r2125r5313c/r8820c/:7c7d|/QhJh2c/5s")
    ranges = np.zeros((2, NUM_COMBOS))
    for position, text in enumerate(("AcAd AhKh KcKd JsTs 7h6h 7c6c", "AsAh QsQd KhTh AdKd 9h8h 9c8c")):
        ranges[position, [combo_index(*parse_cards(combo)) for combo in text.split()]] = 1, 0.9, 0.7, 0.5, 0.2, 0.8
    found, with_groups = {}, {}
    for speed in (10, 20):
        solver = PostflopLiveSolver(1, least_iterations=ANY, speed=DEFAULT_SPEED.times(speed))
        street = solver.prepare(seen, ranges, 2000)
        groups = solver.start(street)
        groups.run(solver.iterations(street, 2000))
        solution = solver.solve(seen, ranges, SolveTime(2000))
        assert solution is not None
        found[speed], with_groups[speed] = solution, groups
    hurried = found[20]
    assert hurried.iterations == with_groups[20].iterations < MAX_ITERATIONS
    for node, strategy in hurried.strategies.items():
        np.testing.assert_array_equal(strategy, with_groups[20].node_strategy(node))

    again = found[10]
    assert SINGLE_HANDS <= again.iterations < with_groups[10].iterations == MAX_ITERATIONS
    weights = list(ranges.astype(np.float32))
    single = prepare_tree(again.tree, seen.board, weights, isomorphism=False, merge_cards=False)
    expected = PostflopSolver(replace(single, tremble=with_groups[10].spot.tremble), threads=1, algorithm=ALGORITHM)
    expected.run(again.iterations)
    for node, strategy in again.strategies.items():
        np.testing.assert_allclose(strategy, expected.node_strategy(node), atol=1e-5)
    difference = [np.abs(strategy - with_groups[10].node_strategy(node)) for node, strategy in again.strategies.items()]
    assert max(each.max() for each in difference) > 0.02
    # What hands win on rivers still comes from the solve with groups, and where memory is short everything does.
    assert isinstance(with_groups[10], RankRiverSolver)
    assert again.river_values is not None
    np.testing.assert_array_equal(again.river_values.values, with_groups[10].river_values(1).values)

    class TooLarge(PostflopSolver):
        def __init__(self, *_: object, **__: object) -> None:
            raise MemoryShortageError(2e9, 1e9)

    monkeypatch.setattr("hedgehog.agent.strategy.live.PostflopSolver", TooLarge)
    solver = PostflopLiveSolver(1, least_iterations=ANY, speed=DEFAULT_SPEED.times(10))
    solution = solver.solve(seen, ranges, SolveTime(2000))
    assert solution is not None
    for node, strategy in solution.strategies.items():
        np.testing.assert_array_equal(strategy, with_groups[10].node_strategy(node))


def test_a_further_thread_is_not_worth_as_much_as_the_first_on_turns_above_groups() -> None:
    seen = view("MATCHSTATE:1:0:r250c/cc/r500:|7c7d/QhJh2c/5s")
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(seen.board)
    menus = {TURN: MENUS[TURN][4:5], RIVER: MENUS[RIVER]}
    counts = []
    for threads in (1, 2):
        solver = PostflopLiveSolver(threads, menus=menus, speed=DEFAULT_SPEED)
        counts.append(solver.iterations(solver.prepare(seen, ranges, 1000), 1000))
    assert 1.2 * counts[0] < counts[1] < 1.6 * counts[0]


def test_a_rehearsal_runs_all_threads_on_a_turn_that_can_make_a_flush(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small spots take one thread and boards without flushes no equities: their kernels alone would be loaded."""
    ran, run = [], PostflopSolver.run

    def noted(solver: PostflopSolver, iterations: int) -> int:
        flushes = isinstance(solver, RankRiverSolver) and solver.rivers.makes_flushes
        ran.append((type(solver), solver._cfr._threads, flushes))
        return run(solver, iterations)

    monkeypatch.setattr(PostflopSolver, "run", noted)
    PostflopLiveSolver(2).warm_up(REHEARSAL_BOARD[:4])
    assert ran == [(RankRiverSolver, 2, True), (PostflopSolver, 2, False)]


def state_of(text: str) -> HandState:
    return parse_matchstate(text, GAME).state


@pytest.mark.parametrize(
    "text",
    [
        "MATCHSTATE:0:0:r250c/cc/cr600c/:7c7d|/QhJh2c/5s/9d",
        "MATCHSTATE:1:0:r250c/cc/cr600c/r1437:|7c7d/QhJh2c/5s/9d",  # an odd bet
        "MATCHSTATE:0:0:r250c/cc/cr600c/r1437r3333:7c7d|/QhJh2c/5s/9d",  # an odd raise of our own bet
        "MATCHSTATE:1:0:r250c/cc/cr600c/r700r800r900r1000r1100r1200r1300:|7c7d/QhJh2c/5s/9d",  # a raising war
        "MATCHSTATE:1:0:r250c/cc/cr600c/r20000:|7c7d/QhJh2c/5s/9d",  # all-in
        "MATCHSTATE:1:0:r250c/cc/cr600c/r19999:|7c7d/QhJh2c/5s/9d",  # one chip short of all-in
        "MATCHSTATE:1:0:r250c/cc/r350:|7c7d/QhJh2c/5s",  # the smallest turn bet
        "MATCHSTATE:0:0:r19900c/cc/:7c7d|/QhJh2c/5s",  # a hundred chips behind
    ],
)
def test_options_are_legal_and_sum_to_one(text: str) -> None:

    seen, state = view(text), state_of(text)
    solution = solved(seen)
    found = options(solution, seen)
    assert found is not None
    for action in found.actions:
        state.verify(action)
    live = combo_mask(seen.board)
    np.testing.assert_allclose(found.probabilities[:, live].sum(axis=0), 1, atol=1e-4)


def test_many_bets_from_one_root_are_solved_as_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the third question on, menus that are too costly without the bet are left out; the answers stay the same."""
    run = PostflopSolver.run
    monkeypatch.setattr(PostflopSolver, "run", lambda solver, iterations, deadline, least: run(solver, iterations))
    ranges = np.ones((2, NUM_COMBOS))
    asked = [
        view(f"MATCHSTATE:1:0:r250c/cc/cr600c/r{total}:|7c7d/QhJh2c/5s/9d") for total in (700, 933, 1400, 2100, 9000)
    ]
    together = PostflopLiveSolver(1, least_iterations={2: 0, 3: 0})
    menus = []
    for seen in asked:
        found = together.solve(seen, ranges * combo_mask(seen.board), SolveTime(5))
        alone = PostflopLiveSolver(1, least_iterations={2: 0, 3: 0})
        expected = alone.solve(seen, ranges * combo_mask(seen.board), SolveTime(5))
        assert found is not None
        assert expected is not None
        assert found.tree.num_nodes == expected.tree.num_nodes
        menus.append(together._first_menu)
        assert found.iterations == expected.iterations
        found_options, expected_options = options(found, seen), options(expected, seen)
        assert found_options is not None
        assert expected_options is not None
        assert found_options.actions == expected_options.actions
        np.testing.assert_array_equal(found_options.probabilities, expected_options.probabilities)
    assert menus[:2] == [0, 0]
    assert menus[2] == menus[-1] > 0


@pytest.mark.parametrize("street", [TURN, RIVER])
def test_a_raise_is_answered_by_the_range_that_has_bet(street: int) -> None:
    """The player bet the nuts alone; from the start of the street he would have bet other hands as well."""
    line = "r250c/cc/" + "cc/" * (street - TURN)
    seen = view(f"MATCHSTATE:0:0:{line}r600r3333:7c7d|/QhJh2c/5s" + "/9d" * (street - TURN))
    solver = PostflopLiveSolver(1, least_iterations=ANY)
    assert solver.root(seen).betting == line + "r600"
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(seen.board)
    ranges[0] = 0
    ranges[0, combo_index(*parse_cards("QdQs"))] = 1
    found = solver.solve(seen, ranges, SolveTime(100))
    assert found is not None
    first = next(iter(found.tree.children(0)))
    assert (found.tree.num_children[0], found.tree.amount[first]) == (1, 350)
    np.testing.assert_array_equal(found.strategies[0][0][ranges[0] > 0], 1)
    # Nobody pays the nuts: against them alone the opponent learns not to raise.
    raised = found.likelihood(seen.events_on(street))
    assert raised is not None
    assert raised[ranges[1] > 0].mean() < 0.05
    assert found.options(seen.events_on(street)[:-1], seen.events[-1].situation) is not None


def test_the_likelihood_of_a_real_bet_comes_from_the_tree() -> None:
    seen = view("MATCHSTATE:1:0:r250c/cc/cr600c/r1437:|7c7d/QhJh2c/5s/9d")
    solution = solved(seen, 300)
    events = list(seen.events[-1:])
    row = solution.likelihood(events)
    assert row is not None
    assert row.shape == (NUM_COMBOS,)
    assert np.all((row >= 0) & (row <= 1 + 1e-6))
    checked = [events[0]._replace(action=Action("c"))]
    other = solution.likelihood(checked)
    assert other is not None
    assert np.all(row + other <= 1 + 1e-5)
    # A bet the tree was not told about is not in it.
    assert solution.likelihood([events[0]._replace(action=Action("r", 1438))]) is None


def test_sizes_lifted_to_the_smallest_bet_count_together_for_both_players() -> None:
    """In a pot of 200 a quarter or a third is no legal bet: whoever wants it bets 100, the big blind."""
    seen = view("MATCHSTATE:1:0:cc/cc/cc/r200:|7c7d/QhJh2c/5s/9d")
    solution, (event,) = solved(seen, 300), seen.events_on(RIVER)
    tree = solution.tree
    lifted = [
        number
        for number, child in enumerate(tree.children(0))
        if tree.action[child] >= ActionKind.BET and tree.amount[child] <= 100
    ]
    assert len(lifted) > 1
    found, offered = solution.likelihood([event]), solution.options([], event.situation)
    assert found is not None
    assert offered is not None
    np.testing.assert_array_equal(found, offered.row(event.action))
    np.testing.assert_allclose(found, solution.strategies[0][lifted].astype(np.float64).sum(axis=0))
    assert (solution.strategies[0][lifted].sum(axis=1) > 0).all()


def test_an_all_in_of_the_larger_stack_is_one_of_the_smaller_stack() -> None:
    game = replace(GAME, stacks=(20_000, 5_000))
    text = "MATCHSTATE:1:0:r250c/cc/cc/r20000:|7c7d/QhJh2c/5s/9d"
    matchstate = parse_matchstate(text, game)
    seen = view_of(matchstate.state.betting_string(), matchstate.board, game)
    solution, (event,) = solved(seen, 300), seen.events_on(RIVER)
    found, offered = solution.likelihood([event]), solution.options([], event.situation)
    assert found is not None
    assert offered is not None
    np.testing.assert_array_equal(found, offered.row(Action("r", 5_000)))


def gain_of(hands: NDArray[np.bool_], spot: PreparedSpot, promise: Promise, share: float) -> float:
    """Returns what hands of the second player win beyond a promise by a best response, if it has this share."""
    solver = PostflopSolver(spot, threads=1, algorithm=ALGORITHM)
    if share:
        solver.promise(1, promise.values, share * promise.entering)
    solver.run(300)
    best = np.zeros(NUM_COMBOS)
    best[spot.combos[1]] = solver.line_values(1, best_response=True)[0][spot.hands[1]]
    return float((best - promise.values)[hands].mean())


def test_a_river_keeps_what_the_turn_has_promised() -> None:
    """Where the opponent's range lacks its best hands, they win less than if nothing had been promised to them."""
    turn, river = (view(f"MATCHSTATE:0:0:r250c/cc/{rest}") for rest in (":7c7d|/QhJh2c/5s", "cc/:7c7d|/QhJh2c/5s/9d"))
    solution, card = solved(turn, 300), river.board[-1]
    promise = solution.promise(river.events_on(TURN), card)
    assert promise is not None
    assert solution.promise(view("MATCHSTATE:0:0:r250c/cc/cr444:7c7d|/QhJh2c/5s").events_on(TURN), card) is None
    assert solved(river, 100).promise([], card) is None
    live = combo_mask(river.board)
    sum_promised = float(promise.values[live].sum())
    assert abs(sum_promised) < 0.5 * 250 * live.sum() * promise.weights[live].sum()
    nuts = promise.values > np.quantile(promise.values[live], 0.8)
    ranges = np.ones((2, NUM_COMBOS)) * live
    ranges[0] = promise.weights * live
    ranges[1] = np.where(nuts, 0.02, 1.0) * live
    tree = menu_tree(RIVER, ("75%,a/a",), pot=500, stack=19_750, line=())
    spot = prepare_tree(tree, river.board, list(ranges.astype(np.float32)))
    gains = [gain_of(nuts & live, spot, promise, share) for share in (0.0, PROMISED)]
    assert gains[1] < gains[0]
    # The player does the same with the promise as without one, but for another strategy.
    solver, allowed = PostflopLiveSolver(1, least_iterations=ANY), SolveTime(100)
    plain, kept = (solver.solve(river, ranges, allowed, given) for given in (None, promise))
    assert plain is not None
    assert kept is not None
    assert max(np.abs(plain.strategies[node] - kept.strategies[node]).max() for node in plain.strategies) > 0.01
    # Hands with which the opponent did not come to the turn have no choice.
    nobody = solver.solve(river, ranges, allowed, promise._replace(entering=np.zeros(NUM_COMBOS)))
    assert nobody is not None
    assert all(np.array_equal(plain.strategies[node], nobody.strategies[node]) for node in plain.strategies)


def test_an_answer_to_a_bet_outside_the_tree_keeps_what_the_river_has_promised() -> None:
    """Hands that the range lacks win less by such a bet than if the solve for it were for the range alone."""
    start, bet = (view(f"MATCHSTATE:0:0:r250c/cc/cc/{more}:7c7d|/QhJh2c/5s/9d") for more in ("", "cr410"))
    live, allowed = combo_mask(start.board), SolveTime(100)
    ranges = np.ones((2, NUM_COMBOS)) * live
    solver = PostflopLiveSolver(1, least_iterations=ANY)
    first = solver.solve(start, ranges, allowed)
    assert first is not None
    checked = bet.events_on(RIVER)[:1]
    promise = first.promise(checked, start.board[-1])
    assert promise is not None
    assert first.promise([], start.board[-1]) is None  # the player's own decision
    # It is what the opponent's hands win from there on in the same solve.
    street = solver.prepare(start, ranges, 100)
    same = solver.start(street)
    assert isinstance(same, PostflopSolver)
    same.run(first.iterations)
    node = node_for_line(street.spot.tree, ["X"])
    won = promise.values / np.maximum(met_weight(promise.weights, start.board), 1e-9) + 250
    np.testing.assert_allclose(won[live], same.node_values(node)[1][live], atol=0.01)
    # The range that bets has but few of the strong hands.
    strong = promise.values > np.quantile(promise.values[live], 0.8)
    ranges = np.stack([promise.weights, np.where(strong, 0.02, 1.0) * live])
    tree = menu_tree(RIVER, ("75%,a/a",), pot=500, stack=19_750, line=("X", "B160"), taken=("X",))
    spot = prepare_tree(tree, start.board, list(ranges.astype(np.float32)))
    gains = [gain_of(strong & live, spot, promise, share) for share in (0.0, PROMISED)]
    assert gains[1] < gains[0]
    plain, kept = (solver.solve(bet, ranges, allowed, given) for given in (None, promise))
    assert plain is not None
    assert kept is not None
    assert max(np.abs(plain.strategies[node] - kept.strategies[node]).max() for node in plain.strategies) > 0.01
    # A further bet outside the tree may come from the same hands.
    again = kept.promise(checked, start.board[-1])
    assert again is not None
    assert again.entering is promise.entering


def test_the_plan_grows_with_the_time_allowed_and_a_deadline_cuts_it() -> None:
    seen = view("MATCHSTATE:0:0:r250c/cc/:7c7d|/QhJh2c/5s")
    street = StreetSizes(parse_bet_sizes("75%"), parse_bet_sizes("75%"))
    tree = build_postflop_tree(TreeConfig(street=2, pot=500, stack=19750, sizes=(street, street)))
    spot = prepare_tree(tree, seen.board, list(np.ones((2, NUM_COMBOS), dtype=np.float32)))
    prepared = PreparedStreet(spot, "r250c/cc/", 250, 0)
    planned = [PostflopLiveSolver(1).iterations(prepared, plan_ms) for plan_ms in (1, 200, 700, 10**6)]
    assert planned[0] >= 1
    # A part of the time is for the start.
    assert planned[2] == pytest.approx(4 * planned[1], rel=0.2)
    assert planned[3] == MAX_ITERATIONS
    # A deadline in the past still gives an answer.
    solver = PostflopLiveSolver(1, least_iterations=ANY)
    solution = solver.solve(seen, np.ones((2, NUM_COMBOS)), SolveTime(1000, time.monotonic() - 1))
    assert solution is not None
    assert 1 <= solution.iterations < 10
    assert options(solution, seen) is not None


@pytest.mark.parametrize(("think_ms", "deadline_s"), [(5, 60), (1000, -1)])
def test_no_solution_is_better_than_a_few_iterations(think_ms: int, deadline_s: float) -> None:
    seen = view("MATCHSTATE:0:0:r250c/cc/:7c7d|/QhJh2c/5s")
    allowed = SolveTime(think_ms, time.monotonic() + deadline_s)
    assert PostflopLiveSolver(1).solve(seen, np.ones((2, NUM_COMBOS)), allowed) is None


@pytest.mark.parametrize(("street", "enough_ms"), [(TURN, 60), (RIVER, 5)])
def test_a_time_that_is_surely_too_short_is_known_before_any_work(street: int, enough_ms: int) -> None:
    seen = view("MATCHSTATE:0:0:r250c/cc/" + "cc/" * (street - TURN) + ":7c7d|/QhJh2c/5s" + "/9d" * (street - TURN))
    source = random_source()
    solver = PostflopLiveSolver(1, PackStrategy(source, ExactFlops(PACK_GAME, source.tree, [])))
    assert not solver.has_time(seen, 1)
    assert solver.has_time(seen, enough_ms)
    # What has no time is indeed not solved.
    assert solver.solve(seen, np.ones((2, NUM_COMBOS)) * combo_mask(seen.board), SolveTime(1)) is None


def test_a_deadline_too_near_for_any_machine_costs_no_preparation(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = view("MATCHSTATE:0:0:r250c/cc/:7c7d|/QhJh2c/5s")
    solver = PostflopLiveSolver(1)
    monkeypatch.setattr(solver, "start", lambda *_: pytest.fail("the solve was prepared"))
    assert solver.solve(seen, np.ones((2, NUM_COMBOS)), SolveTime(1000, time.monotonic() + 0.001)) is None


def test_a_preparation_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = view("MATCHSTATE:0:0:r250c/cc/:7c7d|/QhJh2c/5s")
    now = [100.0]

    def slow_prior(*_: object) -> None:
        now[0] += 0.3

    monkeypatch.setattr("hedgehog.agent.strategy.live.pack_prior", slow_prior)
    monkeypatch.setattr("hedgehog.agent.strategy.live.time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(
        "hedgehog.agent.strategy.live.PostflopSolver", lambda *_, **__: pytest.fail("the solve was prepared")
    )
    solver = PostflopLiveSolver(1, cast(PackStrategy, object()), resolving=Resolving.SAFE)
    assert solver.solve(seen, np.ones((2, NUM_COMBOS)), SolveTime(300, 100.0 + 0.27)) is None
    assert now[0] == 100.3


@pytest.mark.parametrize("plan_ms", [1, 10, 60, 300])
def test_the_menu_is_the_richest_with_enough_iterations(plan_ms: int) -> None:
    """Also the one that would be found by trying every menu in turn."""
    seen = view("MATCHSTATE:1:0:r250c/cc/cr600c/r1437:|7c7d/QhJh2c/5s/9d")
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(seen.board)
    solver = PostflopLiveSolver(1)
    street = solver.prepare(seen, ranges, plan_ms)
    found = street.spot
    trees = [menu_tree(RIVER, menu.sizes, 1200, 19400, ("B837",)) for menu in MENUS[RIVER]]
    spots = [prepare_tree(tree, seen.board, list(ranges.astype(np.float32))) for tree in trees]
    enough = [
        spot
        for spot, menu in zip(spots, MENUS[RIVER], strict=True)
        if solver.iterations(street._replace(spot=spot), plan_ms) >= menu.iterations
    ]
    expected = (enough or spots[-1:])[0]
    np.testing.assert_array_equal(found.tree.committed, expected.tree.committed)


@pytest.mark.parametrize(
    ("betting", "rich"),
    [("r250r1250r3000c/cc/", True), ("r250c/r550c/", False)],
    ids=["2.8 pots behind", "17.7 pots behind"],
)
def test_a_shallow_turn_has_more_bet_sizes_after_as_many_iterations(betting: str, rich: bool) -> None:
    sizes, few = ("50%,100%/100%/", "75%,a/a"), ("75%/100%/", "75%,a/a")
    menus = {TURN: (Menu(sizes, MAX_ITERATIONS + 1, shallow=1), Menu(few, 1))}
    seen = view(f"MATCHSTATE:0:0:{betting}:7c7d|/QhJh2c/5s")
    street = PostflopLiveSolver(1, menus=menus).prepare(seen, np.ones((2, NUM_COMBOS)) * combo_mask(seen.board), 300)
    assert len(street.spot.tree.children(0)) == (3 if rich else 2)


@pytest.mark.parametrize(
    ("betting", "smallest"),
    [("r250r1250r3500c/cc/", 1750), ("r250c/r550c/", 363)],
    ids=["2.4 pots behind", "17.7 pots behind"],
)
def test_a_turn_with_little_behind_has_a_smaller_first_bet(betting: str, smallest: int) -> None:
    seen = view(f"MATCHSTATE:0:0:{betting}:7c7d|/QhJh2c/5s")
    solver = PostflopLiveSolver(1, speed=DEFAULT_SPEED)
    tree = solver.prepare(seen, np.ones((2, NUM_COMBOS)) * combo_mask(seen.board), 1000).spot.tree
    bets = [int(tree.committed[child].max()) for child in tree.children(0) if tree.action[child] == ActionKind.BET]
    assert min(bets) == smallest


@pytest.mark.parametrize("street", [TURN, RIVER])
def test_every_menu_answers_a_bet_with_a_raise(street: int) -> None:
    for menu in MENUS[street]:
        sizes = tuple(StreetSizes(parse_bet_sizes(text), parse_bet_sizes(text)) for text in menu.sizes)
        tree = build_postflop_tree(TreeConfig(street=street, pot=500, stack=19750, sizes=sizes))
        for bet in tree.children(0)[1:]:
            if tree.action[bet] == ActionKind.BET:
                assert any(tree.action[child] >= ActionKind.RAISE for child in tree.children(bet))


@pytest.mark.parametrize("street", [TURN, RIVER])
def test_in_every_menu_a_bet_and_a_raise_may_be_answered_by_all_in(street: int) -> None:
    for menu in MENUS[street]:
        tree = menu_tree(street, menu.sizes, 500, 19750, ())
        for node in np.flatnonzero((tree.action == ActionKind.BET) | (tree.action == ActionKind.RAISE)):
            if tree.street[node] == street:
                assert any(tree.committed[child].max() == 19750 for child in tree.children(node))


def test_questions_have_the_planned_iterations_however_busy_the_machine() -> None:
    seen = view("MATCHSTATE:1:0:r250c/cc/cr600c/r1437:|7c7d/QhJh2c/5s/9d")
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(seen.board)
    solver = PostflopLiveSolver(1)
    planned = solver.iterations(solver.prepare(seen, ranges, 20), 20)
    found = [solver.solve(seen, ranges, SolveTime(20)) for _ in range(2)]
    assert [street.iterations for street in found if street is not None] == [planned, planned]
    first, second = (options(street, seen) for street in found if street is not None)
    assert first is not None
    assert second is not None
    np.testing.assert_array_equal(first.probabilities, second.probabilities)


def test_a_plan_for_rivers_does_not_count_on_a_second_thread() -> None:
    seen = view("MATCHSTATE:1:0:r250c/cc/cr600c/r1437:|7c7d/QhJh2c/5s/9d")
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(seen.board)
    street = PostflopLiveSolver(1).prepare(seen, ranges, 50)
    assert PostflopLiveSolver(2).iterations(street, 50) == PostflopLiveSolver(1).iterations(street, 50)


def test_nuts_bet_or_raise_and_never_fold() -> None:
    # Queens full of jacks with the board paired: nobody can beat QQ but quads.
    text = "MATCHSTATE:1:0:r250c/cc/cr600c/r1200:|QdQs/QhJhJd/5s/9d"
    seen = view(text)
    solution = solved(seen, 400)
    found = options(solution, seen)
    assert found is not None
    own = combo_index(*parse_matchstate(text, GAME).hole_cards[1])
    fold = found.actions.index(Action("f"))
    assert found.probabilities[fold, own] < 0.01


@pytest.mark.parametrize(
    "text",
    [
        "MATCHSTATE:1:0:r250c/cc/cr600c/r1437:|7c7d/QhJh2c/5s/9d",  # in position, facing an odd bet
        "MATCHSTATE:0:0:r250c/cc/cr600c/:7c7d|/QhJh2c/5s/9d",
        "MATCHSTATE:0:0:r19000c/cc/:7c7d|/QhJh2c/5s",
    ],
)
@pytest.mark.parametrize("resolving", list(Resolving))
def test_the_opponent_may_take_what_the_packs_give_him(text: str, resolving: Resolving) -> None:
    seen = view(text)
    source = random_source()
    packs = PackStrategy(source, ExactFlops(GAME, source.tree, []))
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(seen.board)
    live = PostflopLiveSolver(1, packs, resolving=resolving)
    street = live.prepare(seen, ranges, 1)
    running = live.start(street)
    if resolving == Resolving.UNSAFE and seen.situation.street == TURN:
        trembling = replace(street.spot, tremble=Tremble(OPPONENT_TREMBLE, 0.05 * street.spot.tree.pot(0)))
        expected: PostflopSolver = RankRiverSolver(trembling, threads=1, algorithm=ALGORITHM)
    else:
        expected = PostflopSolver(street.spot, threads=1, algorithm=ALGORITHM)
        prior = pack_prior(packs, street.spot, street.betting, street.street_start)
        if resolving != Resolving.UNSAFE:
            expected.offer_payoffs(1 - seen.situation.position, prior, best_response=resolving == Resolving.SAFE)
        if seen.situation.street == TURN:
            expected.warm_start(prior, START_WEIGHT, START_ITERATION)
    for solver in (running, expected):
        solver.run(10)
    for mine, theirs in zip(running.averages, expected.averages, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_safe_solve_needs_a_part_of_the_time_for_its_payoffs() -> None:
    seen = view("MATCHSTATE:1:0:r250c/cc/cr600c/r1437:|7c7d/QhJh2c/5s/9d")
    source = random_source()
    packs = PackStrategy(source, ExactFlops(GAME, source.tree, []))
    street = PostflopLiveSolver(1, packs).prepare(seen, np.ones((2, NUM_COMBOS)) * combo_mask(seen.board), 100)
    planned = [PostflopLiveSolver(1, packs, resolving=way).iterations(street, 40) for way in Resolving]
    assert planned[0] > planned[1] == planned[2] > 0


@pytest.mark.parametrize(
    "text",
    [
        "MATCHSTATE:0:0:r250c/cc/cr600c/r1437r3333:7c7d|/QhJh2c/5s/9d",
        "MATCHSTATE:1:0:r250c/cc/r600:|7c7d/QhJh2c/5s",
    ],
)
def test_evs_of_actions_are_those_of_the_solve(text: str) -> None:
    """A solution that keeps values has those that the queries of a solver give, counted from the decision."""
    seen = view(text)
    ranges = np.ones((2, NUM_COMBOS)) * combo_mask(seen.board)
    live = PostflopLiveSolver(1, least_iterations=ANY)
    assert not solved(seen).action_evs(seen.events_on(seen.situation.street), seen.situation)
    live.keeps_values = True
    found = live.solve(seen, ranges, SolveTime(100))
    assert found is not None
    evs = found.action_evs(seen.events_on(seen.situation.street), seen.situation)
    offered = options(found, seen)
    assert offered is not None
    assert list(evs) == offered.actions
    fold = evs[Action("f")]
    assert np.nanmax(np.abs(fold)) < 0.1 * seen.situation.max_spent / 100
    street = live.prepare(seen, ranges, 100)
    solver = live.start(street)
    assert isinstance(solver, PostflopSolver)
    solver.run(found.iterations)
    for node, values in street_action_evs(solver, street.position).items():
        place = view_node(solver, node, equities=False)
        expected = action_evs(solver, place)
        known = ~np.isnan(expected)
        assert np.nanmax(np.abs(values - expected)[known], initial=0) < 1e-3 * place.pot
