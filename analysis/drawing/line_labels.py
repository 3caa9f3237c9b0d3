"""Lines told apart in print: colours and dashes by number, names written beside the axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.drawing.charts import SERIES
from analysis.stats.number_text import short_name

_LABEL_WIDTH: Final = 24
"""Characters of a name in a picture."""
_DASHES: Final = ("solid", (0, (5, 2)), (0, (1.5, 1.5)))
"""Line styles, one for every round through the colours."""


def line_style(number: int) -> dict[str, Any]:
    """Returns colour and dashes of the line with this number, from 0, as matplotlib's arguments."""
    return {"color": SERIES[number % len(SERIES)], "linestyle": _DASHES[number // len(SERIES) % len(_DASHES)]}


def label_lines(
    axes: Axes, points: Mapping[str, tuple[float, float]], colours: Mapping[str, str], *, left: bool
) -> None:
    """Writes names beside the axes, each joined to its point; scales and the limits in x must be set.

    :param points: one end of every line, in data coordinates.
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
    """Moves ascending places apart until neighbours are at least ``gap`` apart, as little as it takes.

    Runs of places too close are merged into blocks around their mean, as in isotonic regression.
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
