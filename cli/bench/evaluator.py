"""The ``evaluator`` benchmark: hand evaluation and equity, beside phevaluator where it is installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from hedgehog.cli.bench.table import BenchRow, BenchTable, best_seconds
from hedgehog.cli.progress import Progress
from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, parse_cards
from hedgehog.poker.evaluation import _evaluator_kernels as kernels
from hedgehog.poker.evaluation.equity import equity_vector, range_equity
from hedgehog.poker.evaluation.evaluator import NUM_RANK_CLASSES, evaluator_tables, rank_hand, rank_hands
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.jit import njit

_HANDS = 1_000_000
_SINGLE_HANDS = 20_000
_BOARDS = 5_000
_ALL_HANDS = 133_784_560


def run(progress: Progress) -> BenchTable:
    """Returns the speeds of hand evaluation and equity on one core, in CPU time."""
    progress.total = 7

    def measured(seconds: float) -> float:
        progress.advance()
        return seconds

    tables = evaluator_tables()
    hands = (
        np.random.default_rng(1).random((_HANDS, NUM_CARDS), dtype=np.float32).argsort(axis=1)[:, :7].astype(np.uint8)
    )
    single = hands[:_SINGLE_HANDS].tolist()
    counts = np.zeros(NUM_RANK_CLASSES + 1, dtype=np.int64)
    peer = _phevaluator_rate(single)
    name = "phevaluator, Python calls" if peer else ""

    batch = _HANDS / measured(best_seconds(lambda: rank_hands(hands))) / 1e6
    enumeration = measured(best_seconds(lambda: kernels.count_all_hands_kernel(counts, tables), 3))
    enumerated = _ALL_HANDS / enumeration / 1e6
    calls = _SINGLE_HANDS / measured(best_seconds(lambda: [rank_hand(hand) for hand in single], 3)) / 1e6
    everything = parse_range("random")
    flop = parse_cards("QhJh2c")
    flop_ms = measured(best_seconds(lambda: equity_vector(everything, flop))) * 1e3
    preflop = measured(best_seconds(lambda: range_equity(everything, everything), 1))
    rows = [
        BenchRow("random 7-card hands, batch", batch, "M hands/s", name, peer),
        BenchRow("random 7-card hands, Python calls", calls, "M hands/s", name, peer),
        BenchRow("all C(52,7) hands enumerated", enumerated, "M hands/s"),
        BenchRow("all combos of a rainbow river board", measured(_river_microseconds("QhJs2c7d5s")), "us"),
        BenchRow("all combos of a 3-flush river board", measured(_river_microseconds("QhJh2h7d5s")), "us"),
        BenchRow("equity of every hand on a flop", flop_ms, "ms"),
        BenchRow("random range against itself preflop", preflop, "s"),
    ]
    return BenchTable("Hand evaluation, one core, CPU time", rows)


def _phevaluator_rate(hands: list[list[int]]) -> float | None:
    """Returns phevaluator's rate in M hands/s, None if it is not installed (it comes with the test extra)."""
    if find_spec("phevaluator") is None:
        return None
    evaluate_cards = import_module("phevaluator").evaluate_cards
    return len(hands) / best_seconds(lambda: [evaluate_cards(*hand) for hand in hands], 3) / 1e6


def _river_microseconds(board: str) -> float:
    """Returns the time to rank all 1326 combos on a board, in microseconds."""
    cards = np.array(parse_cards(board), dtype=np.uint8)
    ranks = np.empty(NUM_COMBOS, dtype=np.int32)
    return best_seconds(lambda: _rank_boards(ranks, cards, evaluator_tables(), _BOARDS)) / _BOARDS * 1e6


@njit(cache=False)
def _rank_boards(
    ranks: NDArray[np.int32], board: NDArray[np.uint8], tables: kernels.EvaluatorTables, times: int
) -> None:
    for _ in range(times):
        kernels.rank_combos_kernel(ranks, board, tables)
