"""Speed of the postflop solver (``make bench``)."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from poker.betsizes import parse_bet_sizes
from poker.cards import NUM_COMBOS, parse_cards
from solver.cfr.solver import Storage
from solver.postflop.solver import PostflopSolver
from solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree


def make_solver(board: str, sizes: str, threads: int, storage: Storage, *, merge_cards: bool = False) -> PostflopSolver:
    cards = parse_cards(board)
    menu = parse_bet_sizes(sizes)
    streets = (StreetSizes(menu, menu),) * (6 - len(cards))
    tree = build_postflop_tree(TreeConfig(street=len(cards) - 2, pot=4000, stack=18000, sizes=streets))
    full = np.ones(NUM_COMBOS, dtype=np.float32)
    return PostflopSolver(tree, cards, (full, full), threads=threads, storage=storage, merge_cards=merge_cards)


@pytest.mark.parametrize("storage", ["f32", "f16"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("board", "sizes"),
    [("QhJh2c7d5s", "33%,75%,150%,a/50%,100%,a"), ("QhJh2c7d", "50%,100%,a/100%,a"), ("QhJh2c", "100%")],
    ids=["river", "turn", "flop"],
)
def test_bench_iteration(benchmark: BenchmarkFixture, board: str, sizes: str, threads: int, storage: Storage) -> None:
    solver = make_solver(board, sizes, threads, storage)
    benchmark.pedantic(solver.run, (1,), rounds=10, warmup_rounds=2)
    assert solver.iterations == 12


@pytest.mark.parametrize(
    ("board", "sizes"),
    [("QhJh2c7d5s", "33%,75%,150%,a/50%,100%,a"), ("QhJh2c7d", "50%,100%,a/100%,a")],
    ids=["river", "turn"],
)
def test_bench_merged_iteration(benchmark: BenchmarkFixture, board: str, sizes: str) -> None:
    solver = make_solver(board, sizes, 1, "f32", merge_cards=True)
    assert solver.cards.merged
    benchmark.pedantic(solver.run, (1,), rounds=10, warmup_rounds=2)


def test_bench_turn_set_up(benchmark: BenchmarkFixture) -> None:
    """What live re-solving pays before the first iteration."""
    solver = benchmark(make_solver, "QhJh2c7d", "50%,100%,a/100%,a", 1, "f16")
    assert solver.iterations == 0
