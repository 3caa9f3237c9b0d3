"""Tools for strategy packs: training curves, quality of card buckets, reports on flop packs, preflop charts.

>>> from hedgehog.analysis.packs import plot_curve
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.packs.blueprint_curve import measure_curve, plot_curve
    from hedgehog.analysis.packs.bucket_quality import measure_buckets
    from hedgehog.analysis.packs.choose_flops import subset_text
    from hedgehog.analysis.packs.flop_gain import FlopGain, GainMeasure
    from hedgehog.analysis.packs.flop_report import report_on_pack
    from hedgehog.analysis.packs.preflop_chart import draw_chart
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "FlopGain", "GainMeasure", "draw_chart", "measure_buckets", "measure_curve", "plot_curve", "report_on_pack",
    "subset_text",
]  # fmt: skip
