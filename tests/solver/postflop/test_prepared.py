"""Spots made ready once: their estimates, their variants, and the way in for Python users."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from hedgehog.poker.cards import NUM_COMBOS, parse_cards
from hedgehog.runtime.errors import MemoryShortageError, SpotError
from hedgehog.solver.abstraction.solving import solve
from hedgehog.solver.cfr.algorithms import parse_algorithm
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.cfr.own_rules import ALGORITHMS
from hedgehog.solver.postflop.estimate import estimate
from hedgehog.solver.postflop.prepared import prepare, prepare_tree
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import parse_spot, read_spot
from hedgehog.solver.postflop.tree import TreeConfig, build_postflop_tree
from tests.pairwise import pairwise
from tests.reference.small_games import same_sizes

SPOTS = Path(__file__).parents[3] / "docs" / "examples" / "spots"
FLOP = """
spot: small
board: Qs Jh 2h
pot: 100
stack: 150
range: {oop: "99,AQs,KJo", ip: "TT,KQs,JTs"}
sizes:
  flop: {oop: "100%", ip: "a"}
  turn: {oop: "", ip: "100%"}
  river: {oop: "a", ip: ""}
"""
TURN = FLOP.replace("Qs Jh 2h", "Qs Jh 2h 7d")
RIVER = FLOP.replace("Qs Jh 2h", "Qs Jh 2h 7d 5c")
LOCKED = (
    RIVER
    + """
locks:
  - {line: "", strategy: {X: 1}}
"""
)


def test_five_lines_solve_a_spot() -> None:
    solution = solve(prepare(read_spot(SPOTS / "river.yaml")), target_pct=1.0)
    assert solution.exploitability().pct_pot <= 1.0
    np.testing.assert_allclose(solution.node_strategy(0).sum(axis=0), 1, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "storage", "algorithm"), pairwise([FLOP, TURN, RIVER, LOCKED], ["f32", "f16"], list(ALGORITHMS))
)
@pytest.mark.quick_cases(every=3)
def test_the_estimate_is_what_the_solver_holds(text: str, storage: Storage, algorithm: str) -> None:
    spot = prepare(parse_spot(text))
    try:
        found = estimate(spot, algorithm=algorithm, storage=storage, threads=2)
    except SpotError as refused:
        with pytest.raises(SpotError, match=re.escape(refused.message)):
            PostflopSolver(spot, algorithm=algorithm, storage=storage, threads=2)
        return
    cfr = PostflopSolver(spot, algorithm=algorithm, storage=storage, threads=2)._cfr
    scratch = [array for array in cfr._scratch if array.dtype == np.float32]
    rule = cfr._rules[0]
    locks = [array for side in cfr._locks for array in side]
    held = [*cfr.state().values(), *cfr._boards, *locks, *scratch, rule.own_reach, rule.own_entry, rule.own_root]
    assert found.memory_bytes == cfr.memory_bytes == sum(array.nbytes for array in held)


def test_too_little_memory_is_refused_before_anything_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(*_: object) -> None:
        raise AssertionError("made in vain")

    monkeypatch.setattr("hedgehog.solver.cfr.solver.make_boards", make)
    spot = prepare(parse_spot(FLOP))
    with pytest.raises(MemoryShortageError) as shortage:
        PostflopSolver(spot, memory_limit=1000, threads=1)
    assert shortage.value.needed == estimate(spot, threads=1).memory_bytes


@pytest.mark.parametrize("board", ["QhJh2c5s", "QhJh2c5s9d"])
@pytest.mark.parametrize("symmetric", [True, False])
def test_the_cards_serve_another_tree(board: str, symmetric: bool) -> None:
    cards = parse_cards(board)
    weights = np.ones((2, NUM_COMBOS)) if symmetric else np.random.default_rng(1).random((2, NUM_COMBOS))
    small, large = (
        build_postflop_tree(TreeConfig(len(cards) - 2, 500, 2000, same_sizes(*[sizes] * (6 - len(cards)))))
        for sizes in ("75%", "50%,100%")
    )
    ranges = list(weights.astype(np.float32))
    first = prepare_tree(small, cards, ranges)
    solvers = [PostflopSolver(spot, threads=1) for spot in (first.with_tree(large), prepare_tree(large, cards, ranges))]
    for solver in solvers:
        solver.run(3)
    assert solvers[0].spot.layout.sizes != first.layout.sizes
    np.testing.assert_array_equal(*(solver.node_strategy(0) for solver in solvers))
    with pytest.raises(SpotError, match="starts on street"):
        first.with_tree(build_postflop_tree(TreeConfig(1, 500, 2000, same_sizes("75%", "75%", "75%"))))
    locked = prepare(parse_spot(LOCKED))
    with pytest.raises(SpotError, match="locks"):
        locked.with_tree(locked.tree)


def test_algorithms_that_sample_cards_get_every_hand() -> None:
    cards = parse_cards("QhJh2c7d5s")
    full = np.ones(NUM_COMBOS, dtype=np.float32)
    tree = build_postflop_tree(TreeConfig(3, 100, 100, same_sizes("a")))
    spot = prepare_tree(tree, cards, (full, full))
    assert spot.cards.merged
    assert PostflopSolver(spot).spot is spot
    every = PostflopSolver(spot, algorithm="pcs").spot
    assert [len(hands) for hands in every.game.hands] == [1081, 1081]
    assert every.for_algorithm(parse_algorithm("dcfr")) is every
    assert spot.unmerged is every
