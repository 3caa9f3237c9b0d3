"""``hedgehog log convert``: hand histories from one format to another."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.analysis.histories.conversion import Conversion
from hedgehog.analysis.histories.hand_files import ACPC, PHH
from hedgehog.cli.log.common import files_argument, game_option, given_format, given_game, source_option
from hedgehog.cli.outputs import claim_outputs, open_output, overwrite_option
from hedgehog.cli.progress import terminal_watch
from hedgehog.runtime.outputs import STDOUT


@click.command(short_help="Convert to ACPC logs or PHH.")
@files_argument
@click.option("--to", "target", type=click.Choice([ACPC, PHH]), required=True, help="Output format.")
@source_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=STDOUT,
    help="File to write, or folder for several inputs (one file each).  [default: standard output]",
)
@click.option("--split", is_flag=True, help="One file per hand (.phh or .log), in the folder given with --out.")
@click.option("--skip", is_flag=True, help="Name each hand that is left out, not only the first of each kind.")
@overwrite_option
@game_option
def convert(
    files: tuple[Path, ...],
    target: str,
    source: str,
    out: Path,
    split: bool,
    skip: bool,
    overwrite: bool,
    game: str | None,
) -> None:
    """Convert hand histories to ACPC logs or PHH.

    ACPC logs become PHH and come back without loss; header, comments and score travel as comments of the PHH file.
    PHH is always .phhs (any number of hands) unless --split asks for one .phh file per hand. An ACPC log has one game:
    hands with different stacks need --split, which writes a log and a game definition per hand. Hands that the output
    format cannot hold are left out and counted by kind.
    """
    job = Conversion(files, target, out, split=split, file_format=given_format(source), gamedef=given_game(game))
    if skip:
        job.input.tell = lambda error: click.echo(f"left out: {error}", err=True)
    if job.to_folder and out == STDOUT:
        raise click.UsageError("several output files need a folder: give it with --out")
    if split:
        job.verify_folder(overwrite=overwrite)
    else:
        claim_outputs(*job.files, inputs=files, overwrite=overwrite)
    with terminal_watch() as watch:
        hands = job.run(open_output, overwrite=overwrite, watch=watch)
    left_out = job.input.left_out.count
    if out != STDOUT or left_out:
        click.echo(f"{hands} hands converted" + (f", {left_out} left out" if left_out or skip else ""), err=True)
