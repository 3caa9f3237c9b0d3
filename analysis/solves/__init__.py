"""Tools for solved spots: convergence of algorithms, simulation with real cards, and pages of single decisions.

:func:`check_values` plays random hands with the strategies of a solution and compares what is won with the computed EV.

>>> from hedgehog.analysis.solves import check_values
>>> from hedgehog.solver import prepare, read_spot, solve
>>> solution = solve(prepare(read_spot("docs/examples/spots/river.yaml")), target_pct=0.5)
>>> [check.agrees for check in check_values(solution, num_hands=20_000, seed=1)]
[True, True]

:func:`versus` lets two strategies play against each other.

>>> from hedgehog.analysis.solves import versus
>>> versus("docs/examples/spots/river.yaml", solution, "greedy=cgh?iterations=3", hands=0).names
('A', 'greedy')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.solves.convergence import run_looks
    from hedgehog.analysis.solves.meetings.result import Versus
    from hedgehog.analysis.solves.meetings.sources import versus
    from hedgehog.analysis.solves.node_page import render_nodes
    from hedgehog.analysis.solves.simulation import Check, check_values, simulate
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "Check", "Versus", "check_values", "render_nodes", "run_looks", "simulate", "versus",
]  # fmt: skip
