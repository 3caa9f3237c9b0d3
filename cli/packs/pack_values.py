"""``hedgehog pack values`` and ``pack evs``: what every action before the flop is worth against a blueprint."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.player_options import WHICH_DEPTH, depth_option
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.solves.solver_options import seed_option
from hedgehog.runtime.documents import json_document
from hedgehog.strategies.pack import default_packs


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Folder of the table.")
@click.option(
    "--work",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of unfinished work [default: OUT.work beside the table].",
)
@click.option(
    "--boards",
    type=click.IntRange(1, 100_000_000),
    default=1_000,
    show_default=True,
    metavar="N",
    help="Boards to walk, rounded up to hundreds.",
)
@depth_option(WHICH_DEPTH)
@seed_option(1, "Seed of the boards.")
@click.option("--overwrite", is_flag=True, help="Replace the table in --out (never a folder with anything else).")
def values(
    path: Path, out: Path, work: Path | None, boards: int, depth: float | None, seed: int, overwrite: bool
) -> None:
    """Build the table of preflop values of the blueprint at PATH: the EV of every action for every hand class.

    The opponent, and the player itself after the action, follow the blueprint. Put the table beside the blueprint.
    Interrupt it whenever you like: the same command goes on where it stopped, and a larger N makes the table finer.
    """
    from hedgehog.solver.packs.build_status import work_folder
    from hedgehog.solver.packs.preflop_values import build_preflop_values

    try:
        with terminal_watch() as watch:
            made = build_preflop_values(
                path, out, boards, depth=depth, seed=seed, work=work, overwrite=overwrite, watch=watch
            )
    except KeyboardInterrupt:
        place = work_folder(out) if work is None else work
        click.echo(f"stopped; the same command goes on from what is in {place}", err=True)
        raise
    error = made.quality["first_decision_error_bb"]
    click.echo(f"wrote {out}: {made.config['boards']:,} boards, mean error at the first decision {error:g} BB")


@click.command()
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option(
    "--line",
    metavar="BETTING",
    default="",
    help="The betting so far: R250 C, or r250c as in logs.  [default: none, the button is first in]",
)
@click.option("--hand", "hands", metavar="CLASS", multiple=True, help="AA, AKs, 72o; repeatable [default: all].")
@depth_option(WHICH_DEPTH)
@output_options(json="the table", csv="the table")
def evs(path: Path | None, line: str, hands: tuple[str, ...], depth: float | None, outputs: Outputs) -> None:
    """Show what every action before the flop is worth, from the table that hedgehog pack values has built.

    EVs are in big blinds from the decision on, so that a fold is worth 0. Both players follow the blueprint at PATH
    after the action. "best" is the EV of the best action, "mixed" that of the blueprint's own mix. "share" is the part
    of the opponent's hands whose actions lead here; where it is 0, no action has an EV.
    """
    from hedgehog.analysis.packs.preflop_table import preflop_ev_table

    outputs.claim(path)
    table = preflop_ev_table(path or default_packs(), line, hands, depth)
    console = output_console()
    console.print(table.rich())
    if table.note:
        console.print(table.note, soft_wrap=True, highlight=False)
    outputs.write_json(json_document("preflop-evs", line=line, evs=table.records()))
    outputs.write("csv", table.csv)
