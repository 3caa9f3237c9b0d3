"""``hedgehog pack values``: the table of what every action before the flop is worth against a blueprint."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.cli.player_options import WHICH_DEPTH, depth_option
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.solves.solver_options import seed_option


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

    The opponent, and the player himself after the action, follow the blueprint. Put the table beside the blueprint.
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
