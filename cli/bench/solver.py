"""The ``solver`` benchmark: postflop spots beside the figures recorded for postflop-solver (Rust).

The figures of the peer, postflop-solver, were recorded once on a quiet 2-core Zen 5 machine (2026-11-21). The peer does
not run here. The column "times faster" compares the figures as they are. The column "scaled" corrects for the machine:
it multiplies "times faster" by how much slower this machine is at a yardstick. Above 1 we are faster on equal machines,
as far as one yardstick can tell. The yardstick is a plain numba showdown of 1081 against 1081 hands, measured in the
same run, which took 8.3 us on the peer's machine. The notes hold a second yardstick: ranking all C(52,7) hands, which
took 0.203 s there. A program of the peer's authors did that, so this yardstick mixes machine and program.

Rows with one thread are CPU time. Rows with two threads are wall-clock time and mean little on a busy machine. Memory
is what the solver holds, and its ratio means "times smaller". Seconds to a target exclude the checks of exploitability
for both programs. The number of iterations to a target varies by chance by about 15 %. The peer does not merge hands
that interchangeable cards make equal, so we do not merge them either. The rows that say so are the exception: they show
what merging adds on spots with full ranges.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.solves.simulation import check_values
from cli.bench.table import BenchRow, BenchTable, best_seconds
from cli.progress import Progress
from poker import _evaluator_kernels as evaluator
from poker.betsizes import parse_bet_sizes, parse_menu
from poker.cards import COMBO_CARDS, combo_mask, parse_cards
from poker.evaluator import NUM_RANK_CLASSES, evaluator_tables, rank_combos
from poker.ranges import parse_range
from runtime.jit import max_threads, njit
from solver.cfr.memory import Storage
from solver.postflop.prepared import prepare_tree
from solver.postflop.solver import PostflopSolver
from solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree
from strategies.betting_tree import BettingTree

_FULL = "random"
_THESIS = "A9+,KT+,QT+,JT,A4s+,K8s+,Q9s+,J9s+,T9s,55+"
_EX_OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
_EX_IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
_TS_OOP = (
    "AA,KK,QQ,JJ,TT,99:0.75,88:0.75,77:0.5,66:0.25,55:0.25,AK,AQs,AQo:0.75,AJs,AJo:0.5,"
    "ATs:0.75,A6s:0.25,A5s:0.75,A4s:0.75,A3s:0.5,A2s:0.5,KQs,KQo:0.5,KJs,KTs:0.75,K5s:0.25,"
    "K4s:0.25,QJs:0.75,QTs:0.75,Q9s:0.5,JTs:0.75,J9s:0.75,J8s:0.75,T9s:0.75,T8s:0.75,T7s:0.75,"
    "98s:0.75,97s:0.75,96s:0.5,87s:0.75,86s:0.5,85s:0.5,76s:0.75,75s:0.5,65s:0.75,64s:0.5,"
    "54s:0.75,53s:0.5,43s:0.5"
)
_TS_IP = (
    "QQ:0.5,JJ:0.75,TT,99,88,77,66,55,44,33,22,AKo:0.25,AQs,AQo:0.75,AJs,AJo:0.75,ATs,"
    "ATo:0.75,A9s,A8s,A7s,A6s,A5s,A4s,A3s,A2s,KQ,KJ,KTs,KTo:0.5,K9s,K8s,K7s,K6s,K5s,"
    "K4s:0.5,K3s:0.5,K2s:0.5,QJ,QTs,Q9s,Q8s,Q7s,JTs,JTo:0.5,J9s,J8s,T9s,T8s,T7s,98s,97s,"
    "96s,87s,86s,76s,75s,65s,64s,54s,53s,43s"
)
_RIVER_SIZES = "33%,75%,150%,a/50%,100%,a"
_TURN_SIZES = "50%,100%,a/100%,a"
_FLOP_SIZES = "100%,a/100%,a"
_TS_SIZES = "100%,a/50%,a"
_EX_SIZES = "60%,e,a/2.5x"
_PEER = "postflop-solver, recorded"
# The peer's machine: microseconds per showdown and seconds for all C(52,7) hands.
_PEER_SHOWDOWN_US = 8.3
_PEER_ENUMERATION = 0.203


@dataclass(frozen=True, slots=True)
class _Spot:
    """A benchmark spot and the figures recorded for the peer."""

    name: str
    board: str
    pot: int
    stack: int
    ranges: tuple[str, str]
    sizes: str
    iterations: int
    """Iterations per timing."""
    peer_ms: tuple[float, float | None]
    """Milliseconds per iteration in f32 on one and two threads; None for rivers, where the peer has one thread only."""
    peer_mb: tuple[float, float]
    """Megabytes that the peer holds in f32 and in 16 bits."""
    ip_turn: str = ""
    """Bet sizes of IP on the turn if they differ from ``sizes``."""
    donk: str = ""
    thresholds: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Thresholds for adding all-ins, forcing all-ins and merging sizes."""

    def solver(self, threads: int, storage: Storage, *, merge_cards: bool = False) -> PostflopSolver:
        """Returns a solver of the spot."""
        oop, ip = (parse_range(text) for text in self.ranges)
        spot = prepare_tree(self.tree(), parse_cards(self.board), (oop, ip), merge_cards=merge_cards)
        return PostflopSolver(spot, threads=threads, storage=storage)

    def tree(self) -> BettingTree:
        """Returns the betting tree of the spot."""
        first = len(parse_cards(self.board)) - 2
        menu = parse_bet_sizes(self.sizes)
        donk = parse_menu(self.donk) if self.donk else None
        sizes = tuple(
            StreetSizes(
                menu,
                parse_bet_sizes(self.ip_turn) if self.ip_turn and street == 2 else menu,
                donk if street == 3 else None,
            )
            for street in range(first, 4)
        )
        return build_postflop_tree(TreeConfig(first, self.pot, self.stack, sizes, *self.thresholds))


