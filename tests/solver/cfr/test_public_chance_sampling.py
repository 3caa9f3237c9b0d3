"""Public-chance sampling: the full pass if every card is drawn, right on average otherwise, convergent, repeatable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.card_game import CardGame
from hedgehog.solver.cfr.kernels import _public_chance_kernels as kernels
from hedgehog.solver.cfr.sampling import BoardSampler
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.sequence_form import game_value
from tests.reference.slow_cfr import SlowGame
from tests.reference.small_games import kuhn_tree, leduc_tree
from tests.solver.cfr.one_card_tables import leduc_with_twins
from tests.solver.cfr_fixtures import KUHN_VALUE, LEDUC_VALUE, kuhn_game, leduc_game, solve
from tests.solver.postflop_fixtures import river_spot, small_spot, turn_spot

EVERY_CARD = "pcs:cards=52"


def uneven_leduc() -> CardGame:
    """Leduc whose boards stand for one card (the lowest rank, dealt apart) or two."""
    _, table = leduc_with_twins((1.0, 0.5, 0.75))
    full, second = leduc_game().levels[1], table.game.levels[1]
    strengths = np.concatenate([full.strengths[:2], second.strengths[1:]])
    level = replace(second, strengths=strengths, parent=np.zeros(4, dtype=np.int32), swaps=((), (), (0,), (0,)))
    return replace(table.game, levels=(table.game.levels[0], level))


def rows(solver: CfrSolver, *, regret: bool) -> NDArray[np.float32]:
    """Returns all regrets, or sums of strategies, of a game with hands of one card."""
    found = []
    for level, forest in enumerate(solver.layout.forests):
        for slot in np.flatnonzero(solver.tree.kind[forest.nodes] == NodeKind.DECISION).tolist():
            for board in range(solver.game.num_boards(level)):
                found.append(solver.stored_rows(level, board, slot, regret=regret).ravel())
    return np.concatenate(found)


def test_every_card_is_the_full_pass() -> None:
    game = uneven_leduc()
    sampled = CfrSolver(game, leduc_tree(), algorithm=EVERY_CARD)
    full = CfrSolver(game, leduc_tree(), algorithm="dcfr:reset=no", threads=1)
    for solver in (sampled, full):
        solver.step(5)
        solver.step(7)
    for regret in (True, False):
        np.testing.assert_allclose(rows(sampled, regret=regret), rows(full, regret=regret), rtol=1e-5, atol=1e-6)


def test_every_card_is_the_full_pass_from_the_flop_on() -> None:
    hands = ({"AdKd": 1.0, "AhKh": 1.0, "8d8h": 1.0}, {"QdJd": 0.75, "QhJh": 0.75, "5s4s": 1.0})
    found = []
    for algorithm in (EVERY_CARD, "dcfr:reset=no"):
        solver, _ = small_spot("9c 7c 6c", hands, ("a", "", "a"), algorithm)
        assert len(set(solver.spot.runouts.turn_size.tolist())) > 1
        solver.run(6)
        found.append(solver.exploitability())
    assert found[0].ev_minus_half_pot == pytest.approx(found[1].ev_minus_half_pot, abs=0.01)
    assert found[0].pct_pot == pytest.approx(found[1].pct_pot, abs=0.01)


@pytest.mark.parametrize("cards", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_values_above_the_drawn_cards_are_right_on_average(cards: int) -> None:
    """The first update of the first player, from uniform strategies."""
    game, tree = uneven_leduc(), leduc_tree()
    full = CfrSolver(game, tree, threads=1)
    full.step(1)
    expected = full.stored_rows(0, 0, 0, regret=True)
    found = []
    for seed in range(200):
        solver = CfrSolver(game, tree, algorithm=f"pcs:cards={cards},seed={seed}")
        solver.step(1)
        found.append(solver.stored_rows(0, 0, 0, regret=True))
    deviation = np.std(found, axis=0) / np.sqrt(len(found))
    assert (deviation > 1e-3).any()
    assert (np.abs(np.mean(found, axis=0) - expected) < 4 * deviation + 1e-5).all()


def test_boards_not_drawn_keep_still() -> None:
    sampler = BoardSampler(leduc_game(), CfrSolver(leduc_game(), leduc_tree(), algorithm="pcs:cards=2").algorithm)
    state = np.zeros(1, dtype=np.uint64)
    kernels.count_visits(sampler.draw, sampler.deck, 0, 1, 0, state)
    solver = CfrSolver(leduc_game(), leduc_tree(), algorithm="pcs:cards=2")
    solver.step(1)
    actors = solver.tree.player[solver.layout.forests[1].nodes]
    for player in (0, 1):
        slot = int(np.flatnonzero(actors == player)[0])
        touched = [solver.stored_rows(1, board, slot, regret=False).any() for board in range(6)]
        assert touched == sampler.draw.visits[player, 1:].astype(bool).tolist()
        assert sum(touched) == 2


def test_visits_are_counted_and_even() -> None:
    algorithm = CfrSolver(leduc_game(), leduc_tree(), algorithm="pcs:cards=2").algorithm
    samplers = [BoardSampler(uneven_leduc(), algorithm) for _ in range(2)]
    state = np.zeros(1, dtype=np.uint64)
    kernels.count_visits(samplers[0].draw, samplers[0].deck, 0, 9000, 0, state)
    for first, last in ((0, 4000), (4000, 9000)):
        kernels.count_visits(samplers[1].draw, samplers[1].deck, first, last, 0, state)
    visits = samplers[0].draw.visits
    np.testing.assert_array_equal(visits, samplers[1].draw.visits)
    assert (visits[:, 0] == 9000).all()
    # Of the first three cards boards 1 and 2 stand for one each, board 3 for one and for one of the others.
    chances = np.array([1 / 3, 1 / 3, 1 - (2 / 3) ** 2, 2 / 3])
    assert np.abs(visits[:, 1:] - 9000 * chances).max() < 5 * np.sqrt(9000 / 4)


def test_kuhn() -> None:
    value, exploitability = solve(kuhn_game(), kuhn_tree(), 2000, "pcs")
    assert value == pytest.approx(KUHN_VALUE, abs=1e-3)
    assert exploitability < 1e-3


@pytest.mark.parametrize(("cards", "bound"), [(1, 0.03), (4, 0.01)])
def test_leduc(cards: int, bound: float) -> None:
    value, exploitability = solve(leduc_game(), leduc_tree(), 20_000, f"pcs:cards={cards}")
    assert value == pytest.approx(LEDUC_VALUE, abs=bound)
    assert exploitability < bound


@pytest.mark.parametrize("make_spot", [river_spot, turn_spot])
def test_value_by_linear_programming(make_spot: Callable[[str], tuple[PostflopSolver, SlowGame]]) -> None:
    solver, game = make_spot("pcs")
    found = solver.solve(0.3, 20_000, check_every=1000)
    assert found.pct_pot <= 0.3
    value = game_value(game)
    assert -found.best_response_ev_minus_half_pot[1] - 1e-4 <= value <= found.best_response_ev_minus_half_pot[0] + 1e-4
    assert found.ev_minus_half_pot[0] == pytest.approx(value, abs=0.3)


def test_same_seed_same_strategy() -> None:
    def stored(seed: int, *steps: int) -> NDArray[np.float32]:
        solver = CfrSolver(leduc_game(), leduc_tree(), algorithm=f"pcs:cards=2,seed={seed}")
        for step in steps:
            solver.step(step)
        return rows(solver, regret=False)

    once = stored(1, 50)
    np.testing.assert_array_equal(once, stored(1, 50))
    np.testing.assert_array_equal(once, stored(1, 20, 30))
    assert (once != stored(2, 50)).any()


def test_refuses_half_precision() -> None:
    with pytest.raises(SpotError, match="f32"):
        CfrSolver(kuhn_game(), kuhn_tree(), storage="f16", algorithm="pcs")


@pytest.mark.parametrize("algorithm", ["pcs:cards=2", "external", "outcome"])
def test_continues_on_another_solver(algorithm: str) -> None:
    first, second = (CfrSolver(leduc_game(), leduc_tree(), algorithm=algorithm) for _ in range(2))
    first.step(20)
    second.restore(20, first.state())
    for solver in (first, second):
        solver.step(15)
    np.testing.assert_array_equal(rows(first, regret=True), rows(second, regret=True))
