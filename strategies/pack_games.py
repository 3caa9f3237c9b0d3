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
from typing import Final, Literal

from hedgehog.poker.acpc.chosen_game import DEFAULT_BLINDS, DEFAULT_STACK
from hedgehog.poker.acpc.gamedef import GameDef, parse_gamedef
from hedgehog.runtime.errors import GamedefError, PackError
from hedgehog.strategies.manifest import PackManifest, read_manifest
from hedgehog.strategies.pack import find_packs

DEFAULT_DEPTH: Final = DEFAULT_STACK / DEFAULT_BLINDS[1]
"""Big blinds of the default game. Where nobody names a depth, the packs nearest to it are meant."""
FARTHER: Final = 2.0
FARTHER_DEPTHS: Final = (30, 75)
"""Strategies for 30 up to 75 big blinds count as ``FARTHER`` times as far from deeper games, as logarithms of ratios.

Those that are shipped have smaller raises before the flop than the next deeper ones, and lost to these in games in
which the ratios were about the same (docs/notebook/2026-11-26-between-depths.md). Elsewhere the ratio decides."""
_KINDS: Final = ("blueprint", "flops")
"""Kinds of packs that a player of no-limit hold'em plays at one depth."""
_DEPTH_KINDS: Final = (*_KINDS, "values")
"""Kinds of packs that are for one depth of no-limit hold'em."""


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
    games, flops = _games_at(paths := list(paths))
    for gamedef, folder in flops:
        if all(game.gamedef != gamedef for game in games):
            raise PackError("there is no blueprint of the game of this flop pack", source=str(folder))
    return games


def find_blueprints(path: str | os.PathLike[str]) -> list[GamePacks]:
    """Returns the blueprints at a path as :func:`find_game_packs` does; flop packs without a blueprint are left out.

    :raises PackError: if there is no blueprint, or a manifest is damaged.
    """
    return _games_at([path])[0]


def _games_at(paths: Sequence[str | os.PathLike[str]]) -> tuple[list[GamePacks], list[tuple[GameDef, Path]]]:
    """Returns the games of the blueprints at some paths, in the order of their depths, and all flop packs."""
    blueprints: dict[GameDef, Path] = {}
    flops: list[tuple[GameDef, Path]] = []
    for folder in (folder for path in paths for folder in find_packs(path)):
        manifest = read_manifest(folder)
        if manifest.kind in _KINDS:
            gamedef = parse_gamedef(manifest.gamedef, str(folder))
            if manifest.kind == "flops":
                flops.append((gamedef, folder))
            else:
                blueprints.setdefault(gamedef, folder)
    if not blueprints:
        raise PackError("there is no blueprint pack", source=", ".join(map(str, paths)))
    games = [
        GamePacks(gamedef, folder, tuple(flop for game, flop in flops if game == gamedef))
        for gamedef, folder in blueprints.items()
    ]
    return sorted(games, key=lambda game: game.depth), flops


def nearest_depth(games: Sequence[GamePacks], depth: float) -> GamePacks:
    """Returns the game whose packs play at a depth: the nearest one by ratio, but for some that count as farther.

    :param games: the games of packs, at least one.
    :param depth: big blinds of the smaller stack. Packs of :data:`FARTHER_DEPTHS` count as :data:`FARTHER` times as far
        from it if it is deeper than they are.
    """

    def distance(game: GamePacks) -> float:
        least, most = FARTHER_DEPTHS
        farther = game.depth < depth and least <= game.depth < most
        return abs(math.log(game.depth / depth)) * (FARTHER if farther else 1.0)

    return min(games, key=distance)


def same_depth(first: float, second: float) -> bool:
    """Tells whether two depths in big blinds are one, but for rounding."""
    return math.isclose(first, second, rel_tol=1e-6)


def depth_of_pack(manifest: PackManifest) -> float | None:
    """Returns the depth that a pack is for, in big blinds.

    :returns: None for other packs than blueprints, flop packs and preflop values, and for packs that name no game.
    """
    if manifest.kind not in _DEPTH_KINDS:
        return None
    try:
        return big_blinds(parse_gamedef(manifest.gamedef, manifest.name))
    except GamedefError:
        return None


def packs_at(path: str | os.PathLike[str], depth: float | None = None) -> list[Path]:
    """Returns the folders of the packs at a path: all, or those of a depth.

    :param depth: big blinds; None for all packs.
    :raises PackError: if there is no such pack, or a manifest is damaged.
    """
    folders = find_packs(path)
    if depth is None:
        return folders
    depths = {folder: depth_of_pack(read_manifest(folder)) for folder in folders}
    found = [folder for folder, each in depths.items() if each is not None and same_depth(each, depth)]
    if not found:
        raise _no_depth(path, "pack", depth, [each for each in depths.values() if each is not None])
    return found


def _no_depth(path: str | os.PathLike[str], what: str, depth: float, depths: Iterable[float]) -> PackError:
    others = ", ".join(f"{each:g}" for each in sorted(set(depths))) or "no stack depth"
    return PackError(f"there is no {what} for {depth:g} big blinds, only for {others}", source=str(path))


def pack_of_depth(
    path: str | os.PathLike[str], kind: Literal["blueprint", "flops"], depth: float | None = None
) -> Path:
    """Returns the folder of the pack of a kind and depth: the pack at a path, or the one among those in a folder.

    A path of a single pack is returned whatever the pack's kind is, so that its reader can say what it expects.

    :param depth: big blinds; None for the pack whose depth is nearest to that of the default game.
    :raises PackError: if there is no such pack, there are several flop packs of the depth, or a manifest is damaged.
    """
    what = "blueprint" if kind == "blueprint" else "flop"
    folders = find_packs(path)
    single = folders == [Path(path)]
    if single and depth is None:
        return folders[0]
    manifests = {folder: read_manifest(folder) for folder in folders}
    depths = {
        folder: found
        for folder, manifest in manifests.items()
        if (single or manifest.kind == kind) and (found := depth_of_pack(manifest)) is not None
    }
    if not depths:
        raise PackError(f"there is no {what} pack of a stack depth here", source=str(path))
    if depth is None:
        depth = min(depths.values(), key=lambda found: abs(math.log(found / DEFAULT_DEPTH)))
    chosen = [folder for folder, found in depths.items() if same_depth(found, depth)]
    if not chosen:
        raise _no_depth(path, f"{what} pack", depth, depths.values())
    if len(chosen) > 1 and kind == "flops":
        names = ", ".join(map(str, chosen))
        raise PackError(f"there are {len(chosen)} flop packs for {depth:g} big blinds, of which to name one: {names}")
    return chosen[0]
