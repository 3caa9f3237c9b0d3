"""``hedgehog log verify``: replay and re-score."""

from __future__ import annotations

from pathlib import Path

import click

from analysis.histories.hand_files import LBR, PHH, HandFile, open_hand_file, verify_phh
from cli.log.common import files_argument, game_option, given_game, with_progress
from poker.acpc.handlog import LogReport, verify_log_lines
from poker.acpc.lbr_log import verify_lbr_lines


@click.command(short_help="Parse, replay and re-score.")
@files_argument
@game_option
def verify(files: tuple[Path, ...], game: str | None) -> int:
    """Parse, replay and re-score hand histories; exit status 1 if a fault is found."""
    gamedef = given_game(game)
    hands = faults = 0
    for path in files:
        report = _verify(open_hand_file(path, gamedef=gamedef))
        hands += report.hands
        faults += len(report.faults)
        for fault in report.faults:
            click.echo(f"{path}:{fault.line}: {fault.message}")
    click.echo(f"{hands} hands, {faults} faults")
    return 1 if faults else 0


def _verify(file: HandFile) -> LogReport:
    if file.format == LBR:
        return verify_lbr_lines(file.lines, str(file.path))
    if file.format == PHH:
        return verify_phh(file, lambda entries: with_progress(file, entries))
    assert file.gamedef is not None
    return verify_log_lines(with_progress(file, file.lines), file.gamedef)
