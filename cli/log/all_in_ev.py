"""``hedgehog log all-in-ev``: replaces the values of all-in hands by their average over all boards."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.analysis.histories.conversion import all_in_lines
from hedgehog.cli.log.common import file_argument, game_option, given_format, given_game, source_option
from hedgehog.cli.outputs import claim_outputs, open_output, overwrite_option
from hedgehog.cli.progress import terminal_watch
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
    claim_outputs(out, inputs=[file], overwrite=overwrite)
    with open_output(out) as stream, terminal_watch() as watch:
        for line in all_in_lines(file, given_format(source), given_game(game), watch):
            stream.write(f"{line}\n".encode())
