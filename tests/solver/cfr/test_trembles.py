"""Trembles in the compiled solver: against a slow one, and what they must leave alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.layout import decision_rows
from hedgehog.solver.cfr.trembles import Tremble
from hedgehog.solver.postflop.estimate import estimate
from hedgehog.solver.postflop.locks import Lock
from hedgehog.solver.postflop.prepared import prepare, prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import read_spot
from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.slow_cfr import SlowGame, best_response_value, exploitability
from tests.reference.slow_trembles import SlowTrembles
from tests.solver.postflop_fixtures import RIVER, TURN, average_of, combos_of, oracle_of, solver_of

TREMBLE = Tremble(share=0.05, temperature=5.0)


def trembling(spot: tuple[str, tuple[str, ...]], tremble: Tremble | None = TREMBLE, **options: Any) -> PostflopSolver:
    return solver_of(spot, **({"threads": 1} | options), tremble=tremble)


def rows_of(
    solver: PostflopSolver, game: SlowGame, name: str, node: int, board: tuple[int, ...]
) -> NDArray[np.float32]:
    """Returns float32[actions, hands of the slow game]: an array of the solver's state at a decision."""
    state = solver.state()
    level, number, permutation = solver.spot.locate(node, board[len(game.board) :])
    spot, player = solver.spot, int(solver.tree.player[node])
    slot = int(spot.slots[level][node])
    stored = (state[f"{name}_oop"], state[f"{name}_ip"])
    rows = decision_rows(spot.game, solver.tree, spot.layout, stored, level, number, slot)
    by_combo = np.full((len(rows), 1326), np.nan, dtype=np.float32)
    by_combo[:, spot.combos[player]] = rows[:, spot.hands[player]]
    return (by_combo if permutation is None else by_combo[:, permutation])[:, combos_of(game, player)]


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
@pytest.mark.parametrize("rake", [(0.0, 0.0), (0.05, 20.0)], ids=["no rake", "rake"])
@pytest.mark.slow_cases("no rake-turn")
def test_same_losses_and_regrets_as_the_slow_solver(
    spot: tuple[str, tuple[str, ...]], rake: tuple[float, float]
) -> None:
    game = oracle_of(spot, rake)
    solver, slow = trembling(spot, rake=rake), SlowTrembles(game, TREMBLE.share, TREMBLE.temperature)
    solver.run(1)  # later rounding decides the sign of regrets where much is equal
    slow.step(1)
    compared = 0
    for (node, board), loss in slow.loss.items():
        player = int(solver.tree.player[node])
        live = game.live(player, board) > 0
        found = rows_of(solver, game, "losses", node, board) * TREMBLE.temperature
        # What a hand meets is a difference of sums, which single precision loses if next to nothing is left of them.
        met = live & (slow.met[node, board] > 1e-3)
        wanted = np.minimum(loss, 256 * TREMBLE.temperature)[:, met]
        assert found[:, met] == pytest.approx(wanted, rel=1e-3, abs=0.05), (node, board)
        if board == tuple(game.board):
            chances = solver.node_trembles(node)[:, combos_of(game, player)]
            assert chances[:, met] == pytest.approx(TREMBLE.share * slow.tremble(node, board)[:, met], abs=1e-4)
            assert chances.sum(axis=0)[met] == pytest.approx(TREMBLE.share)
        regret = slow.regret[node, board]
        clear = (np.abs(regret).max(axis=0) > 1e-3 * game.pair_weight) & live
        current = solver.node_strategy(node, board[len(game.board) :], current=True)[:, combos_of(game, player)]
        assert current[:, clear] == pytest.approx(slow.current(node, board)[:, clear], abs=2e-3), (node, board)
        compared += int(clear.sum())
    assert compared > 20


def test_trembles_are_probabilities_and_prefer_the_cheap_actions() -> None:
    slow = SlowTrembles(oracle_of(RIVER), TREMBLE.share, TREMBLE.temperature)
    slow.step(20)
    for (node, board), loss in slow.loss.items():
        chances = slow.tremble(node, board)
        assert (chances >= 0).all()
        assert chances.sum(axis=0) == pytest.approx(1)
        assert (loss >= -1e-9).all()
        cheapest = loss.argmin(axis=0)
        assert (np.take_along_axis(chances, cheapest[None], axis=0) >= chances - 1e-12).all()
        slow._updated = 1 - int(slow.game.tree.player[node])
        assert slow.played(node, board).sum(axis=0) == pytest.approx(1)
        assert (slow.played(node, board) >= 0).all()


@pytest.mark.parametrize("spot", [RIVER, TURN], ids=["river", "turn"])
@pytest.mark.parametrize("storage", ["f32", "f16"])
def test_the_exploitability_is_that_of_the_plain_game(spot: tuple[str, tuple[str, ...]], storage: str) -> None:
    game = oracle_of(spot)
    solver = trembling(spot, storage=storage)
    solver.run(30)
    strategy = average_of(solver, game)
    found = solver.exploitability()
    assert found.exploitability == pytest.approx(exploitability(game, strategy), abs=2e-3)
    for player in (0, 1):
        value = best_response_value(game, strategy, player)
        assert found.best_response_ev_minus_half_pot[player] == pytest.approx(value, abs=2e-3)
    for node in np.flatnonzero(solver.tree.kind == NodeKind.DECISION).tolist():
        if solver.tree.street[node] == solver.spot.street:
            assert (solver.node_strategy(node) >= 0).all()


