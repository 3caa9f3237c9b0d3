"""Pictures of two strategies that met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from hedgehog.analysis.drawing.charts import INK, MUTED, SERIES

_CI95: Final = NormalDist().inv_cdf(0.975)


def draw_course(
    axes: Axes, names: tuple[str, str], hands: NDArray[np.int64], won: NDArray[np.float64], mean: float, sd: float
) -> None:
    """Draws what the first of two strategies won over time, beside what it wins exactly.

    :param hands: (points,) hands in each seat.
    :param won: (points,) chips won in both seats by then.
    :param mean: exact EV of a hand in each seat, in chips.
    :param sd: standard deviation of what is won with a hand in each seat, in chips.
    """
    smooth = np.linspace(0, hands[-1], 200)
    width = _CI95 * sd * np.sqrt(smooth)
    axes.fill_between(smooth, mean * smooth - width, mean * smooth + width, color=MUTED, alpha=0.18, linewidth=0)
    axes.plot(smooth, mean * smooth, color=MUTED, linewidth=1.0, linestyle=(0, (5, 2)))
    axes.plot(hands, won, color=SERIES[0], linewidth=1.5)
    axes.axhline(0, color=MUTED, linewidth=0.7)
    axes.grid(which="major")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axes.set_xlabel("hands in each seat")
    axes.set_ylabel(f"chips won by {names[0]}", parse_math=False)
    text = f"{names[0]} against {names[1]}; dashed: exact EV, grey: where 95 of 100 such runs are at any one time"
    axes.set_title(text, fontsize=8, color=MUTED, loc="left", parse_math=False)


def draw_streets(axes: Axes, names: tuple[str, str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Draws what the decisions of each seat on each street win and lose.

    :param rows: records with ``seat``, ``street``, ``wins`` and ``loses``.
    """
    places = np.arange(len(rows))
    for shift, who, key, colour in ((-0.2, names[0], "wins", SERIES[0]), (0.2, names[1], "loses", SERIES[1])):
        axes.barh(places + shift, [row[key] for row in rows], 0.36, color=colour, label=f"{who} {key}")
    axes.set_yticks(places, [f"{row['seat']}, {row['street']}" for row in rows])
    axes.invert_yaxis()
    axes.axvline(0, color=INK, linewidth=0.7)
    axes.set_xlabel("chips per hand in the seat")
    axes.legend()
