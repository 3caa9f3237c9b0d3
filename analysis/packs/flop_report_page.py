"""Renders the report on a flop pack as one HTML page without references to other files.

The averages are tables in the page. A script adds the table of all flops, which can be sorted and filtered, with
pictures of the chosen flops; its numbers are in the page as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.drawing.templates import render_template
from hedgehog.analysis.packs.flop_report import PLAYERS, Average, FlopReport, LineReport
from hedgehog.analysis.packs.flop_report_tables import LESS_ALL, decision_rows, line_rows, percent
from hedgehog.analysis.stats.number_text import format_number
from hedgehog.poker.hand_grid import action_styles
from hedgehog.poker.isomorphism import class_name
from hedgehog.poker.textures import KINDS, TEXTURES, texture_table

ASKED: Final = "asked for"
"""Name of the filter for the flops that fit the textures of the command."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A picture of frequencies: the parts of a bar of width 100."""

    parts: tuple[tuple[str, float, float], ...]
    """Style, left end and width of each part."""
    text: str
    """The frequencies in words."""


def render_report(report: FlopReport) -> str:
    """Returns the report as an HTML page. The same report gives the same bytes."""
    manifest = report.pack.pack.manifest
    sections = [_section(each) for each in report.lines]
    return render_template(
        "flop_report.html",
        {"number": format_number},
        title=manifest.name,
        tier=manifest.tier,
        made=f"{manifest.provenance.date}, Hedgehog {manifest.provenance.hedgehog_version}",
        runouts=report.runouts,
        quick=report.pack.quick is not None,
        subset=report.subset,
        filtered=[term.text for term in report.lines[0].terms] if report.lines[0].filtered else [],
        sections=sections,
        data=_data(report),
    )


def _section(each: LineReport) -> dict[str, Any]:
    line = each.line
    return {
        "betting": line.betting,
        "pot": line.pot,
        "stack": line.stack,
        "flops": len(each.counts),
        "has_ev": bool(np.isfinite(each.figures.ev).any()),
        "has_exploitability": bool(np.isfinite(each.figures.exploitability).any()),
        "rows": _page_rows(line_rows(each), {}),
        "decisions": [
            {
                "name": decision.name,
                "player": PLAYERS[decision.player].upper(),
                "actions": list(zip(decision.actions, action_styles(decision.actions), strict=True)),
                "rows": _page_rows(
                    decision_rows(each, place),
                    {average.name: _bar(each, place, average) for average in (each.over_all, *each.groups)},
                ),
            }
            for place, decision in enumerate(each.decisions)
        ],
    }


def _page_rows(rows: Iterable[tuple[str, ...]], bars: Mapping[str, Bar]) -> list[dict[str, Any]]:
    """Returns the rows of a table of groups of flops, each with its bar, if there is one."""
    return [
        {"name": name, "difference": name == LESS_ALL, "cells": cells, "bar": bars.get(name)} for name, *cells in rows
    ]


def _bar(each: LineReport, place: int, average: Average) -> Bar:
    actions = each.decisions[place].actions
    parts, left = [], 0.0
    for style, share in zip(action_styles(actions), average.frequencies[place], strict=True):
        if share >= 0.0005:
            parts.append((style, round(left, 2), round(100 * share, 2)))
        left += 0.0 if np.isnan(share) else 100 * share
    shares = zip(actions, average.frequencies[place], strict=True)
    return Bar(tuple(parts), ", ".join(f"{action} {percent(share)} %" for action, share in shares))


def _data(report: FlopReport) -> dict[str, Any]:
    """Returns the numbers of the script: whole numbers, so that the page stays small."""
    everything = np.unique(np.concatenate([each.figures.classes for each in report.lines]))
    place = {int(flop_class): i for i, flop_class in enumerate(everything)}
    table = texture_table()[everything].astype(np.int64) @ (1 << np.arange(len(TEXTURES)))
    return {
        "flops": [class_name(3, int(flop_class)).replace(" ", "") for flop_class in everything],
        "textures": table.tolist(),
        "kinds": [[kind, list(names)] for kind, names in KINDS.items()],
        "asked": ASKED,
        "lines": [
            {
                "name": each.line.betting,
                "at": [place[int(flop_class)] for flop_class in each.figures.classes],
                "asked": np.flatnonzero(each.listed).tolist() if each.filtered else None,
                "weight": _whole(each.weights, 1e8),
                "equity": _whole(each.figures.equity, 1e4),
                "ev": _whole(each.figures.ev, 1e4),
                "error": _whole(each.figures.ev_error, 1e4),
                "exploitability": _whole(each.figures.exploitability, 1e3),
                "decisions": [
                    {
                        "name": decision.name,
                        "player": PLAYERS[decision.player].upper(),
                        "actions": list(decision.actions),
                        "styles": action_styles(decision.actions),
                        "reach": _whole(reach, 1e5),
                        "shares": [_whole(column, 1e3) for column in frequencies.T],
                    }
                    for decision, reach, frequencies in zip(each.decisions, each.reach, each.frequencies, strict=True)
                ],
            }
            for each in report.lines
        ],
    }


def _whole(values: NDArray[np.float64], scale: float) -> list[int | None] | None:
    """Returns values times ``scale`` as whole numbers, None for NaN; None for a list of nothing else."""
    if not np.isfinite(values).any():
        return None
    return [None if np.isnan(value) else round(scale * value) for value in values.tolist()]
