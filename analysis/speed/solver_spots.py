"""The benchmark spots of the postflop solver, and the figures recorded for postflop-solver (Rust) on them.

The figures were recorded on a quiet 2-core Zen 5 machine (2026-11-21). They do not tell how fast that program is on any
other machine: for a comparison, run it as a peer (:mod:`hedgehog.analysis.speed.peer`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import yaml

from hedgehog.poker.cards import format_cards, parse_cards
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import PostflopSpot, parse_spot

FULL: Final = "22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32"
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


@dataclass(frozen=True, slots=True)
class BenchSpot:
    """A benchmark spot and the figures recorded for postflop-solver."""

    name: str
    board: str
    pot: int
    stack: int
    ranges: tuple[str, str]
    sizes: str
    iterations: int
    """Iterations per timing."""
    recorded_ms: tuple[float, float | None]
    """Milliseconds per iteration in f32 on one and two threads; None for rivers, where the program has one thread."""
    recorded_mb: tuple[float, float]
    """Megabytes that the program holds in f32 and in 16 bits."""
    ip_turn: str = ""
    """Bet sizes of IP on the turn if they differ from ``sizes``."""
    donk: str = ""
    """First bets of OOP on the river after a call on the turn, if they differ from ``sizes``."""
    thresholds: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Thresholds for adding all-ins, forcing all-ins and merging sizes."""

    def solver(self, threads: int, storage: Storage, *, merge_cards: bool = False) -> PostflopSolver:
        """Returns a solver of the spot."""
        return PostflopSolver(prepare(self.spot(), merge_cards=merge_cards), threads=threads, storage=storage)

    def spot(self) -> PostflopSpot:
        """Returns the spot that its file describes."""
        return parse_spot(self.text())

    @property
    def street(self) -> int:
        """Street of the root: 1 flop, 2 turn, 3 river."""
        return len(parse_cards(self.board)) - 2

    @property
    def full(self) -> bool:
        """Whether both players hold full ranges, where merged cards save most."""
        return self.ranges == (FULL, FULL)

    def text(self) -> str:
        """Returns the spot as a spot file."""
        sizes = {}
        for street, name in ((1, "flop"), (2, "turn"), (3, "river")):
            if street >= self.street:
                ip = self.ip_turn if self.ip_turn and street == 2 else self.sizes
                donk = {"donk": self.donk} if self.donk and street == 3 else {}
                sizes[name] = {"oop": self.sizes, "ip": ip, **donk}
        keys = ("add_allin_threshold", "force_allin_threshold", "merging_threshold")
        document = {
            "spot": self.name,
            "board": format_cards(parse_cards(self.board), " "),
            "pot": self.pot,
            "stack": self.stack,
            "range": dict(zip(("oop", "ip"), self.ranges, strict=True)),
            "sizes": sizes,
            **dict(zip(keys, self.thresholds, strict=True)),
        }
        return yaml.safe_dump(document, sort_keys=False, width=1000)


SPOTS: Final = (
    BenchSpot("D2 river", "QhJh2c7d5s", 4000, 18000, (FULL, FULL), _RIVER_SIZES, 100, (0.58, None), (1, 1)),
    BenchSpot("D1 river", "QhJh2c7d5s", 400, 19800, (FULL, FULL), _RIVER_SIZES, 20, (4.27, None), (8, 4)),
    BenchSpot("D4 turn", "QhJh2c7d", 4000, 18000, (FULL, FULL), _TURN_SIZES, 4, (48.6, 27.6), (93, 47)),
    BenchSpot("D3 turn", "QhJh2c7d", 400, 19800, (FULL, FULL), _TURN_SIZES, 2, (165, 83), (342, 172)),
    BenchSpot(
        "C3 turn", "Td9d6hQc", 200, 900, (_EX_OOP, _EX_IP), _EX_SIZES, 20, (7.8, 4.5), (12, 6),
        donk="50%", thresholds=(1.5, 0.15, 0.1),
    ),
    BenchSpot(
        "C flop", "QsJh2h", 1000, 9500, (_TS_OOP, _TS_IP), _TS_SIZES, 1, (696, 357), (1205, 623), ip_turn="100%/50%"
    ),
    BenchSpot("A flop", "QhJh2c", 200, 4900, (_THESIS, _THESIS), _FLOP_SIZES, 1, (765, 372), (1198, 622)),
)  # fmt: skip
RECORDED_TO_TARGET: dict[str, tuple[tuple[float, ...], tuple[int, ...]]] = {
    "D2 river": ((0.033, 0.050, 0.18), (60, 90, 340)),
    "D1 river": ((1.0, 1.4, 4.4), (280, 410, 1310)),
    "D4 turn": ((2.6, 3.3, 10.1), (90, 120, 390)),
    "D3 turn": ((26, 34), (310, 410)),
    "C3 turn": ((0.36, 0.45, 0.99), (80, 100, 230)),
    "C flop": ((33, 44, 120), (90, 120, 330)),
    "A flop": ((60, 87, 220), (160, 230, 580)),
}
"""Seconds on two threads (rivers: one) and iterations that postflop-solver took to 1, 0.5 and 0.1 % of the pot."""
