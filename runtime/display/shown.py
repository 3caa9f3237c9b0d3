"""Objects that show themselves: a short text, a picture and a table in a notebook, a data frame, a chart."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

from hedgehog.runtime.display.html import MOST_ROWS, notebook_html
from hedgehog.runtime.errors import InputError, one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hedgehog.runtime.table import Table

_MOST_LETTERS: Final = 160
"""Longest text of :func:`repr`."""


class Shown:
    """An object that shows itself. Derived classes say what: a summary, a table, perhaps a picture, and a chart."""

    __slots__ = ()

    def summary(self) -> str:
        """Returns the object in a few words, without its kind."""
        raise NotImplementedError

    def table(self) -> Table:
        """Returns the object's figures as a table, with one number or text per cell."""
        raise NotImplementedError

    def picture(self) -> str:
        """Returns HTML that a notebook shows above the table; empty for nothing."""
        return ""

    def details(self) -> str:
        """Returns HTML that a notebook shows below the picture: the table, unless a derived class says otherwise."""
        return self.table().html(MOST_ROWS)

    def to_frame(self, library: str | None = None) -> Any:
        """Returns the object's figures as a data frame, with one number or text per cell.

        :param library: ``pandas`` or ``polars``; None for pandas if it is installed, else polars.
        :raises InputError: if the library is not installed; the message says what to install.
        """
        return self.table().to_frame(library)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws a chart of the object and returns its axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if the object has no chart, or matplotlib is missing; the message says what to install.
        """
        raise InputError(f"{type(self).__name__} has no chart")

    def __repr__(self) -> str:
        """Returns the kind of the object and its summary in one line."""
        text = f"<{type(self).__name__}: {one_line(self.summary())}>"
        return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 2]}…>"

    def _repr_html_(self) -> str:
        """Returns the object as a notebook shows it."""
        heading = f"<b>{escape(type(self).__name__)}</b>: {escape(one_line(self.summary()))}"
        return notebook_html(f"<p>{heading}</p>", self.picture(), self.details())
