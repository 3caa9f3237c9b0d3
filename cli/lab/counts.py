"""``hedgehog lab counts``: the size of a spot's tree, and how many groups hand abstractions make, without solving."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hedgehog.analysis.lab.counting import FOLDER, R7_FLOPS, Grouping, count_flops, count_spot, find_flop_list
from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.lab.options import NameList
from hedgehog.cli.lab.views import print_findings
from hedgehog.cli.progress import terminal_watch
from hedgehog.runtime.outputs import verify_output_folder
from hedgehog.solver.abstraction.board_classes import ClassRule
from hedgehog.solver.abstraction.hand_values import MEASURES, Measure, Opponents
from hedgehog.solver.abstraction.identity import TESTS, Test
from hedgehog.solver.postflop.spot import read_spot


@click.command()
@click.argument("spot_file", metavar="[SPOT.yaml]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--flops",
    metavar="N|FILE|r7",
    help="Count on these flops, in place of the board of SPOT.yaml: 23, 49, 95, 184, 1755, a file of flops and weights,"
    " or the sample r7 of Voelkel's thesis.",
)
@click.option("--tree", is_flag=True, help="The tree of SPOT.yaml alone, without groups of hands.")
@click.option("--measures", type=NameList(MEASURES), default=",".join(MEASURES), show_default=True, metavar="A,B,...")
@click.option(
    "--tests",
    type=NameList(TESTS),
    default=",".join(TESTS),
    show_default=True,
    metavar="A,B,...",
    help="Without SPOT.yaml: rows of the table of means.",
)
@click.option(
    "--opponents",
    type=click.Choice(("range", "uniform")),
    help="Hands that a hand meets: the other player's range, or all.  [default: range; uniform without SPOT.yaml]",
)
@click.option(
    "--classes",
    type=click.Choice(("exact", "relaxed")),
    help="Boards that count as equal; relaxed, of Voelkel's thesis, loses something.  [default: exact; relaxed for r7 "
    "without SPOT.yaml]",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for results.json and CSV files.",
)
@click.option("--overwrite", is_flag=True, help="Replace counts in --out.")
def counts(
    spot_file: Path | None,
    flops: str | None,
    tree: bool,
    measures: tuple[Measure, ...],
    tests: tuple[Test, ...],
    opponents: Opponents | None,
    classes: ClassRule | None,
    out: Path | None,
    overwrite: bool,
) -> None:
    """Count the tree of a spot before and after isomorphism, and the groups of hands; solve nothing.

    Of SPOT.yaml: boards, nodes, decisions, leaves, deals, infosets and actions by street, with every board and with one
    board of each class, and the groups that every measure and identity test make of both players' hands. With --flops
    the same on other flops, and the means over them by weight. --flops alone counts the groups of all hands.

    FILE has a flop on each line, and its weight if it is not the number of flops of its class: Qs Js 2h 31.5. A flop of
    the same class takes the place of each.
    """
    if spot_file is None and flops is None:
        raise click.UsageError("expected SPOT.yaml, --flops or both")
    if spot_file is None:
        refuse_options("is for SPOT.yaml", "tree")
    else:
        refuse_options("does not go with SPOT.yaml, whose groups are counted for all tests", "tests")
    if tree:
        refuse_options("does not go with --tree, which counts no groups", "measures", "opponents")
    if out is None:
        refuse_options("goes with --out", "overwrite")
    else:
        verify_output_folder(out, FOLDER, proceed=overwrite)
    chosen = None if flops is None else find_flop_list(flops)
    inputs = [path for path in (spot_file, Path(flops) if flops is not None else None) if path is not None]
    grouping = Grouping(() if tree else measures, tests, opponents, classes)
    with terminal_watch() as watch:
        files: dict[str, Any] = {"out": out, "overwrite": overwrite, "inputs": inputs, "watch": watch}
        if spot_file is not None:
            found = count_spot(read_spot(spot_file), grouping, flops=chosen, **files)
        else:
            found = count_flops(chosen or R7_FLOPS, grouping, **files)
    print_findings(output_console(), found)
