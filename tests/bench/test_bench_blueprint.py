"""Speed of the blueprint's card buckets and trainer (``make bench``)."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from poker.cards import parse_cards
from solver.blueprint._blueprint_kernels import prepare_board_kernel, train_kernel
from solver.blueprint._external_sampling_kernels import external_train_kernel
from solver.blueprint.card_abstraction import CardAbstraction, CardConfig
from solver.blueprint.external_sampling import allocate_sampled_scratch, sampled_tree
from solver.blueprint.program import aligned_zeros, allocate_scratch, compile_tree
from solver.blueprint.training import TREMBLE
from solver.blueprint.tree import MEDIUM, SMALL, BlueprintMenu, build_blueprint_tree


@pytest.fixture(scope="module")
def abstraction() -> CardAbstraction:
    return CardAbstraction.load_or_build(CardConfig())


@pytest.mark.parametrize("menu", [SMALL, MEDIUM], ids=["small", "medium"])
def test_bench_training(benchmark: BenchmarkFixture, abstraction: CardAbstraction, menu: BlueprintMenu) -> None:
    """One board, both players, from regrets at zero (the first iterations visit the whole tree)."""
    compiled = compile_tree(build_blueprint_tree(menu), abstraction.bucket_counts)
    tables = [aligned_zeros(compiled.table_size) for _ in range(2)]
    scratch = allocate_scratch(compiled.program)
    rng_state = np.array([1], dtype=np.uint64)
    arguments = (*tables, scratch, compiled.program, abstraction.tables, 1, TREMBLE, rng_state)
    benchmark.pedantic(train_kernel, arguments, rounds=20, warmup_rounds=2)
    assert tables[1].any()
    benchmark.extra_info["boards_per_second"] = 1 / benchmark.stats["min"]


def test_bench_external_sampling(benchmark: BenchmarkFixture, abstraction: CardAbstraction) -> None:
    """A thousand deals, both players, from regrets at zero."""
    tree = build_blueprint_tree(SMALL)
    compiled = compile_tree(tree, abstraction.bucket_counts)
    tables = [aligned_zeros(compiled.table_size) for _ in range(2)]
    rng_state = np.array([1], dtype=np.uint64)
    scratch, sampled = allocate_sampled_scratch(tree), sampled_tree(tree, compiled)
    arguments = (*tables, scratch, sampled, abstraction.tables, 1_000, TREMBLE, rng_state)
    benchmark.pedantic(external_train_kernel, arguments, rounds=20, warmup_rounds=2)
    assert tables[1].any()
    benchmark.extra_info["deals_per_second"] = 1_000 / benchmark.stats["min"]


def test_bench_preparing_a_board(benchmark: BenchmarkFixture, abstraction: CardAbstraction) -> None:
    scratch = allocate_scratch(compile_tree(build_blueprint_tree(SMALL), abstraction.bucket_counts).program)
    board = np.array(parse_cards("QhJh2c7d5s"), dtype=np.uint8)
    assert benchmark(prepare_board_kernel, scratch, board, abstraction.tables) == 1081


@pytest.mark.parametrize("street", [1, 2, 3], ids=["flop", "turn", "river"])
def test_bench_buckets(benchmark: BenchmarkFixture, abstraction: CardAbstraction, street: int) -> None:
    board = parse_cards("QhJh2c7d5s")[: street + 2]
    buckets = benchmark(abstraction.buckets, street, board)
    assert len(buckets) == 1326
