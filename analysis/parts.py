"""A part of a measurement, so that several machines that know nothing of each other can share it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeVar

from hedgehog.runtime.errors import InputError

Thing = TypeVar("Thing")
_PART: Final = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")


class Part(NamedTuple):
    """One of several parts of the same size."""

    number: int
    """From 1 on."""
    parts: int
    """Number of parts."""

    def of(self, total: int) -> range:
        """Returns which of ``total`` things belong to this part. All parts together have each of them once."""
        return range(total * (self.number - 1) // self.parts, total * self.number // self.parts)

    def pick(self, things: Sequence[Thing]) -> Sequence[Thing]:
        """Returns those of all things that belong to this part."""
        mine = self.of(len(things))
        return things[mine.start : mine.stop]

    def __str__(self) -> str:
        return f"{self.number}/{self.parts}"


WHOLE: Final = Part(1, 1)


def parse_part(text: str) -> Part:
    """Returns the part that a text such as ``2/3`` names.

    :raises InputError: if it names none.
    """
    found = _PART.fullmatch(text)
    if found is None or int(found[1]) > int(found[2]):
        raise InputError(f"expected a part such as 1/2 or 2/2, got {text!r}")
    return Part(int(found[1]), int(found[2]))
