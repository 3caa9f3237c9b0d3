"""``hedgehog log all-in-ev``: replaces the values of all-in hands by their average over all boards."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.analysis.histories.hand_files import ACPC
from hedgehog.cli.log.common import (
    file_argument,
    game_option,
    given_game,
    open_input,
    report_left_out,
    source_option,
    with_progress,
)
from hedgehog.cli.outputs import claim_outputs, open_output, overwrite_option
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.outputs import STDOUT


@click.command("all-in-ev", short_help="Replace all-ins by their average over all boards.")
@file_argument
@source_option
@game_option
@click.option(
    "--out", type=click.Path(path_type=Path), default=STDOUT, help="File to write.  [default: standard output]"
)
@overwrite_option
def all_in_ev(file: Path, source: str, game: str | None, out: Path, overwrite: bool) -> None:
    """Replace the values of all-in hands by their average over all boards.

    Writes the STATE lines of an ACPC log as the official tool all_in_expectation does: hands that came to a showdown
    with board cards missing when the betting was over get their expectation with six decimals, the others are copied.
    Hands that are malformed or hide cards are left out and counted.
    """
    from hedgehog.poker.evaluation.allin import rewrite_all_in

    claim_outputs(out, inputs=[file], overwrite=overwrite)
    reading = open_input([file], source, given_game(game))
    for opened in reading.files:
        if opened.format != ACPC:
            raise InputError(f"expected an ACPC log, got {opened.format}: convert it first", source=str(opened.path))
    with open_output(out) as stream:
        for opened in reading.files:
            for entry in with_progress(opened, reading.read(opened)):
                stream.write(f"{rewrite_all_in(opened.lines[entry.line - 1], entry.hand)}\n".encode())
        report_left_out(reading)
