"""``hedgehog log verify``: replays and re-scores hand histories."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from analysis.histories.hand_files import open_hand_file, verify_hand_file
from cli.log.common import files_argument, game_option, given_game, with_progress


@click.command(short_help="Parse, replay and re-score.")
@files_argument
@game_option
def verify(files: tuple[Path, ...], game: str | None) -> int:
    """Parse, replay and re-score hand histories; exit status 1 if a fault is found."""
    gamedef = given_game(game)
    hands = faults = 0
    for path in files:
        file = open_hand_file(path, gamedef=gamedef)
        report = verify_hand_file(file, partial(with_progress, file))
        hands += report.hands
        faults += len(report.faults)
        for fault in report.faults:
            click.echo(f"{path}:{fault.line}: {fault.message}")
    click.echo(f"{hands} hands, {faults} faults")
    return 1 if faults else 0
