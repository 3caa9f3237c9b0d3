"""Endgames against OpenSpiel: the same tree, payoffs, values and best responses; and the endgames Libratus solved."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_mask, parse_cards, parse_combo
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from tests.reference import libratus
from tests.reference.small_games import same_sizes
from tests.verification.spiel_endgame import STACK, load_endgame

FCPA = "100%,a/100%,a"
needs_libratus = pytest.mark.skipif(not libratus.FOLDER, reason="HEDGEHOG_LIBRATUS_ENDGAMES names no folder")


def _weights(text: str) -> NDArray[np.float32]:
    weights = np.zeros(NUM_COMBOS, dtype=np.float32)
    for number, name in enumerate(text.split(), 1):
        weights[parse_combo(name)] = 1 / number
    return weights


def _compare(solver: PostflopSolver, ranges: tuple[NDArray[np.float32], NDArray[np.float32]]) -> None:
    theirs = load_endgame(solver.tree, solver.board, ranges)
    found = solver.exploitability()
    half = solver.tree.root_pot / 2
    for player in (0, 1):
        value = theirs.value(solver.node_strategy, player, best_response=False)
        assert found.ev_minus_half_pot[player] == pytest.approx(value, abs=1e-4 * half)
        best = theirs.value(solver.node_strategy, player, best_response=True)
        assert found.best_response_ev_minus_half_pot[player] == pytest.approx(best, abs=1e-4 * half)


@pytest.mark.parametrize(
    ("board", "pot", "oop", "ip"),
    [
        ("QhJh2c7d5s", 3_750, "AhKh QcQd 7s7c KdTd 6h5h AcAd", "AcKc JdTd KdTd 9h8h AhKd 4d3d"),
        ("Td9d6hQc", 14_000, "AdKd 9s9c", "JhJc 8d7d"),
    ],
    ids=["river", "turn"],
)
@pytest.mark.slow_cases("turn")
def test_values_by_open_spiel(board: str, pot: int, oop: str, ip: str) -> None:
    cards = parse_cards(board)
    street = len(cards) - 2
    tree = build_postflop_tree(TreeConfig(street, pot, STACK - pot // 2, same_sizes(*[FCPA] * (4 - street))))
    ranges = (_weights(oop), _weights(ip))
    solver = PostflopSolver(prepare_tree(tree, cards, ranges), threads=1)
    solver.run(30)
    _compare(solver, ranges)


@needs_libratus
@pytest.mark.parametrize("number", [3, 4])
def test_likeliest_hands_of_libratus_rivers_by_open_spiel(number: int) -> None:
    whole = libratus.read_endgame(number)
    ranges = []
    for weights in whole.ranges:
        live = np.where(combo_mask(whole.board), weights, 0)
        ranges.append(np.where(live >= np.sort(live)[-12], live, 0).astype(np.float32))
    endgame = libratus.Endgame(whole.board, whole.pot, (ranges[0], ranges[1]))
    solver = endgame.solver(FCPA)
    solver.run(100)
    _compare(solver, endgame.ranges)


@needs_libratus
@pytest.mark.parametrize(
    ("number", "target"),
    [(3, 0.05), (4, 0.02), *(pytest.param(n, 0.1, marks=pytest.mark.slow) for n in (1, 2))],
)
def test_libratus_endgame(number: int, target: float) -> None:
    endgame = libratus.read_endgame(number)
    solver = endgame.solver(*["50%,100%,a/100%,a"] * (5 - len(endgame.board) + 1))
    found = solver.solve(target, 10_000, check_every=50)
    print(
        f"endgame {number}: {solver.iterations} iterations, {found.pct_pot:.4f} % of the pot, "
        f"EV less half the pot {found.ev_minus_half_pot}"
    )
    assert 0 <= found.pct_pot <= target
    assert sum(found.ev_minus_half_pot) == pytest.approx(0, abs=1e-3 * target * endgame.pot)
    # Both players hold the value of the game within what a best response gains.
    assert (
        -found.best_response_ev_minus_half_pot[1]
        <= found.ev_minus_half_pot[0]
        <= found.best_response_ev_minus_half_pot[0]
    )
