"""Freeze-outs between two players: the stacks go on from hand to hand, the blinds may rise, the winner takes all.

>>> from hedgehog.arena.freeze_out import FreezeOutRules, parse_levels
>>> earlier, blinds = parse_levels("10/20x10,15/30x10,25/50")
>>> FreezeOutRules((1500, 1500), blinds, earlier).level(12)
BlindLevel(small=15, big=30, hands=10)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.arena.freeze_out.batch import FreezeOutTask, play_freeze_outs
    from hedgehog.arena.freeze_out.game import FreezeOutGame, FreezeOutPair, PlayedHand, play_game, play_pair
    from hedgehog.arena.freeze_out.rules import BlindLevel, FreezeOutRules, parse_levels
    from hedgehog.arena.freeze_out.tally import PairResult
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "BlindLevel", "FreezeOutGame", "FreezeOutPair", "FreezeOutRules", "FreezeOutTask", "PairResult", "PlayedHand",
    "parse_levels", "play_freeze_outs", "play_game", "play_pair",
]  # fmt: skip
