"""Players who follow a model with some probability: exact values on Kuhn poker, linear programs on Leduc."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.card_game import CardGame
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.strategies.betting_tree import ActionKind, NodeKind
from tests.reference.sequence_form import game_value
from tests.reference.slow_cfr import Board, SlowGame
from tests.reference.small_games import kuhn, leduc
from tests.solver.cfr_fixtures import KUHN_VALUE, one_card_game


def uniform_rows(solver: CfrSolver, player: int) -> NDArray[np.float32]:
    return np.ones(solver.layout.sizes[player], dtype=np.float32)


def passive_rows(solver: CfrSolver, game: CardGame, player: int) -> NDArray[np.float32]:
    """Returns the rows of a player who always checks and calls."""
    rows = np.zeros(solver.layout.sizes[player], dtype=np.float32)
    for level, forest in enumerate(solver.layout.forests):
        size = game.num_boards(level) * game.num_blocks(player)
        start = solver.layout.bases[level][player]
        held = rows[start : start + size * forest.num_rows[player] * 16].reshape(size, forest.num_rows[player], 16)
        for slot in np.flatnonzero(forest.row >= 0):
            node = int(forest.nodes[slot])
            if solver.tree.player[node] == player:
                for number, child in enumerate(solver.tree.children(node)):
                    if solver.tree.action[child] in (ActionKind.CHECK, ActionKind.CALL):
                        held[:, forest.row[slot] + number] = 1
    return rows


def bracket(solver: CfrSolver, player: int, model: NDArray[np.float32], share: float, pairs: int) -> list[float]:
    """Returns bounds on the value of the restricted game for the player who responds, and his EV against the model."""
    against = float(solver.values_against(model, player).sum()) / pairs
    worst = -float(solver.root_values(1 - player, best_response=True).sum()) / pairs
    high = float(solver.values_against_mixture(best_response=True).sum()) / pairs
    return [share * against + (1 - share) * worst, high, against, worst]


# max over x of p x'Ay(model) + (1 - p) min over y of x'Ay, by linear programming.
KUHN = {
    "half": {0: -0.055556, 0.25: 0.013889, 0.5: 0.138889, 0.75: 0.291667, 0.9: 0.416667, 1: 0.5},
    "passive": {0: -0.055556, 0.25: 0.013889, 0.5: 0.111111, 0.75: 0.222222, 0.9: 0.288889, 1: 0.333333},
}


@pytest.mark.parametrize("name", KUHN)
@pytest.mark.quick_cases("half")
def test_values_on_kuhn_poker(name: str) -> None:
    game = one_card_game(kuhn())
    for share, value in KUHN[name].items():
        solver = CfrSolver(game, kuhn().tree, threads=1)
        model = uniform_rows(solver, 1) if name == "half" else passive_rows(solver, game, 1)
        solver.restrict(1, model, share)
        solver.step(1000)
        low, high, against, worst = bracket(solver, 0, model, share, 6)
        assert low == pytest.approx(value, abs=3e-4)
        assert high == pytest.approx(value, abs=3e-4)
        assert low <= high + 1e-6
        if share == 0.5:
            gain = {"half": 0.444444, "passive": 0.388889}[name]
            assert (against - KUHN_VALUE, KUHN_VALUE - worst) == pytest.approx((gain, 0.055556), abs=1e-3)


def doubled(game: SlowGame, player: int, share: float) -> SlowGame:
    """Returns a game in which every hand of a player comes twice: with the model first, then without it."""
    holes, weights = list(game.holes), list(game.weights)
    holes[player] = [*game.holes[player], *game.holes[player]]
    weights[player] = np.concatenate([share * game.weights[player], (1 - share) * game.weights[player]])
    return replace(game, holes=(holes[0], holes[1]), weights=(weights[0], weights[1]), _payoffs={}, _signs={}, _live={})


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("share", [0.3, 0.8])
def test_values_on_leduc_poker_by_linear_programming(player: int, share: float) -> None:
    game = leduc()
    card_game = one_card_game(game)
    solver = CfrSolver(card_game, game.tree, threads=1)
    opponent = 1 - player
    model = uniform_rows(solver, opponent)
    solver.restrict(opponent, model, share)
    solver.step(400)
    low, high, _, _ = bracket(solver, player, model, share, 30)

    def given(node: int, board: Board) -> NDArray[np.float64] | None:
        if game.tree.player[node] != opponent or game.tree.kind[node] != NodeKind.DECISION:
            return None
        actions = int(game.tree.num_children[node])
        return np.hstack([np.full((actions, 6), 1 / actions), np.full((actions, 6), np.nan)])

    value = game_value(doubled(game, opponent, share), given) * (1 if player == 0 else -1)
    assert low - 1e-5 <= value <= high + 1e-5
    assert high - low < 0.03


@pytest.mark.parametrize(("algorithm", "storage"), [("pcfr+", "f32"), ("dcfr", "f16")])
def test_only_discounted_cfr_responds(algorithm: str, storage: Storage) -> None:
    game = one_card_game(kuhn())
    solver = CfrSolver(game, kuhn().tree, threads=1, algorithm=algorithm, storage=storage)
    with pytest.raises(SpotError, match="discounted CFR in f32"):
        solver.restrict(1, uniform_rows(solver, 1), 0.5)
