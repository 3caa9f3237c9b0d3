"""``hedgehog log verify``: replays and re-scores hand histories."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.analysis.histories.conversion import verify_logs
from hedgehog.cli.log.common import files_argument, game_option, given_game
from hedgehog.cli.progress import terminal_watch
from hedgehog.runtime.errors import one_line


@click.command(short_help="Parse, replay and re-score.")
@files_argument
@game_option
def verify(files: tuple[Path, ...], game: str | None) -> int:
    """Parse, replay and re-score hand histories; exit status 1 if a fault is found.

    Well-formed hands that Hedgehog does not read (three players in a text of a site, a second board) are neither hands
    nor faults: they are named with their number. A hand of an unknown format is a fault.
    """
    hands = faults = 0
    with terminal_watch() as watch:
        for file, report in verify_logs(files, given_game(game), watch):
            hands += report.hands
            faults += len(report.faults)
            for fault in report.faults:
                click.echo(one_line(f"{file.path}:{fault.line}: {fault.message}"))
    click.echo(f"{hands} hands, {faults} faults")
    return 1 if faults else 0
