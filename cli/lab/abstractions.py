"""``hedgehog lab abstractions``: what hand abstractions cost in the real game, and what the next size would buy."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.analysis.lab.experiments import EXPERIMENTS
from hedgehog.analysis.lab.laboratory import (
    DEFAULT_ALGORITHM,
    DEFAULT_ITERATIONS,
    Settings,
    abstraction_sizes,
    compare_abstractions,
)
from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.lab.options import ByteSize, NameList
from hedgehog.cli.lab.views import print_findings, print_table
from hedgehog.cli.listing import ListingCommand
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.solves.solver_options import PositiveNumber, iterations_option, threads_option
from hedgehog.runtime.extending.registry import first_line
from hedgehog.solver.abstraction.hand_values import MEASURES, Measure, Opponents
from hedgehog.solver.abstraction.identity import TESTS, Test
from hedgehog.solver.cfr.algorithms import parse_algorithm
from hedgehog.solver.postflop.spot import ABSTRACTIONS, read_spot


def _list_abstractions() -> list[str]:
    names = ABSTRACTIONS.foreign_names()
    lines = [f"{name}: {ABSTRACTIONS.describe(name, first_line)}" for name in names]
    return ["Abstractions of other packages, which are rows, too:", *lines] if lines else []


@click.command(cls=ListingCommand, listing=_list_abstractions)
@click.argument("spot_file", metavar="SPOT.yaml", type=click.Path(path_type=Path))
@click.option("--measures", type=NameList(MEASURES), default=",".join(MEASURES), show_default=True, metavar="A,B,...")
@click.option("--tests", type=NameList(TESTS), default=",".join(TESTS), show_default=True, metavar="A,B,...")
@click.option(
    "--opponents",
    type=click.Choice(("range", "uniform")),
    default="range",
    show_default=True,
    help="Hands that a hand meets: the other player's range, or all.",
)
@click.option(
    "--algorithm",
    default=DEFAULT_ALGORITHM,
    show_default=True,
    metavar="NAME[:KEY=VALUE,...]",
    help="Algorithm of all rows, as for 'hedgehog solve'; dcfr is the best for use.",
)
@iterations_option(f"Iterations of every row.  [default: {DEFAULT_ITERATIONS}]")
@click.option(
    "--memory", type=ByteSize(), default="1GB", show_default=True, metavar="SIZE", help="Leave out rows that need more."
)
@click.option(
    "--experiments",
    type=NameList(EXPERIMENTS),
    is_flag=False,
    flag_value=",".join(EXPERIMENTS),
    metavar="[e1,...]",
    help="Also e1 overfitting, e2 speed, e3 cost, e4 profiles against each other; all without a list.",
)
@click.option(
    "--deals",
    type=click.IntRange(2),
    default=10_000_000,
    show_default=True,
    metavar="N",
    help="Simulated deals per seat and pairing of e4.",
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
@click.option("--overwrite", is_flag=True, help="Replace results in --out of another spot or with other options.")
def abstractions(
    spot_file: Path,
    measures: tuple[Measure, ...],
    tests: tuple[Test, ...],
    opponents: Opponents,
    algorithm: str,
    iterations: int | None,
    memory: int,
    experiments: tuple[str, ...] | None,
    deals: int,
    big_blind: float,
    threads: int | None,
    estimate: bool,
    out: Path | None,
    overwrite: bool,
) -> None:
    """Compare hand abstractions on a spot: memory, and what they lose in the real game.

    Hands of equal value on all boards to come form a group and share one strategy. A row is a measure of hands with an
    identity test, such as strength-river. Beside these: none (every hand for itself), merged (hands that differ in
    interchangeable cards only), kmeans (clusters by equity, as many as rank-river has groups). Every row is solved
    inside its abstraction and judged by exact best responses in the real game. Ctrl-C keeps finished rows in --out.
    """
    chosen = parse_algorithm(algorithm)
    if estimate:
        ignored = ("iterations", "experiments", "deals", "big_blind", "out", "overwrite")
        refuse_options("does not go with --estimate, which solves nothing", *ignored)
    if "e4" not in (experiments or ()):
        refuse_options("goes with the experiment e4", "deals")
    settings = Settings(
        spot=read_spot(spot_file),
        measures=measures,
        tests=tests,
        opponents=opponents,
        algorithm=chosen,
        iterations=iterations or DEFAULT_ITERATIONS,
        memory=memory,
        big_blind=big_blind,
        threads=threads,
        experiments=experiments or (),
        deals=deals,
    )
    if estimate:
        print_table(output_console(), abstraction_sizes(settings))
        return
    with terminal_watch() as watch:
        found = compare_abstractions(settings, inputs=[spot_file], out=out, overwrite=overwrite, watch=watch)
    print_findings(output_console(), found)
