"""Flops solved with interchangeable cards dealt once, and with every card dealt: the same game."""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.poker.cards import parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop.chance import combo_permutation
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree, node_for_line
from tests.reference.showdown_equity import root_equity
from tests.reference.small_games import same_sizes

# Symmetric in all suits, in two pairs of suits, and in diamonds and spades alone.
ALL_SUITS = ("AK,88:0.5,T9s:0.7", "QJ,77:0.3,54s")
TWO_PAIRS = ("AhKh,AcKc,8h8c:0.5,QdQs,Td9d:0.7,Ts9s:0.7", "JhJc,JdJs:0.3,AhQh,AcQc,6d5s:0.2,6s5d:0.2")
TWO_SUITS = ("AhKh,8h8d:0.5,8h8s:0.5,Jc9c,QdTd:0.25,QsTs:0.25", "Kd9d,Ks9s,JhTh:0.01,7d7s,AcQc:0.6")
NO_RAKE, RAKE = (0.0, 0.0), (0.05, 12.5)


def _both(board: str, ranges: tuple[str, str], rake: tuple[float, float]) -> list[PostflopSolver]:
    tree = build_postflop_tree(TreeConfig(1, 100, 220, same_sizes("50%/a", "75%", "a"), max_bets=2))
    weights = [parse_range(text) for text in ranges]
    return [
        PostflopSolver(prepare_tree(tree, parse_cards(board), weights, rake=rake, isomorphism=isomorphism), threads=1)
        for isomorphism in (True, False)
    ]


@pytest.mark.parametrize(
    ("board", "ranges", "rivers", "rake"),
    [
        ("Kd9h4c", TWO_PAIRS, 2352, RAKE),
        ("9c7c6c", ALL_SUITS, 675, RAKE),
        ("QhJh2c", ALL_SUITS, 1429, NO_RAKE),
        ("QhQd2c", ALL_SUITS, 1476, RAKE),
        ("QhQd2d", ALL_SUITS, 1429, NO_RAKE),
        ("8h8d8c", ALL_SUITS, 744, NO_RAKE),
        ("8h8d8c", TWO_SUITS, 2352, RAKE),
        ("5c4c3c", TWO_SUITS, 1429, NO_RAKE),
        ("QhQc2d", TWO_PAIRS, 1476, RAKE),
    ],
)
@pytest.mark.quick_cases(every=2)
def test_same_values_with_every_card_dealt(
    board: str, ranges: tuple[str, str], rivers: int, rake: tuple[float, float]
) -> None:
    solvers = _both(board, ranges, rake)
    assert solvers[0].spot.runouts.num_rivers == rivers
    assert solvers[1].spot.runouts.num_rivers == 2352
    np.testing.assert_allclose(root_equity(solvers[0].spot), root_equity(solvers[1].spot), atol=1e-6)
    for iteration in (0, 1):
        # Uniform strategies, then what one iteration makes of them; later the two may part by rounding.
        found = [solver.exploitability() for solver in solvers]
        assert found[0].ev_minus_half_pot == pytest.approx(found[1].ev_minus_half_pot, abs=1e-3)
        assert found[0].best_response_ev_minus_half_pot == pytest.approx(
            found[1].best_response_ev_minus_half_pot, abs=1e-3
        )
        if rake[0] and iteration:
            assert sum(found[0].ev_minus_half_pot) < -1
        for solver in solvers:
            solver.run(1)


@pytest.mark.slow
@pytest.mark.parametrize("board", ["9c7c6c", "QhJh2c", "Kd9h4c", "QhQd2c", "8h8d8c"])
def test_same_equilibrium_value_with_every_card_dealt(board: str) -> None:
    found = [solver.solve(0.1, 2_000, check_every=50) for solver in _both(board, ALL_SUITS, NO_RAKE)]
    for one in found:
        assert one.pct_pot <= 0.1
        assert sum(one.ev_minus_half_pot) == pytest.approx(0, abs=1e-2)
    bound = 2 * (found[0].exploitability + found[1].exploitability)
    assert found[0].ev_minus_half_pot[0] == pytest.approx(found[1].ev_minus_half_pot[0], abs=bound)


@pytest.mark.parametrize(
    ("board", "algorithm", "storage"),
    [
        ("QhJh2c", "dcfr", "f32"),
        ("QhJh2c", "pcs", "f32"),
        ("QhJh2c", "pcfr+", "f32"),
        ("9c7c6c", "gamma5", "f16"),
        ("8h8d8c", "cgh", "f32"),
    ],
)
def test_hands_that_differ_by_swapped_suits_play_alike(board: str, algorithm: str, storage: Storage) -> None:
    tree = build_postflop_tree(TreeConfig(1, 100, 220, same_sizes("50%/a", "75%", "a"), max_bets=2))
    weights = [parse_range(text) for text in ALL_SUITS]
    solver = PostflopSolver(
        prepare_tree(tree, parse_cards(board), weights), threads=1, algorithm=algorithm, storage=storage
    )
    solver.run(12)
    swaps = {tuple(sorted(swap)) for swap in solver.spot.runouts.turn_swap.tolist() if swap[0] != swap[1]}
    assert swaps
    for a, b in swaps:
        strategy = solver.node_strategy(0)
        # Rounding would let them drift apart, and the values of dealing one card for two would no longer be right.
        np.testing.assert_array_equal(strategy, strategy[:, combo_permutation(a, b)])
    # A turn on which the rivers of two suits are still interchangeable.
    turn = next(
        t for t in range(solver.spot.runouts.num_turns) if (np.ptp(solver.spot.runouts.river_swap[t], axis=1) > 0).any()
    )
    (a, b) = next(swap for swap in solver.spot.runouts.river_swap[turn].tolist() if swap[0] != swap[1])
    node = node_for_line(tree, ["X", "X"])
    strategy = solver.node_strategy(node, (int(solver.spot.runouts.turns[turn]),))
    np.testing.assert_array_equal(strategy, strategy[:, combo_permutation(a, b)])
