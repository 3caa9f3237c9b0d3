"""Poker as environments of reinforcement learning, with the dealer's rules: PettingZoo and Gymnasium.

``pip install pettingzoo gymnasium`` brings both. :class:`PokerAEC` seats agents from outside at every position of any
game definition; :class:`PokerGym` seats one learner against players of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.interop.environments.aec import PokerAEC
    from hedgehog.interop.environments.duel import PokerGym
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = ["PokerAEC", "PokerGym"]
