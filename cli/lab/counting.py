"""Counts groups without solving: below the board of a spot, and on a sample of flops."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, cast

from hedgehog.analysis.lab.tables import counts_table, sample_table
from hedgehog.cli.console import output_console
from hedgehog.cli.lab.abstraction_run import FOLDER
from hedgehog.cli.lab.views import print_table
from hedgehog.cli.outputs import write_json, write_output
from hedgehog.cli.progress import show_progress
from hedgehog.poker.cards import format_cards
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.outputs import make_folder, remove_contents, verify_output_folder
from hedgehog.runtime.table import Table, table_records
from hedgehog.solver.abstraction.board_classes import ClassRule
from hedgehog.solver.abstraction.counts import R7, count_groups, count_sample, sample_means
from hedgehog.solver.abstraction.hand_values import MEASURES, Measure, Opponents
from hedgehog.solver.abstraction.identity import Test
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot


def run_counts(
    spot: PostflopSpot, measures: Sequence[str], opponents: str, classes: str, out: Path | None, *, overwrite: bool
) -> None:
    """Counts the groups of both players' hands below the board of a spot."""
    _claim(out, overwrite=overwrite)
    wanted = cast(Sequence[Measure], measures)
    ranges = spot.live_range(0), spot.live_range(1)
    with show_progress("groups", 2 * len(measures), "measures") as bar:
        found = [
            count_groups(
                spot.board,
                ranges,
                player=player,
                opponents=cast(Opponents, opponents),
                classes=cast(ClassRule, classes),
                measures=wanted,
                tick=bar.advance,
            )
            for player in (0, 1)
        ]
    table = counts_table(found, PLAYERS)
    _finish(spot.name, "counts", [table], out, {"opponents": opponents, "classes": classes})


def run_sample(
    measures: Sequence[str], tests: Sequence[str], opponents: str, classes: str, out: Path | None, *, overwrite: bool
) -> None:
    """Counts the groups of all hands on the flops of the sample R7."""
    _claim(out, overwrite=overwrite)
    with show_progress("groups", len(R7) * len(MEASURES), "measures") as bar:
        found = count_sample(opponents=cast(Opponents, opponents), classes=cast(ClassRule, classes), tick=bar.advance)
    means = {
        f"{measure}-{test}": sample_means(found, cast(Measure, measure), cast(Test, test))
        for measure in measures
        for test in tests
    }
    tables = [counts_table(found, [format_cards(one.board) for one in found]), sample_table(means)]
    _finish("r7", "sample", tables, out, {"opponents": opponents, "classes": classes})


def _claim(out: Path | None, *, overwrite: bool) -> None:
    if out is not None:
        verify_output_folder(out, FOLDER, proceed=overwrite)
        if out.exists():
            remove_contents(out, FOLDER)


def _finish(
    name: str, kind: Literal["counts", "sample"], tables: Sequence[Table], out: Path | None, options: dict[str, str]
) -> None:
    if out is not None:
        _write(name, kind, tables, out, options)
    console = output_console()
    for table in tables:
        print_table(console, table)


def _write(
    name: str, kind: Literal["counts", "sample"], tables: Sequence[Table], out: Path, options: dict[str, str]
) -> None:
    make_folder(out)
    for table in tables:
        write_output(out / f"{table.name}.csv", table.csv())
    content: dict[str, Any] = {**table_records(tables)}
    document = json_document("abstractions", game=name, players=PLAYERS, counted=kind, options=options, **content)
    write_json(out / "results.json", document)
