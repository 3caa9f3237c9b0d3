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
    for option in _given_options():
        if option.name in names:
            raise click.UsageError(f"{option.opts[0]} {reason}")


def refuse_all_but(reason: str, *names: str) -> None:
    """Refuses all options but some.

    :param reason: as for :func:`refuse_options`.
    :param names: Python names of the options of the running command that may stand on the command line.
    :raises click.UsageError: if another one stands there.
    """
    for option in _given_options():
        if option.name not in names:
            raise click.UsageError(f"{option.opts[0]} {reason}")


def _given_options() -> list[click.Parameter]:
    """Returns the options of the running command, without its arguments, that stand on the command line."""
    context = click.get_current_context()
    return [
        option
        for option in context.command.params
        if isinstance(option, click.Option)
        and option.name is not None
        and context.get_parameter_source(option.name) == ParameterSource.COMMANDLINE
    ]
