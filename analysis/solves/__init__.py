"""Tools for solved spots: convergence of algorithms, simulation with real cards, and pages of single decisions.

:func:`check_values` plays random hands with the strategies of a solution and compares what is won with the computed EV.

>>> from hedgehog.analysis.solves import check_values
>>> from hedgehog.solver import prepare, read_spot, solve
>>> solution = solve(prepare(read_spot("docs/examples/spots/river.yaml")), target_pct=0.5)
>>> [check.agrees for check in check_values(solution, num_hands=20_000, seed=1)]
[True, True]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.solves.convergence import run_looks
    from hedgehog.analysis.solves.node_page import render_nodes
    from hedgehog.analysis.solves.simulation import Check, check_values, simulate
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "Check", "check_values", "render_nodes", "run_looks", "simulate",
]  # fmt: skip
