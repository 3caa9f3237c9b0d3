"""``hedgehog study trees``: sizes of action-sequence trees, and which hands they contain."""

from __future__ import annotations

from pathlib import Path

import click

from hedgehog.cli.console import output_console
from hedgehog.cli.given import refuse_options
from hedgehog.cli.outputs import (
    OutputCommand,
    claim_outputs,
    csv_option,
    json_option,
    open_output,
    output_option,
    overwrite_option,
    write_csv,
    write_json,
)
from hedgehog.cli.progress import terminal_watch
from hedgehog.cli.study.reading import game_option, given_input, report_problems, store_option
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
@store_option
@game_option
@output_option("--svg", "svg_file", "a picture of coverage over nodes as SVG")
@output_option("--png", "png_file", "a picture of coverage over nodes as PNG")
@json_option()
@csv_option()
@overwrite_option
def trees(
    shapes: tuple[str, ...],
    files: tuple[Path, ...],
    store: Path | None,
    game: str | None,
    svg_file: Path | None,
    png_file: Path | None,
    json_file: Path | None,
    csv_file: Path | None,
    overwrite: bool,
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
        refuse_options("goes with --hands or --store", "game")
    claim_outputs(svg_file, png_file, json_file, csv_file, inputs=files, overwrite=overwrite)
    wanted = [parse_shape(shape) for shape in shapes]
    coverage = None
    console = output_console()
    if files or store is not None:
        source = given_input(files, store, game)
        with terminal_watch() as watch:
            coverage = study_coverage(source, watch)
        report_problems(source.tally, None)
        console.print(source.summary())
    rows = tree_rows(wanted, coverage)
    table = tree_table(rows)
    console.print(table.rich())
    console.print(table.note)
    if json_file is not None:
        write_json(json_file, json_document("study-trees", trees=table.records()))
    if csv_file is not None:
        write_csv(csv_file, table.records())
    if svg_file is not None or png_file is not None:
        pictures = draw_selection_curve(rows)
        for path, picture in zip((svg_file, png_file), pictures, strict=True):
            if path is not None:
                with open_output(path) as stream:
                    stream.write(picture)
