"""Finds out what is at a path and makes the items for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from hedgehog.analysis.drills.sources import is_store
from hedgehog.explorer.items.flops_item import FlopsItem
from hedgehog.explorer.items.graded_item import GradedItem, is_grade_file
from hedgehog.explorer.items.item import Item
from hedgehog.explorer.items.limit_item import LimitItem
from hedgehog.explorer.items.player_item import PlayerItem
from hedgehog.explorer.items.solve_item import SolveItem
from hedgehog.explorer.items.tree_item import TreeItem
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import real_path
from hedgehog.strategies.limit_pack import KIND as LIMIT
from hedgehog.strategies.manifest import MANIFEST_NAME, read_manifest
from hedgehog.strategies.pack import default_packs
from hedgehog.strategies.preflop_values import KIND as VALUES

_KINDS: Final[Mapping[str, Callable[[Path], Item]]] = {
    "solve": SolveItem, "strategy": SolveItem, "tree": TreeItem, "flops": FlopsItem
}  # fmt: skip


def items_at(path: Path) -> list[Item]:
    """Returns the items at a path: one, or one for every pack and solve of a folder.

    :raises InputError: if there is nothing that the explorer shows, or it is damaged.
    """
    if (path / MANIFEST_NAME).is_file():
        return [_pack_item(path)]
    if is_grade_file(path) if path.is_file() else is_store(path):
        return [GradedItem(path)]
    if path.is_file():
        from hedgehog.explorer.items.log_item import LogItem  # imports what scores tournaments, which takes 0.5 s

        item = LogItem(path, [path])
        item.describe()  # whatever it is, it is no hand history if this fails
        return [item]
    if path.is_dir():
        from hedgehog.explorer.items.log_item import LogItem, TournamentItem, is_tournament, logs_in

        logs = list(logs_in(path))
        if is_tournament(path):
            if not logs:
                raise InputError("the tournament has no logs yet", source=str(path))
            return [TournamentItem(path, logs)]
        if logs:
            return [LogItem(path, logs)]
        found = sorted(entry.parent for entry in path.glob(f"*/{MANIFEST_NAME}"))
        if items := list(_pack_items(path, found)):
            return items
    if not path.exists():
        raise InputError("no such file or folder", source=str(path))
    raise InputError(
        "expected a saved solve, a pack, a tournament, a log, graded hands or a betting tree", source=str(path)
    )


def _pack_items(path: Path, folders: list[Path]) -> Iterator[Item]:
    """Yields the items of a folder of packs: the players of no-limit and limit hold'em, and every other pack.

    A limit strategy for two players also plays at tables of three, so limit packs are one item. Tables of preflop
    values belong to their blueprint. A folder that holds nothing else gives no items.
    """
    kinds, shipped = {read_manifest(folder).kind for folder in folders}, real_path(path) == default_packs()
    if "blueprint" in kinds:
        yield PlayerItem(
            path, "default" if shipped else f"pack:{real_path(path)}", "Our player" if shipped else path.name
        )
    if LIMIT in kinds:
        yield LimitItem(path, "Limit hold'em" if shipped else f"{path.name}, limit")
    for folder in folders:
        if read_manifest(folder).kind not in ("blueprint", LIMIT, VALUES):
            yield _pack_item(folder)


def _pack_item(folder: Path) -> Item:
    manifest = read_manifest(folder)
    if manifest.kind == "blueprint":
        return PlayerItem(folder, f"pack:{real_path(folder)}", manifest.name)
    if manifest.kind == LIMIT:
        return LimitItem(folder, manifest.name)
    if manifest.kind in _KINDS:
        return _KINDS[manifest.kind](folder)
    raise InputError(f"the explorer does not show packs of the kind {manifest.kind!r}", source=str(folder))
