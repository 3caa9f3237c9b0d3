"""``hedgehog versus``: two strategies for one spot against each other."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.analysis.solves.meetings.meeting import Contender
from hedgehog.analysis.solves.meetings.result import LINES
from hedgehog.analysis.solves.meetings.sources import LETTERS, Source, parse_source, read_meeting_spot
from hedgehog.analysis.solves.meetings.sources import versus as play_versus
from hedgehog.analysis.solves.simulation import MAX_HANDS
from hedgehog.cli.console import output_console
from hedgehog.cli.exit_codes import EXIT_FAULT
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import OutputCommand, Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.solves.solver_options import seed_option, threads_option
from hedgehog.interop.strategies import read_strategy
from hedgehog.solver.postflop.spot import PostflopSpot

_WIDTH_OF_FILES = 160


@click.command(cls=OutputCommand)
@click.argument("spot_path", metavar="SPOT.yaml|DIR", type=click.Path(path_type=Path))
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--hands",
    type=click.IntRange(0, MAX_HANDS),
    default=1_000_000,
    show_default=True,
    metavar="N",
    help="Hands to play with each strategy in each seat; 0 plays none.",
)
@seed_option(0, "Random seed of the hands.")
@click.option(
    "--top",
    type=click.IntRange(1),
    default=LINES,
    show_default=True,
    metavar="N",
    help="Show the N decisions at which most is won or lost.",
)
@click.option("--fill", is_flag=True, help="Play streets that one strategy lacks as the other one plays them.")
@threads_option
@output_options(
    json="the result", csv="all decisions", html="a page with the winnings and all decisions", svg="the winnings"
)
def versus(
    spot_path: Path,
    first: str,
    second: str,
    hands: int,
    seed: int,
    top: int,
    fill: bool,
    threads: int | None,
    outputs: Outputs,
) -> None:
    """Let two strategies for a spot play against each other in both seats.

    Prints the exact EV of both in both seats, the decisions at which the difference is won, and what was won over hands
    played by the rules of the dealer. Exit code 1 if these hands are more than 4 standard errors off the exact EV.

    SPOT.yaml is a spot file; DIR, the folder of a saved solve, stands for its spot. A and B are strategies for its
    betting tree:

    \b
      dcfr?iterations=200              an algorithm of hedgehog solve, which solves
      cgh:c=0.175?abstraction=rank-river&iterations=50          the spot first; also
                                       target=P (percent of the pot)
      my-solve                         a folder of --save or --save-strategy
      dump.json                        a dump of TexasSolver, or a JSON file of
                                       hedgehog solve with all lines
      pack:DIR?line=r250c/kr165c       a blueprint or an exact flop pack, and the
                                       betting that leads to the spot

    NAME=STRATEGY gives a strategy a name.
    """
    if hands == 0:
        refuse_options("goes with hands that are played: leave out --hands 0", "seed")
    sources = [parse_source(text) for text in (first, second)]
    outputs.claim(spot_path, *(source.folder for source in sources))
    spot = read_meeting_spot(spot_path)
    with terminal_watch() as watch:
        met = [
            _of_file(source, letter, spot) or text
            for source, letter, text in zip(sources, LETTERS, (first, second), strict=True)
        ]
        found = play_versus(spot, *met, hands=hands, seed=seed, fill=fill, threads=threads, watch=watch)
    console = output_console()
    if not console.is_terminal:
        console.width = _WIDTH_OF_FILES
    for line in found.headlines():
        console.print(line, markup=False)
    for table in (found.table(), found.streets(), found.lines(top)):
        console.print()
        console.print(table.rich())
        console.print(table.note, markup=False)
    outputs.write_json(found.document())
    outputs.write("csv", found.lines().csv)
    if "html" in outputs.files or "svg" in outputs.files:
        from hedgehog.analysis.solves.meetings.page import render_versus, versus_svg

        outputs.write("html", lambda: render_versus(found))
        outputs.write("svg", lambda: versus_svg(found))
    if not found.agrees:
        raise SystemExit(EXIT_FAULT)


def _of_file(source: Source, letter: str, spot: PostflopSpot) -> Contender | None:
    """Returns the strategy of a source that is a file, such as a dump of another program; None for other sources.

    :param letter: its name if it has none.
    """
    if source.kind != "solve" or not (path := Path(source.argument)).is_file():
        return None
    return Contender(source.name or letter, str(path), read_strategy(path, spot))
