"""What the explorer shows: saved solves, packs, tournaments, logs and betting trees, each an item with an id.

The page names items by id only, never by path, so that it can ask for nothing that was not given to the explorer.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from hedgehog.runtime.errors import HedgehogError, InputError

Params = Mapping[str, str]
"""Parameters of a question, from the query string."""
Question = Callable[[Any, Params], dict[str, Any]]

MOST_TEXT: Final = 4000
"""Largest number of characters of a parameter."""


class MissingError(HedgehogError):
    """The page asks for an item or a question that does not exist."""


class Item(ABC):
    """Something that the explorer shows.

    Subclasses list the questions that they answer in :attr:`questions`. Questions of one
    :meth:`lane` are answered one after the other.
    """

    kind: ClassVar[str]
    """The kind of the item; the page has a view for each."""
    questions: ClassVar[Mapping[str, Question]] = {}
    """Question -> method that answers it: (item, parameters) -> JSON values."""

    def __init__(self, path: Path, title: str) -> None:
        """
        :param path: file or folder of the item.
        :param title: name for people.
        """
        self.path = path
        self.title = title

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Returns what the page shows about the item before a question is asked.

        :raises InputError: if the item is damaged or gone.
        """

    def lane(self, question: str, params: Params) -> str:
        """Returns the name of the thread in which a question is answered; questions of one lane wait for each other.

        The description of the item counts as the question ``""``.
        """
        return "questions"

    def warm_up(self) -> None:  # noqa: B027 (most items have nothing to load)
        """Loads what the first question needs."""

    def close(self) -> None:  # noqa: B027 (most items have no process to end)
        """Ends processes of the item."""

    def ask(self, question: str, params: Params) -> dict[str, Any]:
        """Returns the answer to a question.

        :raises MissingError: if the item knows no such question.
        :raises InputError: if a parameter is wrong, or the item is damaged or gone.
        """
        method = self.questions.get(question)
        if method is None:
            raise MissingError(f"a {self.kind} answers no question {question!r}")
        for name, value in params.items():
            if len(value) > MOST_TEXT:
                raise InputError(f"{name} has more than {MOST_TEXT} characters")
        answer: dict[str, Any] = method(self, params)
        return answer


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
        from hedgehog.explorer.items.kinds import items_at

        return [self.put(item) for item in items_at(path)]

    def find(self, name: str) -> Item:
        """Returns the item of an id.

        :raises MissingError: if there is none.
        """
        item = self._items.get(name)
        if item is None:
            raise MissingError(f"there is no item {name!r}: go back to the start page")
        return item
