"""Commands whose help ends with a list that is made when it is shown, because other packages add to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

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
