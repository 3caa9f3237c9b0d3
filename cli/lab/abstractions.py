"""``hedgehog lab abstractions``: what hand abstractions cost in the real game, and what the next size would buy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from hedgehog.analysis.lab.experiments import EXPERIMENTS
from hedgehog.analysis.lab.rows import plan_row, row_names, same_groups
from hedgehog.analysis.lab.tables import size_table
from hedgehog.cli.console import output_console
from hedgehog.cli.exit_codes import EXIT_INTERRUPTED
from hedgehog.cli.given import refuse_options
from hedgehog.cli.lab.abstraction_run import FOLDER, Laboratory, Settings
from hedgehog.cli.lab.counting import run_counts, run_sample
from hedgehog.cli.lab.options import ByteSize, NameList
from hedgehog.cli.lab.views import print_table
from hedgehog.cli.outputs import hold_folder
from hedgehog.cli.solves.solver_options import PositiveNumber, iterations_option, threads_option
from hedgehog.runtime.errors import InputError, MemoryShortageError
from hedgehog.runtime.memory import available_memory
from hedgehog.runtime.outputs import remove_contents, verify_output_folder
from hedgehog.solver.abstraction.abstraction import SpotValues
from hedgehog.solver.abstraction.group_solver import verify_group_algorithm
from hedgehog.solver.abstraction.hand_values import MEASURES
from hedgehog.solver.abstraction.identity import TESTS
from hedgehog.solver.cfr.algorithms import parse_algorithm
from hedgehog.solver.postflop.prepared import prepare
from hedgehog.solver.postflop.spot import read_spot

_SAMPLES: Final = ("r7",)
_DEFAULT_ITERATIONS: Final = 400


@click.command()
@click.argument("spot_file", metavar="[SPOT.yaml]", required=False, type=click.Path(path_type=Path))
@click.option("--measures", type=NameList(MEASURES), default=",".join(MEASURES), show_default=True, metavar="A,B,...")
@click.option("--tests", type=NameList(TESTS), default=",".join(TESTS), show_default=True, metavar="A,B,...")
@click.option(
    "--opponents",
    type=click.Choice(("range", "uniform")),
    help="Hands that a hand meets: the other player's range, or all.  [default: range; uniform for --sample]",
)
@click.option(
    "--classes",
    type=click.Choice(("exact", "relaxed")),
    help="Boards that count as equal; relaxed, of Voelkel's thesis, is for counts alone.  [default: exact; relaxed for "
    "--sample]",
)
@click.option(
    "--algorithm",
    default="cgh:c=0.175",
    show_default=True,
    metavar="NAME[:KEY=VALUE,...]",
    help="Algorithm of all rows, as for 'hedgehog solve'; dcfr is the best for use.",
)
@iterations_option(f"Iterations of every row.  [default: {_DEFAULT_ITERATIONS}]")
@click.option(
    "--memory", type=ByteSize(), default="1GB", show_default=True, metavar="SIZE", help="Leave out rows that need more."
)
@click.option("--counts", is_flag=True, help="Print the numbers of groups and solve nothing.")
@click.option("--sample", type=click.Choice(_SAMPLES), help="Count groups on a sample of flops; takes no SPOT.yaml.")
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
    spot_file: Path | None,
    measures: tuple[str, ...],
    tests: tuple[str, ...],
    opponents: str | None,
    classes: str | None,
    algorithm: str,
    iterations: int | None,
    memory: int,
    counts: bool,
    sample: str | None,
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
    verify_group_algorithm(chosen)
    inputs = [] if spot_file is None else [spot_file]
    if (spot_file is None) == (sample is None):
        raise click.UsageError("expected SPOT.yaml or --sample, and not both")
    _refuse_ignored(
        counting="--sample" if sample is not None else "--counts" if counts else None,
        estimate=estimate,
        experiments=experiments or (),
    )
    if out is not None:
        verify_output_folder(out, FOLDER, proceed=True, inputs=inputs)
        hold_folder(out)
    if sample is not None:
        run_sample(measures, tests, opponents or "uniform", classes or "relaxed", out, overwrite=overwrite)
        return
    assert spot_file is not None
    spot = read_spot(spot_file)
    if counts:
        run_counts(spot, measures, opponents or "range", classes or "exact", out, overwrite=overwrite)
        return
    if classes == "relaxed":
        raise InputError("the relaxed board classes lose something that has nothing to do with hands: use --counts")
    settings = Settings(
        spot=spot,
        algorithm=chosen,
        iterations=iterations or _DEFAULT_ITERATIONS,
        opponents=opponents or "range",
        memory=min(memory, round(available_memory())),
        big_blind=big_blind,
        threads=threads,
        experiments=experiments or (),
        deals=deals,
        names=row_names(measures, tests, spot.abstraction),
    )
    # The rows are the abstractions; that of the spot file is one of them.
    spot = replace(spot, abstraction="")
    single = prepare(spot, merge_cards=False)
    spots = (single, single if single.locks else prepare(spot))
    values = SpotValues(single, "range" if settings.opponents == "range" else "uniform")
    laboratory = Laboratory(settings, spots, out)
    kept: dict[str, Any] = {} if estimate else laboratory.continue_folder(overwrite=overwrite, clear=remove_contents)
    plans = [plan for name in settings.names if (plan := plan_row(name, spots, values, chosen, threads)) is not None]
    console = output_console()
    if estimate:
        print_table(console, size_table(plans))
        return
    fitting = [plan for plan in plans if plan.size.memory <= settings.memory]
    if not fitting:
        raise MemoryShortageError(min(plan.size.memory for plan in plans), settings.memory)
    for plan in plans:
        if plan not in fitting:
            click.echo(f"{plan.name} is left out: it needs {plan.size.memory / 1e6:,.0f} MB", err=True)
    if not laboratory.run(fitting, same_groups(fitting), kept, values):
        click.echo("interrupted", err=True)
        raise SystemExit(EXIT_INTERRUPTED)
    laboratory.report(console)


def _refuse_ignored(*, counting: str | None, estimate: bool, experiments: tuple[str, ...]) -> None:
    """Refuses options that would do nothing.

    :param counting: the option by which groups are counted and nothing is solved.
    """
    solving = ("algorithm", "iterations", "memory", "experiments", "deals", "big_blind", "threads", "estimate")
    if counting is not None:
        refuse_options(f"does not go with {counting}, which counts groups and solves nothing", *solving)
    if counting == "--sample":
        refuse_options("is for a spot, not for --sample", "counts")
    if counting == "--counts":
        refuse_options("does not go with --counts, which counts the groups of all tests", "tests")
    if estimate:
        ignored = ("iterations", "experiments", "deals", "big_blind", "out", "overwrite")
        refuse_options("does not go with --estimate, which solves nothing", *ignored)
    if "e4" not in experiments:
        refuse_options("goes with the experiment e4", "deals")
