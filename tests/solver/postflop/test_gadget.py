"""Safe solves: a street that is solved again with alternative payoffs makes the whole strategy no easier to exploit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop.locks import Lock
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.warm_start import Prior
from tests.reference.resolving import as_strategy, river_strategies
from tests.reference.slow_cfr import best_response_value, hand_values
from tests.reference.small_games import same_sizes
from tests.solver.postflop_fixtures import RIVER, TURN, average_of, oracle_of, prior_of, solver_of

STRANGE = [Lock("X", {"X": 1.0}), Lock("X", {"B100": 1.0}, hands="9h8h,QdTd,QsTs")]
"""A turn strategy of the second player: bets the worst hands and checks all others."""


@pytest.mark.parametrize(
    ("spot", "storage", "chooser"), [(RIVER, "f32", 0), (RIVER, "f16", 1), (TURN, "f32", 0), (TURN, "f32", 1)]
)
def test_no_hand_of_the_opponent_wins_more_by_entering(spot: Any, storage: Storage, chooser: int) -> None:
    """The best responses to the known and to the new strategy are those of the slow solver, hand by hand."""
    game = oracle_of(spot)
    known = solver_of(spot)
    known.run(6)
    new = solver_of(spot, storage=storage, algorithm="gamma5", threads=1)
    new.offer_payoffs(chooser, prior_of(known))
    new.run(400)
    before = hand_values(game, average_of(known, game), chooser, best=True)
    after = hand_values(game, average_of(new, game), chooser, best=True)
    opponents = game.weights[1 - chooser].sum()
    assert (after <= before + 0.2 * opponents).all()  # in percent of the pot
    assert (after < before - 0.5 * opponents).any()  # a known strategy of six iterations can be bettered


def test_alternative_payoffs_are_the_values_of_the_known_strategies() -> None:
    """An offer of the opponent's own known values makes him indifferent where nothing changes."""
    known = solver_of(RIVER)
    known.run(2000)
    for best_response in (True, False):
        new = solver_of(RIVER, algorithm="gamma5")
        new.offer_payoffs(1, prior_of(known), best_response=best_response)
        new.run(600)
        # The known strategy is an equilibrium, so the new one must be as good.
        assert new.exploitability().best_response_ev_minus_half_pot[1] == pytest.approx(
            known.exploitability().best_response_ev_minus_half_pot[1], abs=0.1
        )


@pytest.mark.slow
def test_rivers_of_a_known_turn_are_safe_to_solve_again() -> None:
    """The opponent's turn strategy is not the one that the ranges assume. Only unsafe solves suffer."""
    game = oracle_of(TURN)
    sizes = same_sizes(TURN[1][1])[0]
    trunk, believed = solver_of(TURN), solver_of(TURN, locks=STRANGE)
    for solver in (trunk, believed):
        solver.run(200)
    worth = {}
    for name, best_response in (("unsafe", None), ("safe", True), ("estimate", False)):
        rivers = river_strategies(trunk, believed, sizes, 1, 150, best_response)
        worth[name] = best_response_value(game, as_strategy(game, trunk, rivers), 1)
    known = best_response_value(game, average_of(trunk, game), 1)
    # The pot is 100 chips. The known strategy is an equilibrium, so that its own values are those of best responses.
    assert worth["safe"] <= known + 0.2
    assert worth["estimate"] <= known + 0.3
    assert worth["unsafe"] > known + 1


def test_evaluations_are_those_of_the_game_in_which_every_hand_enters() -> None:
    known = solver_of(RIVER)
    known.run(6)
    new = solver_of(RIVER)
    new.offer_payoffs(1, prior_of(known))
    new.run(50)
    plain = solver_of(RIVER)
    plain.restore(50, new.state())
    assert new.exploitability() == plain.exploitability()


def test_chunks_and_threads_change_nothing() -> None:
    known = solver_of(TURN)
    known.run(6)
    found = []
    for threads, parts in ((1, [40]), (1, [1, 2, 37]), (2, [40])):
        solver = solver_of(TURN, algorithm="gamma5", threads=threads)
        solver.offer_payoffs(0, prior_of(known))
        for part in parts:
            solver.run(part)
        found.append(solver.averages)
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


def test_an_offer_before_a_warm_start_keeps_the_start() -> None:
    known = solver_of(TURN)
    known.run(30)
    prior = prior_of(known)
    offered, plain = solver_of(TURN), solver_of(TURN)
    offered.offer_payoffs(0, prior)
    for solver in (offered, plain):
        solver.warm_start(prior, 1.0, 3)
    state = plain.state()
    assert all(np.array_equal(array, state[name]) for name, array in offered.state().items())


def test_other_algorithms_are_refused() -> None:
    solver = solver_of(RIVER, algorithm="cfr+")
    with pytest.raises(SpotError, match="cannot solve a game with alternative payoffs"):
        solver.offer_payoffs(0, Prior({}, (np.zeros((1, NUM_COMBOS), dtype=np.int64),)))


def test_a_solve_learns_where_no_hand_wants_to_enter() -> None:
    solver = solver_of(RIVER, algorithm="gamma5")
    solver._cfr.offer(1, np.full(len(solver.spot.game.hands[1]), 1e6, dtype=np.float32))
    solver.run(400)
    assert solver.exploitability().pct_pot < 0.3


def test_the_expected_range_enters_whatever_others_are_promised() -> None:
    """With a promise that beats all, no other hand comes; with one that nobody takes, all come beside the range."""
    worst, share = 1e6, 0.5
    known = solver_of(RIVER, algorithm="gamma5")
    alone, crowded = (solver_of(RIVER, algorithm="gamma5") for _ in range(2))
    others = share * (np.arange(NUM_COMBOS) % 3 == 0)
    alone.promise(1, np.full(NUM_COMBOS, worst), others)
    crowded.promise(1, np.full(NUM_COMBOS, -worst), others)
    weights, count = known.spot.game.weights[1], np.bincount(known.spot.hands[1])
    mean = np.bincount(known.spot.hands[1], others[known.spot.combos[1]]) / count
    together = solver_of(RIVER, algorithm="gamma5")
    together._cfr.set_weights(1, weights + mean.astype(np.float32))
    for solver in (known, alone, crowded, together):
        solver.run(400)
    assert alone.exploitability().pct_pot < 1.5 * known.exploitability().pct_pot
    np.testing.assert_allclose(crowded.averages[0], together.averages[0], rtol=1e-3)
    np.testing.assert_array_equal(known.spot.game.weights[1], crowded.spot.game.weights[1])


def test_hands_out_of_the_range_win_no_more_than_they_were_promised() -> None:
    """A range without the best hands is not bluffed freely by one who has promised these hands something."""
    base = solver_of(RIVER, algorithm="gamma5")
    base.run(800)
    promised = base.root_street_values(1)[0]
    strong = promised > np.quantile(promised, 0.7)
    first, second = base.spot.game.weights
    weak = np.where(strong, np.float32(1e-3), second).astype(np.float32)
    spot = replace(base.spot, game=replace(base.spot.game, weights=(first, weak)))
    gains = []
    for kept in (False, True):
        solver = PostflopSolver(spot, threads=1, algorithm="gamma5")
        if kept:
            solver._cfr.offer(1, promised, others=np.ones_like(weak))
        solver.run(800)
        best = solver.line_values(1, best_response=True)[0]
        gains.append(float((best - promised)[strong].max()) / (solver.tree.root_pot * float(first.sum())))
    assert gains[0] > 0.5
    assert gains[1] < 0.01
