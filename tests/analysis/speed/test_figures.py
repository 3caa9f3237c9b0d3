"""The frame of the benchmarks: ratios to a peer, clocks, and the spots of the solver."""

from __future__ import annotations

import pytest

from hedgehog.analysis.speed.figures import BenchRow, best_seconds
from hedgehog.analysis.speed.solver_spots import SPOTS
from hedgehog.poker.cards import parse_cards
from hedgehog.poker.ranges import parse_range
from hedgehog.solver.postflop.chance import build_runouts, count_nodes
from hedgehog.solver.postflop.tree import build_postflop_tree


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
    assert count_nodes(build_postflop_tree(spot.spot().tree), runouts).nodes == nodes


def test_best_seconds_takes_the_shortest_run_after_the_first() -> None:
    ticks = iter([10.0, 17.0, 20.0, 23.0, 30.0, 35.0])
    calls: list[int] = []
    assert best_seconds(lambda: calls.append(1), repeats=3, clock=lambda: next(ticks)) == 3.0
    assert len(calls) == 4
