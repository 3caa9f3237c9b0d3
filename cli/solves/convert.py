"""``hedgehog convert``: spots from and to the formats of other solvers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import claim_outputs, overwrite_option, write_output
from hedgehog.interop.conversion import TARGETS, Situation, Target, convert_spot
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
@click.option("--item", metavar="NAME", help="WASM Postflop: name of the configuration, GROUP/NAME in a group.")
@click.option("--board", metavar="CARDS", help="WASM Postflop: the board, which its configurations do not have.")
@click.option("--oop", metavar="RANGE", help="WASM Postflop: the range out of position; with --ranges its name.")
@click.option("--ip", metavar="RANGE", help="WASM Postflop: the range in position; with --ranges its name.")
@click.option(
    "--ranges", type=click.Path(path_type=Path), metavar="FILE", help="WASM Postflop: ranges that it has exported."
)
@overwrite_option
def convert(file: Path, target: Target, out: Path, dump: str, overwrite: bool, **situation: Any) -> None:
    """Make a spot file of another solver's configuration, or a configuration of a spot file.

    Reads console configurations of TexasSolver, tree scripts of PioViewer with and without add_line, and tree
    configurations that WASM Postflop or Desktop Postflop has exported. The tree of the result is compared with the
    other program's, bet by bet; what differs is said on standard error.
    """
    if target != "texassolver":
        refuse_options("goes with --to texassolver", "dump")
    if target != "spot":
        refuse_options("goes with exported tree configurations and --to spot", *situation)
    claim_outputs(out, inputs=[file, *filter(None, [situation["ranges"]])], overwrite=overwrite)
    converted = convert_spot(file, target, dump=dump, situation=Situation(**situation))
    write_output(out, converted.text)
    if out != STDOUT:
        click.echo(f"wrote {out}")
    for note in converted.notes:
        click.echo(note, err=True)