_SPOTS = (
    _Spot("D2 river", "QhJh2c7d5s", 4000, 18000, (_FULL, _FULL), _RIVER_SIZES, 100, (0.58, None), (1, 1)),
    _Spot("D1 river", "QhJh2c7d5s", 400, 19800, (_FULL, _FULL), _RIVER_SIZES, 20, (4.27, None), (8, 4)),
    _Spot("D4 turn", "QhJh2c7d", 4000, 18000, (_FULL, _FULL), _TURN_SIZES, 4, (48.6, 27.6), (93, 47)),
    _Spot("D3 turn", "QhJh2c7d", 400, 19800, (_FULL, _FULL), _TURN_SIZES, 2, (165, 83), (342, 172)),
    _Spot(
        "C3 turn", "Td9d6hQc", 200, 900, (_EX_OOP, _EX_IP), _EX_SIZES, 20, (7.8, 4.5), (12, 6),
        donk="50%", thresholds=(1.5, 0.15, 0.1),
    ),
    _Spot("C flop", "QsJh2h", 1000, 9500, (_TS_OOP, _TS_IP), _TS_SIZES, 1, (696, 357), (1205, 623), ip_turn="100%/50%"),
    _Spot("A flop", "QhJh2c", 200, 4900, (_THESIS, _THESIS), _FLOP_SIZES, 1, (765, 372), (1198, 622)),
)  # fmt: skip
_LIVE_SPOT = _SPOTS[2]
_SOLVED_ITERATIONS = 20
_PLAYED_HANDS = 500_000
_TARGETS = (1.0, 0.5, 0.1)
# The peer's seconds on two threads (rivers: one) and its iterations to the targets, in the order of _SPOTS.
_PEER_TO_TARGET: dict[str, tuple[tuple[float, ...], tuple[int, ...]]] = {
    "D2 river": ((0.033, 0.050, 0.18), (60, 90, 340)),
    "D1 river": ((1.0, 1.4, 4.4), (280, 410, 1310)),
    "D4 turn": ((2.6, 3.3, 10.1), (90, 120, 390)),
    "D3 turn": ((26, 34), (310, 410)),
    "C3 turn": ((0.36, 0.45, 0.99), (80, 100, 230)),
    "C flop": ((33, 44, 120), (90, 120, 330)),
    "A flop": ((60, 87, 220), (160, 230, 580)),
}
_MOST_ITERATIONS = 3000


