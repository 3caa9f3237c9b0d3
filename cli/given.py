"""Which options stand on the command line: an option that would do nothing is refused, never ignored."""

from __future__ import annotations

from collections.abc import Iterator

import click
from click.core import ParameterSource


def given_options(*names: str) -> Iterator[str]:
    """Yields, as the user writes them, those options of the running command that stand on the command line.

    :param names: Python names of options.
    """
    context = click.get_current_context()
    for option in context.command.params:
        if option.name in names and context.get_parameter_source(option.name) == ParameterSource.COMMANDLINE:
            yield option.opts[0]


def refuse_options(reason: str, *names: str) -> None:
    """Refuses options that would do nothing.

    :param reason: end of the message after the option, such as ``goes with --method cfr``.
    :param names: Python names of options of the running command.
    :raises click.UsageError: if one of them stands on the command line.
    """
    for option in given_options(*names):
        raise click.UsageError(f"{option} {reason}")
