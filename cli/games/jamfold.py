"""``hedgehog game jamfold``: jam or fold at the end of a tournament, its values, strategies and charts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import terminal_watch

if TYPE_CHECKING:
    from hedgehog.analysis.games.jam_fold import Model
    from hedgehog.gametheory.tournaments.jam_fold import Structure

MODELS: Final = ("alternating", "chip", "bound")


@click.command()
@click.option("--stack", type=int, default=4000, show_default=True, help="Chips of the player in the small blind.")
@click.option(
    "--model",
    type=click.Choice(MODELS),
    default="alternating",
    show_default=True,
    help="The tournament with an alternating button; one hand for chips (also a tournament with a random button); or"
    " the strategy that guarantees most against an opponent who may do anything.",
)
@click.option("--total", type=int, default=8000, show_default=True, help="Chips of both players.")
@click.option("--blinds", type=(int, int), default=(300, 600), show_default=True, help="Small and big blind.")
@click.option(
    "--all-stacks", is_flag=True, help="Chart: the largest stack that jams or calls; a star marks gaps below."
)
@click.option(
    "--rate",
    type=click.Path(path_type=Path),
    metavar="CHART",
    help="Rate this chart of your own in the tournament: its chances, what it loses at most, its costliest hands.",
)
@output_options(chart="an SVG with 13 x 13 charts", json="values and strategies")
def jamfold(
    stack: int,
    model: Model,
    total: int,
    blinds: tuple[int, int],
    all_stacks: bool,
    rate: Path | None,
    outputs: Outputs,
) -> None:
    """Solve jam or fold: two players, winner takes all, every hand is jammed or folded before the flop.

    Stacks are counted before the blinds, in multiples of 50. The strategies of all stacks of 8,000 chips with blinds of
    300/600 are shipped. For other chips and blinds the alternating and the bound model solve all stacks, which takes a
    minute or two. The value is the probability to win the tournament, or chips with --model chip.

    CHART is a YAML file with the hands that jam and call, by stack; docs/games.md describes it.
    """
    from hedgehog.analysis.games.jam_chart import jam_chart
    from hedgehog.analysis.games.jam_fold import answer_jam_fold
    from hedgehog.gametheory.tournaments.jam_fold import Structure

    outputs.claim(*([rate] if rate is not None else []))
    structure = Structure(total, *blinds)
    if rate is not None:
        refuse_options("does not go with --rate, which plays all models", "model", "all_stacks")
        _rate(rate, structure, stack, outputs)
        return
    if "chart" not in outputs.files and model != "chip":  # which has no such chart at all
        refuse_options("goes with --chart", "all_stacks")
    with terminal_watch() as watch:
        answer = answer_jam_fold(structure, stack, model, all_stacks=all_stacks, watch=watch)
    console = output_console()
    for sentence in answer.sentences:
        console.print(sentence)
    console.print(answer.decisions.rich() if answer.decisions.rows else "Both players are all-in with the blinds.")
    title = f"Jam or fold, {model}: {stack} of {total} chips, blinds {blinds[0]}/{blinds[1]}"
    outputs.write("chart", lambda: jam_chart(title, answer.grids))
    outputs.write_json(answer.document)


def _rate(path: Path, structure: Structure, stack: int, outputs: Outputs) -> None:
    from hedgehog.analysis.games.chart_files import rate_chart_file, read_chart
    from hedgehog.analysis.games.jam_chart import jam_chart

    rows = read_chart(path)
    with terminal_watch() as watch:
        rated = rate_chart_file(rows, structure, stack, watch=watch)
    console = output_console()
    for sentence in rated.sentences:
        console.print(sentence, markup=False)
    console.print(rated.values.rich())
    console.print(rated.hands.rich() if rated.hands.rows else "No hand loses anything against the equilibrium.")
    outputs.write("chart", lambda: jam_chart(f"{rows.name}: {stack} of {structure.total} chips", rated.grids))
    outputs.write_json(rated.document)
