"""The strategy packs of Hedgehog's player, opened and checked together before any kernel is compiled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from hedgehog.poker.acpc.gamedef import GameDef, parse_gamedef
from hedgehog.runtime.errors import InputError, PackError
from hedgehog.strategies.blueprint_pack import BlueprintTable, read_blueprint
from hedgehog.strategies.flop_pack import QUICK_TIER, FlopLine, read_flop_lines
from hedgehog.strategies.limit_pack import KIND as LIMIT_KIND
from hedgehog.strategies.manifest import read_manifest
from hedgehog.strategies.pack import StrategyPack, find_packs, open_pack
from hedgehog.strategies.quick_flops import QuickFlops, read_quick_flops


@dataclass(frozen=True, slots=True)
class PlayerPacks:
    """The strategy packs that Hedgehog's player plays from."""

    gamedef: GameDef
    blueprint: BlueprintTable
    quick: Sequence[QuickFlops]
    lines: Sequence[FlopLine]
    """Preflop lines with exact flop strategies."""


def open_player_packs(paths: Iterable[Path]) -> PlayerPacks:
    """Returns the verified packs at ``paths``, each of which is a pack or a folder of packs.

    :raises PackError: if there is no blueprint, or a pack is damaged or belongs to another blueprint.
    """
    paths = list(paths)
    blueprint: BlueprintTable | None = None
    gamedef: GameDef | None = None
    flops: list[StrategyPack] = []
    for path in paths:
        for folder in find_packs(path):
            if read_manifest(folder).kind == LIMIT_KIND:  # for another player
                continue
            pack = open_pack(folder)
            if pack.manifest.kind == "flops":
                flops.append(pack)
            elif blueprint is None:
                blueprint = read_blueprint(pack)
                gamedef = parse_gamedef(pack.manifest.gamedef, str(folder))
    if blueprint is None or gamedef is None:
        raise PackError("there is no blueprint pack", source=", ".join(map(str, paths)))
    quick = [read_quick_flops(pack, blueprint) for pack in flops if pack.manifest.tier == QUICK_TIER]
    tables = [read_flop_lines(pack, blueprint) for pack in flops if pack.manifest.tier != QUICK_TIER]
    exact = list(chain.from_iterable(tables))
    for line in exact:
        for at in range(len(line.classes)):  # at the table nothing may fail any more
            line.verify_class(at)
    return PlayerPacks(gamedef, blueprint, quick, exact)


def verify_same_game(packs: GameDef, played: GameDef) -> None:
    """Checks that the game of the packs is the game to be played.

    :param packs: the game of the packs.
    :param played: the game to be played.
    :raises InputError: if the two games differ.
    """
    if played != packs:
        raise InputError("the strategy packs are for another game than the one to be played")
