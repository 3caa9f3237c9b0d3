"""The ``solver`` benchmark: postflop spots beside the figures recorded for postflop-solver (Rust)."""

from __future__ import annotations

import time
from dataclasses import dataclass

from cli.bench_table import BenchRow, BenchTable, best_seconds
from poker.betsizes import parse_bet_sizes
from poker.cards import parse_cards
from poker.ranges import parse_range
from solver.cfr import Storage
from solver.postflop import PostflopSolver
from solver.postflop_tree import StreetSizes, TreeConfig, build_postflop_tree

_WIDE = "random"
_THESIS = "A9+,KT+,QT+,JT,A4s+,K8s+,Q9s+,J9s+,T9s,55+"
_RIVER_SIZES = "33%,75%,150%,a/50%,100%,a"
_TURN_SIZES = "50%,100%,a/100%,a"
_FLOP_SIZES = "100%,a/100%,a"
_PEER = "postflop-solver 0.1.0, recorded"
_TARGET_PCT = 0.5


@dataclass(frozen=True, slots=True)
class _Spot:
    """A benchmark spot; both players have the same range and sizes, on every street."""

    name: str
    board: str
    pot: int
    stack: int
    hands: str
    sizes: str
    iterations: int
    """Iterations per timing."""
    peer_ms: float
    """Recorded time of postflop-solver per iteration, one thread, f32."""

    def solver(self, threads: int, storage: Storage, *, merge_cards: bool = False) -> PostflopSolver:
        board = parse_cards(self.board)
        street = len(board) - 2
        menu = parse_bet_sizes(self.sizes)
        sizes = (StreetSizes(menu, menu),) * (4 - street)
        tree = build_postflop_tree(TreeConfig(street=street, pot=self.pot, stack=self.stack, sizes=sizes))
        weights = parse_range(self.hands)
        ranges = (weights, weights)
        return PostflopSolver(tree, board, ranges, threads=threads, storage=storage, merge_cards=merge_cards)


_SPOTS = (
    _Spot("D2 river, full ranges, 141 nodes", "QhJh2c7d5s", 4000, 18000, _WIDE, _RIVER_SIZES, 200, 0.58),
    _Spot("D1 river, full ranges, 993 nodes", "QhJh2c7d5s", 400, 19800, _WIDE, _RIVER_SIZES, 50, 4.27),
    _Spot("D4 turn, full ranges, 11 k nodes", "QhJh2c7d", 4000, 18000, _WIDE, _TURN_SIZES, 10, 48.6),
    _Spot("D3 turn, full ranges, 41 k nodes", "QhJh2c7d", 400, 19800, _WIDE, _TURN_SIZES, 4, 165),
    _Spot("A flop, 237 hands, 711 k nodes", "QhJh2c", 200, 4900, _THESIS, _FLOP_SIZES, 2, 765),
)
_CONVERGENCE_SPOT = _SPOTS[2]


def run() -> BenchTable:
    """Measures CPU time on one core."""
    rows = []
    storages: tuple[Storage, ...] = ("f32", "f16")
    for spot in _SPOTS:
        for storage in storages:
            seconds = _iteration_seconds(spot, storage)
            rows.append(BenchRow(f"{spot.name}, {storage}: iteration", seconds * 1e3, "ms", _PEER, spot.peer_ms))
    for spot in _SPOTS:
        if spot.hands == _WIDE:
            seconds = _iteration_seconds(spot, "f32", merge_cards=True)
            rows.append(BenchRow(f"{spot.name}, merged cards: iteration", seconds * 1e3, "ms", _PEER, spot.peer_ms))
    for spot in _SPOTS[1:3]:
        seconds = best_seconds(lambda: spot.solver(threads=1, storage="f16", merge_cards=True))  # noqa: B023
        rows.append(BenchRow(f"{spot.name}: set-up", seconds * 1e3, "ms"))
    start = time.process_time()
    _CONVERGENCE_SPOT.solver(threads=1, storage="f16").solve(_TARGET_PCT, 1000)
    seconds = time.process_time() - start
    rows.append(BenchRow(f"{_CONVERGENCE_SPOT.name}: to {_TARGET_PCT} % of the pot", seconds, "s", _PEER, 6.0))
    notes = (
        "Every combo is a hand of its own, as in the peer, but for 'merged cards', which solves the same game.",
        "Recorded: f32, one thread of a quiet Zen 5 virtual machine, 2026-11-21.",
        "For another machine scale by a yardstick: there all C(52,7) hands (bench evaluator) take 0.203 s.",
    )
    return BenchTable("Postflop solver, one core, CPU time", rows, notes)


def _iteration_seconds(spot: _Spot, storage: Storage, *, merge_cards: bool = False) -> float:
    solver = spot.solver(threads=1, storage=storage, merge_cards=merge_cards)
    return best_seconds(lambda: solver.run(spot.iterations)) / spot.iterations
