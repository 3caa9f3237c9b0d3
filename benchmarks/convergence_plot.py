"""Draws the convergence of algorithms: exploitability over iterations and over seconds, on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from hedgehog.analysis.drawing.charts import MUTED, SERIES, SURFACE, draw_svg_and_png
from hedgehog.analysis.drawing.line_labels import line_style
from hedgehog.analysis.solves.convergence import LEVELS_PCT, Curve
from hedgehog.solver.cfr.algorithms import parse_algorithm

_SIZE: Final = (10.0, 4.4)
"""Width and height of the picture in inches."""
_MARKERS: Final = "os^vDPX<>h*"
_MARKS_PER_LINE: Final = 6
_FIRST_RESTART: Final = 4
"""First marked restart. Averages also restart at iteration 1, but there they have nothing to forget."""


def plot_curves(curves: Sequence[Curve], spot: str, clock: str) -> tuple[bytes, bytes]:
    """Returns a picture of the curves of one spot as the bytes of an SVG and of a PNG file.

    :param curves: one curve per algorithm.
    :param spot: name of the spot for the title.
    :param clock: label of the time axis, such as ``CPU seconds``.
    """

    def draw(figure: Figure) -> None:
        figure.set_size_inches(*_SIZE)
        left, right = figure.subplots(1, 2, sharey=True)
        for number, curve in enumerate(curves):
            pct = [look.pct_pot for look in curve.looks]
            style = _style(number, len(pct))
            left.plot([look.iteration for look in curve.looks], pct, label=curve.algorithm, **style)
            right.plot([look.seconds for look in curve.looks], pct, **style)
        for axes in (left, right):
            _scale(axes)
        restarting = [curve.algorithm for curve in curves if _restarts(curve.algorithm)]
        if restarting:
            _mark_restarts(left, restarting)
        left.set_xlabel("iterations")
        right.set_xlabel(clock)
        left.set_ylabel("exploitability in % of the pot")
        figure.suptitle(spot, fontsize=10, x=0.01, ha="left")
        # Runs end at the same target, so names beside the ends of the lines would pile up.
        handles, names = left.get_legend_handles_labels()
        order = sorted(range(len(curves)), key=lambda number: _place(curves[number]))
        figure.legend(
            [handles[i] for i in order], [names[i] for i in order], loc="outside right upper", handlelength=3.2
        )

    return draw_svg_and_png(draw)


def _style(number: int, looks: int) -> dict[str, Any]:
    """Returns matplotlib's arguments for the line with this number. The marks of lines that coincide alternate."""
    # The eighth colour is close to the first: dashes begin before it.
    every = max(looks // _MARKS_PER_LINE, 1)
    return {
        **line_style(number + number // (len(SERIES) - 1)),
        "linewidth": 1.4,
        "marker": _MARKERS[number % len(_MARKERS)],
        "markersize": 4.5,
        "markerfacecolor": SURFACE,
        "markeredgewidth": 1.0,
        "markevery": (number * every // 3 % every, every),
    }


def _restarts(name: str) -> bool:
    """Tells whether an algorithm restarts its average at the same iterations on all boards."""
    algorithm = parse_algorithm(name.removesuffix(" (interrupted)"))
    return bool(algorithm["reset"]) and not algorithm.samples_cards


def _mark_restarts(axes: Axes, names: Sequence[str]) -> None:
    """Marks the iterations at which averages begin anew: the powers of 4."""
    low, high = axes.get_xlim()
    restart = _FIRST_RESTART
    while restart < high:
        if restart > low:
            axes.axvline(restart, color=MUTED, linewidth=0.7, linestyle=(0, (1, 3)), zorder=1)
        restart *= 4
    note = f"{', '.join(names)}: the average begins anew at 4, 16, 64, ... iterations (dotted)"
    axes.set_title(note, fontsize=8, color=MUTED, loc="left")


def _place(curve: Curve) -> tuple[float, float]:
    """Returns a sort key: curves that reach lower levels come first, and among these the fastest."""
    reached = [level for level in LEVELS_PCT if curve.first_below(level) is not None]
    if not reached:
        return math.inf, curve.looks[-1].pct_pot
    first = curve.first_below(min(reached))
    return min(reached), math.inf if first is None else first.seconds


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
