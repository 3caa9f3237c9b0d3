"""The compiled CFR on games that are not hold'em, against the plain one and published values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from hedgehog.runtime.errors import ResourceError
from hedgehog.solver.cfr.solver import CfrSolver
from tests.reference.slow_cfr import SlowCfr, SlowGame, best_response_value, hand_values
from tests.reference.small_games import kuhn, leduc
from tests.solver.cfr_fixtures import LEDUC_VALUE, average_of, one_card_game, places


@pytest.mark.parametrize("make_game", [kuhn, leduc])
@pytest.mark.parametrize("threads", [1, 2])
def test_steps_like_the_plain_solver(make_game: Callable[[], SlowGame], threads: int) -> None:
    game = make_game()
    game = replace(game, weights=(np.linspace(0.31, 1, game.deck), np.linspace(0.97, 0.23, game.deck)))
    fast = CfrSolver(one_card_game(game), game.tree, threads=threads)
    slow = SlowCfr(game)
    for iteration in range(8):
        # Both start each half iteration from the same regrets: CFR is chaotic, and where all regrets are zero
        # rounding decides the strategy.
        for node, board, place in places(game, fast):
            slow.regret[node, board] = fast.stored_rows(*place, regret=True).astype(np.float64)
            slow.total[node, board] = fast.stored_rows(*place, regret=False).astype(np.float64)
        slow.iteration = iteration
        fast.step(1)
        for player in (0, 1):
            slow.update(player)
            for node, board, place in places(game, fast):
                if game.tree.player[node] != player:
                    continue
                live = [hand for hand in range(game.deck) if hand not in board]
                for regret, table in ((True, slow.regret), (False, slow.total)):
                    found = fast.stored_rows(*place, regret=regret)
                    np.testing.assert_allclose(found[:, live], table[node, board][:, live], rtol=1e-5, atol=1e-5)
                    table[node, board] = found.astype(np.float64)
    for player in (0, 1):
        for best in (False, True):
            expected = hand_values(game, average_of(game, fast), player, best=best)
            np.testing.assert_allclose(fast.root_values(player, best_response=best), expected, atol=1e-5)


def test_kuhn_value() -> None:
    game = kuhn()
    solver = CfrSolver(one_card_game(game), game.tree)
    solver.step(4000)
    values = [solver.root_values(player).sum() / 6 for player in (0, 1)]
    best = [solver.root_values(player, best_response=True).sum() / 6 for player in (0, 1)]
    assert values == pytest.approx([-1 / 18, 1 / 18], abs=1e-4)
    assert -best[1] - 1e-6 <= -1 / 18 <= best[0] + 1e-6
    assert sum(best) < 2e-3


def test_leduc_value_lies_in_its_bracket() -> None:
    game = leduc()
    solver = CfrSolver(one_card_game(game), game.tree)
    solver.step(2000)
    best = [float(solver.root_values(player, best_response=True).sum()) / 30 for player in (0, 1)]
    assert -best[1] <= LEDUC_VALUE <= best[0]
    assert sum(best) < 0.01
    assert float(solver.root_values(0).sum()) / 30 == pytest.approx(LEDUC_VALUE, abs=sum(best))

    average = average_of(game, solver)
    assert best == pytest.approx([best_response_value(game, average, player) for player in (0, 1)], abs=1e-5)


def test_gamma5_schedule_converges_too() -> None:
    game = leduc()
    solver = CfrSolver(one_card_game(game), game.tree, algorithm="gamma5")
    solver.step(2000)
    assert sum(solver.root_values(player, best_response=True).sum() / 30 for player in (0, 1)) < 0.01


def test_refuses_more_memory_than_allowed() -> None:
    game = leduc()
    with pytest.raises(ResourceError, match="GB of memory"):
        CfrSolver(one_card_game(game), game.tree, memory_limit=1000)
