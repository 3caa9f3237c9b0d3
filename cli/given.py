"""Which options stand on the command line: an option that would do nothing is refused, never ignored."""

from __future__ import annotations

import click
from click.core import ParameterSource


def refuse_options(reason: str, *names: str) -> None:
    """Refuses options that would do nothing.

    :param reason: end of the message after the option, such as ``goes with --method cfr``.
    :param names: Python names of options of the running command.
    :raises click.UsageError: if one of them stands on the command line.
    """
    context = click.get_current_context()
    for option in context.command.params:
        if option.name in names and context.get_parameter_source(option.name) == ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]} {reason}")
