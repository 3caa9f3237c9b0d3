"""Hands played at random against values known from the oracle, and faults that must not go unnoticed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.analysis.solves._simulation_kernels import Lines, Seat
from hedgehog.analysis.solves.played_lines import play_lines
from hedgehog.analysis.solves.simulation import SimulatedValue, check_values, make_pairs, simulate
from hedgehog.analysis.solves.stored_boards import make_seat
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_index, combo_mask, parse_cards, parse_combo
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.cfr.programs import Rake
from hedgehog.solver.postflop.locks import Lock
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.queries import find_node
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from hedgehog.strategies.betting_tree import BettingTree, NodeKind
from tests.reference.slow_cfr import SlowGame, best_response_value, expected_value
from tests.reference.small_games import holdem, same_sizes

# Unequal, weighted, and unchanged if diamonds and spades are swapped.
OOP = {"AhKh": 1, "AdAs": 0.2, "KdQd": 0.8, "KsQs": 0.8, "7d6d": 1, "7s6s": 1, "JcTc": 0.3}
IP = {"AcKc": 0.2, "AdAs": 0.3, "QdTd": 0.6, "QsTs": 0.6, "9d8d": 1, "9s8s": 1, "KdKs": 0.3}
RIVER = ("Qh Jh 2c 7c 5s", ("50%,a/100%",))
TURN = ("Qh Jh 2c 7c", ("100%/a", "50%,a"))
FLOP = ("Qh Jh 2c", ("100%", "", "a"))
SPOTS = [RIVER, TURN, FLOP]
NAMES = ["river", "turn", "flop"]
RAKE = (0.05, 9.0)
HANDS = 400_000

Spot = tuple[str, Sequence[str]]


def weights_of(hands: dict[str, float]) -> NDArray[np.float32]:
    weights = np.zeros(NUM_COMBOS, dtype=np.float32)
    for name, weight in hands.items():
        weights[parse_combo(name)] = weight
    return weights


def tree_of(spot: Spot) -> BettingTree:
    street = len(parse_cards(spot[0])) - 2
    return build_postflop_tree(TreeConfig(street=street, pot=100, stack=230, sizes=same_sizes(*spot[1])))


# Few iterations are far from equilibrium: strategies are mixed everywhere.
@cache
def solved(
    spot: Spot,
    rake: tuple[float, float] = (0.0, 0.0),
    iterations: int = 2,
    storage: Storage = "f32",
    isomorphism: bool = True,
) -> PostflopSolver:
    ranges = (weights_of(OOP), weights_of(IP))
    prepared = prepare_tree(
        tree_of(spot), parse_cards(spot[0]), ranges, rake=rake, isomorphism=isomorphism, merge_cards=False
    )
    solver = PostflopSolver(prepared, storage=storage)
    solver.run(iterations)
    return solver


def seat_of(solver: PostflopSolver, player: int, *, best_response: bool = False) -> Seat:
    table = solver.best_response_table(player) if best_response else solver.strategy_table(player)
    return make_seat(table, solver.board, solver.ranges)


def seats_of(solver: PostflopSolver) -> tuple[Seat, Seat]:
    return seat_of(solver, 0), seat_of(solver, 1)


def play(
    solver: PostflopSolver,
    lines: Lines | None = None,
    seats: tuple[Seat, Seat] | None = None,
    ranges: Sequence[NDArray[np.float32]] | None = None,
    **options: Any,
) -> tuple[SimulatedValue, SimulatedValue]:
    return simulate(
        lines or play_lines(solver.tree),
        seats or seats_of(solver),
        ranges or solver.ranges,
        solver.board,
        **{"num_hands": HANDS, "seed": 7, **options},
    )


def oracle_of(solver: PostflopSolver, spot: Spot, rake: tuple[float, float] = (0.0, 0.0)) -> tuple[SlowGame, Any]:
    game = holdem(solver.tree, spot[0], OOP, IP, rake)
    combos = [[combo_index(*hole) for hole in game.holes[player]] for player in (0, 1)]

    @cache
    def strategy(node: int, board: tuple[int, ...]) -> NDArray[np.float64]:
        rows = solver.node_strategy(node, board[len(game.board) :])
        return rows[:, combos[game.tree.player[node]]].astype(np.float64)

    return game, strategy


def errors_off(value: SimulatedValue, expected: float) -> float:
    return abs(value.mean - expected) / value.standard_error


@pytest.mark.parametrize("rake", [(0.0, 0.0), RAKE], ids=["no rake", "rake"])
@pytest.mark.parametrize("spot", SPOTS[:2], ids=NAMES[:2])
def test_mean_is_the_value_of_the_oracle(spot: Spot, rake: tuple[float, float]) -> None:
    solver = solved(spot, rake)
    game, strategy = oracle_of(solver, spot, rake)
    values = play(solver, play_lines(solver.tree, Rake(*rake)))
    for player in (0, 1):
        assert errors_off(values[player], expected_value(game, strategy, player)) < 4
        assert values[player].standard_error < 0.5  # half a percent of the pot
    if rake == (0.0, 0.0):
        assert values[0].mean == -values[1].mean


@pytest.mark.parametrize("storage", ["f32", "f16"])
@pytest.mark.parametrize("spot", [RIVER, TURN, pytest.param(FLOP, marks=pytest.mark.slow)], ids=NAMES)
@pytest.mark.slow_cases("turn-f16")
def test_best_response_wins_what_it_should(spot: Spot, storage: str) -> None:
    solver = solved(spot, storage=storage)
    found = solver.exploitability()
    gains = []
    for player in (0, 1):
        seats = list(seats_of(solver))
        seats[player] = seat_of(solver, player, best_response=True)
        value = play(solver, seats=(seats[0], seats[1]))[player]
        assert errors_off(value, found.best_response_ev_minus_half_pot[player]) < 4
        gains.append(errors_off(value, found.ev_minus_half_pot[player]))
        weights = solver.best_response_table(player).weights
        values = weights.view(np.float16) if storage == "f16" else weights
        assert set(np.unique(values)) <= {0, 1}
    assert max(gains) > 8
    if spot != FLOP:  # the oracle takes half a minute for it
        game, strategy = oracle_of(solver, spot)
        expected = [best_response_value(game, strategy, player) for player in (0, 1)]
        assert found.best_response_ev_minus_half_pot == pytest.approx(expected, abs=1e-3)


def test_best_response_leaves_the_solve_as_it_is() -> None:
    solvers = [
        PostflopSolver(
            prepare_tree(tree_of(TURN), parse_cards(TURN[0]), (weights_of(OOP), weights_of(IP)), merge_cards=False)
        )
        for _ in range(2)
    ]
    for step in range(3):
        for solver in solvers:
            solver.run(3)
        solvers[0].best_response_table(step % 2)
    for current in (False, True):
        np.testing.assert_array_equal(*(solver.node_strategy(0, current=current) for solver in solvers))


@pytest.mark.parametrize("isomorphism", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("spot", [RIVER, pytest.param(TURN, marks=pytest.mark.slow), FLOP], ids=NAMES)
@pytest.mark.slow_cases("flop-True")
def test_every_board_leads_to_the_strategy_of_the_solver(spot: Spot, isomorphism: bool) -> None:
    solver = solved(spot, isomorphism=isomorphism)
    root = list(solver.board)
    rng = np.random.default_rng(3)
    boards = [tuple(rng.choice(np.setdiff1d(np.arange(52), root), 5 - len(root), replace=False)) for _ in range(60)]
    boards += [tuple(parse_cards(text))[: 5 - len(root)] for text in ("4s 4d", "4d 4s", "Ks 4d", "Kd 4d", "8s 8c")]
    for player in (0, 1):
        seat = seat_of(solver, player)
        for node in np.flatnonzero((solver.tree.kind == NodeKind.DECISION) & (solver.tree.player == player)):
            street = int(solver.tree.street[node])
            for dealt in boards:
                cards = [*root, *dealt][: street + 2]
                strategy = solver.node_strategy(int(node), cards[len(root) :])
                for combo in np.flatnonzero((solver.ranges[player] > 0) & combo_mask(tuple(cards))):
                    found = probabilities(seat, int(node), cards, int(combo), len(strategy))
                    np.testing.assert_allclose(found, strategy[:, combo], atol=1e-6)


def probabilities(seat: Seat, node: int, board: Sequence[int], combo: int, num_actions: int) -> NDArray[np.float64]:
    """Reads a strategy as :class:`hedgehog.solver.cfr.strategy_table.StrategyTable` describes it."""
    index = permutation = 0
    if len(board) == 4:
        index, permutation = int(seat.turn_board[board[3]]), int(seat.turn_permutation[board[3]])
    elif len(board) == 5:
        turn, river = board[3:]
        index, permutation = int(seat.river_board[turn, river]), int(seat.river_permutation[turn, river])
    hand = int(seat.hand_of[permutation, combo])
    at = seat.first[node] + index * seat.board_stride[node] + hand // 16 * seat.block_stride[node] + hand % 16
    weights = np.maximum(seat.weights[at : at + 16 * num_actions : 16].astype(np.float64), 0)
    return weights / weights.sum() if weights.sum() else np.full(num_actions, 1 / num_actions)


def test_pairs_are_drawn_by_weight_without_shared_cards() -> None:
    board = tuple(parse_cards("Qh Jh 2c"))
    reaches = (parse_range("AA,AKs:0.3,QQ,76o:0.05"), parse_range("AA:0.7,KQ,72s:0.01"))
    pairs = make_pairs(reaches, board)
    cells = len(pairs.keep)
    drawn = pairs.keep / cells
    np.add.at(drawn, pairs.alias, (1 - pairs.keep) / cells)
    expected = np.zeros((len(pairs.first), len(pairs.second)))
    for i, first in enumerate(pairs.first):
        for j, second in enumerate(pairs.second):
            if not set(COMBO_CARDS[first]) & set(COMBO_CARDS[second]):
                expected[i, j] = float(reaches[0][first]) * float(reaches[1][second])
    assert (expected == 0).any()
    np.testing.assert_allclose(drawn.reshape(expected.shape), expected / expected.sum(), atol=1e-15)
    assert not drawn.reshape(expected.shape)[expected == 0].any()
    assert combo_mask(board)[pairs.first].all()
    assert combo_mask(board)[pairs.second].all()


def test_ranges_that_exclude_each_other_are_refused() -> None:
    with pytest.raises(SpotError, match="no pair of hands"):
        make_pairs((weights_of({"AhKh": 1}), weights_of({"AhQs": 1})), parse_cards("Qh Jh 2c"))


def test_seed_decides_and_threads_do_not() -> None:
    solver = solved(TURN)
    hands = 300_001
    one, two = (play(solver, num_hands=hands, threads=threads) for threads in (1, 2))
    assert one == two
    assert one != play(solver, num_hands=hands, seed=8)
    assert one[0].num_hands == hands


@pytest.mark.parametrize("line", ["X", "B100", "X X Ks", "X X 4d B50 A230", "B100 A230"])
def test_hands_can_start_anywhere(line: str) -> None:
    # Without interchangeable cards twins need not play alike, so any number of iterations will do.
    solver = solved(TURN, iterations=16, isomorphism=False)
    node, dealt = find_node(solver, line)
    board = (*solver.board, *dealt)
    reaches = [solver.node_reach(player, node, dealt) for player in (0, 1)]
    weights = np.outer(*reaches) * disjoint()
    values = np.nan_to_num(solver.node_values(node, dealt)).astype(np.float64)
    found = simulate(play_lines(solver.tree), seats_of(solver), reaches, board, num_hands=HANDS, seed=3, node=node)
    for player, value in enumerate(found):
        # Values count from the node on, simulated chips from half the pot at the root.
        expected = values[player] @ weights.sum(axis=1 - player) / weights.sum()
        assert errors_off(value, expected - 50 - float(solver.tree.committed[node, player])) < 4


@cache
def disjoint() -> NDArray[np.float64]:
    shared = COMBO_CARDS[:, None, :, None] == COMBO_CARDS[None, :, None, :]
    return 1.0 - shared.any(axis=(2, 3))


def test_locked_suits_are_not_swapped() -> None:
    # Spades are locked on one turn: diamonds no longer stand in for them, nor the other way round.
    lock = Lock("X X Ks X X", {"A230": 1.0}, "AhKh")
    solver = PostflopSolver(
        prepare_tree(
            tree_of(FLOP), parse_cards(FLOP[0]), (weights_of(OOP), weights_of(IP)), locks=[lock], merge_cards=False
        )
    )
    solver.run(2)
    assert not seat_of(solver, 0).turn_permutation.any()
    assert [check.agrees for check in check_values(solver, num_hands=HANDS, seed=1)] == [True, True]


@pytest.mark.parametrize("spot", SPOTS, ids=NAMES)
@pytest.mark.slow_cases("flop")
def test_hands_and_boards_of_merged_cards_are_found(spot: Spot) -> None:
    ranges = (parse_range("AK,T9:0.5,88"), parse_range("QT,A8,66:0.25"))
    solver = PostflopSolver(prepare_tree(tree_of(spot), parse_cards(spot[0]), ranges))
    assert solver.spot.cards.merged
    solver.run(3)
    for best_response in (None, 0, 1):
        checks = check_values(solver, num_hands=HANDS, seed=4, best_response=best_response)
        assert [check.agrees for check in checks] == [True] * (2 if best_response is None else 1)


@pytest.mark.parametrize(("hands", "seed", "message"), [(1, 0, "2 to"), (10**12, 0, "2 to"), (10, -1, "seed")])
def test_numbers_out_of_range_are_refused(hands: int, seed: int, message: str) -> None:
    with pytest.raises(SpotError, match=message):
        play(solved(RIVER), num_hands=hands, seed=seed)


# --- faults ---------------------------------------------------------------------------------------------------------
# A best response of OOP knows what IP does with every hand on every board; IP's averages on the river are drawn at
# random. So a hand or board looked up wrongly costs a lot.


@cache
def scrambled(spot: Spot) -> tuple[PostflopSolver, tuple[Seat, Seat]]:
    solver = PostflopSolver(
        prepare_tree(tree_of(spot), parse_cards(spot[0]), (weights_of(OOP), weights_of(IP)), merge_cards=False)
    )
    solver.run(2)
    table = solver.strategy_table(1)
    river = table.first[(solver.tree.street == 3) & (table.first >= 0)].min()
    table.weights[river:] = np.random.default_rng(5).random(len(table.weights) - river) < 0.5
    return solver, (seat_of(solver, 0, best_response=True), seat_of(solver, 1))


def wrong_payoff(solver: PostflopSolver, ip: Seat) -> dict[str, Any]:
    lines = play_lines(solver.tree)
    return {"lines": lines._replace(payoff=lines.payoff * 1.05)}


def rake_on_top(solver: PostflopSolver, ip: Seat) -> dict[str, Any]:
    return {"lines": play_lines(solver.tree, Rake(0.02, 10.0))}


def wrong_weights(solver: PostflopSolver, ip: Seat) -> dict[str, Any]:
    return {"ranges": [(weights > 0).astype(np.float32) for weights in solver.ranges]}


def exchanged_hands(solver: PostflopSolver, ip: Seat) -> dict[str, Any]:
    """Two of seven hands exchange their strategies."""
    hand_of = ip.hand_of.copy()
    hand_of[ip.hand_of == 0], hand_of[ip.hand_of == 5] = 5, 0
    return {"ip": ip._replace(hand_of=hand_of)}


def neighbouring_row(solver: PostflopSolver, ip: Seat) -> dict[str, Any]:
    """Every decision reads its weights one action too far."""
    return {"ip": ip._replace(first=ip.first + 16)}


def neighbouring_river(solver: PostflopSolver, ip: Seat) -> dict[str, Any]:
    return {"ip": ip._replace(river_board=np.maximum(ip.river_board - 1, 0))}


def unswapped_suits(solver: PostflopSolver, ip: Seat) -> dict[str, Any]:
    """Hands on a board that stands in for another one are looked up as if it was theirs."""
    turn, river = np.zeros_like(ip.turn_permutation), np.zeros_like(ip.river_permutation)
    return {"ip": ip._replace(turn_permutation=turn, river_permutation=river)}


FAULTS = {
    RIVER: [wrong_payoff, rake_on_top, wrong_weights, exchanged_hands, neighbouring_row],
    TURN: [wrong_payoff, rake_on_top, wrong_weights, exchanged_hands, neighbouring_row, neighbouring_river],
    FLOP: [wrong_payoff, wrong_weights, exchanged_hands, neighbouring_river, unswapped_suits],
}


@pytest.mark.parametrize("spot", FAULTS)
@pytest.mark.slow_cases("spot2")
def test_without_a_fault_nothing_shows(spot: Spot) -> None:
    solver, seats = scrambled(spot)
    computed = solver.exploitability().best_response_ev_minus_half_pot[0]
    assert errors_off(play(solver, num_hands=1_000_000, seats=seats)[0], computed) < 4


QUICK_FAULTS = {(RIVER, fault) for fault in FAULTS[RIVER]} | {(TURN, neighbouring_river), (FLOP, unswapped_suits)}
"""All faults on the river, and those that only a spot with cards to come can have."""


@pytest.mark.parametrize(
    ("spot", "fault"),
    [
        pytest.param(spot, fault, marks=[] if (spot, fault) in QUICK_FAULTS else pytest.mark.slow)
        for spot, faults in FAULTS.items()
        for fault in faults
    ],
)
def test_faults_show(spot: Spot, fault: Any) -> None:
    solver, (oop, ip) = scrambled(spot)
    computed = solver.exploitability().best_response_ev_minus_half_pot[0]
    faults = fault(solver, ip)
    seats = oop, faults.pop("ip", ip)
    assert errors_off(play(solver, num_hands=1_000_000, seats=seats, **faults)[0], computed) > 5


def test_boards_without_a_stored_twin_are_refused() -> None:
    table = solved(FLOP).strategy_table(0)
    # A range that does not look the same with diamonds and spades swapped leaves nothing to swap.
    lopsided = weights_of({**OOP, "7s6s": 0.5})
    with pytest.raises(SpotError, match="no board that corresponds"):
        make_seat(table, parse_cards(FLOP[0]), (lopsided, weights_of(IP)))
