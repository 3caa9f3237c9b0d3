"""What ``hedgehog pack report`` shows: the averages of every line, and the flops if they are few."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from rich.table import Table

from hedgehog.analysis.packs.flop_lines import Decision
from hedgehog.analysis.packs.flop_report import PLAYERS, Average, FlopReport, LineReport
from hedgehog.analysis.stats.number_text import format_number, format_signed
from hedgehog.cli.console import output_console
from hedgehog.poker.isomorphism import class_name
from hedgehog.runtime.table import MISSING

MOST_SHOWN: Final = 40
"""Flops that a table on the terminal lists at most."""


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
