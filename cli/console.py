"""Makes the consoles that print tables and texts for people on standard output."""

from __future__ import annotations

from typing import Final

from rich.console import Console

_UNBOUNDED_WIDTH: Final = 400


def output_console() -> Console:
    """Returns a console as wide as the terminal, or with 80 columns in a pipe or a file."""
    return Console(highlight=False)


def wide_console() -> Console:
    """Returns a console as wide as the terminal, or wide enough for any table in a pipe or a file."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_UNBOUNDED_WIDTH)
