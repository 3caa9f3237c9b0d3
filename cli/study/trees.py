"""``hedgehog study trees``: sizes of action-sequence trees, and which hands they contain."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import OutputCommand, Outputs, output_options
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.study.reading import given_input, report_problems, source_options
from hedgehog.runtime.documents import json_document


@click.command(cls=OutputCommand, short_help="Count the nodes of betting trees, and the hands they contain.")
@click.argument("shapes", nargs=-1, metavar="[R-A-T]...")
@click.option(
    "--hands",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Count which of these hands the trees contain. May be given again.",
)
@source_options
@output_options(
    svg="a picture of coverage over nodes as SVG",
    png="a picture of coverage over nodes as PNG",
    json="the result",
    csv="the table",
)
def trees(
    shapes: tuple[str, ...],
    files: tuple[Path, ...],
    store: Path | None,
    game: str | None,
    jobs: int,
    dask: str | None,
    outputs: Outputs,
) -> None:
    """Count the nodes of betting trees, and the hands that they contain.

    A tree R-A-T has R rounds, at most A raises in a round and at most T raises in a hand; inf is no limit. The big
    blind counts as a raise of the first round. Without R-A-T the 43 trees of a published study are counted.

    Without hands the column "left out" shows the published share of 40,177,601 real hands that the tree lacks.
    """
    from hedgehog.analysis.study.runs import study_coverage
    from hedgehog.analysis.study.trees.kinds import parse_shape
    from hedgehog.analysis.study.trees.rows import draw_selection_curve, tree_rows, tree_table

    if not files and store is None:
        refuse_options("goes with --hands or --store", "game", "jobs", "dask")
    outputs.claim(*files)
    wanted = [parse_shape(shape) for shape in shapes]
    coverage = None
    console = output_console()
    if files or store is not None:
        source = given_input(files, store, game, jobs, dask)
        with terminal_watch() as watch:
            coverage = study_coverage(source, watch)
        report_problems(source.tally, outputs)
        console.print(source.summary())
    rows = tree_rows(wanted, coverage)
    table = tree_table(rows)
    console.print(table.rich())
    console.print(table.note)
    outputs.write_json(json_document("study-trees", trees=table.records()))
    outputs.write_csv(table.records())
    if "svg" in outputs.files or "png" in outputs.files:
        pictures = draw_selection_curve(rows)
        for name, picture in zip(("svg", "png"), pictures, strict=True):
            outputs.write(name, picture)
