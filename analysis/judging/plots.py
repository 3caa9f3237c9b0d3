"""Pictures of a session: the running sums of result, luck and skill over the hands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from hedgehog.analysis.drawing.charts import INK, MUTED, SERIES, draw_inline_svg, draw_svg_and_png
from hedgehog.analysis.drawing.line_labels import label_lines
from hedgehog.analysis.judging import judges
from hedgehog.analysis.judging.session import SessionReport
from hedgehog.analysis.stats.number_text import format_number, format_signed, format_tick
from hedgehog.runtime.errors import escape_controls

_WIDTH: Final = 8.6
_HEIGHT: Final = 3.9
_MAX_POINTS: Final = 1_000
_LABELS: Final = {
    judges.RESULT: "result",
    judges.LUCK: "luck",
    judges.BASELINE: "baseline",
    judges.DIVAT: "DIVAT",
    judges.DIVAT_ROE: "DIVAT by ROE",
    judges.BETTING: "betting",
    judges.ALL_IN: "all-in adjusted",
    judges.AIVAT: "AIVAT",
}
"""The measures that are drawn, in the order of their colours."""
_WITH_INTERVALS: Final = (judges.RESULT, judges.DIVAT, judges.AIVAT)
"""The measures whose 95 % interval is drawn as a band: two at most, so that bands stay apart."""
_COLOURS: Final = dict(zip(_LABELS, (INK, *SERIES), strict=False))


def draw_sessions(reports: Sequence[SessionReport]) -> tuple[bytes, bytes]:
    """Returns the curves of sessions, one below the other, as the bytes of an SVG file and of a PNG file."""

    def draw(figure: Figure) -> None:
        figure.set_size_inches(_WIDTH, _HEIGHT * len(reports))
        for axes, report in zip(np.ravel(figure.subplots(len(reports))), reports, strict=True):
            title = escape_controls(f"{report.player} against {report.opponent}")
            axes.set_title(title, loc="left", color=INK, fontsize=10, parse_math=False)
            _draw_curves(axes, report)

    return draw_svg_and_png(draw)


def plot_session(name: str, report: SessionReport) -> Markup:
    """Returns the curves of one session as an element of an HTML page.

    :param name: prefix of all ids in the element, unique in the page.
    """

    def draw(figure: Figure) -> None:
        figure.set_size_inches(_WIDTH, _HEIGHT)
        _draw_curves(figure.add_subplot(), report)

    ends = "; ".join(
        f"{label} {format_signed(float(report.curves[one][-1]), 1)}"
        for one, label in _LABELS.items()
        if one in report.curves
    )
    title = escape_controls(f"Running sums of {report.player} against {report.opponent}")
    return draw_inline_svg(name, title, f"After {report.hands:,} hands, in {report.unit}: {ends}.", draw)


def _draw_curves(axes: Axes, report: SessionReport) -> None:
    step = math.ceil(report.hands / _MAX_POINTS)
    shown = np.unique([*range(step - 1, report.hands, step), report.hands - 1])
    hands = np.concatenate([[0], shown + 1])
    axes.axhline(0, color=MUTED, linewidth=0.8, zorder=1)
    ends, colours = {}, {}
    for measure, label in _LABELS.items():
        if measure not in report.curves:
            continue
        curve = np.concatenate([[0.0], report.curves[measure][shown]])
        if measure in _WITH_INTERVALS and not report.biased:
            margin = np.concatenate([[0.0], np.nan_to_num(report.margins(measure)[shown])])
            axes.fill_between(hands, curve - margin, curve + margin, color=_COLOURS[measure], alpha=0.12, linewidth=0)
        width = 1.8 if measure == judges.RESULT else 1.3
        axes.plot(hands, curve, color=_COLOURS[measure], linewidth=width, zorder=2)
        ends[label] = (float(hands[-1]), float(curve[-1]))
        colours[label] = _COLOURS[measure]
    axes.set_xlim(0, float(hands[-1]))
    axes.set_xlabel("hands")
    axes.set_ylabel(report.unit)
    axes.grid(axis="y")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: format_number(value)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_tick(value)))
    label_lines(axes, ends, colours, left=False)
