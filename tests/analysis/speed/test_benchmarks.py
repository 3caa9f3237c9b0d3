"""Everything that ``hedgehog bench`` measures runs on small sizes, and its table holds the figures it promises."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgehog.analysis.speed import dealer, dealer_tcp, evaluator, player, solver
from hedgehog.analysis.speed.figures import BenchTable, Step, best_seconds
from hedgehog.analysis.speed.solver_spots import FULL, BenchSpot
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.evaluation.equity import range_equity
from hedgehog.poker.evaluation.evaluator import NUM_RANK_CLASSES
from hedgehog.runtime.watch import Watch

HEDGEHOG = (sys.executable, "-m", "hedgehog.cli")


def shrink(monkeypatch: pytest.MonkeyPatch, module: Any, **sizes: object) -> None:
    for name, size in sizes.items():
        assert hasattr(module, name)
        monkeypatch.setattr(module, name, size)


class Counts(Watch):
    """Notes how far a benchmark says it is."""

    total: float | None = None
    done = 0.0

    def begin(self, what: str, total: float | None = None, unit: str = "", text: str = "") -> None:
        assert self.done == (self.total or 0)
        self.total, self.done = total, 0.0

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        assert done >= self.done
        self.done = done


def measure(benchmark: Callable[..., BenchTable]) -> BenchTable:
    """Runs a benchmark; every figure must be one, and the progress must end where it said."""
    watch = Counts()
    table = benchmark(watch=watch)
    for row in table.rows:
        assert math.isfinite(row.value), row
        assert row.value > 0 or (row.value == 0 and row.unit == "%"), row
        assert row.peer_value is None or row.peer_value > 0, row
    assert watch.total == watch.done > 0
    return table


def once(function: Callable[[], object], *_: object) -> float:
    """Times one run, whatever it is told about repeats."""
    return best_seconds(function, 1)


@pytest.mark.slow
def test_evaluator(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch, evaluator, _HANDS=1_000, _SINGLE_HANDS=50, _BOARDS=3, best_seconds=once)
    board = parse_cards("QhJh2c7d5s")  # before the flop it takes seconds
    monkeypatch.setattr(evaluator, "range_equity", lambda own, opponent: range_equity(own, opponent, board))
    rows = measure(evaluator.measure_evaluator).rows
    assert [(row.unit, row.peer.split()[0] if row.peer else "") for row in rows] == [
        ("M hands/s", "phevaluator,"),
        ("M hands/s", "phevaluator,"),
        ("M hands/s", ""),
        ("us", ""),
        ("us", ""),
        ("ms", ""),
        ("s", ""),
    ]


def test_evaluator_enumerates_all_hands() -> None:
    """What the rate is counted from: the kernel sees each of the C(52, 7) hands once."""
    counts = np.zeros(NUM_RANK_CLASSES + 1, dtype=np.int64)
    evaluator.kernels.count_all_hands_kernel(counts, evaluator.evaluator_tables())
    assert counts.sum() == evaluator._ALL_HANDS == math.comb(52, 7)


def test_dealer(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_tcp(command: Sequence[str], folder: Path) -> tuple[list[Step], list[str]]:
        return [], ["a note"]

    shrink(monkeypatch, dealer, _COMPILED_HANDS=200, _WALL_REPEATS=1, _PYTHON_HANDS=20, tcp_measurements=no_tcp)
    table = measure(partial(dealer.measure_dealer, HEDGEHOG))
    values = {row.what: row.value for row in table.rows if row.unit == "k hands/s"}
    parts = ("the dealer's table alone", "a client reading its states", "the log replayed and re-scored")
    assert {f"call - call, {part}" for part in parts} <= values.keys()
    decisions = {row.what: row.value for row in table.rows if row.unit == "k decisions/s"}
    assert len(decisions) == 2
    for name, rate in decisions.items():  # of the same run: 8 decisions in a hand of two callers
        assert rate / values[name] == pytest.approx(8) if name.startswith("call") else rate > values[name]
    assert "a note" in table.notes


@pytest.mark.process
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.slow
def test_dealer_over_tcp(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shrink(monkeypatch, dealer_tcp, _HANDS=20, _RUNS=1, _MODES=("random",), _ONE_CORE={False: ""})
    monkeypatch.setattr(dealer_tcp, "_best", lambda match: match(dealer_tcp._HANDS))
    steps, _ = dealer_tcp.tcp_measurements(HEDGEHOG, tmp_path)
    rows = [row for _, step in steps for row in step()]
    assert {row.what for row in rows} == {
        f"random - random over TCP, {clients}"
        for clients in ("C clients", "C clients: CPU of the dealer", "Python clients")
    }
    assert all(row.value > 0 for row in rows)


def test_without_a_compiler_the_rows_of_python_clients_remain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "")
    steps, notes = dealer_tcp.tcp_measurements(HEDGEHOG, tmp_path)
    assert steps
    assert all("Python clients" in name for name, _ in steps)
    assert any("no C compiler" in note for note in notes)


@pytest.mark.slow
def test_player(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch, player, _HANDS=10, _ROUNDS=1, _OPPONENTS=("call",), _SPOTS=1, _TARGET_PCT=20.0)
    decisions, hands, *solves = measure(player.measure_player).rows
    assert [row.what.partition(" at the table, ")[::2] for row in solves] == [
        (street, what)
        for street, limit in (("turn", "1.5"), ("river", "0.15"))
        for what in (
            "before the first iteration, median",
            "median",
            "9 of 10 within",
            "longest",
            "processor time, median",
            "processor time, 9 of 10 within",
            f"within {limit} s",
        )
    ]
    for start, median, slow, longest, *worked, share in (solves[:7], solves[7:]):
        assert 0 < start.value <= median.value <= slow.value <= longest.value
        assert all(row.value > 0 and row.unit == "s" for row in worked)
        assert (share.unit, share.value) == ("%", 100.0 if longest.value <= longest.peer_value else 0.0)
    assert (decisions.what, decisions.unit) == ("decisions against call", "k/s")
    assert (hands.what, hands.unit) == ("hands against call, table and both players", "k/s")


def small_spots() -> tuple[BenchSpot, ...]:
    river = BenchSpot("small", "QhJh2c7d5s", 100, 200, ("AA,KK,QJ", "TT,AQ"), "50%", 2, (1.0, None), (1, 1))
    return (river, BenchSpot("full", "QhJh2c7d5s", 100, 200, (FULL, FULL), "a", 2, (1.0, 0.5), (1, 1)))


def test_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    spots = small_spots()
    shrink(monkeypatch, solver, SPOTS=spots, _LIVE_SPOT=spots[0], _SOLVED_ITERATIONS=1, _PLAYED_HANDS=1_000)
    table = measure(solver.measure_iterations)
    rows = {row.what: row for row in table.rows}
    assert {"small, f32: iteration", "small, f16: memory", "small, f16: set-up"} <= rows.keys()
    assert rows["small, f16: memory"].value < rows["small, f32: memory"].value
    assert "small, f32, cards merged: iteration" not in rows
    assert {"full, f32, cards merged: iteration", "full, f32, two threads: iteration"} <= rows.keys()
    assert all("recorded on another machine" in row.peer for row in table.rows if row.peer)
    assert all("--peer" in note for note in table.notes)


def test_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    spots = small_spots()
    targets = {spot.name: ((1.0, 2.0), (10, 20)) for spot in spots}
    shrink(monkeypatch, solver, SPOTS=spots, RECORDED_TO_TARGET=targets, _TARGETS=(10.0, 1.0))
    rows = measure(solver.measure_targets).rows
    # Both spots as they are, the one with full ranges with merged cards, too; two targets each.
    assert len(rows) == 6
    iterations = [int(row.what.split(" in ")[1].split()[0]) for row in rows]
    assert all(count % 10 == 0 for count in iterations)
    assert all(loose <= tight for loose, tight in zip(iterations[::2], iterations[1::2], strict=True))
