"""The base of what the explorer shows: an item answers the questions of the page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from hedgehog.poker.hand_names import DRAWS, MADE_HANDS
from hedgehog.runtime.errors import HedgehogError, InputError, PackError

Params = Mapping[str, str]
"""Parameters of a question, from the query string."""
Question = Callable[[Any, Params], dict[str, Any]]

HAND_NAMES: Final = {"made_hands": list(MADE_HANDS), "draws": list(DRAWS)}
"""Part of the description of an item with hands: names of made hands and draws, by the numbers that answers have."""
MOST_TEXT: Final = 4000
"""Largest number of characters of a parameter."""


class MissingError(HedgehogError):
    """The page asks for an item or a question that does not exist."""


def disk_state(
    files: Iterable[Path], item: Path, error: type[InputError] = PackError
) -> tuple[tuple[object, ...], ...]:
    """Returns what changes if one of the files is replaced, cut off or deleted.

    :param item: file or folder of the item, for the message.
    :param error: the class of the exception that is raised.
    :raises InputError: an exception of class ``error``, if a file cannot be read any more.
    """
    try:
        stats = [(file.name, file.stat()) for file in files]
    except OSError as problem:
        raise error(f"cannot be read any more: {problem.strerror}", source=str(item)) from None
    return tuple((name, each.st_mtime_ns, each.st_size, each.st_ino) for name, each in stats)


def number_asked(params: Params, name: str, what: str) -> int | None:
    """Returns a parameter that is a number; None if it is missing.

    :param what: what is numbered, for the message: ``a decision``.
    :raises InputError: if it is no number.
    """
    text = params.get(name, "")
    if text and not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(f"expected the number of {what}, got {text!r}")
    return int(text) if text else None


class Item(ABC):
    """Something that the explorer shows.

    Subclasses list the questions that they answer in :attr:`questions`. Questions of one
    :meth:`lane` are answered one after the other.
    """

    kind: ClassVar[str]
    """The kind of the item; the page has a view for each."""
    note: str = ""
    """What the start page says about the item in place of its path."""
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
