"""Given strategies in the exact game, against a solver that holds the same strategies."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.runtime.errors import SpotError
from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.postflop.queries import find_node
from hedgehog.solver.postflop.responses.evaluation import evaluate_strategy
from hedgehog.solver.postflop.responses.given_strategy import GivenStrategy, NodeRows, given_solution
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot
from tests.shown import check_shown

TURN = """\
spot: tiny turn
board: Td 9d 6h Qc
pot: 100
stack: 300
range: {oop: "AA,T9s,87s", ip: "QQ,AQs,J8s:0.5"}
sizes:
  turn: {oop: "50%", ip: "50% / a"}
  river: {oop: "75%", ip: "75%"}
"""


def by_node(solution: PostflopSolution, rows: NodeRows | None = None) -> GivenStrategy:
    """Answers for one decision at a time, like a file of another solver."""
    return replace(given_solution(solution), rows=rows or solution.node_strategy, solution=None)


@pytest.fixture(scope="module")
def spot() -> PostflopSpot:
    return parse_spot(TURN)


@pytest.fixture(scope="module")
def solution(spot: PostflopSpot) -> PostflopSolution:
    return solve(spot, target_pct=3)


def test_both_ways_of_reading_keep_the_exploitability(spot: PostflopSpot, solution: PostflopSolution) -> None:
    expected = solution.exploitability().pct_pot  # type: ignore[attr-defined]
    for given in (given_solution(solution), by_node(solution)):
        found = evaluate_strategy(spot, given, compare=False)
        assert found.found.pct_pot == pytest.approx(expected, rel=1e-4)


def test_losses_add_up_to_what_each_best_response_gains(spot: PostflopSpot, solution: PostflopSolution) -> None:
    found = evaluate_strategy(spot, by_node(solution), compare=False)
    for player in (0, 1):
        gain = found.found.best_response_ev_minus_half_pot[player] - found.found.ev_minus_half_pot[player]
        losses = [loss for loss in found.losses if loss.player == player]
        assert math.fsum(loss.chips for loss in losses) == pytest.approx(gain, abs=1e-4)
        assert {loss.street for loss in losses} == {2, 3}


def test_a_mistake_is_found_at_its_decision(spot: PostflopSpot) -> None:
    """OOP folds every hand to a bet after his check, and is otherwise right: his losses grow there most."""
    good = solve(spot, target_pct=0.2)

    def folding(node: int, dealt: tuple[int, ...]) -> NDArray[np.float32]:
        rows = good.node_strategy(node, dealt)
        if node == bet:
            rows = np.zeros_like(rows)
            rows[0] = 1
        return rows

    bet, _ = find_node(good, "X B50")
    before, after = (
        {
            (loss.line, loss.player, loss.street): loss.chips
            for loss in evaluate_strategy(spot, one, compare=False).losses
        }
        for one in (by_node(good), by_node(good, folding))
    )
    grown = max(after, key=lambda key: after[key] - before[key] if key[1] == 0 else 0.0)
    assert grown == ("X B50", 0, 2)


def test_the_same_strategies_show_no_difference(spot: PostflopSpot, solution: PostflopSolution) -> None:
    found = evaluate_strategy(spot, given_solution(solution), target_pct=3)
    for node in found.nodes():
        assert node.frequency == pytest.approx(node.our_frequency, nan_ok=True, abs=1e-5)
        assert node.ev == pytest.approx(node.our_ev, nan_ok=True, abs=1e-3)
    for row in found.hand_table("X").records():
        assert row["ev"] == pytest.approx(row["our_ev"], abs=1e-3)


def test_locks_are_refused(solution: PostflopSolution) -> None:
    locked = parse_spot(TURN + 'locks: [{line: "", strategy: {X: 1}}]\n')
    with pytest.raises(SpotError, match="without locks"):
        evaluate_strategy(locked, given_solution(solution))


def test_it_shows_itself(spot: PostflopSpot, solution: PostflopSolution) -> None:
    check_shown(evaluate_strategy(spot, given_solution(solution), target_pct=3))
