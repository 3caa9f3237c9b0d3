"""Prints and writes the report of ``hedgehog pack report``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hedgehog.analysis.packs.flop_report import FlopReport, flop_rows, report_document
from hedgehog.analysis.packs.flop_report_tables import line_tables
from hedgehog.cli.console import output_console, print_folded
from hedgehog.cli.outputs import Outputs
from hedgehog.strategies.pack_games import depth_of_pack

MOST_SHOWN: Final = 40
"""Flops that a table on the terminal lists at most."""


def write_report(report: FlopReport, outputs: Outputs) -> None:
    """Writes the report to the claimed outputs."""
    outputs.write("csv", lambda: flop_rows(report).csv())
    outputs.write_parquet(lambda: flop_rows(report).records())
    outputs.write_json(lambda: report_document(report))
    if "html" in outputs.files:
        from hedgehog.analysis.packs.flop_report_page import render_report

        outputs.write("html", render_report(report))


def print_report(report: FlopReport) -> None:
    """Prints the averages of every line, and the flops if they are few."""
    for each in report.lines:
        for table in line_tables(each, MOST_SHOWN):
            print_folded(table)
    for text in notes(report):
        output_console().print(text, highlight=False)


def notes(report: FlopReport) -> Iterator[str]:
    """Yields sentences that say what the figures are."""
    depth = depth_of_pack(report.pack.pack.manifest)
    if depth is not None:
        yield f"{report.pack.pack.manifest.name}: for {depth:g} big blinds."
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
