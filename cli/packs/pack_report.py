"""``hedgehog pack report``: EV, equity and frequencies of a flop pack, per flop and over all flops."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.table import Table

from hedgehog.analysis.packs.flop_figures import FlopEvaluator, LineFigures
from hedgehog.analysis.packs.flop_lines import Decision, FlopPack, ReportLine, flop_pack_of
from hedgehog.analysis.packs.flop_report import (
    PLAYERS,
    Average,
    FlopReport,
    LineReport,
    choose_lines,
    class_weights,
    flop_rows,
    report_content,
    report_lines,
    texture_terms,
)
from hedgehog.analysis.stats.number_text import format_number, format_signed
from hedgehog.cli.console import output_console
from hedgehog.cli.outputs import open_output, write_csv, write_json, write_output
from hedgehog.cli.progress import show_progress
from hedgehog.poker.acpc.gamedef import parse_gamedef, shipped_name
from hedgehog.poker.isomorphism import class_name
from hedgehog.runtime.documents import json_document
from hedgehog.runtime.errors import GamedefError, InputError
from hedgehog.runtime.packages import require
from hedgehog.runtime.table import MISSING
from hedgehog.strategies.flop_subsets import find_flop_subset
from hedgehog.strategies.pack import open_pack

MOST_SHOWN: Final = 40
"""Flops that a table on the terminal lists at most."""


def make_report(
    path: Path,
    lines: Sequence[str],
    textures: Sequence[str],
    flops: str | None,
    *,
    runouts: int,
    threads: int | None,
    seed: int,
) -> FlopReport:
    """Returns the report on a pack, with a progress bar while figures are computed.

    :param path: folder of the pack.
    :param lines: the lines as the user writes them; empty for all.
    :param textures: texture filters.
    :param flops: a subset as the user writes it; None for all flops of the pack.
    :param runouts: sampled run-outs for each flop of a quick pack.
    :param threads: number of threads; None for all processors.
    :param seed: seed of the run-outs.
    """
    terms = texture_terms(textures)
    subset = None if flops is None else find_flop_subset(flops)
    pack = flop_pack_of(open_pack(path))
    chosen = choose_lines(pack, lines)
    workers = threads or len(os.sched_getaffinity(0))
    evaluator = FlopEvaluator(pack, runouts=runouts, threads=workers, seed=seed)
    counts = {line.name: class_weights(line, subset) for line, _ in chosen}
    for line, _ in chosen:
        if terms and not any((term.classes()[line.classes] & (counts[line.name] > 0)).any() for term in terms):
            raise InputError(f"no flop of the pack is {' or '.join(term.text for term in terms)}", source=str(path))
    missing = sum(evaluator.missing(line, counts[line.name] > 0) for line, _ in chosen)
    with show_progress("computing", missing, "flops") as shown:
        shown.update(0)
        reports = report_lines(evaluator, chosen, terms, subset, shown.advance)
    used = runouts if pack.quick is not None else 0
    return FlopReport(pack, reports, used, None if subset is None else subset.name)


def all_figures(pack: FlopPack, lines: Sequence[ReportLine], *, runouts: int, threads: int) -> list[LineFigures]:
    """Returns the figures of all flops of some lines, with a progress bar.

    :param runouts: sampled run-outs behind each EV of a quick pack; 0 for no EVs.
    :param threads: number of threads.
    """
    evaluator = FlopEvaluator(pack, runouts=runouts, threads=threads)
    every = [np.ones(len(line.classes), dtype=np.bool_) for line in lines]
    missing = sum(evaluator.missing(line, chosen) for line, chosen in zip(lines, every, strict=True))
    with show_progress("computing", missing, "flops") as shown:
        shown.update(0)
        return [evaluator.figures(line, chosen, shown.advance) for line, chosen in zip(lines, every, strict=True)]


def write_report(
    report: FlopReport,
    seed: int,
    *,
    csv_file: Path | None,
    parquet_file: Path | None,
    json_file: Path | None,
    html_file: Path | None,
) -> None:
    """Writes the report to claimed output files; None writes none."""
    if csv_file is not None:
        write_csv(csv_file, flop_rows(report))
    if parquet_file is not None:
        write_parquet(parquet_file, flop_rows(report))
    if json_file is not None:
        try:
            game = shipped_name(parse_gamedef(report.pack.pack.manifest.gamedef))
        except GamedefError:
            game = None
        document = json_document("flop-report", game=game, seed=seed if report.runouts else None)
        write_json(json_file, document | report_content(report))
    if html_file is not None:
        from hedgehog.analysis.packs.flop_report_page import render_report

        write_output(html_file, render_report(report))


def verify_parquet() -> None:
    """Checks that Parquet files can be written.

    :raises InputError: if pyarrow is not installed.
    """
    require("pyarrow.parquet", "--parquet needs")


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    """Writes rows with the same keys to a claimed output as a Parquet file; NaN becomes null."""
    import pyarrow
    import pyarrow.parquet

    columns = {}
    for name in rows[0] if rows else ():
        values = [row[name] for row in rows]
        columns[name] = pyarrow.array([None if _unknown(value) else value for value in values])
        if pyarrow.types.is_null(columns[name].type):
            columns[name] = columns[name].cast(pyarrow.float64())
    with open_output(path) as file:
        pyarrow.parquet.write_table(pyarrow.table(columns), file, compression="zstd")


def _unknown(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def print_report(report: FlopReport) -> None:
    """Prints the averages of every line, and the flops if they are few."""
    console = output_console()
    for each in report.lines:
        console.print(_line_table(each))
        for place, decision in enumerate(each.decisions):
            console.print(_decision_table(each, place, decision))
        listed = each.listed.nonzero()[0]
        if len(listed) <= MOST_SHOWN:
            console.print(_flop_table(each, listed.tolist()))
    for text in notes(report):
        console.print(text, highlight=False)


def notes(report: FlopReport) -> Iterator[str]:
    """Yields sentences that say what the figures are."""
    yield (
        "EV and equity: of OOP, in % of the pot at the flop; IP has the rest. Frequencies in %. Seen: how often the "
        "hand comes to the decision."
    )
    if report.runouts:
        yield (
            f"EV: both play the pack on the flop and the blueprint on turn and river; estimated from {report.runouts} "
            "run-outs for each flop, with its standard error behind ±."
        )
    elif report.pack.quick is not None:
        yield "No EV: --runouts 0."
    if report.subset is not None:
        yield f"Flops and weights: {report.subset}."
    most = max(int(each.listed.sum()) for each in report.lines)
    if most > MOST_SHOWN:
        yield f"{most:,} flops: --html, --csv, --parquet or --json writes each of them."


def _line_table(each: LineReport) -> Table:
    line, known = each.line, _known(each)
    title = f"{line.betting}: pot {line.pot:,}, {line.stack:,} behind"
    columns = ["flops", "classes", "weight", "equity", *(["EV", "EV/equity"] if known[0] else [])]
    table = _table(title, [*columns, *(["exploitable"] if known[1] else [])])
    for average in (each.over_all, *each.groups):
        table.add_row(*_figures(average, known))
        if each.filtered and average is not each.over_all:
            table.add_row(*_difference(average, each.over_all, known), style="dim")
    return table


def _known(each: LineReport) -> tuple[bool, bool]:
    """Returns whether there are EVs, and whether there are exploitabilities."""
    over_all = each.over_all
    return not math.isnan(over_all.ev), not math.isnan(over_all.exploitability)


def _figures(average: Average, known: tuple[bool, bool]) -> list[str]:
    cells = [average.name, f"{average.flops:,}", _percent(average.share), _percent(average.equity, 2)]
    if known[0]:
        error = f" ± {100 * average.ev_error:.2f}" if average.ev_error > 0 else ""
        cells += [_percent(average.ev, 2) + error, _percent(average.ev / average.equity)]
    return [*cells, *([f"{average.exploitability:.2f}"] if known[1] else [])]


def _difference(average: Average, whole: Average, known: tuple[bool, bool]) -> list[str]:
    cells = ["  less all", "", "", _signed(average.equity - whole.equity, 2)]
    if known[0]:
        realised = average.ev / average.equity - whole.ev / whole.equity
        cells += [_signed(average.ev - whole.ev, 2), _signed(realised)]
    return [*cells, *([format_signed(average.exploitability - whole.exploitability, 2)] if known[1] else [])]


def _decision_table(each: LineReport, place: int, decision: Decision) -> Table:
    title = f"{each.line.betting}/{decision.name}: {PLAYERS[decision.player].upper()} acts, frequencies"
    table = _table(title, ["flops", "seen", *decision.actions])
    for average in (each.over_all, *each.groups):
        shown = [_percent(average.reach[place]), *map(_percent, average.frequencies[place])]
        table.add_row(average.name, *shown)
        if each.filtered and average is not each.over_all:
            pairs = zip(average.frequencies[place], each.over_all.frequencies[place], strict=True)
            reached = _signed(average.reach[place] - each.over_all.reach[place])
            table.add_row("  less all", reached, *(_signed(here - there) for here, there in pairs), style="dim")
    return table


def _flop_table(each: LineReport, places: list[int]) -> Table:
    known = _known(each)
    names = [f"{decision.name}: {action}" for decision in each.decisions for action in decision.actions]
    columns = ["flop", "weight", "equity", *(["EV"] if known[0] else []), *(["exploitable"] if known[1] else [])]
    table = _table(f"{each.line.betting}, flop by flop", [*columns, *names])
    figures = each.figures
    for place in places:
        cells = [class_name(3, int(figures.classes[place])), _percent(float(each.weights[place]), 2)]
        cells.append(_percent(float(figures.equity[place])))
        cells += [_percent(float(figures.ev[place]))] if known[0] else []
        cells += [f"{figures.exploitability[place]:.2f}"] if known[1] else []
        cells += [_percent(float(value)) for frequencies in each.frequencies for value in frequencies[place]]
        table.add_row(*cells)
    return table


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=not number, overflow="fold")
    return table


def _percent(share: float, decimals: int = 1) -> str:
    return format_number(100 * share, decimals) if not math.isnan(share) else MISSING


def _signed(share: float, decimals: int = 1) -> str:
    return format_signed(100 * share, decimals) if not math.isnan(share) else MISSING
