"""The tables of the report on a flop pack, for a terminal, a notebook and the page of the report; shares in percent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import Final

from hedgehog.analysis.packs.flop_report import PLAYERS, LineReport
from hedgehog.analysis.stats.number_text import format_number, format_signed
from hedgehog.poker.isomorphism import class_name
from hedgehog.runtime.table import Column, Table

LESS_ALL: Final = "less all"
"""Name of a row with the differences between the group above it and all flops."""


def line_rows(each: LineReport) -> Iterator[tuple[str, ...]]:
    """Yields the figures over all flops and over each group, as texts.

    :returns: rows of name, number of classes, weight, equity, EV, EV/equity and exploitability. Behind each group that
        the user asked for stands a row :data:`LESS_ALL`.
    """
    whole = each.over_all
    for average in (whole, *each.groups):
        error = f" ± {100 * average.ev_error:.2f}" if average.ev_error > 0 else ""
        yield (
            *(average.name, f"{average.flops:,}", percent(average.share), percent(average.equity, 2)),
            *(percent(average.ev, 2) + error, percent(average.realised)),
            format_number(average.exploitability, 2),
        )
        if each.filtered and average is not whole:
            yield (
                *(LESS_ALL, "", "", _signed(average.equity - whole.equity, 2), _signed(average.ev - whole.ev, 2)),
                *(
                    _signed(average.realised - whole.realised),
                    format_signed(average.exploitability - whole.exploitability, 2),
                ),
            )


def decision_rows(each: LineReport, place: int) -> Iterator[tuple[str, ...]]:
    """Yields how often all flops and each group come to a decision and take every action there, as texts.

    :param place: place of the decision among the reported ones.
    :returns: rows of name, reach and frequencies, with rows :data:`LESS_ALL` as in :func:`line_rows`.
    """
    whole = each.over_all
    for average in (whole, *each.groups):
        yield (average.name, percent(average.reach[place]), *map(percent, average.frequencies[place]))
        if each.filtered and average is not whole:
            pairs = zip(average.frequencies[place], whole.frequencies[place], strict=True)
            differences = (average.reach[place] - whole.reach[place], *(here - there for here, there in pairs))
            yield (LESS_ALL, *map(_signed, differences))


def line_tables(each: LineReport, most: int) -> Iterator[Table]:
    """Yields the tables of a line: its figures, the frequencies at every decision, and its flops if they are few.

    :param most: number of flops that a table lists at most.
    """
    line, over_all = each.line, each.over_all
    has_ev, has_exploitability = not math.isnan(over_all.ev), not math.isnan(over_all.exploitability)
    known = (True, True, True, True, has_ev, has_ev, has_exploitability)
    names = ("flops", "classes", "weight", "equity", "EV", "EV/equity", "exploitable")
    title = f"{line.betting}: pot {line.pot:,}, {line.stack:,} behind"
    yield _table(title, compress(names, known), (tuple(compress(row, known)) for row in line_rows(each)))
    for place, decision in enumerate(each.decisions):
        title = f"{line.betting}/{decision.name}: {PLAYERS[decision.player].upper()} acts, frequencies"
        yield _table(title, ("flops", "seen", *decision.actions), decision_rows(each, place))
    listed = each.listed.nonzero()[0]
    if len(listed) <= most:
        yield _flop_table(each, listed.tolist(), has_ev=has_ev, has_exploitability=has_exploitability)


def _flop_table(each: LineReport, listed: Sequence[int], *, has_ev: bool, has_exploitability: bool) -> Table:
    figures = each.figures
    columns = [("weight", 100 * each.weights, 2), ("equity", 100 * figures.equity, 1)]
    columns += [("EV", 100 * figures.ev, 1)] if has_ev else []
    columns += [("exploitable", figures.exploitability, 2)] if has_exploitability else []
    for decision, frequencies in zip(each.decisions, each.frequencies, strict=True):
        named = zip(decision.actions, 100 * frequencies.T, strict=True)
        columns += [(f"{decision.name}: {action}", shares, 1) for action, shares in named]
    rows = (
        (class_name(3, int(figures.classes[place])), *(format_number(of[place], digits) for _, of, digits in columns))
        for place in listed
    )
    return _table(f"{each.line.betting}, flop by flop", ("flop", *(name for name, _, _ in columns)), rows)


def _table(title: str, headings: Iterable[str], rows: Iterable[tuple[str, ...]]) -> Table:
    # Actions of a damaged pack may have equal names, columns may not.
    columns = [Column(str(number), heading, left=not number) for number, heading in enumerate(headings)]
    return Table("figures", title, columns, tuple(rows))


def percent(share: float, decimals: int = 1) -> str:
    """Returns a share as text, in percent without the sign."""
    return format_number(100 * share, decimals)


def _signed(share: float, decimals: int = 1) -> str:
    return format_signed(100 * share, decimals)
