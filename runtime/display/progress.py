"""Progress that is shown without being asked for: as a bar in a notebook, as a line in a terminal."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from hedgehog.runtime.errors import one_line
from hedgehog.runtime.watch import SILENT, ProgressLine, Watch


class NotebookBar(ProgressLine):
    """Shows the progress of a task as one bar in the output of a notebook's cell, by means of IPython."""

    def __init__(self) -> None:
        self._display: Any = importlib.import_module("IPython.display")
        self._handle: Any = None
        super().__init__()

    def note(self, text: str) -> None:
        self._end_line()
        self._display.display(self._display.HTML(f"<p>{escape(one_line(text))}</p>"))

    def _draw(self, done: float, seconds: float) -> None:
        value = f' value="{min(done / self._total, 1):.4f}"' if self._total else ""  # without a value it moves
        bar = self._display.HTML(f"<progress{value}></progress> {escape(one_line(self._line(done, seconds)))}")
        if self._handle is None:
            self._handle = self._display.display(bar, display_id=True)
        else:
            self._handle.update(bar)
        self._drawn = 1

    def _end_line(self) -> None:
        self._handle, self._drawn = None, 0


@contextmanager
def usual_watch(watch: Watch | None = None) -> Iterator[Watch]:
    """Yields the watch of a task: the one that is given, else one that fits the place where Python runs.

    That is a bar in a notebook, a line on standard error if this is a terminal, and otherwise silence.

    :param watch: the caller's watch; None if the caller has named none.
    """
    if watch is not None:
        yield watch
        return
    shown = NotebookBar() if in_notebook() else ProgressLine() if _in_terminal() else None
    try:
        yield SILENT if shown is None else shown
    finally:
        if shown is not None:
            shown.close()


def in_notebook() -> bool:
    """Returns whether Python runs in the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _in_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
