"""``hedgehog study model``: what players do at the decisions of a spot, as a model for responses to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import OutputCommand, Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.study.reading import given_input, hand_options, report_problems
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import InputError

PLAYERS: Final = ("oop", "ip")


@click.command(cls=OutputCommand, short_help="Count what players do in a spot, as a model for solve --respond.")
@click.argument("spot_file", metavar="SPOT.yaml", type=click.Path(path_type=Path))
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@hand_options
@click.option(
    "--of", "of", type=click.Choice(PLAYERS), required=True,
    help="Whose actions: oop is the big blind, ip the small blind.",
)  # fmt: skip
@click.option(
    "--line", default="", metavar="ACTIONS", help="Actions before the spot: f, c and r, as in rc/.  [default: any]"
)
@click.option("--min-count", type=click.IntRange(min=1), default=30, show_default=True, metavar="N",
              help="A decision with fewer hands is left to the equilibrium.")  # fmt: skip
@output_options(model="the model as YAML", json="all counts")
def model(
    spot_file: Path,
    files: tuple[Path, ...],
    store: Path | None,
    game: str | None,
    jobs: int,
    dask: str | None,
    only: tuple[str, ...],
    without: tuple[str, ...],
    of: str,
    line: str,
    min_count: int,
    outputs: Outputs,
) -> None:
    """Count what players do at the decisions of SPOT.yaml in real hands, whatever their cards.

    FILES are those of "hedgehog study hands". A bet counts for the bet of the spot whose share of the pot is nearest.
    The model is for `hedgehog solve SPOT.yaml --respond oop --model FILE`.
    """
    from hedgehog.analysis.study.line_model import LineModel, format_model_file, model_table
    from hedgehog.analysis.study.runs import study_model
    from hedgehog.analysis.study.study import ActorFilter
    from hedgehog.solver.postflop.spot import read_spot
    from hedgehog.solver.postflop.tree import build_postflop_tree

    outputs.claim(spot_file, *files)
    spot = read_spot(spot_file)
    counted = LineModel(build_postflop_tree(spot.tree), PLAYERS.index(of), line)
    source = given_input(files, store, game, jobs, dask)
    with terminal_watch() as watch:
        study_model(source, counted, ActorFilter(frozenset(only), frozenset(without)), watch)
    report_problems(source.tally, outputs)
    lines = list(counted.lines(min_count))
    headline = source.summary()
    came = f"{counted.hands:,} hands come to the spot{f' after {line}' if line else ''}"
    console = output_console()
    console.print(f"{headline}; {came}, {counted.stopped:,} of them take an action that it lacks", markup=False)
    if not lines:
        raise InputError(f"no decision of {of} has {min_count} hands: expected more hands, or a smaller --min-count")
    console.print(model_table(lines).rich(title=None))
    notes = [f"What {of} does in {spot.name}: {headline}.", f"{came}. Decisions with at least {min_count} hands."]
    outputs.write("model", format_model_file(of, lines, notes))
    content: dict[str, Any] = {
        "player": of, "line": line, "hands": counted.hands, "stopped": counted.stopped,
        "lines": model_table(lines).records(),
    }  # fmt: skip
    outputs.write_json(json_document("study-model", game=spot.name, players=PLAYERS, **content))
