"""Speed of the dealer's table and of log verification (``make bench``), without sockets."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

from dealer.table import MatchOver, Send, Table
from poker.acpc.handlog import verify_log_lines
from tests.dealer.scripted import PATIENT
from tests.golden import HUNL, game, read_golden_log

HANDS = 500


def play_calls() -> int:
    """Plays a match in which everybody calls (8 actions per hand); returns the number of actions."""
    table = Table(game(HUNL), ["A", "B"], num_hands=HANDS, seed=1, limits=PATIENT)
    actions = 0
    events = table.start(0)
    while not isinstance(events[-1], MatchOver):
        line = next(e.line for e in reversed(events) if isinstance(e, Send) and e.seat == table.acting_seat)
        events = table.receive(f"{line.rstrip()}:c\r\n", 0)
        actions += 1
    return actions


def test_bench_table(benchmark: BenchmarkFixture) -> None:
    actions = benchmark(play_calls)
    assert actions == 8 * HANDS
    benchmark.extra_info["actions_per_second"] = actions / benchmark.stats["min"]


def test_bench_log_verification(benchmark: BenchmarkFixture) -> None:
    lines = read_golden_log("log_hunl2p_s0")
    report = benchmark(verify_log_lines, lines, game(HUNL))
    assert (report.hands, report.faults) == (500, ())
    benchmark.extra_info["hands_per_second"] = report.hands / benchmark.stats["min"]
