"""Results of tournaments: scores, rankings, reports.

>>> from hedgehog.analysis.tournament import analyse_tournament, write_reports
>>> from hedgehog.arena import play_tournament
>>> _ = play_tournament(["raise", "call", "fold"], hands=20, seed=1, out="my-tournament")
>>> result = analyse_tournament("my-tournament", samples=200)
>>> for standing in result.standings:
...     print(f"{standing.agent} {standing.mbb_per_hand.mean:+.0f}")
raise +375
call +138
fold -512
>>> [path.name for path in write_reports(result, "my-tournament")][:3]
['report.html', 'results.json', 'standings.csv']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.tournament.report import write_reports
    from hedgehog.analysis.tournament.scoring import analyse_tournament
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "analyse_tournament", "write_reports",
]  # fmt: skip
