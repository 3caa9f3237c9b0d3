"""The reference game whose flops are solved again: its values, and published exploitabilities of the same experiment.

The notes of Slumbot 2017 give the game ms1f1 on buckets 42.15 and 42.59 mbb per hand after 200 iterations. Once its
flops are solved again, with payoffs from the game of the buckets, they give 9.17 and 9.47; 10.72 and 11.06 if every
decision is.
"""

from __future__ import annotations

import numpy as np
import pytest

from hedgehog.poker.cards import COMBO_CARDS
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.flop_games import flop_card_game
from tests.reference.resolved_flops import FlopOfOneCard, Profile, resolve, solve_on_buckets


@pytest.fixture(scope="module")
def game() -> FlopOfOneCard:
    return FlopOfOneCard()


def _uniform(game: FlopOfOneCard) -> Profile:
    found = {}
    for node in np.flatnonzero(game.tree.kind == NodeKind.DECISION).tolist():
        count = int(game.tree.num_children[node])
        shape = (count, *((13, 1326) if game.tree.street[node] == 3 else (1326,)))
        found[node] = np.full(shape, 1 / count)
    return found


def test_values_are_those_of_the_solver(game: FlopOfOneCard) -> None:
    # A solver that has not run yet has uniform averages.
    solver = CfrSolver(flop_card_game(1), game.tree)
    profile = _uniform(game)
    for player in (0, 1):
        best = game.walk(player, lambda _, values, __: np.max(values, axis=0), profile.__getitem__)
        np.testing.assert_allclose(best, solver.root_values(player, best_response=True), rtol=1e-4, atol=1.0)


def test_showdowns_by_comparing_hands(game: FlopOfOneCard) -> None:
    rng = np.random.default_rng(3)
    reach = np.where(game.live, rng.random(game.live.shape), 0.0)
    found = game.showdown(reach)
    for flop, hand in ((0, 40), (7, 700), (12, 1325)):
        if not game.live[flop, hand]:
            assert found[flop, hand] == 0
            continue
        met = ~np.isin(COMBO_CARDS, COMBO_CARDS[hand]).any(axis=1)
        signs = np.sign(game.strengths[flop, hand] - game.strengths[flop])
        assert found[flop, hand] == pytest.approx((reach[flop] * met * signs).sum())


@pytest.mark.slow
def test_a_solve_again_repairs_bad_flops(game: FlopOfOneCard) -> None:
    base = solve_on_buckets(game, 8)
    before = game.bracket(base).exploitability
    assert game.bracket(resolve(game, base, "estimate", 40, even=1.0)).exploitability < 0.75 * before
    # Safe: no easier to exploit than the base.
    assert game.bracket(resolve(game, base, "safe", 40, even=1.0)).exploitability < before + 1


@pytest.mark.slow
def test_published_exploitabilities(game: FlopOfOneCard) -> None:
    base = solve_on_buckets(game, 200)
    assert game.bracket(base).exploitability == pytest.approx(42.59, abs=1.5)
    once = game.bracket(resolve(game, base, "estimate", 200, even=1.0)).exploitability
    assert once <= 9.47
    assert game.bracket(resolve(game, base, "estimate", 200, even=1.0, nested=True)).exploitability <= 10.72
    unsafe = game.bracket(resolve(game, base, "unsafe", 200)).exploitability
    # What the notes of Slumbot say of uniform hands in the range of an unsafe solve.
    assert game.bracket(resolve(game, base, "unsafe", 200, even=0.02)).exploitability < unsafe - 1
