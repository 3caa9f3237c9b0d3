"""``hedgehog study trees``: sizes of action-sequence trees, and which hands they contain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.table import Table

from hedgehog.analysis.stats.number_text import format_covered
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
from hedgehog.cli.study.reading import HandInput, game_option, report_problems, store_option, summary
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
    from hedgehog.analysis.study.trees.kinds import Coverage, parse_shape
    from hedgehog.analysis.study.trees.rows import draw_selection_curve, tree_rows

    if not files and store is None:
        refuse_options("goes with --hands or --store", "game")
    claim_outputs(svg_file, png_file, json_file, csv_file, inputs=files, overwrite=overwrite)
    wanted = [parse_shape(shape) for shape in shapes]
    coverage = None
    console = output_console()
    if files or store is not None:
        coverage = Coverage()
        source = HandInput(files, store, game)
        for batch in source.batches():
            coverage.add(batch)
        report_problems(source.tally, None)
        console.print(summary(source.tally, len(source.players.texts)))
    rows = tree_rows(wanted, coverage)
    table = Table(title="Betting trees: rounds-raises per round-raises per hand", title_justify="left")
    for name in ("tree", "nodes", "sequences", "decisions", "left out", "covered"):
        table.add_column(name, justify="left" if name == "tree" else "right", no_wrap=True)
    for row in rows:
        covered = [f"{row.uncovered:,}", f"{format_covered(row.uncovered, row.hands, 4)} %"] if row.known else ["", ""]
        size = row.size
        table.add_row(f"{row.shape}{' *' if row.best else ''}", f"{size.nodes:,}", f"{size.sequences:,}",
                      f"{size.decisions:,}", *covered)  # fmt: skip
    console.print(table)
    console.print("* no tree listed with as few nodes leaves out fewer hands")
    for note in (note for row in rows if (note := row.note)):
        console.print(note)
    document: list[dict[str, Any]] = [row.content() for row in rows]
    if json_file is not None:
        write_json(json_file, json_document("study-trees", trees=document))
    if csv_file is not None:
        write_csv(csv_file, document)
    if svg_file is not None or png_file is not None:
        pictures = draw_selection_curve(rows)
        for path, picture in zip((svg_file, png_file), pictures, strict=True):
            if path is not None:
                with open_output(path) as stream:
                    stream.write(picture)
