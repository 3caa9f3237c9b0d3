"""Matches and tournaments: over TCP between processes, or at a table inside one process.

A duplicate match plays the same cards once in every order of the seats. Its result is read from its logs.

>>> from hedgehog import arena
>>> from hedgehog.analysis.stats import score_match
>>> played = arena.play_match(["random", "call"], hands=200, seed=1, out="my-match")
>>> result = score_match(played.logs, played.names, played.gamedef)
>>> won = result.mbb_per_hand[0]
>>> print(f"{played.names[0]} wins {won.mean:.0f} ± {won.half_width:.0f} mbb per hand")
random wins -896 ± 6443 mbb per hand

:func:`play_tournament` plays every player against every other one. Both can start dealers and players as processes of
their own (``in_process=False``), play several seatings at a time (``jobs``) and tell a
:class:`hedgehog.runtime.watch.Watch` how far they are. :func:`ready_match`, :func:`ready_tournament` and
:func:`read_tournament` check everything without playing, and have all options of ``hedgehog match`` and
``hedgehog tournament``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.arena.launch import DealerLimits, PlaySettings
    from hedgehog.arena.match import Entrant, MatchPlan, PlayedSeating
    from hedgehog.arena.play import (
        PlayedMatch,
        play_match,
        play_tournament,
        ready_match,
        ready_tournament,
    )
    from hedgehog.arena.runner import run_match
    from hedgehog.arena.tournament import TournamentPlan, TournamentProgress, read_progress, run_tournament
    from hedgehog.arena.tournament_file import read_tournament
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "DealerLimits", "Entrant", "MatchPlan", "PlaySettings", "PlayedMatch", "PlayedSeating",
    "TournamentPlan", "TournamentProgress", "play_match", "play_tournament", "read_progress", "read_tournament",
    "ready_match", "ready_tournament", "run_match", "run_tournament",
]  # fmt: skip
