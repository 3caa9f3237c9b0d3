"""Finds out what is at a path and makes the items for it."""

from __future__ import annotations

from pathlib import Path

from explorer.library import Item
from runtime.errors import InputError
from strategies.manifest import MANIFEST_NAME, read_manifest


def items_at(path: Path) -> list[Item]:
    """Returns the items at a path: one, or one for every pack and solve of a folder.

    :raises InputError: if there is nothing that the explorer shows, or it is damaged.
    """
    if (path / MANIFEST_NAME).is_file():
        return [_pack_item(path)]
    if path.is_dir():
        found = sorted(entry.parent for entry in path.glob(f"*/{MANIFEST_NAME}"))
        if found:
            return [_pack_item(folder) for folder in found]
    if not path.exists():
        raise InputError("no such file or folder", source=str(path))
    raise InputError("expected a saved solve, a pack, a tournament, a log or a betting tree", source=str(path))


def _pack_item(folder: Path) -> Item:
    kind = read_manifest(folder).kind
    if kind in ("solve", "strategy"):
        from explorer.solve_item import SolveItem

        return SolveItem(folder)
    raise InputError(f"the explorer does not show packs of the kind {kind!r}", source=str(folder))
