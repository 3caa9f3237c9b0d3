"""Makes the lines of a chart distinguishable: colours and dashes by number, and names written beside the axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hedgehog.analysis.drawing.charts import SERIES
from hedgehog.analysis.stats.number_text import short_name

_LABEL_WIDTH: Final = 24
"""Largest number of characters of a name in a picture."""
_DASHES: Final = ("solid", (0, (5, 2)), (0, (1.5, 1.5)))
"""Line styles. When all colours are used once, the next style follows."""


def line_style(number: int) -> dict[str, Any]:
    """Returns colour and dashes of line ``number`` (from 0) as matplotlib's arguments."""
    return {"color": SERIES[number % len(SERIES)], "linestyle": _DASHES[number // len(SERIES) % len(_DASHES)]}


def label_lines(
    axes: Axes, points: Mapping[str, tuple[float, float]], colours: Mapping[str, str], *, left: bool
) -> None:
    """Writes the names of lines beside the axes and joins each name to its line.

    The scales of the axes and the limits in x must be set before.

    :param points: name of each line -> one end of the line, in data coordinates.
    """
    axes.set_ylim(axes.get_ylim())
    figure = axes.get_figure()
    height = 72 * 0.85 * (figure.get_figheight() if isinstance(figure, Figure) else 1)
    to_axes = axes.transScale + axes.transLimits
    places = {name: float(to_axes.transform(point)[1]) for name, point in points.items()}
    names = sorted(points, key=places.__getitem__)
    for name, place in zip(names, _spread([places[name] for name in names], 12 / height), strict=True):
        axes.annotate(
            short_name(name, _LABEL_WIDTH),
            points[name],
            xytext=(-0.03 if left else 1.03, place),
            textcoords="axes fraction",
            ha="right" if left else "left",
            va="center",
            color=colours[name],
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colours[name],
                "linewidth": 0.6,
                "shrinkA": 1,
                "shrinkB": 3,
                "relpos": (1 if left else 0, 0.5),
            },
        )


def _spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Returns ascending places, moved as little as possible so that neighbours are at least ``gap`` apart.

    Runs of places that are too close are merged into blocks around their mean, as in isotonic regression.
    """
    blocks: list[tuple[float, int]] = []  # (mean of the places minus their offsets in the block, number of places)
    for place in wanted:
        mean, count = place, 1
        while blocks and blocks[-1][0] + blocks[-1][1] * gap > mean:
            before, number = blocks.pop()
            mean = (before * number + (mean - number * gap) * count) / (number + count)
            count += number
        blocks.append((mean, count))
    return [mean + index * gap for mean, count in blocks for index in range(count)]
