"""Measures what a perfect opponent wins from a player on turn and river: exact best responses over exact hands.

>>> from hedgehog.analysis import endgame
>>> from hedgehog.poker.acpc import load_gamedef
>>> job = endgame.EndgameJob("call", load_gamedef("holdem.nolimit.2p.reverse_blinds"), seed=1, value_iterations=0)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.analysis.endgame.measure import EndgameJob, draw_turns, measure_turns
    from hedgehog.analysis.endgame.summary import EndgameMeasurement, describe_endgames, measure_sample
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "EndgameJob", "EndgameMeasurement", "describe_endgames", "draw_turns", "measure_sample", "measure_turns",
]  # fmt: skip
