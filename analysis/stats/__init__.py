"""Statistics over groups of hands: estimates, anytime intervals, luck, match reports, frequencies.

>>> from hedgehog.analysis import stats
>>> estimate = stats.mean_estimate([120.0, -40.0, 310.0, 55.0, 90.0])
>>> print(f"{estimate.mean:.1f} from {estimate.low:.1f} to {estimate.high:.1f}")
107.0 from -52.5 to 266.5

The interval of :func:`mean_estimate` holds for a number of hands fixed beforehand. The interval of
:func:`anytime_estimate` also holds for a match that is stopped because of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.stats.anytime import anytime_estimate, anytime_interval, bernstein_estimate
    from hedgehog.analysis.stats.estimate import Estimate, effective_hands, holm_adjusted, mean_estimate, mean_p_value
    from hedgehog.analysis.stats.figures import log_figures
    from hedgehog.analysis.stats.match_report import (
        MatchResult,
        group_winnings,
        largest_result,
        read_winnings,
        score_match,
        score_winnings,
    )
    from hedgehog.analysis.stats.play_statistics import read_play_statistics
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "Estimate", "MatchResult", "anytime_estimate", "anytime_interval", "bernstein_estimate", "effective_hands",
    "group_winnings", "holm_adjusted", "largest_result", "log_figures", "mean_estimate", "mean_p_value",
    "read_play_statistics", "read_winnings", "score_match", "score_winnings",
]  # fmt: skip
