"""Matches and tournaments: over TCP between processes, or at a table inside one process.

A duplicate match plays the same cards once in every order of the seats. Its result is read from its logs.

>>> from hedgehog import arena
>>> from hedgehog.analysis.stats import score_match
>>> played = arena.play_match(["random", "call"], hands=200, seed=1, out="my-match")
>>> result = score_match(played.logs, played.names, played.gamedef)
>>> won = result.mbb_per_hand[0]
>>> print(f"{played.names[0]} wins {won.mean:.0f} ± {won.half_width:.0f} mbb per hand")
random wins -896 ± 6443 mbb per hand

:func:`play_tournament` plays every player against every other one. The coroutines :func:`run_match` and
:func:`run_tournament` are behind ``hedgehog match`` and ``hedgehog tournament``. They can also start dealers and
players as processes of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.arena.match import Entrant, MatchPlan, PlayedSeating
    from hedgehog.arena.play import PlayedMatch, play_match, play_tournament
    from hedgehog.arena.runner import run_match
    from hedgehog.arena.tournament import TournamentPlan, TournamentProgress, read_progress, run_tournament
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "Entrant", "MatchPlan", "PlayedMatch", "PlayedSeating", "TournamentPlan", "TournamentProgress", "play_match",
    "play_tournament", "read_progress", "run_match", "run_tournament",
]  # fmt: skip
