"""The curve of strength of a training, from its snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from benchmarks.common import run
from hedgehog.analysis.packs.blueprint_curve import CurvePoint, measure_curve, plot_curve, snapshot_files
from hedgehog.analysis.stats.number_text import format_error
from hedgehog.cli.console import output_console, text_table
from hedgehog.cli.outputs import Outputs, output_options
from hedgehog.cli.progress import show_progress
from hedgehog.cli.solves.solver_options import seed_option, threads_option
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.machine import num_processors
from hedgehog.runtime.table import MISSING
from hedgehog.solver.blueprint.match import MatchResult


@click.command()
@click.argument("work", metavar="WORK...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--boards", type=click.IntRange(2, 1_000_000), default=300, show_default=True, help="Boards per match.")
@seed_option(1, "Seed of the boards.")
@threads_option
@output_options(json="the figures", svg="the picture as SVG")
def main(work: tuple[Path, ...], boards: int, seed: int, threads: int | None, outputs: Outputs) -> None:
    """Play the snapshots of a blueprint training against the last one and against each other.

    WORK is the work folder of 'hedgehog pack build' with its blueprint-NNN.npz, or single files. No cards are dealt to
    players: every result is exact over all hands of each board, in both seats.
    """
    outputs.claim(*work)
    files = snapshot_files(work)
    with show_progress("snapshots", None, "matches") as shown:

        def on_match(done: int, total: int) -> None:
            shown.total = total
            shown.update(done)

        points = measure_curve(files, boards, seed, threads or num_processors(), on_match)
    console = output_console()
    console.print(_table(points, boards))
    for point in points:
        for fault in point.faults:
            console.print(f"{point.file}: {fault}", markup=False)
    found = [asdict(point) for point in points]
    outputs.write_json(json_document("bench-blueprint", seed=seed, boards=boards, points=found))
    title = f"Strength of the blueprint over training time ({boards} boards a match, all hands)"
    outputs.write("svg", lambda: plot_curve(points, title))


def _table(points: Sequence[CurvePoint], boards: int) -> Table:
    names = list(points[-1].frequencies)
    rows = []
    for point in points:
        shares = [f"{100 * point.frequencies[n]:.1f} %" if n in point.frequencies else MISSING for n in names]
        matches = _result(point.against_last), _result(point.against_previous)
        gate = f"{len(point.faults)} faults" if point.faults else "met"
        rows.append((point.file, f"{point.seconds / 60:.1f}", f"{point.iterations:,}", *matches, *shares, gate))
    title = f"mbb per hand ± 1 standard error, {boards} boards, all hands, both seats"
    headings = ("snapshot", "minutes", "iterations", "against the last", "against the one before", *names, "gate")
    table = text_table(title, headings, rows)
    for one in table.columns:
        one.overflow = "fold"
    return table


def _result(result: MatchResult | None) -> str:
    return MISSING if result is None else f"{result.mbb_per_hand:+.1f} {format_error(result.standard_error)}"


if __name__ == "__main__":
    run(main)
