"""The ``evaluator`` benchmark: hand evaluation and equity, beside phevaluator where it is installed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.speed.figures import BenchRow, BenchTable, Step, best_seconds, run_steps
from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, parse_cards
from hedgehog.poker.evaluation import _evaluator_kernels as kernels
from hedgehog.poker.evaluation.equity import equity_vector, range_equity
from hedgehog.poker.evaluation.evaluator import NUM_RANK_CLASSES, evaluator_tables, rank_hand, rank_hands
from hedgehog.poker.ranges import parse_range
from hedgehog.runtime.jit import njit
from hedgehog.runtime.watch import SILENT, Watch

_HANDS = 1_000_000
_SINGLE_HANDS = 20_000
_BOARDS = 5_000
_ALL_HANDS = 133_784_560


def measure_evaluator(*, watch: Watch = SILENT) -> BenchTable:
    """Returns the speeds of hand evaluation and equity on one core, in CPU time."""
    tables = evaluator_tables()
    hands = (
        np.random.default_rng(1).random((_HANDS, NUM_CARDS), dtype=np.float32).argsort(axis=1)[:, :7].astype(np.uint8)
    )
    single = hands[:_SINGLE_HANDS].tolist()
    counts = np.zeros(NUM_RANK_CLASSES + 1, dtype=np.int64)
    peer = _phevaluator_rate(single)
    everything, flop = parse_range("random"), parse_cards("QhJh2c")

    def rate(what: str, hands: int, work: Callable[[], object], repeats: int = 5, *, compared: bool = False) -> Step:
        name, figure = ("phevaluator, Python calls", peer) if peer and compared else ("", None)
        return what, lambda: [BenchRow(what, hands / best_seconds(work, repeats) / 1e6, "M hands/s", name, figure)]

    def time(what: str, unit: str, seconds: Callable[[], float]) -> Step:
        return what, lambda: [BenchRow(what, seconds() * {"us": 1e6, "ms": 1e3, "s": 1}[unit], unit)]

    steps = [
        rate("random 7-card hands, batch", _HANDS, lambda: rank_hands(hands), compared=True),
        rate(
            "random 7-card hands, Python calls",
            _SINGLE_HANDS,
            lambda: [rank_hand(hand) for hand in single],
            3,
            compared=True,
        ),
        rate("all C(52,7) hands enumerated", _ALL_HANDS, lambda: kernels.count_all_hands_kernel(counts, tables), 3),
        time("all combos of a rainbow river board", "us", lambda: _river_seconds("QhJs2c7d5s")),
        time("all combos of a 3-flush river board", "us", lambda: _river_seconds("QhJh2h7d5s")),
        time("equity of every hand on a flop", "ms", lambda: best_seconds(lambda: equity_vector(everything, flop))),
        time(
            "random range against itself preflop",
            "s",
            lambda: best_seconds(lambda: range_equity(everything, everything), 1),
        ),
    ]
    return BenchTable("Hand evaluation, one core, CPU time", run_steps("evaluator", steps, watch))


def _phevaluator_rate(hands: list[list[int]]) -> float | None:
    """Returns phevaluator's rate in M hands/s, None if it is not installed (it comes with the test extra)."""
    if find_spec("phevaluator") is None:
        return None
    evaluate_cards = import_module("phevaluator").evaluate_cards
    return len(hands) / best_seconds(lambda: [evaluate_cards(*hand) for hand in hands], 3) / 1e6


def _river_seconds(board: str) -> float:
    """Returns the time to rank all 1326 combos on a board, in seconds."""
    cards = np.array(parse_cards(board), dtype=np.uint8)
    ranks = np.empty(NUM_COMBOS, dtype=np.int32)
    return best_seconds(lambda: _rank_boards(ranks, cards, evaluator_tables(), _BOARDS)) / _BOARDS


@njit(cache=False)
def _rank_boards(
    ranks: NDArray[np.int32], board: NDArray[np.uint8], tables: kernels.EvaluatorTables, times: int
) -> None:
    for _ in range(times):
        kernels.rank_combos_kernel(ranks, board, tables)
