"""Players of ours as agents of Kaggle's Game Arena: ``agent(observation, configuration) -> {"submission": int}``."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any, Final

from hedgehog.agent.openspiel.games import spiel
from hedgehog.agent.specs import PlayerSpec
from hedgehog.interop.openspiel.bot import PlayerBot, spiel_bot

Agent = Callable[[Any, Any], dict[str, int]]
NOTHING: Final = -1
"""What is submitted where the agent is not to act."""
_STATE: Final = "serializedGameAndState"


def kaggle_agent(spec: str | PlayerSpec = "default", *, seed: int | None = None, think_ms: int = 0) -> Agent:
    """Returns an agent function for the arena's ``repeated_poker``, and for ``universal_poker``.

    The player is loaded at the first observation in which it is to act.

    :param spec: the player, such as ``default``.
    :param seed: seed of the player's random numbers; None: another one in every process.
    :param think_ms: most milliseconds of thinking per decision; 0: from packs alone.
    :returns: a function of an observation and a configuration. Its result has the key ``submission`` alone: OpenSpiel's
        number of the action, or -1 where the agent is not to act.
    """
    bots: dict[str, PlayerBot] = {}
    chosen = secrets.randbits(32) if seed is None else seed

    def agent(observation: Any, configuration: Any = None) -> dict[str, int]:
        text = _value(observation, _STATE)
        if not text or _value(observation, "isTerminal"):
            return {"submission": NOTHING}
        game, state = spiel().deserialize_game_and_state(text)
        if state.current_player() != _value(observation, "playerId"):
            return {"submission": NOTHING}
        key = str(game)
        if key not in bots:
            bots[key] = spiel_bot(spec, game, seed=chosen, think_ms=think_ms)
        return {"submission": bots[key].step(state)}

    return agent


def _value(observation: Any, key: str) -> Any:
    """Returns a value of an observation, which has keys or attributes; None if it lacks the key."""
    if isinstance(observation, Mapping):
        return observation.get(key)
    return getattr(observation, key, None)
