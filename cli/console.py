"""Makes the consoles that print tables and texts for people on standard output."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from hedgehog.runtime.errors import escape_controls
from hedgehog.runtime.table import Table

_UNBOUNDED_WIDTH: Final = 400


class OutputConsole(Console):
    """A rich console that prints control characters in texts, such as names of players and files, as escapes."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Returns a text as rich renders it, with escapes in place of control characters."""
        return super().render_str(escape_controls(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yields the parts of a text, with escapes in place of control characters."""
        for segment in super().render(renderable, options):
            if segment.control or (text := escape_controls(segment.text)) == segment.text:
                yield segment
            else:
                yield Segment(text, segment.style)


def output_console() -> Console:
    """Returns a console as wide as the terminal, or with 80 columns in a pipe or a file."""
    return OutputConsole(highlight=False)


def print_folded(table: Table) -> None:
    """Prints a table with so many columns that numbers may need two lines."""
    shown = table.rich()
    for number, column in enumerate(shown.columns):
        column.no_wrap, column.overflow = not number, "fold"
    output_console().print(shown)


def wide_console() -> Console:
    """Returns a console as wide as the terminal, or wide enough for any table in a pipe or a file."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_UNBOUNDED_WIDTH)


def text_table(
    title: str | None,
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    left: Collection[int] = (0,),
    **left_column: Any,
) -> RichTable:
    """Returns a table of texts.

    :param rows: a cell for each heading; rich would fill a shorter row with empty cells.
    :param left: indices of the columns that are flush left; the others are flush right.
    :param left_column: further arguments of :meth:`rich.table.Table.add_column` for the columns that are flush left.
    """
    table = RichTable(title=title, title_justify="left")
    for index, heading in enumerate(headings):
        if index in left:
            table.add_column(heading, **left_column)
        else:
            table.add_column(heading, justify="right")
    for row in rows:
        assert len(row) == len(headings), (headings, row)
        table.add_row(*row)
    return table
