"""Renders the report on a flop pack as one HTML page without references to other files.

The averages are tables in the page. A script adds the table of all flops, which can be sorted and filtered, with
pictures of the chosen flops; its numbers are in the page as JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.drawing.templates import render_template
from hedgehog.analysis.packs.flop_report import PLAYERS, Average, FlopReport, LineReport
from hedgehog.analysis.stats.number_text import format_number, format_signed
from hedgehog.poker.isomorphism import class_name
from hedgehog.poker.textures import KINDS, TEXTURES, texture_table
from hedgehog.runtime.table import MISSING

_SIZES: Final = ("raise", "large", "larger", "largest")
ASKED: Final = "asked for"
"""Name of the filter for the flops that fit the textures of the command."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A picture of frequencies: the parts of a bar of width 100."""

    parts: tuple[tuple[str, float, float], ...]
    """Style, left end and width of each part."""
    text: str
    """The frequencies in words."""


@dataclass(frozen=True, slots=True)
class PageRow:
    """One group of flops in the table of a decision."""

    name: str
    difference: bool
    """Whether the row has differences to the row of all flops."""
    cells: tuple[str, ...]
    bar: Bar | None


def action_styles(actions: Sequence[str]) -> list[str]:
    """Returns the name of the style of each action: ``fold``, ``call``, ``jam``, or one of four for bets and raises."""
    styles: list[str] = []
    for action in actions:
        if action.startswith(("bet", "raise")):
            styles.append(_SIZES[min(sum(style in _SIZES for style in styles), len(_SIZES) - 1)])
        else:
            styles.append({"fold": "fold", "all-in": "jam"}.get(action, "call"))
    return styles


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
        "rows": list(_rows(each)),
        "decisions": [
            {
                "name": decision.name,
                "player": PLAYERS[decision.player].upper(),
                "actions": list(zip(decision.actions, action_styles(decision.actions), strict=True)),
                "rows": list(_decision_rows(each, place)),
            }
            for place, decision in enumerate(each.decisions)
        ],
    }


def _rows(each: LineReport) -> Iterator[PageRow]:
    whole = each.over_all
    for average in (whole, *each.groups):
        error = f" ± {100 * average.ev_error:.2f}" if average.ev_error > 0 else ""
        cells = [f"{average.flops:,}", _percent(average.share), _percent(average.equity, 2)]
        cells += [_percent(average.ev, 2) + error, _percent(average.ev / average.equity)]
        yield PageRow(average.name, False, (*cells, format_number(average.exploitability, 2)), None)
        if each.filtered and average is not whole:
            realised = average.ev / average.equity - whole.ev / whole.equity
            cells = ["", "", _signed(average.equity - whole.equity, 2), _signed(average.ev - whole.ev, 2)]
            cells += [_signed(realised), format_signed(average.exploitability - whole.exploitability, 2)]
            yield PageRow("less all", True, tuple(cells), None)


def _decision_rows(each: LineReport, place: int) -> Iterator[PageRow]:
    whole = each.over_all
    for average in (whole, *each.groups):
        cells = (_percent(average.reach[place]), *map(_percent, average.frequencies[place]))
        yield PageRow(average.name, False, cells, _bar(each, place, average))
        if each.filtered and average is not whole:
            pairs = zip(average.frequencies[place], whole.frequencies[place], strict=True)
            reached = _signed(average.reach[place] - whole.reach[place])
            yield PageRow("less all", True, (reached, *(_signed(here - there) for here, there in pairs)), None)


def _bar(each: LineReport, place: int, average: Average) -> Bar:
    actions = each.decisions[place].actions
    parts, left = [], 0.0
    for style, share in zip(action_styles(actions), average.frequencies[place], strict=True):
        if share >= 0.0005:
            parts.append((style, round(left, 2), round(100 * share, 2)))
        left += 0.0 if np.isnan(share) else 100 * share
    shares = zip(actions, average.frequencies[place], strict=True)
    return Bar(tuple(parts), ", ".join(f"{action} {_percent(share)} %" for action, share in shares))


def _percent(share: float, decimals: int = 1) -> str:
    return MISSING if np.isnan(share) else format_number(100 * share, decimals)


def _signed(share: float, decimals: int = 1) -> str:
    return MISSING if np.isnan(share) else format_signed(100 * share, decimals)


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