def run(progress: Progress) -> BenchTable:
    """Returns the times of iterations, with the yardsticks measured before and after them."""
    progress.total = len(_SPOTS) + 1
    showdown = _showdown_microseconds()
    scale = showdown / _PEER_SHOWDOWN_US
    rows: list[BenchRow] = []
    for done, spot in enumerate(_SPOTS):
        progress.update(done, spot.name)
        rows += _iteration_rows(spot, scale)
    progress.update(len(_SPOTS), "before and after a solve")
    rows += _surrounding_rows(_LIVE_SPOT)
    return BenchTable(
        "Postflop solver: CPU time on one thread, wall-clock time on two", rows, _yardstick_notes(showdown)
    )


def run_targets(progress: Progress) -> BenchTable:
    """Returns the times to solve the spots to their targets; exploitability is checked every 10 iterations."""
    showdown = _showdown_microseconds()
    rows: list[BenchRow] = []
    solves = [(s, merged) for s in _SPOTS for merged in (False, True) if not merged or s.ranges == (_FULL, _FULL)]
    progress.total = len(solves)
    for done, (spot, merge_cards) in enumerate(solves):
        progress.update(done, f"{spot.name}{', cards merged' if merge_cards else ''}")
        rows += _target_rows(spot, showdown / _PEER_SHOWDOWN_US, merge_cards=merge_cards)
    title = "Postflop solver to an exploitability in % of the pot: f32, two threads (rivers: one), wall-clock time"
    return BenchTable(title, rows, _yardstick_notes(showdown))


def _yardstick_notes(showdown: float) -> tuple[str, str]:
    """Returns notes on the yardsticks, which are measured once more for them."""
    again = _showdown_microseconds()
    enumeration = best_seconds(_enumerate_hands, 2)
    scale = showdown / _PEER_SHOWDOWN_US
    return (
        f"Yardstick of the column scaled: a plain showdown took {showdown:.3g} us before and {again:.3g} us after,"
        f" {_PEER_SHOWDOWN_US} us on the peer's machine: this one is {scale:.2f} times slower.",
        f"For comparison: all C(52,7) hands in {enumeration:.3f} s, {_PEER_ENUMERATION} s there with another program"
        f" ({enumeration / _PEER_ENUMERATION:.2f} times).",
    )


def _iteration_rows(spot: _Spot, scale: float) -> list[BenchRow]:
    rows = []
    storages: tuple[Storage, ...] = ("f32", "f16")
    for storage, megabytes in zip(storages, spot.peer_mb, strict=True):
        solver = spot.solver(1, storage)
        seconds = best_seconds(lambda: solver.run(spot.iterations), 3) / spot.iterations  # noqa: B023
        rows.append(_row(f"{spot.name}, {storage}: iteration", seconds * 1e3, "ms", spot.peer_ms[0], scale))
        held = solver.memory_bytes / 1e6
        rows.append(BenchRow(f"{spot.name}, {storage}: memory", held, "MB", _PEER, megabytes))
        del solver
    if spot.ranges == (_FULL, _FULL):
        solver = spot.solver(1, "f32", merge_cards=True)
        seconds = best_seconds(lambda: solver.run(spot.iterations), 3) / spot.iterations
        rows.append(_row(f"{spot.name}, f32, cards merged: iteration", seconds * 1e3, "ms", spot.peer_ms[0], scale))
        del solver
    if spot.peer_ms[1] is not None and max_threads() > 1:
        solver = spot.solver(2, "f32")
        clock = time.perf_counter
        seconds = best_seconds(lambda: solver.run(spot.iterations), 3, clock) / spot.iterations
        rows.append(_row(f"{spot.name}, f32, two threads: iteration", seconds * 1e3, "ms", spot.peer_ms[1], scale))
    return rows


