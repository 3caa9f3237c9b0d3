"""The frame of ``hedgehog bench``: its ratios, its table, and that every registered benchmark can be found."""

from __future__ import annotations

import importlib

import pytest

from hedgehog.cli.bench.solver_spots import SPOTS
from hedgehog.cli.bench.table import BenchRow, BenchTable, best_seconds
from hedgehog.cli.main import main
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.solver.postflop.chance import build_runouts, count_nodes


@pytest.mark.parametrize(
    ("unit", "value", "peer_value", "times_faster"),
    [("M hands/s", 30.0, 10.0, 3.0), ("ms", 30.0, 10.0, 1 / 3), ("ms", 5.0, 10.0, 2.0), ("s", 5.0, None, None)],
)
def test_times_faster_reads_rates_and_durations(
    unit: str, value: float, peer_value: float | None, times_faster: float | None
) -> None:
    assert BenchRow("work", value, unit, "peer", peer_value).times_faster == times_faster


@pytest.mark.parametrize(
    ("name", "nodes"),
    # Nodes on flop, turn and river that postflop-solver builds for the same settings.
    [
        ("D2 river", (0, 0, 141)),
        ("D1 river", (0, 0, 993)),
        ("D4 turn", (0, 57, 11280)),
        ("D3 turn", (0, 105, 40464)),
        ("C3 turn", (0, 51, 7296)),
        ("C flop", (45, 5472, 623044)),
        ("A flop", (45, 6444, 704497)),
    ],
)
def test_solver_benchmark_solves_the_peers_spots(name: str, nodes: tuple[int, int, int]) -> None:
    (spot,) = (spot for spot in SPOTS if spot.name == name)
    runouts = build_runouts(parse_cards(spot.board), [parse_range(text) for text in spot.ranges])
    assert count_nodes(spot.tree(), runouts).nodes == nodes


def test_best_seconds_takes_the_shortest_run_after_the_first() -> None:
    ticks = iter([10.0, 17.0, 20.0, 23.0, 30.0, 35.0])
    calls: list[int] = []
    assert best_seconds(lambda: calls.append(1), repeats=3, clock=lambda: next(ticks)) == 3.0
    assert len(calls) == 4


def test_bench_prints_the_table_of_a_benchmark(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = importlib.import_module("hedgehog.cli.bench.evaluator")
    table = BenchTable("A title", [BenchRow("some work", 12.0, "M/s", "a peer", 4.0)], notes=["a note"])
    monkeypatch.setattr(module, "run", lambda progress: table)
    with pytest.raises(SystemExit) as exit_info:
        main(["bench", "evaluator"])
    assert not exit_info.value.code
    out = capsys.readouterr().out
    for text in ("A title", "some work", "12 M/s", "a peer", "4 M/s", "a note"):
        assert text in out
    assert out.split("4 M/s")[1].split()[1:4:2] == ["3", "3"]


def test_unknown_benchmark_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        main(["bench", "nonsense"])
    assert exit_info.value.code == 2
    assert "nonsense" in capsys.readouterr().err


def test_eighty_columns_are_enough(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("hedgehog.cli.bench.evaluator")
    rows = [
        BenchRow("D2 river, f32, cards merged: iteration", 1234.0, "ms", "postflop-solver, recorded", 1205.0),
        BenchRow("random - random over TCP, C clients: CPU", 123.0, "us/action", "official, other machine", 3594.0),
    ]
    monkeypatch.setattr(module, "run", lambda progress: BenchTable("A title", rows))
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["bench", "evaluator"])
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "…" not in out
