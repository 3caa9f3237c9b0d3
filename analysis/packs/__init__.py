"""Tools for strategy packs: training curves, quality of card buckets, gains of flop packs, preflop charts.

>>> from hedgehog.analysis.packs import plot_curve
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.packs.blueprint_curve import measure_curve, plot_curve
    from hedgehog.analysis.packs.flop_gain import FlopGain, GainMeasure
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "FlopGain", "GainMeasure", "measure_curve", "plot_curve",
]  # fmt: skip
