"""The console on standard output that tables and texts for people are printed on."""

from __future__ import annotations

from typing import Final, NoReturn

from rich.console import Console

_UNBOUNDED_WIDTH: Final = 400


class OutputConsole(Console):
    """A console that leaves it to ``cli.main`` to say that nobody reads the output any more."""

    def on_broken_pipe(self) -> NoReturn:
        """Raises the error that rich is handling, instead of ending the process in silence."""
        raise BrokenPipeError


def output_console() -> Console:
    """Returns a console as wide as the terminal, or with 80 columns in a pipe or a file."""
    return OutputConsole(highlight=False)


def wide_console() -> Console:
    """Returns a console as wide as the terminal; in a pipe or a file, tables are as wide as they like."""
    console = OutputConsole(highlight=False)
    return console if console.is_terminal else OutputConsole(highlight=False, width=_UNBOUNDED_WIDTH)
