"""Lists in help texts and choices of options that are made when they are shown: other packages add to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from hedgehog.cli.outputs import OutputCommand


class ListingCommand(OutputCommand):
    """A command with a list at the end of its help.

    :param listing: returns the lines of the list, of which the first is its title; no lines show no list.
    """

    def __init__(self, *args: Any, listing: Callable[[], Iterable[str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._listing = listing

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list as it is now."""
        lines = list(self._listing())
        if lines:
            self.epilog = "\n".join(["\b", *lines])  # \b keeps click from joining the lines
        super().format_epilog(ctx, formatter)


class NamesNow(click.ParamType[str]):
    """The click type of a name from a list that is asked for when it is needed.

    :param names: returns the names.
    """

    name = "name"

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self._names = names

    def _choice(self) -> click.Choice[str]:
        return click.Choice(list(self._names()))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Returns the name, or fails with the list of all."""
        return self._choice().convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """Returns the names for the help text."""
        return self._choice().get_metavar(param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Returns the names that start as typed."""
        return self._choice().shell_complete(ctx, param, incomplete)
