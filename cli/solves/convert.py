"""``hedgehog convert``: spots from and to the formats of other solvers."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import claim_outputs, overwrite_option, write_output
from hedgehog.interop.conversion import TARGETS, Target, convert_spot
from hedgehog.runtime.outputs import STDOUT


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--to", "target", type=click.Choice(TARGETS), default="spot", show_default=True, help="Format to write.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=STDOUT,
    help="File to write.  [default: standard output]",
)
@click.option(
    "--dump",
    default="output_result.json",
    show_default=True,
    metavar="NAME",
    help="With --to texassolver: the file into which TexasSolver shall write its strategies.",
)
@overwrite_option
def convert(file: Path, target: Target, out: Path, dump: str, overwrite: bool) -> None:
    """Make a spot file of another solver's configuration, or a configuration of a spot file.

    Reads console configurations of TexasSolver and tree scripts of PioViewer, with and without add_line. The tree of
    the result is compared with the other program's, bet by bet; what differs is said on standard error.
    """
    if target != "texassolver":
        refuse_options("goes with --to texassolver", "dump")
    claim_outputs(out, inputs=[file], overwrite=overwrite)
    converted = convert_spot(file, target, dump=dump)
    write_output(out, converted.text)
    if out != STDOUT:
        click.echo(f"wrote {out}")
    for note in converted.notes:
        click.echo(note, err=True)
