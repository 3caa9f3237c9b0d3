"""Arguments, the choice of the game, and progress that all commands of ``hedgehog log`` share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import click

from hedgehog.analysis.histories.hand_files import FORMATS, HandFile
from hedgehog.analysis.histories.hand_input import HandInput
from hedgehog.cli.progress import track
from hedgehog.cli.tools.completion import complete_games
from hedgehog.poker.acpc.gamedef import GameDef, load_gamedef
from hedgehog.runtime.errors import one_line

_T = TypeVar("_T")

file_argument = click.argument("file", type=click.Path(path_type=Path))
files_argument = click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
game_option = click.option(
    "--game", metavar="GAMEDEF", help="Game definition, if not the one the file names.", shell_complete=complete_games
)
source_option = click.option(
    "--from", "source", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True, help="Input format."
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


def open_input(paths: Iterable[Path], source: str, gamedef: GameDef | None) -> HandInput:
    """Opens hand-history files, each of whose hands is counted once.

    :param source: value of the option ``--from``.
    :param gamedef: game of the hands; None takes the game from each file.
    :raises LogError: if a file cannot be read, or its game is not found.
    """
    return HandInput(paths, given_format(source), gamedef)


def report_left_out(hands: HandInput) -> None:
    """Says on stderr which hands were left out, and what was counted once.

    :raises LogError: if there was no hand that was not left out.
    """
    hands.verify_read()
    for note in hands.notes():
        click.echo(one_line(note), err=True)


def with_progress(file: HandFile, items: Iterable[_T]) -> Iterator[_T]:
    """Yields items of a hand-history file and shows how many have been yielded."""
    return track(items, file.num_hands, file.path.name, "hands")
