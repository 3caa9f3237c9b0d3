"""Draws means with their intervals, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hedgehog.analysis.stats.estimate import Estimate
from hedgehog.runtime.display.axes import open_axes
from hedgehog.runtime.errors import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_estimates(names: Sequence[str], estimates: Sequence[Estimate], label: str, axes: Axes | None = None) -> Axes:
    """Draws a mark per mean and a bar per interval, from top to bottom, and returns the axes.

    A mark is blue or orange if its interval leaves zero out, and grey otherwise.

    :param names: name of each row.
    :param estimates: the mean of each row; rows without an interval have a mark alone.
    :param label: what is drawn, with its unit.
    :param axes: axes of matplotlib to draw on; None for a new figure.
    :raises InputError: if matplotlib is not installed.
    """
    axes = open_axes(axes, 6.4, 1.2 + 0.36 * len(names))
    from hedgehog.analysis.drawing.charts import MUTED, NEGATIVE, POSITIVE  # imports matplotlib

    axes.axvline(0, color=MUTED, linewidth=0.8)
    for place, one in enumerate(estimates):
        colour = MUTED if not one.excludes_zero else POSITIVE if one.mean > 0 else NEGATIVE
        if one.has_interval:
            axes.plot((one.low, one.high), (place, place), color=colour, linewidth=3, solid_capstyle="butt")
        axes.plot(one.mean, place, "o", color=colour)
    axes.set_yticks(range(len(names)), [one_line(name) for name in names], parse_math=False)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel(label)
    return axes
