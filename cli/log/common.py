"""Arguments and options that the commands of ``hedgehog log`` share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.table import Table as RichTable

from hedgehog.analysis.histories.hand_files import formats
from hedgehog.cli.listing import NamesNow
from hedgehog.cli.tools.completion import complete_games
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.runtime.table import Table

file_argument = click.argument("file", type=click.Path(path_type=Path))
files_argument = click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
game_option = click.option(
    "--game", metavar="GAMEDEF", help="Game definition, if not the one the file names.", shell_complete=complete_games
)
source_option = click.option(
    "--from",
    "source",
    type=NamesNow(lambda: ("auto", *formats())),
    default="auto",
    show_default=True,
    help="Input format.",
)
pairs_option = click.option(
    "--pairs", is_flag=True, help="Count complete duplicate pairs only, each as one observation."
)
first_option = click.option(
    "--first", type=click.IntRange(min=1), metavar="N", help="First N hands between the same players only."
)


def given_game(game: str | None) -> GameDef | None:
    """Returns the game of the option ``--game``, or None if it is not given."""
    return load_gamedef(game) if game else None


def given_format(source: str) -> str | None:
    """Returns the format of the option ``--from``, or None if it is to be detected."""
    return None if source == "auto" else source


def named_table(table: Table, **style: Any) -> RichTable:
    """Returns a table for a console, in which the names in the first column keep twelve characters.

    :param style: further arguments of :class:`rich.table.Table`.
    """
    shown = table.rich(**style)
    shown.columns[0].min_width = 12
    return shown
