"""Speed of playing hands of a solved spot (``make bench``)."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from analysis.solves.simulation import check_values
from poker.betsizes import parse_bet_sizes
from poker.cards import NUM_COMBOS, parse_cards
from solver.postflop.solver import PostflopSolver
from solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree

HANDS = 500_000


@pytest.mark.parametrize("threads", [1, 2])
def test_bench_hands(benchmark: BenchmarkFixture, threads: int) -> None:
    menu = parse_bet_sizes("50%,100%,a/100%,a")
    tree = build_postflop_tree(TreeConfig(street=2, pot=4000, stack=18000, sizes=(StreetSizes(menu, menu),) * 2))
    full = np.ones(NUM_COMBOS, dtype=np.float32)
    solver = PostflopSolver(tree, parse_cards("QhJh2c7d"), (full, full), merge_cards=False)
    solver.run(20)
    options = {"num_hands": HANDS, "seed": 1, "threads": threads}
    checks = benchmark.pedantic(check_values, (solver,), options, rounds=3, warmup_rounds=1)
    assert all(check.agrees for check in checks)
