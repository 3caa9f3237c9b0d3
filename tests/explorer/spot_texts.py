"""Spot files that a form can lose something of, and the comparison of two spots."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from hedgehog.solver.postflop.spot import PostflopSpot
from tests.explorer.explored import RIVER, TURN

SMALL_WEIGHTS = """\
spot: tiny
board: Kh 8d 5s 3c 2h
pot: 1000
stack: 2000
range:
  oop: "AA:0.0003,77:0.0004,QJs:0.0002,88:0.0001,AKo:0.0005"
  ip: "KQ:0.0004,66,A5s:0.00003"
sizes:
  river: {oop: "50%,150%,a / a", ip: "75%,a / a"}
"""
LOCKED = """\
# Both lines are played at the table.
locks:
  - {line: X, strategy: {X: 0.3, B500: 0.7}, hands: "AA,KQ"}
  - line: "B500"   # a raise never
    strategy: {F: 1e-3, C: 0.999}
spot: "a #name: with\\nlines, 'quotes' and 10"
board: QhJh2c7d5s
pot: "1000"
stack: 0004500
range: {oop: random, ip: 'AA,KQ'}
max_bets: ~
rake: {rate: 0.07}
force_allin_threshold: 1e-1
sizes: {river: {oop: "50% / ", ip: 50%}, turn: &a {oop: '', ip: '', donk: ""}, flop: {oop: '75%', ip: '75%'}}
"""
LINES = """\
spot: lines
board: Qh Jh 2c 7d 5s
pot: 1000
stack: 4500
range: {oop: random, ip: 'AA,KQ'}
lines: [B500 R1500 A4500, X B700]
"""
TEXTS = {
    "river": RIVER,
    "turn": TURN,
    "small weights": SMALL_WEIGHTS,
    "locks": LOCKED,
    "no donk bets": TURN.replace('"33%"', '""'),
    "abstraction": f"abstraction: strength-river\n{RIVER}",
    "windows": LOCKED.replace("\n", "\r\n"),
    "no bets": RIVER.replace("max_bets", "") + "max_bets: 0\nadd_allin_threshold: 0\n",
    "lines": LINES,
    "rake": RIVER + "rake: {rate: 0.07, cap: 0.5}\n",
}


def verify_same_spot(one: PostflopSpot, other: PostflopSpot) -> None:
    """Compares everything but the texts of two spots."""
    for field in fields(PostflopSpot):
        if field.name == "ranges":
            assert np.array_equal(one.ranges, other.ranges)
        elif field.name != "text":
            assert getattr(one, field.name) == getattr(other, field.name), field.name
