"""Poker as environments of reinforcement learning, with the dealer's rules: PettingZoo and Gymnasium.

``pip install pettingzoo gymnasium`` brings both. :class:`PokerAEC` seats agents from outside at every position of any
game definition; :class:`PokerGym` seats one learner against players of ours. Actions have numbers: every size of a
raise, or those of a menu, which the environments take as ``sizes``.

>>> from hedgehog.interop.environments.menus import menu_of
>>> from hedgehog.poker.acpc import load_gamedef, parse_matchstate
>>> menu = menu_of(load_gamedef(), "50%,100%,a")
>>> menu.names()
['fold', 'call', '50%', '100%', 'a']
>>> state = parse_matchstate("MATCHSTATE:1:0:r300c/r900:|AsKd/Qs7d2h", load_gamedef()).state
>>> menu.mask(state).tolist(), str(menu.legal(3, state))
([1, 1, 1, 1, 1], 'r2700')
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
