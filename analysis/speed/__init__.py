"""How fast Hedgehog is on this machine: what ``hedgehog bench`` measures.

>>> from hedgehog.analysis import speed
>>> row = speed.BenchRow("an iteration", 5.0, "ms", peer="another solver", peer_value=10.0)
>>> row.times_faster, row.ratio
(2.0, 0.5)

:func:`measure_evaluator` and the other functions return a :class:`BenchTable` of such rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.speed.dealer import measure_dealer
    from hedgehog.analysis.speed.evaluator import measure_evaluator
    from hedgehog.analysis.speed.figures import BenchRow, BenchTable, best_seconds
    from hedgehog.analysis.speed.player import measure_player
    from hedgehog.analysis.speed.solver import measure_iterations, measure_targets
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "BenchRow", "BenchTable", "best_seconds", "measure_dealer", "measure_evaluator", "measure_iterations",
    "measure_player", "measure_targets",
]  # fmt: skip
