"""Speed of hand evaluation and equity (``make bench``); ``hedgehog bench evaluator`` prints the same as ratios."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from poker import _evaluator_kernels as kernels
from poker.cards import NUM_CARDS, NUM_COMBOS, parse_cards
from poker.equity import equity_vector, range_equity
from poker.evaluator import NUM_RANK_CLASSES, evaluator_tables, rank_combos, rank_hands
from poker.isomorphism import board_classes
from poker.ranges import parse_range


def test_bench_random_hands(benchmark: BenchmarkFixture) -> None:
    hands = np.random.default_rng(1).random((200_000, NUM_CARDS)).argsort(axis=1)[:, :7].astype(np.uint8)
    ranks = benchmark(rank_hands, hands)
    assert ranks.min() >= 1
    benchmark.extra_info["hands_per_second"] = len(hands) / benchmark.stats["min"]


def test_bench_all_hands(benchmark: BenchmarkFixture) -> None:
    tables = evaluator_tables()
    counts = np.zeros(NUM_RANK_CLASSES + 1, dtype=np.int64)
    kernels.count_all_hands_kernel(counts, tables)
    benchmark.pedantic(kernels.count_all_hands_kernel, (counts, tables), rounds=5)
    benchmark.extra_info["hands_per_second"] = 133_784_560 / benchmark.stats["min"]


@pytest.mark.parametrize("board", ["QhJs2c7d5s", "QhJh2h7d5s", "QhJh2h7h5s"])
def test_bench_rank_combos(benchmark: BenchmarkFixture, board: str) -> None:
    ranks = benchmark(rank_combos, parse_cards(board))
    assert (ranks > 0).sum() == 1081


def test_bench_flop_equity(benchmark: BenchmarkFixture) -> None:
    vector = benchmark(equity_vector, np.ones(NUM_COMBOS), parse_cards("QhJh2c"))
    assert np.nanmean(vector) == pytest.approx(0.5)


def test_bench_preflop_equity(benchmark: BenchmarkFixture) -> None:
    first, second = parse_range("AA"), parse_range("KK")
    board_classes(5)
    result = benchmark.pedantic(range_equity, (first, second), rounds=3)
    assert result.equity == pytest.approx(0.81946, abs=5e-6)
