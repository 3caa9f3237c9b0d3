"""What was opened in the explorer: saved solves, packs, tournaments, logs and betting trees, each an item with an id.

The page names items by id only, never by path, so that it can ask for nothing that was not given to the explorer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from hedgehog.explorer.items.item import Item, MissingError
from hedgehog.explorer.items.kinds import items_at


class Library:
    """The items of one explorer, by id."""

    def __init__(self) -> None:
        self._items: dict[str, Item] = {}

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[tuple[str, Item]]:
        return iter(list(self._items.items()))

    def put(self, item: Item) -> str:
        """Adds an item and returns its id, which is made of its title. An item of the same path is replaced."""
        for name, known in self._items.items():
            if known.path == item.path and known.kind == item.kind:
                self._items[name] = item
                return name
        stem = re.sub(r"[^a-z0-9]+", "-", item.title.lower()).strip("-")[:40] or item.kind
        name, number = stem, 1
        while name in self._items:
            number += 1
            name = f"{stem}-{number}"
        self._items[name] = item
        return name

    def add(self, path: Path) -> list[str]:
        """Adds what is at a path and returns the ids of its items: one, or one for every pack of a folder of packs.

        :raises InputError: if there is nothing that the explorer shows.
        """
        return [self.put(item) for item in items_at(path)]

    def find(self, name: str) -> Item:
        """Returns the item of an id.

        :raises MissingError: if there is none.
        """
        item = self._items.get(name)
        if item is None:
            raise MissingError(f"there is no item {name!r}: go back to the start page")
        return item
