"""OpenSpiel, and Kaggle's Game Arena, which plays with it: our players as its bots, our strategies as its policies.

``pip install open_spiel`` brings OpenSpiel. Games are ``pyspiel.Game`` objects:

>>> import pyspiel
>>> from hedgehog.interop import openspiel
>>> policy = openspiel.solved_policy(pyspiel.load_game("kuhn_poker"))
>>> state = policy.game.new_initial_state().child(2).child(1)
>>> {action: round(share, 3) for action, share in policy.action_probabilities(state.child(1)).items()}
{0: 0.667, 1: 0.333}

OpenSpiel's bots play in our matches as ``openspiel:NAME`` (:mod:`hedgehog.agent.openspiel`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.agent.openspiel.games import gamedef_of, spiel_game
    from hedgehog.interop.openspiel.bot import spiel_bot
    from hedgehog.interop.openspiel.kaggle import kaggle_agent
    from hedgehog.interop.openspiel.policy import extensive_game, player_policy, solved_policy
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "extensive_game", "gamedef_of", "kaggle_agent", "player_policy", "solved_policy", "spiel_bot", "spiel_game",
]  # fmt: skip
