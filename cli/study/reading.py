"""Options, the input and the report on it that the commands of ``hedgehog study`` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from hedgehog.cli.dask_option import spread_over
from hedgehog.cli.outputs import Outputs
from hedgehog.cli.tools.completion import complete_games
from hedgehog.poker.acpc.gamedef import load_gamedef

if TYPE_CHECKING:
    from hedgehog.analysis.study.reading import Tally
    from hedgehog.analysis.study.study_input import StudyInput

F = TypeVar("F", bound=Callable[..., Any])

_SHOWN_PROBLEMS: Final = 10

paths_argument = click.argument("files", nargs=-1, type=click.Path(path_type=Path))
store_option = click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Keep the hands in this folder as Parquet files. The next call reads only new files.",
)
game_option = click.option(
    "--game", metavar="GAMEDEF", help="Game definition of ACPC logs, if not the one they name.",
    shell_complete=complete_games,
)  # fmt: skip
jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 1024), default=1, show_default=True, metavar="N",
    help="Processes that read, a file at a time.",
)  # fmt: skip
only_option = click.option(
    "--player", "only", multiple=True, metavar="NAME", help="Count only bets of this player. May be given again."
)
without_option = click.option(
    "--not-player", "without", multiple=True, metavar="NAME", help="Leave out bets of this player. May be given again."
)


def hand_options(command: F) -> F:
    """Adds the options that say which hands, and whose bets, a command counts."""
    return source_options(only_option(without_option(command)))


def source_options(command: F) -> F:
    """Adds the options that say which hands a command reads, and with which processes."""
    for option in (spread_over(jobs_option), game_option, store_option):
        command = option(command)
    return command


def given_input(files: Sequence[Path], store: Path | None, game: str | None, jobs: int, dask: str | None) -> StudyInput:
    """Returns the hands that a command reads.

    :raises InputError: if there are no files, or the store's folder holds other files.
    """
    from hedgehog.analysis.study.study_input import StudyInput

    return StudyInput(files, store, load_gamedef(game) if game else None, jobs=jobs, dask=dask)


def report_problems(tally: Tally, outputs: Outputs) -> None:
    """Names hands that were left out: those that could not be read all in the file of ``--problems``, if it is given,
    else the first ones on stderr; of other kinds the first one."""
    for line in tally.left_out.lines():
        click.echo(line, err=True)
    if "problems" in outputs.files:
        outputs.write("problems", "".join(f"{problem}\n" for problem in tally.problems))
        return
    for problem in tally.problems[:_SHOWN_PROBLEMS]:
        click.echo(f"left out: {problem}", err=True)
    if tally.bad > _SHOWN_PROBLEMS:
        click.echo(f"left out: {tally.bad - _SHOWN_PROBLEMS:,} more; --problems FILE lists them", err=True)
