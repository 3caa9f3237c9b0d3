"""Counts the code of the working tree or of git revisions, room by room; of two, what has changed between them.

Code lines are lines without blank lines, comments and docstrings. Revisions are read out of git without a checkout; a
dot stands for the working tree::

    python -m benchmarks.measure_code
    python -m benchmarks.measure_code 977f714 . --json code.json
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Final

import click

from benchmarks.common import run
from benchmarks.find_duplicates import count_duplicates
from benchmarks.sources import WORKING_TREE, Sources, code_tokens, read_sources
from hedgehog.cli.console import wide_console
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.runtime.packages import PACKAGES
from hedgehog.runtime.table import Column, Table, table_records

MOST_FILES: Final = 20
"""Modules that a folder may hold."""
_TERMINAL: Final = {"rich", "click"}


@cache
def code_lines(source: str) -> int:
    """Returns the number of lines that hold code: no blank lines, comments and docstrings."""
    return len({line for token in code_tokens(source) for line in range(token.start[0], token.end[0] + 1)})


def imports_terminal(source: str) -> bool:
    """Returns whether a module imports rich or click, for type checkers alone or at run time."""
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        if any(name.split(".")[0] in _TERMINAL for name in names):
            return True
    return False


def room_of(path: PurePosixPath, depth: int) -> str:
    """Returns the room of a file: its first folders, at most ``depth``; ``-`` for files at the top."""
    return "/".join(path.parent.parts[:depth]) or "-"


def count_rooms(sources: Sources, depth: int) -> tuple[Counter[str], Counter[str]]:
    """Returns the files and the code lines of every room."""
    files, lines = Counter[str](), Counter[str]()
    for path, source in sources.items():
        room = room_of(path, depth)
        files[room] += 1
        lines[room] += code_lines(source)
    return files, lines


def count_totals(sources: Sources) -> Iterator[tuple[str, int]]:
    """Yields the names and figures of the whole."""
    product = {path: source for path, source in sources.items() if path.parts[0] in PACKAGES}
    tests = {path: source for path, source in sources.items() if path.parts[0] == "tests"}
    lines = {path: code_lines(source) for path, source in product.items()}
    folders = Counter(path.parent for path in sources if path.parts[0] in (*PACKAGES, "tests", "benchmarks"))
    outside = [path for path, source in product.items() if path.parts[0] != "cli" and imports_terminal(source)]
    places, doubled = count_duplicates({path: source for path, source in sources.items() if path not in tests})
    yield "files of the packages", len(product)
    yield "code lines of the packages", sum(lines.values())
    yield "code lines of cli", sum(count for path, count in lines.items() if path.parts[0] == "cli")
    yield "code lines of the tests", sum(code_lines(source) for source in tests.values())
    yield "test files", sum(path.name.startswith("test_") for path in tests)
    yield "test functions", sum(len(re.findall(r"^\s*def test_", source, re.MULTILINE)) for source in tests.values())
    yield f"folders of more than {MOST_FILES} files", sum(count > MOST_FILES for count in folders.values())
    yield "modules outside cli that import rich or click", len(outside)
    yield "duplicates", places
    yield "code lines in duplicates", doubled


def in_order(rooms: Iterable[str]) -> list[str]:
    """Returns rooms in the order of the packages, the highest first, and then by name."""
    rank = {package: number for number, package in enumerate(reversed(PACKAGES))}
    return sorted(rooms, key=lambda room: (rank.get(room.split("/")[0], len(rank)), room))


def make_tables(revisions: Mapping[str, Sources], depth: int) -> list[Table]:
    """Returns the table of the rooms and the table of the whole, with the changes if there are two revisions."""
    both = len(revisions) == 2
    counts = [count_rooms(sources, depth) for sources in revisions.values()]
    rows: list[tuple[str | int, ...]] = []
    for room in in_order(set().union(*(files for files, _ in counts))):
        figures = [count[room] for pair in counts for count in pair]
        rows.append((room, *figures, *([figures[3] - figures[1]] if both else [])))
    columns = [f"{what}{_of(name, revisions)}" for name in revisions for what in ("files", "lines")]
    change = [Column("change", text="{:+,}".format)] if both else []
    tables = [Table("rooms", "Code lines", ["room", *columns, *change], tuple(rows))]
    totals = [dict(count_totals(sources)) for sources in revisions.values()]
    whole: list[tuple[str | int, ...]] = []
    for what in totals[0]:
        numbers = [total[what] for total in totals]
        whole.append((what, *numbers, *([numbers[1] - numbers[0]] if both else [])))
    names = [f"value{_of(name, revisions)}" for name in revisions]
    tables.append(Table("totals", "Whole", ["what", *names, *change], tuple(whole)))
    return tables


def _of(name: str, revisions: Mapping[str, Sources]) -> str:
    if len(revisions) == 1:
        return ""
    return " here" if name == WORKING_TREE else f" {name}"


@click.command()
@click.argument("revisions", nargs=-1, metavar="[REV]...")
@click.option("--depth", type=click.IntRange(1), default=1, show_default=True, help="Folders that make a room.")
@output_options(json="the figures")
def main(revisions: tuple[str, ...], depth: int, outputs: Outputs) -> None:
    """Count the code of the working tree, or of revisions; of two, show what has changed. A dot is the working tree."""
    outputs.claim()
    names = dict.fromkeys(revisions or (WORKING_TREE,))
    tables = make_tables({name: read_sources(name) for name in names}, depth)
    for table in tables:
        wide_console().print(table.rich())
    outputs.write_json(table_records(tables))


if __name__ == "__main__":
    run(main)
