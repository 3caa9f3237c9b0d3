"""AIVAT: adjusts winnings so that most of the luck of cards and of known strategies is gone, and the mean stays.

>>> from hedgehog.agent import parse_player_spec
>>> from hedgehog.analysis import aivat, stats
>>> from hedgehog.arena import play_match
>>> played = play_match(["call", "random"], hands=50, seed=2, out="my-match")
>>> known = aivat.strategies_of({"call": parse_player_spec("call")}, played.gamedef)
>>> scorer = aivat.MatchAivat(known, played.gamedef)
>>> result = stats.score_match(played.logs, played.names, played.gamedef, scorer.score)
>>> print(f"{result.aivat[0].reduction:.0%} less standard deviation")
58% less standard deviation
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.aivat.logs import log_aivat
    from hedgehog.analysis.aivat.match import MatchAivat, known_players, strategies_of
    from hedgehog.analysis.aivat.published import read_published_table, score_published
    from hedgehog.analysis.aivat.recorded import recorded_strategies
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "MatchAivat", "known_players", "log_aivat", "read_published_table", "recorded_strategies", "score_published",
    "strategies_of",
]  # fmt: skip
