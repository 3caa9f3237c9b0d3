"""``hedgehog lab losses``: groups of hands, classes of boards and fewer bet sizes, judged in one real game."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.analysis.lab.losses import (
    DEFAULT_ABSTRACTIONS,
    DEFAULT_ALGORITHM,
    DEFAULT_ITERATIONS,
    LossSettings,
    compare_losses,
    loss_sizes,
)
from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.lab.options import ByteSize, NameList
from hedgehog.cli.lab.views import print_findings, print_table
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.solves.solver_options import PositiveNumber, iterations_option, threads_option
from hedgehog.solver.abstraction.abstraction import KMEANS
from hedgehog.solver.cfr.algorithms import parse_algorithm
from hedgehog.solver.postflop.spot import ABSTRACTIONS, read_spot


@click.command()
@click.argument("spot_file", metavar="SPOT.yaml", type=click.Path(path_type=Path))
@click.option(
    "--abstractions",
    type=NameList((*ABSTRACTIONS, KMEANS)),
    default=",".join(DEFAULT_ABSTRACTIONS),
    show_default=True,
    metavar="A,B,...",
    help="Hand abstractions, as in 'lab abstractions'.",
)
@click.option(
    "--menu",
    "menus",
    multiple=True,
    metavar="SIZES",
    help="Bet sizes of both players on all streets, such as '100%,a / a'; may be given several times.  [default: those "
    "of the spot, each time without one]",
)
@click.option(
    "--algorithm",
    default=DEFAULT_ALGORITHM,
    show_default=True,
    metavar="NAME[:KEY=VALUE,...]",
    help="Algorithm of all rows: dcfr, linear or cfr with their parameters.",
)
@iterations_option(f"Iterations of every row.  [default: {DEFAULT_ITERATIONS}]")
@click.option(
    "--memory", type=ByteSize(), default="1GB", show_default=True, metavar="SIZE", help="Leave out rows that need more."
)
@click.option(
    "--big-blind",
    type=PositiveNumber(),
    default=100,
    show_default=True,
    metavar="CHIPS",
    help="Chips of a big blind, for results in mbb.",
)
@threads_option
@click.option("--estimate", is_flag=True, help="Print the size and the memory of every row and stop.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for report.html, results.json and CSV files; the same command goes on with rows that are missing.",
)
@output_options(json="the result")
def losses(
    spot_file: Path,
    abstractions: tuple[str, ...],
    menus: tuple[str, ...],
    algorithm: str,
    iterations: int | None,
    memory: int,
    big_blind: float,
    threads: int | None,
    estimate: bool,
    out: Path | None,
    outputs: Outputs,
) -> None:
    """Compare the three losses on a spot: hand abstractions, classes of boards and fewer bet sizes.

    Every row is solved as it stands, and best responses in the real game, which is SPOT.yaml with every hand, every
    card and all its bet sizes, say what it loses. A bet that a row lacks is answered by translation. relaxed: players
    confuse river cards of one rank in suits that can make no flush. Differences below what the exact row has still to
    converge are called equal. Ctrl-C keeps finished rows in --out.
    """
    if estimate:
        refuse_options(
            "does not go with --estimate, which solves nothing", "iterations", "big_blind", "out", "json_file"
        )
    outputs.claim(spot_file)
    settings = LossSettings(
        spot=read_spot(spot_file),
        abstractions=abstractions,
        menus=menus or None,
        algorithm=parse_algorithm(algorithm),
        iterations=iterations or DEFAULT_ITERATIONS,
        memory=memory,
        big_blind=big_blind,
        threads=threads,
    )
    console = output_console()
    with terminal_watch() as watch:
        if estimate:
            table = loss_sizes(settings, watch)
        else:
            found = compare_losses(settings, out, overwrite=outputs.overwrite, inputs=[spot_file], watch=watch)
            outputs.write_json(found.document)
    if estimate:
        print_table(console, table)
    else:
        print_findings(console, found)
