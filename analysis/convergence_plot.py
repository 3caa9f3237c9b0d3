"""The picture of the convergence laboratory: exploitability over iterations and over seconds, log-log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from analysis.convergence import LEVELS_PCT, Curve
from analysis.inline_svg import MUTED, draw_svg_and_png
from analysis.line_labels import label_lines, line_style

_SIZE: Final = (10.0, 4.8)
"""Inches."""


def plot_curves(curves: Sequence[Curve], spot: str, clock: str) -> tuple[bytes, bytes]:
    """Draws the curves of one spot and returns an SVG and a PNG file.

    :param spot: name for the title.
    :param clock: what the seconds are, such as ``CPU seconds``.
    """

    def draw(figure: Figure) -> None:
        figure.set_size_inches(*_SIZE)
        left, right = figure.subplots(1, 2, sharey=True)
        for number, curve in enumerate(curves):
            pct = [look.pct_pot for look in curve.looks]
            style = line_style(number)
            left.plot([look.iteration for look in curve.looks], pct, linewidth=1.6, **style)
            right.plot([look.seconds for look in curve.looks], pct, linewidth=1.6, **style)
        for axes in (left, right):
            _scale(axes)
        left.set_xlabel("iterations")
        right.set_xlabel(clock)
        left.set_ylabel("exploitability in % of the pot")
        figure.suptitle(spot, fontsize=10, x=0.01, ha="left")
        ends = {c.algorithm: (c.looks[-1].seconds, c.looks[-1].pct_pot) for c in curves}
        colours = {c.algorithm: line_style(number)["color"] for number, c in enumerate(curves)}
        label_lines(right, ends, colours, left=False)

    return draw_svg_and_png(draw)


def _scale(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.margins(x=0.02)
    axes.grid(which="major")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(numticks=12))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axis.set_minor_formatter(NullFormatter())
    low, high = axes.get_ylim()
    for level in LEVELS_PCT:
        if low < level < high:
            axes.axhline(level, color=MUTED, linewidth=0.7, linestyle=(0, (1, 3)), zorder=1)
