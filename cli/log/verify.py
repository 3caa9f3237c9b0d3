"""``hedgehog log verify``: replays and re-scores hand histories."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from hedgehog.analysis.histories.hand_files import verify_hand_file
from hedgehog.cli.log.common import files_argument, game_option, given_game, open_input, with_progress
from hedgehog.runtime.errors import one_line


@click.command(short_help="Parse, replay and re-score.")
@files_argument
@game_option
def verify(files: tuple[Path, ...], game: str | None) -> int:
    """Parse, replay and re-score hand histories; exit status 1 if a fault is found.

    Well-formed hands that Hedgehog does not read (three players in a text of a site, a second board) are neither hands
    nor faults: they are named with their number. A hand of an unknown format is a fault.
    """
    gamedef = given_game(game)
    reading = open_input(files, "auto", gamedef)
    hands = faults = 0
    for file in reading.files:
        report = verify_hand_file(file, partial(with_progress, file), partial(reading.add_left_out, file))
        hands += report.hands
        faults += len(report.faults)
        for fault in report.faults:
            click.echo(one_line(f"{file.path}:{fault.line}: {fault.message}"))
    for note in reading.notes():
        click.echo(one_line(note), err=True)
    click.echo(f"{hands} hands, {faults} faults")
    return 1 if faults else 0
