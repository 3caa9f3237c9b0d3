"""What a long task tells whoever waits for it, and how it is asked to stop; there is no terminal in it.

A task takes a :class:`Watch`, begins its pieces of work, and says how far they are. The class itself is silent. The
command line draws what it hears (:mod:`hedgehog.cli.progress`), the explorer sends it to the browser, and Python users
who want to see something pass a :class:`ProgressLine`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import Final, TextIO, TypeVar

T = TypeVar("T")

_DRAW_EVERY_S: Final = 0.25


class Watch:
    """Hears of the progress of a task, without showing it. Derived classes show it.

    One task at a time tells a watch. All methods are cheap enough to call between any two steps of a task.
    """

    def begin(self, what: str, total: float | None = None, unit: str = "", text: str = "") -> None:
        """Hears that a piece of work begins, which ends the piece before it.

        :param what: name of the work; may be empty.
        :param total: amount of all work; None if it is unknown.
        :param unit: the things that ``total`` counts, such as ``hands``; empty: a share of the work.
        :param text: note beside the amount.
        """

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        """Hears how much of the work is done.

        :param done: the part of ``total`` that is done; without a total, a number of things.
        :param text: note beside the amount; None keeps the earlier note.
        :param total: amount of all work, if it has changed.
        """

    def note(self, text: str) -> None:
        """Hears something that the user would want to read afterwards, such as where a saved task goes on.

        :param text: a sentence.
        """

    def warn(self, text: str) -> None:
        """Hears of something that went wrong while the task goes on, such as a save that failed.

        :param text: a sentence.
        """

    @property
    def stopped(self) -> bool:
        """Whether the task shall end early and keep what it has. Tasks that can do so look at it between two steps."""
        return False


SILENT: Final = Watch()
"""A watch for callers that want to hear nothing."""


def watched(watch: Watch, items: Iterable[T], total: int | None, what: str, unit: str = "") -> Iterator[T]:
    """Yields the items and tells how many of them are done.

    :param total: number of items; None if it is unknown.
    """
    watch.begin(what, total, unit)
    watch.update(0)
    for done, item in enumerate(items, 1):
        yield item
        watch.update(done)


class ProgressLine(Watch):
    """Shows the progress of a task as one line that is written over, in a terminal or a notebook.

    :param stream: where to write; None for standard error.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._drawn = 0
        self.begin("")

    def begin(self, what: str, total: float | None = None, unit: str = "", text: str = "") -> None:
        self._end_line()
        self._what, self._total, self._unit, self._text = what, total, unit, text
        self._started = time.monotonic()
        self._next = self._started + _DRAW_EVERY_S

    def update(self, done: float, text: str | None = None, *, total: float | None = None) -> None:
        self._text = self._text if text is None else text
        self._total = self._total if total is None else total
        now = time.monotonic()
        ended = self._total is not None and done >= self._total
        if now >= self._next or (ended and self._drawn):
            self._next = now + _DRAW_EVERY_S
            self._draw(done, now - self._started)

    def note(self, text: str) -> None:
        self._end_line()
        self._stream.write(f"{text}\n")

    def close(self) -> None:
        """Ends the line, so that what is written next begins below it."""
        self._end_line()

    def warn(self, text: str) -> None:
        self.note(f"warning: {text}")

    def _draw(self, done: float, seconds: float) -> None:
        line = self._line(done, seconds)
        self._stream.write(f"\r{line:<{self._drawn}}")
        self._stream.flush()
        self._drawn = len(line)

    def _line(self, done: float, seconds: float) -> str:
        """Returns what is being done, how much of it is done, and how long the rest will take."""
        parts = [f"{done:,.0f} {self._unit}".rstrip()]
        if self._total:
            parts = [f"{100 * min(done / self._total, 1):.0f} %"]
            if 0 < done < self._total:
                parts.append(f"{seconds * (self._total - done) / done:,.0f} s left")
        return ": ".join(part for part in (self._what, ", ".join([*parts, *filter(None, [self._text])])) if part)

    def _end_line(self) -> None:
        if self._drawn:
            self._stream.write("\n")
            self._drawn = 0
