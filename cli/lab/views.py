"""Prints the tables of the laboratories."""

from __future__ import annotations

from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

from hedgehog.analysis.lab.report import UNPRINTED, Findings
from hedgehog.runtime.table import Table

_SHORT: Final = 12
"""Cells up to this length are never broken."""


def print_table(console: Console, table: Table) -> None:
    """Prints a table with its title and note. Names give way on a narrow terminal, numbers do not."""
    shown = RichTable(
        title=table.title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True
    )
    texts = table.texts()
    for number, column in enumerate(table.headings()):
        lengths = [*map(len, column.split()), *(len(row[number]) for row in texts if len(row[number]) <= _SHORT)]
        shown.add_column(column, justify="left" if number == 0 else "right", overflow="fold", min_width=max(lengths))
    for row in texts:
        shown.add_row(*row)
    console.print(shown)
    if table.note:
        console.print(table.note)


def print_findings(console: Console, found: Findings) -> None:
    """Prints what a laboratory has found, without the tables that are only drawn or written to files."""
    for table in found.tables:
        if not table.name.startswith(UNPRINTED):
            print_table(console, table)
    for remark in found.remarks:
        console.print(remark, soft_wrap=True, highlight=False)
