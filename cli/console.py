"""Makes the consoles that print tables and texts for people on standard output."""

from __future__ import annotations

from typing import Final, NoReturn

from rich.console import Console

_UNBOUNDED_WIDTH: Final = 400


class OutputConsole(Console):
    """A rich console whose broken pipe ends in ``cli.main``, which prints the error message."""

    def on_broken_pipe(self) -> NoReturn:
        """Raises BrokenPipeError, where rich would end the process in silence."""
        raise BrokenPipeError


def output_console() -> Console:
    """Returns a console as wide as the terminal, or with 80 columns in a pipe or a file."""
    return OutputConsole(highlight=False)


def wide_console() -> Console:
    """Returns a console as wide as the terminal, or wide enough for any table in a pipe or a file."""
    console = OutputConsole(highlight=False)
    return console if console.is_terminal else OutputConsole(highlight=False, width=_UNBOUNDED_WIDTH)
