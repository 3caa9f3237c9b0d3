"""What the benchmarks share: their command line, tables in Markdown, and what they open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
from pydantic import BaseModel

from hedgehog.cli.main import main
from hedgehog.runtime.config_file import read_config
from hedgehog.runtime.errors import InputError

if TYPE_CHECKING:
    from hedgehog.agent.strategy.pack_strategy import PackStrategy
    from hedgehog.solver.packs.exact_flops import ExactBuild
    from hedgehog.solver.packs.quick_flops import QuickBuild


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


class _Kind(BaseModel):
    """The key of a configuration that says what it describes."""

    kind: str


def open_build(config: Path, work: Path, flops: str | None = None) -> ExactBuild | QuickBuild:
    """Returns the build of a flop pack.

    :param flops: name or file of the flops of the build; None for those of the configuration.
    :raises InputError: if the configuration, its blueprint or the flops are wrong.
    """
    from hedgehog.cli.packs.flop_engine import open_flop_build
    from hedgehog.strategies.flop_subsets import find_flop_subset

    kind = read_config(config, _Kind, InputError, "a pack").model.kind
    return open_flop_build(kind, config, work, None if flops is None else find_flop_subset(flops).pairs())
