"""The games that strategy packs are for: which packs of some folders belong to one stack depth.

A folder of packs may hold blueprints of heads-up no-limit hold'em for several depths, each with flop packs of its own.
Only manifests are read here, so that a player opens and verifies no more than the packs of the depth that it plays.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hedgehog.poker.acpc.gamedef import GameDef, parse_gamedef
from hedgehog.runtime.errors import PackError
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import find_packs


@dataclass(frozen=True, slots=True)
class GamePacks:
    """The packs of one game."""

    gamedef: GameDef
    blueprint: Path
    """Folder of the blueprint."""
    flops: tuple[Path, ...]
    """Folders of the flop packs."""

    @property
    def depth(self) -> float:
        """The smaller stack in big blinds."""
        return big_blinds(self.gamedef)


def big_blinds(gamedef: GameDef) -> float:
    """Returns the effective stack of a game, which is the smallest one, in big blinds."""
    return min(gamedef.stacks) / gamedef.big_blind


def find_game_packs(paths: Iterable[str | os.PathLike[str]]) -> list[GamePacks]:
    """Returns the blueprints at ``paths`` with their flop packs, one for each game, in the order of their depths.

    Packs of other kinds are left out. Of several blueprints of a game, the first is taken.

    :param paths: packs, or folders of packs.
    :raises PackError: if there is no blueprint, a flop pack has none, or a manifest is damaged.
    """
    paths = list(paths)
    blueprints: dict[GameDef, Path] = {}
    flops: list[tuple[GameDef, Path]] = []
    for folder in (folder for path in paths for folder in find_packs(path)):
        manifest = read_manifest(folder)
        if manifest.kind in ("blueprint", "flops"):
            gamedef = parse_gamedef(manifest.gamedef, str(folder))
            if manifest.kind == "flops":
                flops.append((gamedef, folder))
            else:
                blueprints.setdefault(gamedef, folder)
    if not blueprints:
        raise PackError("there is no blueprint pack", source=", ".join(map(str, paths)))
    for gamedef, folder in flops:
        if gamedef not in blueprints:
            raise PackError("there is no blueprint of the game of this flop pack", source=str(folder))
    games = [
        GamePacks(gamedef, folder, tuple(flop for game, flop in flops if game == gamedef))
        for gamedef, folder in blueprints.items()
    ]
    return sorted(games, key=lambda game: game.depth)


def nearest_depth(games: Sequence[GamePacks], depth: float) -> GamePacks:
    """Returns the game whose depth has the smallest ratio to ``depth``, of two equal ones the shallower."""
    return min(games, key=lambda game: abs(math.log(game.depth / depth)))
