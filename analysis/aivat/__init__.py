"""AIVAT: adjusts winnings so that most of the luck of cards and of known strategies is gone, and the mean stays.

>>> from hedgehog.analysis import aivat
>>> from hedgehog.arena import play_match
>>> played = play_match(["call", "random"], hands=50, seed=2, out="my-match")
>>> scored = aivat.log_aivat(played.logs, {"call": "call"}, pairs=True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.aivat.logs import log_aivat
    from hedgehog.analysis.aivat.match import known_players
    from hedgehog.analysis.aivat.published import read_published_table, score_published
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "known_players", "log_aivat", "read_published_table", "score_published",
]  # fmt: skip
