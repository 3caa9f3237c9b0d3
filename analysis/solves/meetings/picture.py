"""Pictures of two strategies that met."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from hedgehog.analysis.drawing.charts import INK, MUTED, SERIES

if TYPE_CHECKING:
    from hedgehog.analysis.solves.meetings.result import Versus


def draw_course(result: Versus, axes: Axes) -> None:
    """Draws what the first strategy won over time, beside what it wins exactly."""
    from hedgehog.analysis.solves.meetings.result import CI95

    hands, won = result.course()
    exact = 2 * result.edge[0]
    # The seats are independent; their errors add up as squares.
    error = math.hypot(*(each.standard_error for each in result.played())) * math.sqrt(result.hands)
    smooth = np.linspace(0, hands[-1], 200)
    width = CI95 * error * np.sqrt(smooth)
    axes.fill_between(smooth, exact * smooth - width, exact * smooth + width, color=MUTED, alpha=0.18, linewidth=0)
    axes.plot(smooth, exact * smooth, color=MUTED, linewidth=1.0, linestyle=(0, (5, 2)))
    axes.plot(hands, won, color=SERIES[0], linewidth=1.5)
    axes.axhline(0, color=MUTED, linewidth=0.7)
    axes.grid(which="major")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    first, second = result.names
    axes.set_xlabel("hands in each seat")
    axes.set_ylabel(f"chips won by {first}", parse_math=False)
    text = f"{first} against {second}; dashed: exact EV, grey: where 95 of 100 such runs are at any one time"
    axes.set_title(text, fontsize=8, color=MUTED, loc="left", parse_math=False)


def draw_streets(result: Versus, axes: Axes) -> None:
    """Draws what the first strategy wins in each seat and street by acting as it does."""
    rows = result.streets().records()[:-1]
    places = np.arange(len(rows))
    for shift, key, name, colour in ((-0.2, "wins", "wins", SERIES[0]), (0.2, "loses", "loses", SERIES[1])):
        who = result.names[0 if key == "wins" else 1]
        axes.barh(places + shift, [float(row[key] or 0) for row in rows], 0.36, color=colour, label=f"{who} {name}")
    axes.set_yticks(places, [f"{row['seat']}, {row['street']}" for row in rows])
    axes.invert_yaxis()
    axes.axvline(0, color=INK, linewidth=0.7)
    axes.set_xlabel("chips per hand in the seat")
    axes.legend()
