"""What the benchmarks share: their command line, tables in Markdown, and what they open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn

import click

from hedgehog.cli.main import main

if TYPE_CHECKING:
    from hedgehog.agent.strategy.pack_strategy import PackStrategy


def run(command: click.Command, argv: list[str] | None = None) -> NoReturn:
    """Runs a benchmark and ends the process, with the messages and exit codes of ``hedgehog``.

    :param argv: the arguments; None for those of this process.
    """
    main(argv, command, None)
    raise AssertionError("main ends the process")


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yields the lines of a table in Markdown, with numbers in all columns but the first."""
    for row in (head, ["---", *["---:"] * (len(head) - 1)]):
        yield f"| {' | '.join(row)} |\n"
    for row in rows:
        yield f"| {' | '.join(row)} |\n"


def print_markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Prints a table in Markdown, each row as soon as it is measured."""
    for line in markdown(head, rows):
        click.echo(line, nl=False)


def packs_alone() -> PackStrategy:
    """Returns the strategy of our player from the shipped packs alone."""
    from hedgehog.agent.pack_player import PackPlayer

    player = PackPlayer(think_ms=0)
    player.warm_up()
    packs = player.packs_alone
    assert packs is not None
    return packs
