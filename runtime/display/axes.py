"""Axes of matplotlib to draw on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgehog.runtime.packages import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def open_axes(axes: Axes | None, width: float, height: float) -> Axes:
    """Returns the axes to draw on: those that are given, or those of a new figure, which a notebook shows by itself.

    :param axes: axes to draw on; None for a new figure.
    :param width: width of the new figure in inches.
    :param height: height of the new figure in inches.
    :raises InputError: if matplotlib is not installed.
    """
    if axes is not None:
        return axes
    pyplot = require("matplotlib.pyplot", "charts need")
    _, made = pyplot.subplots(figsize=(width, height), layout="constrained")
    opened: Axes = made
    return opened
