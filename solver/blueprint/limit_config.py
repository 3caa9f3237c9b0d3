"""The YAML configuration of a limit blueprint: game, card buckets, trainer, and when to stop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import Field

from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.poker.limit_betting import verify_limit_game
from hedgehog.runtime.config_file import read_config
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.cards.card_config import CardConfig
from hedgehog.solver.blueprint.config import TrainedPackConfig
from hedgehog.solver.blueprint.limit_training import LimitTraining
from hedgehog.solver.blueprint.trainer import MAX_TREMBLE, TREMBLE


class LimitPackConfig(TrainedPackConfig):
    """The YAML configuration of the build of a limit pack."""

    kind: str = Field(pattern="^limit-blueprint$")
    game: str
    """Name of a shipped game definition, or the path of one: limit hold'em for two or three players."""
    algorithm: Literal["pcs", "external"] = "external"
    """``pcs`` (two players only) trains on one board at a time with all hands, ``external`` on one hand per player."""
    tremble: float = Field(default=TREMBLE, ge=0, le=MAX_TREMBLE)
    """Least probability of every action of the players who do not learn."""
    simple_share: float = Field(default=0.0, ge=0, lt=1)
    """Three players: share of the walks in which the players who do not learn have a habit instead of a strategy."""

    @property
    def cards(self) -> CardConfig:
        """The configuration of the card buckets."""
        return CardConfig(flop=self.flop_buckets, turn=self.turn_buckets, river=self.river_buckets, seed=self.card_seed)

    @property
    def gamedef(self) -> GameDef:
        """The game definition for which the pack is made."""
        return load_gamedef(self.game)

    def training(self, threads: int) -> LimitTraining:
        """Returns the training that the configuration describes.

        :raises InputError: if the game has no limit strategy, or a value does not fit it.
        """
        return LimitTraining(
            self.gamedef,
            iterations=self.iterations,
            seconds=self.seconds,
            seed=self.seed,
            threads=threads,
            algorithm=self.algorithm,
            average_power=self.average_power,
            tremble=self.tremble,
            simple_share=self.simple_share,
        )


def read_limit_pack_config(path: Path, text: str | None = None) -> LimitPackConfig:
    """Returns the checked configuration of a limit pack.

    :param text: text of the file, if it has been read already.
    :raises InputError: if a key is wrong, the game is no limit hold'em for two or three players, or no limit is given.
        The message has file and line.
    """
    file = read_config(path, LimitPackConfig, InputError, "a limit pack", text)
    config = file.model
    for street in ("flop", "turn", "river"):
        key = f"{street}_buckets"
        file.at((key,), lambda name, count: CardConfig(**{name: count}), street, getattr(config, key))
    file.at(("card_seed",), lambda: config.cards)
    file.at(("game",), lambda: replace(config.gamedef))
    if config.seconds is None and config.iterations is None:
        raise file.fail((), "expected a limit: 'seconds' or 'iterations'")
    gamedef = file.at(("game",), lambda: config.gamedef)
    file.at(("game",), verify_limit_game, gamedef)
    if config.algorithm == "pcs" and gamedef.num_players > 2:
        raise file.fail(("algorithm",), "three players are trained by external sampling: write 'algorithm: external'")
    return config
