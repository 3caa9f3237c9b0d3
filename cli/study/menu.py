"""``hedgehog study menu``: a menu whose nodes have sizes of their own, made from real hands."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import OutputCommand, Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.study.reading import given_input, hand_options, paths_argument, report_problems
from hedgehog.runtime.documents import json_document

_SHOWN: Final = 20


@click.command(cls=OutputCommand, short_help="Make a menu with sizes of its own for every node from real hands.")
@paths_argument
@hand_options
@click.option(
    "--decisions",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    help="Make the menu with the least error for a betting tree of at most N decisions.",
)
@click.option("--sizes", type=click.IntRange(1, 10), metavar="N", help="Give every node its own N sizes instead.")
@click.option(
    "--min-count",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="A node with fewer bets has no sizes of its own.",
)
@output_options(
    menu="the menu as YAML", json="all nodes", problems="all hands that cannot be read, with file and line,"
)
def menu(
    files: tuple[Path, ...],
    store: Path | None,
    game: str | None,
    only: tuple[str, ...],
    without: tuple[str, ...],
    jobs: int,
    dask: str | None,
    decisions: int | None,
    sizes: int | None,
    min_count: int,
    outputs: Outputs,
) -> None:
    """Make a betting menu in which every sequence of actions has bet sizes of its own.

    FILES are those of "hedgehog study hands". With --decisions, sizes are added where they lower the error (the
    distance of the real bets from the nearest size) times its frequency most for each decision that they add to the
    betting tree. The menu is the key "menu" of a blueprint configuration.
    """
    from hedgehog.analysis.study.runs import study_tree
    from hedgehog.analysis.study.study import ActorFilter
    from hedgehog.analysis.study.trees.betting_tree import StudyTree
    from hedgehog.analysis.study.trees.synthesis import Synthesis, format_node_menu, node_menu_table

    if (decisions is None) == (sizes is None):
        raise click.UsageError("expected --decisions N or --sizes N")
    outputs.claim(*files)
    source = given_input(files, store, game, jobs, dask)
    with terminal_watch() as watch:
        tree = study_tree(source, StudyTree(), ActorFilter(frozenset(only), frozenset(without)), watch)
    report_problems(source.tally, outputs)
    synthesis = Synthesis(tree, min_count=min_count)
    if sizes is not None:
        synthesis.same(sizes)
    elif decisions is not None:
        with terminal_watch() as watch:
            watch.begin("choosing sizes", decisions, "decisions")
            synthesis.grow(decisions, watch.update)
    found = synthesis.menu()
    headline = (
        f"{found.decisions:,} decisions; mean distance of {found.bets:,} real bets {100 * found.mean:.1f} % of the pot"
    )
    text = format_node_menu(found, [source.summary(), headline])
    console = output_console()
    console.print(source.summary())
    console.print(headline)
    console.print(node_menu_table(found.nodes[:_SHOWN]).rich())
    if len(found.nodes) > _SHOWN:
        console.print(f"{len(found.nodes) - _SHOWN:,} more nodes: --json has all")
    if "menu" not in outputs.files:
        console.print(text, markup=False)
    else:
        outputs.write("menu", text)
    outputs.write_json(
        json_document(
            "study-menu",
            players=source.players.texts,
            decisions=found.decisions,
            bets=found.bets,
            mean_distance=found.mean,
            nodes=node_menu_table(found.nodes).records(),
        )
    )
