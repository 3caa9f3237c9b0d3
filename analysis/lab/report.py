"""The report of the hand-abstraction laboratory as one HTML page without scripts and references to other files."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from matplotlib.figure import Figure

from hedgehog.analysis.drawing.charts import COLOURS, draw_inline_svg
from hedgehog.analysis.drawing.templates import render_template
from hedgehog.runtime.display.html import MOST_ROWS
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.documents import json_text
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.files import write_text_file
from hedgehog.runtime.folder_lock import locked_folder
from hedgehog.runtime.outputs import FolderKind, make_folder, verify_output_folder
from hedgehog.runtime.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVES: Final = "curves"
"""The names of tables that begin so hold what is drawn: their rows are written to files, and not printed."""
CLASSES: Final = "classes"
"""The names of tables that begin so have a row per class of hands, and are not printed either."""
UNPRINTED: Final = (CURVES, CLASSES)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report."""

    heading: str
    text: str
    tables: tuple[Table, ...] = ()
    pictures: tuple[tuple[str, str, Callable[[Figure], None]], ...] = ()
    """Title and description of each picture, and what draws it."""


@dataclass(frozen=True, slots=True, repr=False)
class Findings(Shown):
    """What a run of a laboratory has found; its folder holds it, too."""

    tables: tuple[Table, ...]
    document: dict[str, Any]
    """The content of ``results.json``."""
    remarks: tuple[str, ...] = ()
    """Sentences about the results."""

    def __getitem__(self, name: str) -> Table:
        """Returns a table by its name.

        :raises InputError: if there is no such table; the message has their names.
        """
        for table in self.tables:
            if table.name == name:
                return table
        raise InputError(f"no table {name!r}: expected one of {', '.join(table.name for table in self.tables)}")

    def summary(self) -> str:
        """Returns the laboratory, what it looked at, and the names of the tables."""
        game = self.document.get("game") or ""
        names = ", ".join(table.name for table in self.tables)
        return ", ".join(part for part in (str(self.document["format"]), str(game), f"tables {names}") if part)

    def table(self) -> Table:
        """Returns the first table; :attr:`tables` has all, and ``found["quality"]`` is one of them."""
        return self.tables[0]

    def details(self) -> str:
        """Returns HTML of all tables that are read rather than drawn, and of the remarks."""
        shown = [table for table in self.tables if not table.name.startswith(UNPRINTED)]
        parts = [f"<p>{escape(one.title)}</p>{one.html(MOST_ROWS)}<p>{escape(one.note)}</p>" for one in shown]
        return "".join([*parts, *(f"<p>{escape(remark)}</p>" for remark in self.remarks)])

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the first column of numbers of the first table as bars, and returns the axes.

        Others: ``found["quality"].plot(column="real 400")``.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        return self.table().plot(axes)


def render_report(title: str, headline: str, facts: Sequence[tuple[str, str]], sections: Sequence[Section]) -> str:
    """Returns the report as an HTML page. The same content gives the same bytes.

    :param headline: one sentence below the title.
    :param facts: label and text of what was measured.
    """
    numbers = itertools.count(1)
    drawn = [
        (section, [draw_inline_svg(f"picture-{next(numbers)}", *picture) for picture in section.pictures])
        for section in sections
    ]
    return render_template("lab.html", title=title, headline=headline, facts=facts, sections=drawn, colours=COLOURS)


def write_report(out: Path, found: Findings, page: str = "") -> None:
    """Writes the files of a laboratory: ``report.html``, ``results.json``, and a CSV file for each table.

    :param out: the folder, which is made if it is missing.
    :param page: the text of ``report.html``; empty: the laboratory has none.
    :raises ResourceError: if a file cannot be written.
    """
    make_folder(out)
    for table in found.tables:
        write_text_file(out / f"{table.name}.csv", table.csv())
    if page:
        write_text_file(out / "report.html", page)
    write_text_file(out / "results.json", json_text(found.document))


@contextmanager
def output_folder(out: Path, kind: FolderKind, inputs: Iterable[Path] = ()) -> Iterator[None]:
    """Makes the folder of a laboratory and keeps other processes from writing to it while the block runs.

    :param kind: what the folder may hold already.
    :param inputs: files and folders that the laboratory reads.
    :raises InputError: if the folder holds anything else, or another process writes to it.
    :raises ResourceError: if it cannot be made.
    """
    verify_output_folder(out, kind, proceed=True, inputs=inputs)
    busy = InputError("another process is writing to this folder", source=str(out))
    with locked_folder(make_folder(out), busy):
        yield
