"""The players by name: ours that need no argument, and those of other packages (entry points ``hedgehog.players``).

A player of another package is a class as for ``py:MODULE:CLASS`` (:mod:`hedgehog.agent.plugins`).
"""

from __future__ import annotations

import inspect
from typing import Any, Final

from hedgehog.agent.bots import BOTS
from hedgehog.agent.foils import FOILS
from hedgehog.agent.player import Player
from hedgehog.agent.plugins import verify_player_class
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.extending.registry import Later, Registry

ALL_BOTS: Final = BOTS | FOILS
"""Players that need no strategy, by the name they have in a specification."""
JAM_FOLD: Final = "jamfold"
"""The player of :mod:`hedgehog.agent.jam_player`, which needs tables of hands."""
SOLVED: Final = "solved"
"""The player of :mod:`hedgehog.agent.solved_player`."""
SIMULATION: Final = "mcsim"
LIMIT_BOTS: Final = ("potodds", SIMULATION)
"""Players of limit hold'em that need no strategy, but numba and a table of this machine."""
OTHER_KINDS: Final = ("default", "pack", "limit", "cmd", "py", "openspiel", "limit3p", "hybrid", "limit3", "cfr3")
"""What else a specification can start with."""


def _verify(name: str, part: Any) -> None:
    if not isinstance(part, type):
        raise InputError(f"expected a class derived from hedgehog.agent.player.Player, got {type(part).__name__}")
    verify_player_class(part, inspect.getfile(part))


PLAYERS: Final[Registry[type[Player]]] = Registry(
    "hedgehog.players",
    "player",
    {
        **ALL_BOTS,
        JAM_FOLD: Later("hedgehog.agent.jam_player", "JamFoldPlayer"),
        SOLVED: Later("hedgehog.agent.solved_player", "SolvedPlayer"),
        "potodds": Later("hedgehog.agent.limit.bots.pot_odds", "PotOddsBot"),
        SIMULATION: Later("hedgehog.agent.limit.bots.simulation_bot", "SimulationBot"),
    },
    verify=_verify,
    reserved=OTHER_KINDS,
)
"""All players whose specification is a name, ``default`` and short names of others aside."""
