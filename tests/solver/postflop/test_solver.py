"""The postflop solver against the plain oracle: every number it reports, on river, turn and flop."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask, parse_card, parse_cards
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.errors import ResourceError, SpotError
from hedgehog.solver.postflop import solver as postflop
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree, node_for_line, parse_line
from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.showdown_equity import root_equity
from tests.reference.slow_cfr import best_response_value, expected_value, hand_values
from tests.reference.small_games import kuhn_tree, same_sizes
from tests.solver.cfr_fixtures import KUHN_VALUE
from tests.solver.postflop_fixtures import (
    FLOP,
    IP,
    OOP,
    RIVER,
    TURN,
    average_of,
    combos_of,
    oracle_of,
    solver_of,
    tree_of,
    weights_of,
)


@pytest.mark.parametrize(
    "spot", [RIVER, TURN, pytest.param(FLOP, marks=pytest.mark.slow)], ids=["river", "turn", "flop"]
)
def test_exploitability_agrees_with_the_oracle(spot: tuple[str, Sequence[str]]) -> None:
    solver = solver_of(spot, threads=2)
    game = oracle_of(spot)
    solver.run(15)
    found = solver.exploitability()
    average = average_of(solver, game)
    values_of_hands = [hand_values(game, average, player) for player in (0, 1)]
    for player in (0, 1):
        own = game.weights[player] * game.live(player, game.board)
        value = float(own @ values_of_hands[player]) / game.pair_weight
        assert found.ev_minus_half_pot[player] == pytest.approx(value, abs=1e-3)
        assert found.best_response_ev_minus_half_pot[player] == pytest.approx(
            best_response_value(game, average, player), abs=1e-3
        )
    gains = [found.best_response_ev_minus_half_pot[player] - found.ev_minus_half_pot[player] for player in (0, 1)]
    assert found.exploitability == pytest.approx(sum(gains) / 2)
    assert found.pct_pot == pytest.approx(found.exploitability)  # the pot is 100
    values = solver.node_values()
    for player in (0, 1):
        combos = combos_of(game, player)
        met = game.compatible @ game.weights[1] if player == 0 else game.weights[0] @ game.compatible
        # The oracle counts from half the pot.
        expected = values_of_hands[player] / met + 50
        # Twins of a hand differ by rounding, and what is solved once counts for both.
        np.testing.assert_allclose(values[player, combos], expected, atol=1e-2)
        assert np.isnan(np.delete(values[player], combos)).all()


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
@pytest.mark.parametrize("storage", ["f32", "f16"])
def test_rake_agrees_with_the_oracle(spot: tuple[str, Sequence[str]], storage: str) -> None:
    rake = (0.05, 9.0)
    solver = solver_of(spot, rake=rake, storage=storage)
    game = oracle_of(spot, rake)
    solver.run(60)
    found = solver.exploitability()
    average = average_of(solver, game)
    for player in (0, 1):
        assert found.ev_minus_half_pot[player] == pytest.approx(expected_value(game, average, player), abs=1e-3)
        assert found.best_response_ev_minus_half_pot[player] == pytest.approx(
            best_response_value(game, average, player), abs=1e-3
        )
    assert sum(found.ev_minus_half_pot) < -4  # at least 5 % of every pot is gone


@pytest.mark.parametrize("storage", ["f32", "f16"])
@pytest.mark.parametrize("algorithm", ["dcfr", "gamma5"])
@pytest.mark.parametrize("spot", [RIVER, TURN, FLOP], ids=["river", "turn", "flop"])
@pytest.mark.quick_cases(every=3)
def test_converges(spot: tuple[str, Sequence[str]], algorithm: str, storage: str) -> None:
    solver = solver_of(spot, algorithm=algorithm, storage=storage)
    found = solver.solve(0.1, 2000, check_every=50)
    assert 0 <= found.pct_pot <= 0.1
    assert sum(found.ev_minus_half_pot) == pytest.approx(0, abs=1e-2)


def test_full_ranges_reach_the_value_of_a_public_solver() -> None:
    # Spot D2 of the benchmark; the reference for its turn, D4, plays the same sizes. Value and iterations to 0.5 %:
    # postflop-solver 0.1.0.
    full = np.ones(NUM_COMBOS, dtype=np.float32)
    sizes = same_sizes("33%,75%,150%,a/50%,100%,a")
    tree = build_postflop_tree(TreeConfig(street=3, pot=4000, stack=18000, sizes=sizes))
    solver = PostflopSolver(prepare_tree(tree, parse_cards("QhJh2c7d5s"), (full, full)))
    found = solver.solve(0.5, 200)
    assert found.pct_pot <= 0.5
    assert solver.iterations <= 150


@pytest.mark.parametrize("spot", [RIVER, TURN, FLOP], ids=["river", "turn", "flop"])
@pytest.mark.parametrize("storage", ["f32", "f16"])
def test_threads_do_not_change_a_bit(spot: tuple[str, Sequence[str]], storage: str) -> None:
    results = []
    for threads in (1, 2):
        solver = solver_of(spot, threads=threads, storage=storage)
        solver.run(7)
        results.append((solver.node_strategy(0), solver.node_strategy(0, current=True), solver.node_values()))
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.slow
def test_interchangeable_cards_are_only_a_short_cut() -> None:
    reduced, plain = solver_of(FLOP), solver_of(FLOP, isomorphism=False)
    assert reduced.memory_bytes < 0.9 * plain.memory_bytes
    found = reduced.solve(0.05, 2000, check_every=50)
    same = plain.solve(0.05, 2000, check_every=50)
    assert found.pct_pot <= 0.05
    # Two profiles this close to equilibrium are worth the same.
    assert found.ev_minus_half_pot[0] == pytest.approx(
        same.ev_minus_half_pot[0], abs=2 * (found.exploitability + same.exploitability)
    )
    equity = root_equity(reduced.spot)
    np.testing.assert_allclose(equity, root_equity(plain.spot), atol=1e-6)


def test_node_values_follow_the_actions() -> None:
    solver = solver_of(FLOP)
    solver.run(50)
    tree = solver.tree
    for node in np.flatnonzero((tree.street == 1) & (tree.kind == NodeKind.DECISION)).tolist():
        player = int(tree.player[node])
        children = list(tree.children(node))
        paid = [tree.committed[child, player] - tree.committed[node, player] for child in children]
        after = np.stack([solver.node_values(child)[player] for child in children])
        expected = (solver.node_strategy(node) * (after - np.array(paid)[:, None])).sum(axis=0)
        np.testing.assert_allclose(solver.node_values(node)[player], expected, atol=1e-2)
        if tree.kind[children[0]] == NodeKind.FOLD:
            held = weights_of((OOP, IP)[player]) > 0
            np.testing.assert_allclose(after[0][held], 0, atol=1e-3)


def test_reach_is_the_product_of_own_probabilities() -> None:
    solver = solver_of(TURN)
    solver.run(20)
    tree = solver.tree
    checked = node_for_line(tree, parse_line("X"))
    check_check = int(tree.first_child[checked])
    assert tree.kind[check_check] == NodeKind.DEAL
    expected = weights_of(OOP) * solver.node_strategy(0)[0]
    np.testing.assert_allclose(solver.node_reach(0, checked), expected, rtol=1e-6)
    np.testing.assert_allclose(solver.node_reach(0, check_check), expected, rtol=1e-6)
    np.testing.assert_array_equal(solver.node_reach(1, checked), weights_of(IP))
    river = int(tree.first_child[check_check])
    king = parse_card("Kd")
    np.testing.assert_allclose(solver.node_reach(0, river, [king]), expected * combo_mask([king]), rtol=1e-6)


def test_strategies_are_distributions_and_start_uniform() -> None:
    solver = solver_of(RIVER)
    np.testing.assert_array_equal(solver.node_strategy(0), np.float32(1 / 3))
    solver.run(3)
    for current in (False, True):
        strategy = solver.node_strategy(0, current=current)
        assert strategy.dtype == np.float32
        assert (strategy >= 0).all()
        np.testing.assert_allclose(strategy.sum(axis=0), 1, atol=1e-6)


@pytest.mark.parametrize("board", ["Qh Jh 2c 7c 5s", "Qh Jh 2c 7c"])
def test_equity_by_counting(board: str) -> None:
    cards = parse_cards(board)
    ranges = (parse_range("TT+,AQs+:0.5,76s"), parse_range("99+,KQ:0.25,AJo"))
    sizes = ["a"] * (6 - len(cards))
    solver = PostflopSolver(prepare_tree(tree_of(board, sizes), cards, ranges))
    runouts = [[*cards, card] for card in range(52) if card not in cards] if len(cards) == 4 else [cards]
    held = [np.flatnonzero((weights > 0) & combo_mask(cards)) for weights in ranges]
    disjoint = np.array([[not set(COMBO_CARDS[a]) & set(COMBO_CARDS[b]) for b in held[1]] for a in held[0]])
    weights = disjoint * np.outer(ranges[0][held[0]], ranges[1][held[1]])
    won, dealt = np.zeros((2, *weights.shape))
    for runout in runouts:
        oop, ip = (rank_combos(runout).astype(np.int64)[combos] for combos in held)
        live = weights * np.outer(oop >= 0, ip >= 0)
        won += live * (0.5 + 0.5 * np.sign(oop[:, None] - ip))
        dealt += live
    equity = root_equity(solver.spot)
    np.testing.assert_allclose(equity[0, held[0]], won.sum(axis=1) / dealt.sum(axis=1), atol=1e-5)
    np.testing.assert_allclose(equity[1, held[1]], 1 - won.sum(axis=0) / dealt.sum(axis=0), atol=1e-5)
    assert np.isnan(np.delete(equity[0], held[0])).all()


def test_run_stops_at_the_deadline_and_continues() -> None:
    solver = solver_of(TURN)
    assert solver.run(100, deadline=time.monotonic()) == 1
    done = solver.run(10**7, deadline=time.monotonic() + 0.1)
    assert 1 <= done < 10**7
    seen: list[int] = []
    assert solver.run(50, progress=seen.append) == 50
    assert seen[-1] == solver.iterations == done + 51
    assert seen == sorted(seen)


def test_queries_reject_what_is_not_there() -> None:
    solver = solver_of(TURN)
    terminal = int(np.flatnonzero(solver.tree.kind == NodeKind.FOLD)[0])
    river = int(np.flatnonzero((solver.tree.street == 3) & (solver.tree.kind == NodeKind.DECISION))[0])
    for query, message in (
        (lambda: solver.node_strategy(terminal), "no decision"),
        (lambda: solver.node_strategy(river), "1 dealt cards"),
        (lambda: solver.node_strategy(0, [5]), "0 dealt cards"),
        (lambda: solver.node_strategy(river, [parse_card("Qh")]), "cannot be dealt"),
        (lambda: solver.node_strategy(river, [52]), "cannot be dealt"),
        (lambda: solver.node_reach(0, 10**6), "expected a node"),
        (lambda: solver.node_values(river), "1 dealt cards"),
    ):
        with pytest.raises(SpotError, match=message):
            query()


def test_rejects_spots_that_do_not_fit() -> None:
    tree = tree_of(*TURN)
    board = tuple(parse_cards(TURN[0]))
    ranges = (weights_of(OOP), weights_of(IP))
    for bad_board, bad_ranges, message in (
        (board[:2], ranges, "3 to 5"),
        (board[:3], ranges, "starts on street 2"),
        ((*board[:3], board[0]), ranges, "3 to 5 different"),
        (board, ranges[:1], "two ranges"),
        (board, (ranges[0], ranges[1][:-1]), "1326 weights"),
        (board, (ranges[0], -ranges[1]), "at least 0"),
        (board, (ranges[0], weights_of({"Qh2c": 1})), "IP range is empty"),
        (board, (weights_of({"AhKh": 1}), weights_of({"AhQd": 1})), "cannot be dealt together"),
    ):
        with pytest.raises(SpotError, match=message):
            PostflopSolver(prepare_tree(tree, bad_board, bad_ranges))


def test_refuses_a_solve_beyond_the_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postflop, "available_memory", lambda: 1000.0)
    with pytest.raises(ResourceError, match="GB of memory"):
        solver_of(TURN)


def test_a_called_all_in_may_be_one_leaf() -> None:
    # Trees of other builders end a called all-in before the river in a SHOWDOWN node; the solver runs it out.
    tree = tree_of(*TURN)
    solver = solver_of(TURN)
    solver.run(10)
    deals = np.flatnonzero((tree.kind == NodeKind.DEAL) & (tree.kind[tree.first_child] == NodeKind.SHOWDOWN))
    assert len(deals)
    kind = tree.kind.copy()
    kind[deals] = NodeKind.SHOWDOWN
    count = tree.num_children.copy()
    count[deals] = 0
    leaf = PostflopSolver(
        prepare_tree(
            replace(tree, kind=kind, num_children=count), parse_cards(TURN[0]), (weights_of(OOP), weights_of(IP))
        )
    )
    leaf.run(10)
    np.testing.assert_array_equal(leaf.node_strategy(0), solver.node_strategy(0))


def test_kuhn_as_a_river_spot() -> None:
    """One combo each of aces, kings and queens for both: nobody holds what the other holds."""
    hands = weights_of({"QcQd": 1, "KcKd": 1, "AcAd": 1})
    solver = PostflopSolver(prepare_tree(kuhn_tree(), parse_cards("2c3d5h7s9c"), (hands, hands)), threads=1)
    found = solver.solve(0.05, 5000)
    assert found.pct_pot <= 0.05
    assert found.ev_minus_half_pot[0] == pytest.approx(KUHN_VALUE, abs=2e-3)
