"""Players, and the client that connects them to an ACPC dealer.

A player is made from the same specification as on the command line, and asked about any decision.

>>> from hedgehog import agent
>>> from hedgehog.poker.acpc import load_gamedef
>>> game = load_gamedef()
>>> player = agent.ready_player("default", game)
>>> answer = agent.ask_player(player, agent.parse_decision("R250 C X B300", "Qs Jh 2h", "AhKd"))
>>> {action: round(share, 1) for action, share in answer.strategy().items()}
{'f': 0.0, 'c': 1.0, 'r1650': 0.0, 'r3850': 0.0, 'r20000': 0.0}
>>> answer.explanation.layer
'quick'

In a match a player sees match states and answers with actions.

>>> import math
>>> from hedgehog.poker.acpc import parse_matchstate
>>> seen = parse_matchstate("MATCHSTATE:0:30:r250c/cr550:AhKd|/QsJh2h", game)
>>> str(agent.ready_player("raise", game).act(seen, math.inf))
'r1650'

To write a player, derive a class from :class:`Player` and define its method ``act``; :func:`hedgehog.arena.play_match`
takes objects of this class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.exports import lazy_exports

if TYPE_CHECKING:
    from hedgehog.agent.acpc.client import Client
    from hedgehog.agent.bots import PublicBot, PureBot, raise_action
    from hedgehog.agent.options import Options
    from hedgehog.agent.player import Player, ReportsStrategy
    from hedgehog.agent.questions import Answer, Decision, ask_player, parse_decision
    from hedgehog.agent.specs import PlayerSpec, make_player, parse_player_spec, ready_player
else:
    __getattr__, __dir__ = lazy_exports(__name__)

__all__ = [
    "Answer", "Client", "Decision", "Options", "Player", "PlayerSpec", "PublicBot", "PureBot", "ReportsStrategy",
    "ask_player", "make_player", "parse_decision", "parse_player_spec", "raise_action", "ready_player",
]  # fmt: skip
