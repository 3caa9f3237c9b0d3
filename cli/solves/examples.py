"""The example spots of ``docs/examples/spots`` for ``hedgehog solve --example``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from hedgehog.runtime.errors import InputError
from hedgehog.runtime.validation import suggest

PACKAGED: Final = Path("cli") / "example_spots"
"""Where a wheel has the files; pyproject.toml puts them there."""
_ROOT: Final = Path(__file__).resolve().parents[2]

F = TypeVar("F", bound=Callable[..., Any])


def example_spots() -> dict[str, Path]:
    """Returns the files of the example spots by name."""
    folders = (_ROOT / "docs" / "examples" / "spots", _ROOT / PACKAGED)
    return {file.stem: file for folder in folders for file in sorted(folder.glob("*.yaml"))}


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
