"""Local best response (LBR): measures a lower bound on how much a player can be exploited.

>>> from hedgehog.analysis import lbr
>>> from hedgehog.poker.acpc import load_gamedef
>>> job = lbr.LbrJob("fold", load_gamedef(), lbr.parse_lbr_setting("fcpa"), seed=1)
>>> found = lbr.measure_lbr(job, hands=20)
>>> print(f"{found.estimate().chips.mean:.0f} mbb per hand")
750 mbb per hand
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.lbr.match import LbrJob, estimate_winnings, play_lbr
    from hedgehog.analysis.lbr.measure import LbrMeasurement, measure_lbr
    from hedgehog.analysis.lbr.settings import PUBLISHED, LbrSetting, parse_lbr_setting
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "PUBLISHED", "LbrJob", "LbrMeasurement", "LbrSetting", "estimate_winnings", "measure_lbr", "parse_lbr_setting",
    "play_lbr",
]  # fmt: skip
