"""Counts groups without solving: below the board of a spot, and on a sample of flops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from hedgehog.analysis.lab.report import Findings, output_folder, write_report
from hedgehog.analysis.lab.row_files import FOLDER
from hedgehog.analysis.lab.tables import counts_table, sample_table
from hedgehog.poker.cards import format_cards
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.outputs import remove_contents, verify_output_folder
from hedgehog.runtime.table import Table, table_records
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.abstraction.board_classes import ClassRule
from hedgehog.solver.abstraction.counts import R7, Tick, count_groups, count_sample, sample_means
from hedgehog.solver.abstraction.hand_values import MEASURES, Measure, Opponents
from hedgehog.solver.abstraction.identity import TESTS, Test
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot


def count_spot(
    spot: PostflopSpot,
    measures: Sequence[Measure] = MEASURES,
    opponents: Opponents = "range",
    classes: ClassRule = "exact",
    out: Path | None = None,
    *,
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
    watch: Watch = SILENT,
) -> Findings:
    """Counts the groups of both players' hands below the board of a spot.

    :param measures: what makes hands equal.
    :param opponents: the hands that a hand meets.
    :param classes: boards that count as equal.
    :param out: folder for CSV files and ``results.json``; None for no files.
    :param overwrite: replace results in ``out``.
    :param inputs: files that were read, none of which may be in ``out``.
    :raises InputError: if ``out`` holds anything else, or results without ``overwrite``.
    """
    with _folder(out, inputs, overwrite=overwrite):
        tick = _counter(watch, 2 * len(measures))
        found = [
            count_groups(
                spot.board,
                (spot.live_range(0), spot.live_range(1)),
                player=player,
                opponents=opponents,
                classes=classes,
                measures=measures,
                tick=tick,
            )
            for player in (0, 1)
        ]
        return _findings(spot.name, "counts", [counts_table(found, PLAYERS)], out, opponents, classes)


def count_flops(
    measures: Sequence[Measure] = MEASURES,
    tests: Sequence[Test] = TESTS,
    opponents: Opponents = "uniform",
    classes: ClassRule = "relaxed",
    out: Path | None = None,
    *,
    overwrite: bool = False,
    watch: Watch = SILENT,
) -> Findings:
    """Counts the groups of all hands on the flops of the sample R7; the parameters are those of :func:`count_spot`.

    :param tests: ways to tell equal hands, for the means over the sample.
    :raises InputError: if ``out`` holds anything else, or results without ``overwrite``.
    """
    with _folder(out, (), overwrite=overwrite):
        found = count_sample(opponents=opponents, classes=classes, tick=_counter(watch, len(R7) * len(MEASURES)))
        means = {f"{measure}-{test}": sample_means(found, measure, test) for measure in measures for test in tests}
        tables = [counts_table(found, [format_cards(one.board) for one in found]), sample_table(means)]
        return _findings("r7", "sample", tables, out, opponents, classes)


def _counter(watch: Watch, total: int) -> Tick:
    """Returns a function that tells a watch of one more measure."""
    watch.begin("groups", total, "measures")
    numbers = iter(range(1, total + 1))
    return lambda: watch.update(next(numbers))


@contextmanager
def _folder(out: Path | None, inputs: Sequence[Path], *, overwrite: bool) -> Iterator[None]:
    """Empties a folder, and holds it while the block runs."""
    if out is None:
        yield
        return
    with output_folder(out, FOLDER, inputs):
        verify_output_folder(out, FOLDER, proceed=overwrite)
        remove_contents(out, FOLDER)
        yield


def _findings(
    name: str,
    kind: Literal["counts", "sample"],
    tables: Sequence[Table],
    out: Path | None,
    opponents: str,
    classes: str,
) -> Findings:
    """Returns what was found, after writing it to a folder."""
    content: dict[str, Any] = {"counted": kind, "options": {"opponents": opponents, "classes": classes}}
    document = json_document("abstractions", game=name, players=PLAYERS, **(content | table_records(tables)))
    found = Findings(tuple(tables), document)
    if out is not None:
        write_report(out, found)
    return found
