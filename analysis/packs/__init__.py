"""Tools for strategy packs: reports, subsets of flops, training curves, quality of card buckets, preflop charts.

>>> from hedgehog.analysis.packs import plot_curve
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.packs.blueprint_curve import measure_curve, plot_curve
    from hedgehog.analysis.packs.bucket_quality import measure_buckets
    from hedgehog.analysis.packs.choose_flops import choose_pack_flops
    from hedgehog.analysis.packs.flop_gain import FlopGain, GainMeasure
    from hedgehog.analysis.packs.flop_report import FlopReport, report_pack
    from hedgehog.analysis.packs.preflop_chart import draw_preflop_chart
    from hedgehog.analysis.packs.preflop_table import preflop_ev_table
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "FlopGain", "FlopReport", "GainMeasure", "choose_pack_flops", "draw_preflop_chart", "measure_buckets",
    "measure_curve", "plot_curve", "preflop_ev_table", "report_pack",
]  # fmt: skip
