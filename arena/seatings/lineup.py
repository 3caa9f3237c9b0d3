"""The players of a match or tournament, and how they play: what a worker needs to play its seatings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgehog.agent.specs import PlayerSpec
from hedgehog.arena.launch import DEALER_COMMAND, PlaySettings, make_entrants
from hedgehog.arena.table_process import table_job
from hedgehog.poker.acpc.gamedef import GameDef


@dataclass(frozen=True, slots=True)
class Lineup:
    """The players of a match or tournament, and how they play."""

    specs: tuple[PlayerSpec, ...]
    names: tuple[str, ...]
    """Names of the players, as they stand in the logs."""
    game: Path
    gamedef: GameDef
    settings: PlaySettings
    recorded: tuple[str, ...]
    """Names of the players whose decisions are recorded."""

    @property
    def compiles(self) -> bool:
        """Whether a player needs kernels to be compiled at the first start on a machine."""
        return any(spec.for_game(self.gamedef).compiles for spec in self.specs)

    @property
    def inputs(self) -> list[Path]:
        """Files and folders that the players read."""
        return [self.game, *(Path(spec.argument) for spec in self.specs if spec.kind == "pack")]

    def plan_values(self) -> dict[str, Any]:
        """Returns what the plans of matches and tournaments have in common, as keyword arguments."""
        think_ms, hand_time = self.settings.time_to_think()
        table = table_job(
            self.specs if self.settings.in_process else (),
            think_ms=think_ms,
            threads=self.settings.threads,
            hand_time=hand_time,
            recorded=self.recorded,
        )
        return {
            "entrants": make_entrants(self.specs, self.names, self.settings, game=self.game, recorded=self.recorded),
            "game": self.game,
            "dealer_options": self.settings.limits.options(),
            "dealer_command": DEALER_COMMAND,
            "settings": self.settings.as_dict(),
            "table": table if self.settings.in_process else None,
        }
