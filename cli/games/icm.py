"""``hedgehog game icm``: what chips are worth in prizes, and jam or fold of two and three players for them."""

from __future__ import annotations

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import terminal_watch


@click.command(short_help="Value chips by prizes; solve jam or fold of two or three players for them.")
@click.argument("stacks", nargs=-1, required=True, type=click.IntRange(1), metavar="CHIPS...")
@click.option("--payouts", required=True, metavar="P1,P2,...", help="Prizes from the first place on, such as 50,30,20.")
@click.option(
    "--blinds",
    type=(click.IntRange(1), click.IntRange(1)),
    metavar="SMALL BIG",
    help="Also solve one hand of jam or fold with these blinds.",
)
@click.option(
    "--deals",
    type=click.IntRange(1000, 2_000_000),
    default=200_000,
    show_default=True,
    help="With three players: dealt hands to learn from.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of the dealt hands.")
@output_options(chart="an SVG with 13 x 13 charts of the decisions", json="prizes and strategies")
def icm(
    stacks: tuple[int, ...],
    payouts: str,
    blinds: tuple[int, int] | None,
    deals: int,
    seed: int,
    outputs: Outputs,
) -> None:
    """Say what CHIPS are worth in a tournament with several prizes, by the independent chip model.

    With --blinds and two stacks (small blind, big blind) or three (button, small blind, big blind) also solve one hand
    in which everybody jams or folds, for the prizes that the chips after it are worth.
    """
    from hedgehog.analysis.games.jam_chart import jam_chart
    from hedgehog.analysis.games.payouts import answer_payouts
    from hedgehog.runtime.errors import GameError

    if blinds is None:
        refuse_options("goes with --blinds", "deals", "seed")
        if "chart" in outputs.files:
            raise click.UsageError("--chart goes with --blinds")
    elif len(stacks) != 3:
        refuse_options("goes with three stacks", "deals", "seed")
    outputs.claim()
    try:
        prizes = [float(part) for part in payouts.split(",")]
    except ValueError:
        raise GameError(f"expected payouts such as 50,30,20, got {payouts[:50]!r}") from None
    with terminal_watch() as watch:
        answer = answer_payouts(stacks, prizes, blinds, deals=deals, seed=seed, watch=watch)
    console = output_console()
    console.print(answer.money.rich())
    for sentence in answer.sentences:
        console.print(sentence, markup=False)
    if answer.decisions is not None:
        console.print(answer.decisions.rich())
        title = f"Jam or fold, {', '.join(map(str, stacks))} chips, prizes {payouts}"
        outputs.write("chart", lambda: jam_chart(title, answer.grids))
    outputs.write_json(answer.document)
