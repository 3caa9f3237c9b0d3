"""The pictures of the hand-abstraction laboratory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from hedgehog.analysis.drawing.charts import MUTED
from hedgehog.analysis.drawing.line_labels import label_lines, line_style
from hedgehog.analysis.lab.rows import Look, Row, pareto_front

_SIZE: Final = (9.0, 4.6)
_MARGIN: Final = 1.15
"""Room beside the points of a logarithmic axis, as a factor."""
_COARSE: Final = (1.0, 2.0, 5.0)
_FINE: Final = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
"""Ticks in every power of ten."""


def draw_curves(rows: Sequence[tuple[str, Sequence[Look]]], mbb: float, figure: Figure) -> None:
    """Draws both epsilons over iterations on logarithmic axes.

    :param rows: name and looks of each row.
    :param mbb: mbb per chip.
    """
    figure.set_size_inches(*_SIZE)
    axes = figure.subplots()
    ends: dict[str, tuple[float, float]] = {}
    colours: dict[str, str] = {}
    for number, (name, looks) in enumerate(rows):
        colour = line_style(number)["color"]
        iterations = [look.iteration for look in looks]
        axes.plot(iterations, [mbb * look.real for look in looks], color=colour, linewidth=1.5)
        abstract = [mbb * look.abstract for look in looks]
        axes.plot(iterations, abstract, color=colour, linewidth=1.0, linestyle=(0, (1.5, 1.5)))
        ends[name] = iterations[-1], mbb * looks[-1].real
        colours[name] = colour
    _logarithmic(axes)
    axes.set_xlabel("iterations")
    axes.set_ylabel("epsilon in mbb per deal")
    axes.set_title("solid: in the real game; dotted: inside the abstraction", fontsize=8, color=MUTED, loc="left")
    label_lines(axes, ends, colours, left=False)


def draw_memory(rows: Sequence[Row], mbb: float, figure: Figure) -> None:
    """Draws the real epsilon over the memory of each row, with the Pareto front.

    :param mbb: mbb per chip.
    """
    figure.set_size_inches(*_SIZE)
    axes = figure.subplots()
    front = pareto_front(rows)
    axes.plot(
        [row.size.bytes_f32 / 1e6 for row in front],
        [mbb * row.final.real for row in front],
        color=MUTED,
        linewidth=1.0,
        drawstyle="steps-post",
        zorder=1,
    )
    for number, row in enumerate(rows):
        colour = line_style(number)["color"]
        place = row.size.bytes_f32 / 1e6, mbb * row.final.real
        axes.plot(*place, "o", color=colour, markersize=6)
        axes.annotate(row.name, place, xytext=(6, 5), textcoords="offset points", color=colour)
    _logarithmic(axes, _FINE)
    axes.set_xlabel("MB of the algorithm's arrays")
    axes.set_ylabel("real epsilon in mbb per deal")
    axes.set_title("line: no row is both smaller and better", fontsize=8, color=MUTED, loc="left")


def draw_speed(curves: Mapping[str, Sequence[Look]], mbb: float, figure: Figure) -> None:
    """Draws epsilon of algorithms without abstraction over iterations and seconds.

    :param mbb: mbb per chip.
    """
    figure.set_size_inches(*_SIZE)
    left, right = figure.subplots(1, 2, sharey=True)
    for number, (name, looks) in enumerate(curves.items()):
        epsilons = [mbb * look.real for look in looks]
        left.plot([look.iteration for look in looks], epsilons, label=name, **line_style(number))
        right.plot([look.seconds for look in looks], epsilons, **line_style(number))
    for axes, label in ((left, "iterations"), (right, "seconds")):
        _logarithmic(axes)
        axes.set_xlabel(label)
    left.set_ylabel("epsilon in mbb per deal")
    handles, names = left.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=3)


def draw_winnings(curves: Mapping[str, Sequence[tuple[int, float]]], unit: str, figure: Figure) -> None:
    """Draws winnings over deals, one line per pairing of profiles.

    :param curves: pairing -> (deals, winnings of its first profile).
    """
    figure.set_size_inches(*_SIZE)
    axes = figure.subplots()
    for number, (name, points) in enumerate(curves.items()):
        axes.plot([deals for deals, _ in points], [won for _, won in points], label=name, **line_style(number))
    axes.axhline(0, color=MUTED, linewidth=0.7)
    axes.grid(which="major")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axes.set_xlabel("deals in each seat")
    axes.set_ylabel(f"won, {unit}")
    axes.legend()


def _logarithmic(axes: Axes, ticks: tuple[float, ...] = _COARSE) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    lines = [line.get_xydata() for line in axes.get_lines()]
    points = np.concatenate([np.asarray(line, dtype=np.float64).reshape(-1, 2) for line in lines])
    for column, limit in ((0, axes.set_xlim), (1, axes.set_ylim)):
        shown = points[points[:, column] > 0, column]
        # One value would make the axis a point; gains of zero have no place on it.
        if shown.size:
            limit(shown.min() / _MARGIN, shown.max() * _MARGIN)
    axes.grid(which="major")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(base=10, subs=ticks, numticks=12))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axis.set_minor_formatter(NullFormatter())
