"""Finds code that stands twice: runs of at least eight equal code lines in the modules that are no tests.

Lines are compared by their tokens, so that layout, comments and docstrings do not count; names do. Imports are left
out. A run is counted once, at its full length, for every pair of places::

    python -m benchmarks.find_duplicates
    python -m benchmarks.find_duplicates --lines 6 solver cli/packs
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Final, NamedTuple

import click

from benchmarks.common import run
from benchmarks.sources import Sources, code_tokens, read_sources

LEAST_LINES: Final = 8


class Duplicate(NamedTuple):
    """Two places with the same code."""

    lines: int
    first: tuple[PurePosixPath, int]
    """File and number of its first line."""
    second: tuple[PurePosixPath, int]


def normal_lines(source: str) -> list[tuple[int, str]]:
    """Returns the number and the tokens of every code line, without imports and docstrings."""
    lines: dict[int, list[str]] = defaultdict(list)
    for token in code_tokens(source, imports=False):
        lines[token.start[0]].append(token.string)
    return [(number, " ".join(words)) for number, words in sorted(lines.items())]


def find_duplicates(sources: Sources, least: int = LEAST_LINES) -> Iterator[Duplicate]:
    """Yields all pairs of places that have ``least`` or more equal code lines, each pair once at its full length."""
    files = [(path, normal_lines(source)) for path, source in sorted(sources.items())]
    places: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for number, (_, lines) in enumerate(files):
        for start in range(len(lines) - least + 1):
            places[tuple(text for _, text in lines[start : start + least])].append((number, start))
    for here in places.values():
        for index, (a, i) in enumerate(here):
            for b, j in here[index + 1 :]:
                first, second = files[a][1], files[b][1]
                begins_earlier = i and j and first[i - 1][1] == second[j - 1][1]
                if begins_earlier or (a == b and j < i + least):
                    continue
                pairs = zip(first[i:], second[j:], strict=False)
                length = sum(1 for _ in takewhile(lambda pair: pair[0][1] == pair[1][1], pairs))
                yield Duplicate(length, (files[a][0], first[i][0]), (files[b][0], second[j][0]))


def count_duplicates(sources: Sources, least: int = LEAST_LINES) -> tuple[int, int]:
    """Returns the number of duplicates and of the code lines in them."""
    found = list(find_duplicates(sources, least))
    return len(found), sum(duplicate.lines for duplicate in found)


@click.command()
@click.argument("folders", nargs=-1, metavar="[FOLDER]...")
@click.option("--lines", "least", type=click.IntRange(2), default=LEAST_LINES, show_default=True, help="Shortest run.")
def main(folders: Sequence[str], least: int) -> None:
    """Print where code stands twice in the modules of FOLDER that are no tests, the longest runs first."""
    sources = {
        path: source
        for path, source in read_sources().items()
        if path.parts[0] != "tests" and (not folders or any(path.is_relative_to(folder) for folder in folders))
    }
    found = sorted(find_duplicates(sources, least), reverse=True)
    for lines, (path, line), (other, other_line) in found:
        click.echo(f"{lines:4} lines: {path}:{line} {other}:{other_line}")
    click.echo(f"{len(found)} duplicates, {sum(duplicate.lines for duplicate in found)} lines")


if __name__ == "__main__":
    run(main)
