"""``hedgehog lab menus``: the best bet sizes under a budget, and the price of leaving one out."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.analysis.lab.menus import DEFAULT_TARGET_PCT, MOST_ITERATIONS, MenuSettings, compare_menus, menu_sizes
from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.lab.views import print_findings, print_table
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.solves.solver_options import PositiveNumber, iterations_option, threads_option
from hedgehog.poker.betsizes import parse_menu
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import InputError, SpotError
from hedgehog.solver.postflop.spot import PLAYERS, read_spot


@click.command()
@click.argument("spot_file", metavar="SPOT.yaml", type=click.Path(path_type=Path))
@click.option(
    "--player", type=click.Choice(PLAYERS), default=PLAYERS[0], show_default=True, help="Whose bets are compared."
)
@click.option("--street", type=click.Choice(STREETS[1:]), help="Street of these bets.  [default: the spot's first]")
@click.option(
    "--sizes",
    metavar="A,B,...",
    help="Sizes to choose from, such as 33%,50%,100%,a.  [default: those of the spot]",
)
@click.option("--most", type=click.IntRange(0), default=3, show_default=True, metavar="N", help="Most sizes of a menu.")
@click.option(
    "--target-pct",
    type=PositiveNumber(),
    default=DEFAULT_TARGET_PCT,
    show_default=True,
    metavar="P",
    help="Solve each menu to P % of the pot; smaller differences cannot be told.",
)
@iterations_option(f"Most iterations of a menu.  [default: {MOST_ITERATIONS}]")
@threads_option
@click.option("--estimate", is_flag=True, help="Print the number of menus, their size and memory, and stop.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for results.json and CSV files; the same command goes on with menus that are missing.",
)
@output_options(json="the result")
def menus(
    spot_file: Path,
    player: str,
    street: str | None,
    sizes: str | None,
    most: int,
    target_pct: float,
    iterations: int | None,
    threads: int | None,
    estimate: bool,
    out: Path | None,
    outputs: Outputs,
) -> None:
    """Find a player's best bet sizes under a budget by EV, and the price of leaving one out.

    The opponent keeps all its sizes and knows the answer to every bet. Raises, and bets of other streets, are those of
    SPOT.yaml. Each menu is solved, and best responses enclose its value, so that values which the solves cannot tell
    apart are called equal. Up to 128 menus are all tried; of more, each is the best smaller one and one size.
    Interrupted, the same command with --out goes on after the last finished menu.
    """
    if estimate:
        refuse_options(
            "does not go with --estimate, which solves nothing", "target_pct", "iterations", "out", "json_file"
        )
    outputs.claim(spot_file)
    try:
        chosen = None if sizes is None else parse_menu(sizes)
    except SpotError as error:
        raise InputError(f"--sizes: {error.message}") from error
    settings = MenuSettings(
        spot=read_spot(spot_file),
        player=PLAYERS.index(player),
        street=None if street is None else STREETS.index(street),
        sizes=chosen,
        most=most,
        target_pct=target_pct,
        iterations=iterations or MOST_ITERATIONS,
        threads=threads,
    )
    if estimate:
        print_table(output_console(), menu_sizes(settings))
        return
    with terminal_watch() as watch:
        found = compare_menus(settings, out, overwrite=outputs.overwrite, inputs=[spot_file], watch=watch)
    outputs.write_json(found.findings.document)
    print_findings(output_console(), found.findings)
