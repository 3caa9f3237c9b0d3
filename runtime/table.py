"""Tables of results: one set of rows, shown in a terminal or written as CSV, JSON, HTML or a data frame.

Whoever computes figures returns a :class:`Table`. Numbers stay numbers in it. They are rounded where people read them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hedgehog.runtime.display.axes import open_axes
from hedgehog.runtime.display.frames import make_frame
from hedgehog.runtime.display.html import MOST_ROWS, notebook_html
from hedgehog.runtime.documents import csv_text, finite, verify_distinct_names
from hedgehog.runtime.errors import InputError, one_line

if TYPE_CHECKING:
    import rich.table
    from matplotlib.axes import Axes

T = TypeVar("T")

Value = str | int | float | bool | None
"""A cell of a column that is data."""
MISSING: Final = "\N{EN DASH}"
"""Stands for a value that is unknown or was not computed."""
_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    """Key in JSON, heading in CSV and name in a data frame."""
    title: str | None = None
    """Heading for people; None: the name."""
    text: Callable[[Any], str] | None = None
    """Returns a cell as text for people; None for :func:`format_value`."""
    data: bool = True
    """Whether the column is written to JSON, CSV and data frames. Other columns may hold any object."""
    shown: bool = True
    """Whether people see the column."""
    left: bool | None = None
    """Whether people see the cells on the left; None: if all of them are texts without :attr:`text`."""

    @property
    def heading(self) -> str:
        """The heading for people."""
        return self.name if self.title is None else self.title


@dataclass(frozen=True, slots=True)
class Table:
    """A table. Its rows have one cell per column. A column that is given by its name alone shows rounded numbers."""

    name: str
    """Key of the table in a document, and name of its CSV file."""
    title: str
    given_columns: InitVar[Sequence[Column | str]]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""
    """Explains the columns below the table."""
    sections: Collection[int] = ()
    """Indices of rows above which people see a line."""
    columns: tuple[Column, ...] = field(init=False)

    def __post_init__(self, given_columns: Sequence[Column | str]) -> None:
        """Two columns of one name would be one in JSON, and one of them lost."""
        columns = tuple(Column(each) if isinstance(each, str) else each for each in given_columns)
        object.__setattr__(self, "columns", columns)
        verify_distinct_names([column.name for column in self.columns])
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"expected rows of {len(self.columns)} cells in the table {self.name!r}")

    def headings(self) -> list[str]:
        """Returns the headings that people see."""
        return [column.heading for column in self.columns if column.shown]

    def texts(self) -> list[list[str]]:
        """Returns the cells that people see, as texts."""
        return [
            [
                (column.text or format_value)(cell)
                for column, cell in zip(self.columns, row, strict=True)
                if column.shown
            ]
            for row in self.rows
        ]

    def records(self) -> list[dict[str, Value]]:
        """Returns the data as JSON values: a dictionary per row, with None in place of NaN and infinities."""
        names = [column.name for column in self.columns if column.data]
        return [dict(zip(names, map(finite, self._data(row)), strict=True)) for row in self.rows]

    def csv(self) -> str:
        """Returns the data as CSV, with empty cells in place of None, NaN and infinities."""
        return csv_text([column.name for column in self.columns if column.data], map(self._data, self.rows))

    def to_frame(self, library: str | None = None) -> Any:
        """Returns the data as a data frame, with one text, number or boolean per cell.

        :param library: ``pandas`` or ``polars``; None for pandas if it is installed, else polars.
        :raises InputError: if the library is not installed; the message says what to install.
        """
        names = [column.name for column in self.columns if column.data]
        rows = [self._data(row) for row in self.rows]
        return make_frame({name: [row[index] for row in rows] for index, name in enumerate(names)}, library)

    def plot(self, axes: Axes | None = None, *, column: str | None = None) -> Axes:
        """Draws one column of numbers as bars, the first row on top, and returns the axes.

        The first column of texts names the bars. Cells without a number have no bar.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :param column: name of the column; None for the first one that holds numbers.
        :raises InputError: if there is no such column or no number in it, or matplotlib is not installed.
        """
        cells = {each.name: [row[index] for row in self.rows] for index, each in enumerate(self.columns) if each.data}
        numeric = [name for name, values in cells.items() if any(map(_is_number, values))]
        if column is None and numeric:
            column = numeric[0]
        if column not in numeric:
            names = ", ".join(numeric) or "none"
            raise InputError(f"expected a column with numbers to draw, got {column!r}; columns with numbers: {names}")
        labels = next((values for values in cells.values() if any(isinstance(x, str) for x in values)), None)
        texts = [str(label) for label in (range(len(self.rows)) if labels is None else labels)]
        axes = open_axes(axes, 6.4, 1.2 + 0.28 * len(self.rows))
        places = [place for place, value in enumerate(cells[column]) if _is_number(value)]
        axes.barh(places, [cells[column][place] for place in places], height=0.7, color="#0072b2")
        axes.set_yticks(range(len(texts)), [one_line(text) for text in texts], parse_math=False)
        axes.set_ylim(len(texts) - 0.5, -0.5)
        axes.set_xlabel(column, parse_math=False)
        return axes

    def html(self, most: int | None = None) -> str:
        """Returns what people see as an HTML table.

        :param most: largest number of rows to show, followed by how many there are beside them; None for all.
        """
        lefts = [self._is_left(index) for index, column in enumerate(self.columns) if column.shown]
        classes = ["" if left else ' class="number"' for left in lefts]
        head = "".join(f"<th{kind}>{escape(text)}</th>" for kind, text in zip(classes, self.headings(), strict=True))
        body = "\n".join(
            "<tr>"
            + "".join(f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(classes, row, strict=True))
            + "</tr>"
            for row in self.texts()[:most]
        )
        if most is not None and len(self.rows) > most:
            body += f'\n<tr><td colspan="{len(classes)}">and {len(self.rows) - most:,} more rows</td></tr>'
        return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"

    def rich(self, **style: Any) -> rich.table.Table:
        """Returns what people see as a table for a :class:`rich.console.Console`, with the title and without the note.

        :param style: further arguments of :class:`rich.table.Table`.
        """
        from rich.markup import escape as escape_markup
        from rich.table import Table as RichTable

        title = escape_markup(self.title) if self.title else None
        table = RichTable(**{"title": title, "title_justify": "left", **style})
        for index, column in enumerate(self.columns):
            if column.shown:
                if self._is_left(index):
                    table.add_column(column.heading, overflow="fold")
                else:
                    table.add_column(column.heading, justify="right", no_wrap=True)
        for index, cells in enumerate(self.texts()):
            if index in self.sections:
                table.add_section()
            table.add_row(*map(escape_markup, cells))
        return table

    def _data(self, row: Sequence[Any]) -> list[Any]:
        return [cell for column, cell in zip(self.columns, row, strict=True) if column.data]

    def _is_left(self, index: int) -> bool:
        column = self.columns[index]
        if column.left is not None:
            return column.left
        return column.text is None and all(isinstance(row[index], str) for row in self.rows)

    def __str__(self) -> str:
        """Returns the table as it looks in a terminal."""
        from rich.console import Console

        console = Console(width=160, no_color=True)
        with console.capture() as captured:
            console.print(self.rich())
        return captured.get().rstrip()

    def __repr__(self) -> str:
        """Returns the name and the size of the table in one line."""
        return f"<Table {self.name!r}: {len(self.rows):,} rows, {len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        """Returns the table as a notebook shows it, with its title and its note."""
        title, note = (f"<p>{escape(text)}</p>" if text else "" for text in (self.title, self.note))
        return notebook_html(title, self.html(MOST_ROWS), note)


def table_of(
    name: str, title: str, items: Iterable[T], columns: Mapping[str, Callable[[T], Value]], note: str = ""
) -> Table:
    """Returns a table with one row per item.

    :param columns: the columns by name, each with a function that returns the cell of an item.
    """
    rows = tuple(tuple(cell(item) for cell in columns.values()) for item in items)
    return Table(name, title, tuple(columns), rows, note)


def table_records(tables: Sequence[Table]) -> dict[str, list[dict[str, Value]]]:
    """Returns tables as JSON values: by name, a list of rows with the names of the columns as keys."""
    verify_distinct_names([table.name for table in tables])
    return {table.name: table.records() for table in tables}


def _is_number(cell: object) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool) and math.isfinite(cell)


def format_value(value: Value) -> str:
    """Returns a cell as text, with numbers rounded to three or four significant digits."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        if abs(value) < _MILLION:
            return f"{value:,}"
        unit, letter = (_MILLION, "M") if abs(value) < 1000 * _MILLION else (1000 * _MILLION, "G")
        return f"{value / unit:.1f}{letter}"
    if isinstance(value, float):
        if abs(value) >= 1000 or value == round(value):
            return f"{value:,.0f}"
        decimals = 1 if abs(value) >= 100 else 2 if abs(value) >= 1 else 3
        return f"{value:,.{decimals}f}"
    return value
