"""The example spots of ``docs/examples/spots`` for ``hedgehog solve --example``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from hedgehog.runtime.errors import InputError
from hedgehog.runtime.validation import suggest
from hedgehog.solver.examples import example_spots

F = TypeVar("F", bound=Callable[..., Any])


def example_option(command: F) -> F:
    """Adds ``--example NAME``, which prints an example spot on standard output and ends the command."""
    return click.option(
        "--example",
        metavar="NAME",
        expose_value=False,
        is_eager=True,
        callback=_print_example,
        help=f"Print an example spot file and stop: {', '.join(example_spots())}.",
    )(command)


def _print_example(context: click.Context, option: click.Parameter, name: str | None) -> None:
    if name is None or context.resilient_parsing:
        return
    spots = example_spots()
    if name not in spots:
        raise InputError(f"there is no example {name!r}{suggest(name, spots)}")
    click.echo(spots[name].read_text(encoding="utf-8"), nl=False)
    context.exit()
