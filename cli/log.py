"""``hedgehog log``: ACPC log files."""

from __future__ import annotations

from pathlib import Path

import click

from poker.gamedef import find_gamedef, read_gamedef
from poker.handlog import verify_log


@click.group()
def log() -> None:
    """Work with ACPC log files."""


@log.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--game", metavar="GAMEDEF", help="Game definition, if not the one named in the log's header.")
def verify(files: tuple[Path, ...], game: str | None) -> int:
    """Parse, replay and re-score ACPC logs; exit status 1 if a fault is found.

    A log without header is taken as heads-up no-limit hold'em (reverse blinds) unless --game says otherwise.
    """
    gamedef = read_gamedef(find_gamedef(game)) if game else None
    hands = faults = 0
    for path in files:
        report = verify_log(path, gamedef)
        hands += report.hands
        faults += len(report.faults)
        for fault in report.faults:
            click.echo(f"{path}:{fault.line}: {fault.message}")
    click.echo(f"{hands} hands, {faults} faults")
    return 1 if faults else 0