def test_the_price_is_a_part_of_the_share() -> None:
    found = {}
    for share in (0.0, 0.001, 0.01):
        solver = trembling(RIVER, Tremble(share, 5.0) if share else None)
        found[share] = solver.solve(0.0, 2000, check_every=2000).pct_pot
    assert found[0.0] < 0.01
    assert found[0.001] < 0.01 + 100 * 0.001 / 2
    assert found[0.01] < 0.01 + 100 * 0.01 / 2


@pytest.mark.parametrize("share", [1e-9, 0.001])
@pytest.mark.slow_cases("0.001")
def test_chains_of_rare_actions_do_no_harm(share: float) -> None:
    """After several trembles a reach is too small for single precision: such hands do not come."""
    spot = prepare(read_spot(Path(__file__).parents[2] / "data" / "solver" / "spots" / "C3_turn.yaml"))
    found = []
    for tremble in (None, Tremble(share, 0.05 * spot.tree.root_pot)):
        solver = PostflopSolver(replace(spot, tremble=tremble), threads=1)
        solver.run(60)
        assert all(np.isfinite(array).all() for array in solver.state().values())
        found.append(solver.exploitability().pct_pot)
    assert found[0] < 2
    assert found[1] < found[0] + 0.5


def test_answers_that_nobody_asks_for_change() -> None:
    """The answers to lines that no hand takes differ from those of a plain solve."""
    plain, trembles = (solver_of(RIVER, threads=1), trembling(RIVER, Tremble(0.01, 5.0)))
    losses = []
    for solver in (plain, trembles):
        solver.run(600)
        losses.append(solver.exploitability().pct_pot)
    assert losses[0] < losses[1] < 1.5
    tree = plain.tree
    rare = [
        node
        for node in np.flatnonzero(tree.kind == NodeKind.DECISION).tolist()
        if plain.node_reach(1 - int(tree.player[node]), node).sum() < 1e-6
    ]
    assert rare
    assert any(np.abs(plain.node_strategy(n) - trembles.node_strategy(n)).max() > 0.05 for n in rare)


def test_without_trembles_the_bytes_are_those_of_a_plain_solve() -> None:
    solvers = [trembling(TURN, None), solver_of(TURN, threads=1)]
    for solver in solvers:
        solver.run(20)
    one, other = (solver.state() for solver in solvers)
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert solvers[0].memory_bytes == solvers[1].memory_bytes


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_and_breaks_change_no_bit(threads: int) -> None:
    whole = trembling(TURN)
    whole.run(12)
    parts = trembling(TURN, threads=threads)
    parts.run(5)
    again = trembling(TURN, threads=threads)
    again.restore(5, parts.state())
    again.run(7)
    for name, array in whole.state().items():
        assert np.array_equal(array, again.state()[name]), name
    assert "losses_oop" in whole.state()


def test_locked_hands_do_not_tremble() -> None:
    """OOP is locked on a check: IP learns nothing of bets, as without trembles."""
    lock = [Lock("", {"X": 1})]
    locked = trembling(RIVER, locks=lock)
    plain = trembling(RIVER, None, locks=lock)
    for solver in (locked, plain):
        solver.run(50)
    child = next(n for n in locked.tree.children(0) if locked.tree.kind[n] == NodeKind.DECISION and n > 1)
    assert (locked.node_strategy(0)[0][locked.ranges[0] > 0] == 1).all()
    # An opponent of weight zero: all actions are worth 0, and every strategy stays the uniform one.
    rows = locked.node_strategy(child, current=True)
    assert rows == pytest.approx(np.full_like(rows, 1 / len(rows)))
    assert np.array_equal(rows, plain.node_strategy(child, current=True))


def test_suits_and_merged_cards_change_nothing_but_rounding() -> None:
    one, other = trembling(TURN), trembling(TURN, isomorphism=False)
    for solver in (one, other):
        solver.run(3)
    root = [solver.node_strategy(0, current=True)[:, solver.ranges[0] > 0] for solver in (one, other)]
    assert root[0] == pytest.approx(root[1], abs=2e-3)


def test_what_cannot_tremble_refuses() -> None:
    for algorithm in ("cfr+", "linear", "cgh", "pcs", "external"):
        with pytest.raises(SpotError, match="trembles"):
            trembling(RIVER, algorithm=algorithm)
        with pytest.raises(SpotError, match="trembles"):
            estimate(trembling(RIVER).spot, algorithm=algorithm)


def test_the_estimate_is_what_a_solver_takes() -> None:
    solver = trembling(TURN)
    assert estimate(solver.spot, threads=1).memory_bytes == solver.memory_bytes
    plain = solver_of(TURN, threads=1)
    more = solver.memory_bytes - plain.memory_bytes
    assert more >= 4 * sum(plain.spot.layout.sizes)


def test_prepared_spots_carry_no_trembles_unless_asked_for() -> None:
    plain = solver_of(RIVER)
    again = prepare_tree(plain.tree, plain.board, plain.ranges)
    assert again.tremble is None
