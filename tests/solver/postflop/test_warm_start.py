"""Solves that start from given strategies: the first strategy is the given one, and few iterations then suffice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.postflop.locks import Lock
from hedgehog.solver.postflop.warm_start import Prior, dealt_boards
from hedgehog.strategies.betting_tree import NodeKind
from tests.solver.postflop_fixtures import RIVER, TURN, prior_of, solver_of


@pytest.mark.parametrize("spot", [RIVER, TURN])
@pytest.mark.parametrize("storage", ["f32", "f16"])
def test_the_first_strategy_is_the_given_one(spot: Any, storage: Any) -> None:
    teacher = solver_of(spot)
    teacher.run(30)
    pupil = solver_of(spot, storage=storage)
    pupil.warm_start(prior_of(teacher), 1.0, 3)
    assert pupil.iterations == 3
    compared = 0
    for node in np.flatnonzero(pupil.tree.kind == NodeKind.DECISION).tolist():
        level = int(pupil.tree.street[node]) - pupil.spot.street
        for board in dealt_boards(pupil.spot)[level]:
            dealt = board[len(pupil.spot.board) :]
            opponent = pupil.tree.player[node] ^ 1
            # Where the teacher's opponent never arrives, regrets are zero and the first strategy is uniform.
            if teacher.node_reach(int(opponent), node, dealt).sum() < 1e-3:
                continue
            player = int(pupil.tree.player[node])
            held = (pupil.spot.ranges[player] > 0) & combo_mask(board)
            found = pupil.node_strategy(node, dealt, current=True)[:, held]
            np.testing.assert_allclose(found, teacher.node_strategy(node, dealt)[:, held], atol=2e-3)
            compared += held.sum()
    assert compared > 10


def test_a_good_start_saves_iterations() -> None:
    teacher = solver_of(TURN)
    teacher.run(300)
    cold, warm = (solver_of(TURN, algorithm="gamma5") for _ in range(2))
    warm.warm_start(prior_of(teacher), 10.0, 20)
    for solver in (cold, warm):
        solver.run(8)
    assert warm.exploitability().exploitability < 0.5 * cold.exploitability().exploitability


def test_locked_hands_keep_their_locks() -> None:
    teacher = solver_of(RIVER)
    teacher.run(30)
    locked = solver_of(RIVER, locks=[Lock("", {"X": 0.3, "B50": 0.7})])
    locked.warm_start(prior_of(teacher), 1.0, 3)
    locked.run(5)
    held = locked.spot.ranges[0] > 0
    np.testing.assert_allclose(locked.node_strategy(0)[1, held], 0.7, atol=1e-5)


def test_decisions_without_a_prior_start_uniform() -> None:
    solver = solver_of(RIVER)
    solver.warm_start(Prior({}, (np.zeros((1, NUM_COMBOS), dtype=np.int64),)), 1.0, 0)
    fresh = solver_of(RIVER)
    for either in (solver, fresh):
        either.run(20)
    assert all(np.array_equal(a, b) for a, b in zip(solver.averages, fresh.averages, strict=True))


@pytest.mark.parametrize("algorithm", ["cgh", "pcfr+", "external", "cfr:simultaneous=yes"])
def test_an_algorithm_with_another_state_is_refused(algorithm: str) -> None:
    solver = solver_of(RIVER, algorithm=algorithm)
    with pytest.raises(SpotError, match="cannot start from given regrets"):
        solver.warm_start(Prior({}, (np.zeros((1, NUM_COMBOS), dtype=np.int64),)), 1.0, 0)