def _surrounding_rows(spot: _Spot) -> list[BenchRow]:
    """Returns the times of the steps before and after the iterations of a spot: preparation, and hands played of it."""
    set_up = best_seconds(lambda: spot.solver(1, "f16"))
    solver = spot.solver(1, "f32")
    solver.run(_SOLVED_ITERATIONS)
    played = best_seconds(lambda: check_values(solver, num_hands=_PLAYED_HANDS, seed=1, threads=1), 3)
    return [
        BenchRow(f"{spot.name}, f16: set-up", set_up * 1e3, "ms"),
        BenchRow(f"{spot.name}: hands of the solution played", _PLAYED_HANDS / played / 1e6, "M hands/s"),
    ]


def _target_rows(spot: _Spot, scale: float, *, merge_cards: bool) -> list[BenchRow]:
    peer_seconds, peer_iterations = _PEER_TO_TARGET[spot.name]
    threads = 1 if spot.peer_ms[1] is None else min(2, max_threads())
    solver = spot.solver(threads, "f32", merge_cards=merge_cards)
    solver.exploitability()  # compiles what the clock must not see
    seconds = 0.0
    rows = []
    name = f"{spot.name}{', cards merged' if merge_cards else ''}"
    for target, peer, theirs in zip(_TARGETS, peer_seconds, peer_iterations, strict=False):
        while solver.iterations < _MOST_ITERATIONS and solver.exploitability().pct_pot > target:
            start = time.perf_counter()
            solver.run(10)
            seconds += time.perf_counter() - start
        what = f"{name}: to {target} % in {solver.iterations} iterations (peer {theirs})"
        rows.append(_row(what, seconds, "s", peer, scale))
    return rows


def _row(what: str, value: float, unit: str, peer: float, scale: float) -> BenchRow:
    return BenchRow(what, value, unit, _PEER, peer, yardstick=scale)


def _enumerate_hands() -> None:
    counts = np.zeros(NUM_RANK_CLASSES + 1, dtype=np.int64)
    evaluator.count_all_hands_kernel(counts, evaluator_tables())


def _showdown_microseconds() -> float:
    """Returns the time of the plain showdown kernel on a river with all 1081 hands."""
    board = parse_cards("QhJh2c7d5s")
    live = np.flatnonzero(combo_mask(board))
    rank = rank_combos(board)[live].astype(np.int64)
    cards = COMBO_CARDS[live].astype(np.int64)
    order = np.argsort(rank, kind="stable")
    reach = np.random.default_rng(0).random(len(live))
    out = np.zeros(len(live))
    first, second = cards[:, 0].copy(), cards[:, 1].copy()
    times = 500
    return best_seconds(lambda: _showdowns(out, rank, first, second, order, reach, times)) / times * 1e6


@njit(cache=False)
def _showdowns(
    out: NDArray[np.float64],
    rank: NDArray[np.int64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    order: NDArray[np.int64],
    reach: NDArray[np.float64],
    times: int,
) -> None:
    """Reach of weaker less reach of stronger hands without our cards, by two passes in order of strength."""
    count = order.size
    for _ in range(times):
        total = 0.0
        by_card = np.zeros(52)
        behind = 0
        for place in range(count):
            hand = order[place]
            while rank[order[behind]] < rank[hand]:
                other = order[behind]
                total += reach[other]
                by_card[first[other]] += reach[other]
                by_card[second[other]] += reach[other]
                behind += 1
            out[hand] = total - by_card[first[hand]] - by_card[second[hand]]
        total = 0.0
        by_card[:] = 0.0
        behind = count - 1
        for place in range(count - 1, -1, -1):
            hand = order[place]
            while rank[order[behind]] > rank[hand]:
                other = order[behind]
                total += reach[other]
                by_card[first[other]] += reach[other]
                by_card[second[other]] += reach[other]
                behind -= 1
            out[hand] -= total - by_card[first[hand]] - by_card[second[hand]]
