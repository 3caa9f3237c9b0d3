"""The compiled solver against the slow one: same regrets, same exact best responses, same value.

The oracle deals every card to every hand, so these games also check suit isomorphism and the merging of cards.
"""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.poker.cards import combo_index, parse_cards
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from tests.reference.sequence_form import game_value
from tests.reference.slow_cfr import SlowCfr, best_response_value, exploitability
from tests.reference.small_games import same_sizes
from tests.solver.postflop_fixtures import CASES, all_suits, average_of, games_of, pairs, suited, weights_of


def _cases(*slow: str) -> list[object]:
    """Returns all cases; those that start as in ``slow`` (thousands of boards in plain Python) for the slow suite."""
    return [pytest.param(name, marks=pytest.mark.slow if name.startswith(slow) else ()) for name in CASES]


@pytest.mark.parametrize("name", _cases("flop, paired", "flop, merged"))
@pytest.mark.slow_cases("flop, monotone board")
def test_same_regrets_after_one_iteration(name: str) -> None:
    """Later iterations may part: where nobody goes, rounding decides the sign of a regret."""
    solver, game = games_of(CASES[name])
    assert solver.spot.cards.merged or "merged" not in name
    slow = SlowCfr(game)
    solver.run(1)
    slow.step(1)
    compared = 0
    for (node, board), regret in slow.regret.items():
        player = int(solver.tree.player[node])
        clear = (np.abs(regret).max(axis=0) > 1e-3 * game.pair_weight) & (game.live(player, board) > 0)
        columns = [combo_index(*hole) for hole in game.holes[player]]
        rows = solver.node_strategy(node, board[len(game.board) :], current=True)[:, columns]
        assert rows[:, clear] == pytest.approx(slow.current(node, board)[:, clear], abs=1e-3), (node, board)
        compared += int(clear.sum())
    assert compared > len(game.holes[0])


@pytest.mark.parametrize("name", _cases("flop"))
def test_same_exploitability_by_an_independent_best_response(name: str) -> None:
    solver, game = games_of(CASES[name])
    solver.run(2 if len(game.board) == 3 else 25)
    strategy = average_of(solver, game)
    found = solver.exploitability()
    pot = CASES[name].pot
    assert found.pct_pot == pytest.approx(100 * exploitability(game, strategy) / pot, abs=1e-3)
    for player in (0, 1):
        value = best_response_value(game, strategy, player)
        assert found.best_response_ev_minus_half_pot[player] == pytest.approx(value, abs=1e-5 * pot)


@pytest.mark.parametrize(
    "name", ["river", "river, paired board, everybody ties", "turn", "turn, monotone board", "river, merged"]
)
def test_value_by_linear_programming(name: str) -> None:
    solver, game = games_of(CASES[name])
    found = solver.solve(0.05, 3000)
    assert found.pct_pot <= 0.05
    value = game_value(game)
    # Each player can be held to the value by an optimal opponent, and can guarantee it by playing optimally.
    assert -found.best_response_ev_minus_half_pot[1] - 1e-4 <= value <= found.best_response_ev_minus_half_pot[0] + 1e-4
    assert found.ev_minus_half_pot[0] == pytest.approx(value, abs=0.001 * CASES[name].pot)


@pytest.mark.parametrize("board", ["9c 7c 6c 2c", "Qh Jh 2c 7h", "Qh Qd 2c 2d"])
def test_isomorphism_changes_nothing(board: str) -> None:
    cards = parse_cards(board)
    ranges = [
        weights_of(suited("AK") | pairs("8", 0.5) | all_suits("QJ")),
        weights_of(suited("JT") | suited("54", 0.75)),
    ]
    tree = build_postflop_tree(TreeConfig(street=2, pot=100, stack=300, sizes=same_sizes("75%/a", "50%,a")))
    values = []
    for isomorphism in (True, False):
        solver = PostflopSolver(prepare_tree(tree, cards, ranges, isomorphism=isomorphism), threads=1)
        found = solver.solve(0.02, 2000)
        assert found.pct_pot <= 0.02
        values.append(found.ev_minus_half_pot[0])
    assert values[0] == pytest.approx(values[1], abs=2 * 2 * 0.02)
