"""Prints the tables of the laboratories."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

from analysis.lab.tables import Table


def print_table(console: Console, table: Table) -> None:
    """Prints a table with its title and note."""
    shown = RichTable(
        title=table.title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True
    )
    for number, column in enumerate(table.columns):
        widest = max(map(len, column.split()))
        shown.add_column(column, justify="left" if number == 0 else "right", no_wrap=number == 0, min_width=widest)
    for row in table.texts():
        shown.add_row(*row)
    console.print(shown)
    if table.note:
        console.print(table.note)
