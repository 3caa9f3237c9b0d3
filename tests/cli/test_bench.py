"""The frame of ``hedgehog bench``: its ratios, its table, and that every registered benchmark can be found."""

from __future__ import annotations

import importlib

import pytest

from cli import bench
from cli.bench_table import BenchRow, BenchTable, best_seconds
from cli.main import main


@pytest.mark.parametrize(
    ("unit", "value", "peer_value", "times_faster"),
    [("M hands/s", 30.0, 10.0, 3.0), ("ms", 30.0, 10.0, 1 / 3), ("ms", 5.0, 10.0, 2.0), ("s", 5.0, None, None)],
)
def test_times_faster_reads_rates_and_durations(
    unit: str, value: float, peer_value: float | None, times_faster: float | None
) -> None:
    assert BenchRow("work", value, unit, "peer", peer_value).times_faster == times_faster


def test_best_seconds_takes_the_shortest_run_after_the_first() -> None:
    ticks = iter([10.0, 17.0, 20.0, 23.0, 30.0, 35.0])
    calls: list[int] = []
    assert best_seconds(lambda: calls.append(1), repeats=3, clock=lambda: next(ticks)) == 3.0
    assert len(calls) == 4


def test_every_benchmark_has_a_run_function() -> None:
    for module, _ in bench._BENCHMARKS.values():
        assert callable(importlib.import_module(module).run)


def test_bench_prints_the_table_of_a_benchmark(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = importlib.import_module("cli.bench_evaluator")
    table = BenchTable("A title", [BenchRow("some work", 12.0, "M/s", "a peer", 4.0)], notes=["a note"])
    monkeypatch.setattr(module, "run", lambda: table)
    with pytest.raises(SystemExit) as exit_info:
        main(["bench", "evaluator"])
    assert not exit_info.value.code
    out = capsys.readouterr().out
    for text in ("A title", "some work", "12 M/s", "a peer", "4 M/s", "a note"):
        assert text in out
    assert out.split("4 M/s")[1].split()[1] == "3"


def test_unknown_benchmark_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        main(["bench", "nonsense"])
    assert exit_info.value.code == 2
    assert "nonsense" in capsys.readouterr().err
