"""The curve of strength of a training, from its snapshots."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from benchmarks.common import run
from hedgehog.analysis.packs.blueprint_curve import CurvePoint, measure_curve, plot_curve, snapshot_files
from hedgehog.analysis.stats.number_text import format_error
from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import (
    claim_outputs,
    json_option,
    output_option,
    overwrite_option,
    write_json,
    write_output,
)
from hedgehog.cli.progress import show_progress
from hedgehog.cli.solves.solver_options import seed_option, threads_option
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.table import MISSING
from hedgehog.solver.blueprint.match import MatchResult


@click.command()
@click.argument("work", metavar="WORK...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--boards", type=click.IntRange(2, 1_000_000), default=300, show_default=True, help="Boards per match.")
@seed_option(1, "Seed of the boards.")
@threads_option
@json_option("the figures")
@output_option("--svg", "svg_file", "the picture as SVG")
@overwrite_option
def main(
    work: tuple[Path, ...],
    boards: int,
    seed: int,
    threads: int | None,
    json_file: Path | None,
    svg_file: Path | None,
    overwrite: bool,
) -> None:
    """Play the snapshots of a blueprint training against the last one and against each other.

    WORK is the work folder of 'hedgehog pack build' with its blueprint-NNN.npz, or single files. No cards are dealt to
    players: every result is exact over all hands of each board, in both seats.
    """
    claim_outputs(json_file, svg_file, inputs=work, overwrite=overwrite)
    files = snapshot_files(work)
    with show_progress("snapshots", None, "matches") as shown:

        def on_match(done: int, total: int) -> None:
            shown.total = total
            shown.update(done)

        points = measure_curve(files, boards, seed, threads or os.cpu_count() or 1, on_match)
    console = output_console()
    console.print(_table(points, boards))
    for point in points:
        for fault in point.faults:
            console.print(f"{point.file}: {fault}", markup=False)
    if json_file is not None:
        found = [asdict(point) for point in points]
        write_json(json_file, json_document("bench-blueprint", seed=seed, boards=boards, points=found))
    if svg_file is not None:
        title = f"Strength of the blueprint over training time ({boards} boards a match, all hands)"
        write_output(svg_file, plot_curve(points, title).decode())


def _table(points: Sequence[CurvePoint], boards: int) -> Table:
    table = Table(
        title=f"mbb per hand ± 1 standard error, {boards} boards, all hands, both seats", title_justify="left"
    )
    names = list(points[-1].frequencies)
    for column in ("snapshot", "minutes", "iterations", "against the last", "against the one before", *names, "gate"):
        table.add_column(column, justify="left" if column == "snapshot" else "right")
    for point in points:
        shares = [f"{100 * point.frequencies[n]:.1f} %" if n in point.frequencies else MISSING for n in names]
        table.add_row(
            point.file,
            f"{point.seconds / 60:.1f}",
            f"{point.iterations:,}",
            _result(point.against_last),
            _result(point.against_previous),
            *shares,
            f"{len(point.faults)} faults" if point.faults else "met",
        )
    for one in table.columns:
        one.overflow = "fold"
    return table


def _result(result: MatchResult | None) -> str:
    return MISSING if result is None else f"{result.mbb_per_hand:+.1f} {format_error(result.standard_error)}"


if __name__ == "__main__":
    run(main)
