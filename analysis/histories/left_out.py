"""Hands that a reader leaves out: every one is counted under a kind, with its place and first line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hedgehog.runtime.errors import LogError, one_line

UNREADABLE: Final = "unreadable"
"""The kind of hands that are malformed or impossible."""
_SHOWN: Final = 100
"""Number of characters of a first line that a message shows."""


class LeftOutError(LogError):
    """A hand that is well-formed but of a kind that the reader leaves out.

    :param kind: a noun phrase without amounts and names, so that hands of one kind add up.
    :param reason: what stands in the way of this hand; None: the kind says it all.
    """

    def __init__(self, kind: str, *, reason: str | None = None, source: str | None = None, line: int | None = None):
        self.kind = kind
        super().__init__(reason or kind, source=source, line=line)


class ForeignHandError(LeftOutError):
    """A hand in a format that the reader of its file does not know."""


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one hand."""

    line: int
    """Number of the first line, from 1."""
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The hands of one kind that were left out."""

    count: int
    place: str
    """File and line of the first one, ``FILE:LINE``."""
    first_line: str
    """First line of the first one, at most a hundred characters."""
    reason: str
    """What is wrong with the first one; the kind again if nothing is."""


@dataclass(slots=True)
class LeftOutHands:
    """Counts hands that are left out, by kind."""

    kinds: dict[str, LeftOut] = field(default_factory=dict)

    def add(self, error: LogError, source: str, line: int, first_line: str, count: int = 1) -> None:
        """Counts a hand.

        :param error: why it is left out; hands of other errors than :class:`LeftOutError` are :data:`UNREADABLE`.
        :param source: name of the file.
        :param line: number of the first line of the hand, from 1.
        :param first_line: the first line of the hand.
        :param count: number of hands that are left out for this reason, beginning with this one.
        """
        kind = error.kind if isinstance(error, LeftOutError) else UNREADABLE
        old = self.kinds.get(kind)
        if old is None:
            text = one_line(first_line[:_SHOWN])
            self.kinds[kind] = LeftOut(count, f"{source}:{line}", text, one_line(error.message))
        else:
            self.kinds[kind] = replace(old, count=old.count + count)

    @property
    def count(self) -> int:
        """Number of all hands left out."""
        return sum(kind.count for kind in self.kinds.values())

    def lines(self) -> Iterator[str]:
        """Yields a line of text for each kind: number of hands, kind, place and first line of the first."""
        for kind, one in self.kinds.items():
            hands = "hand" if one.count == 1 else "hands"
            reason = f" ({one.reason})" if one.reason != kind else ""
            first = "" if one.count == 1 else "first "
            place = f": {first}{one.place}: {one.first_line!r}{reason}" if one.place else ""
            yield f"{one.count:,} {hands} left out, {kind}{place}"

    def add_all(self, other: LeftOutHands) -> None:
        """Counts the hands that another reader has left out."""
        for kind, one in other.kinds.items():
            old = self.kinds.get(kind)
            self.kinds[kind] = one if old is None else replace(old, count=old.count + one.count)

    def document(self) -> dict[str, Any]:
        """Returns the numbers for a JSON document, by kind."""
        return {
            kind: {"hands": one.count, "first": one.place, "first_line": one.first_line}
            for kind, one in self.kinds.items()
        }
