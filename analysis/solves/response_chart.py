"""A picture of responses to a model: what they win against it, over how much a best response wins against them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.figure import Figure

from hedgehog.analysis.drawing.charts import INK, SERIES, draw_svg_and_png


class CurvePoint(NamedTuple):
    """A response to the model of an opponent: a point of the curve."""

    share: float
    """Probability with which the opponent is believed to follow the model."""
    gain: float
    """What the response wins against the model more than the value of the spot, in percent of the pot."""
    price: float
    """What the response wins less than the value against a best response, in percent of the pot."""


def response_chart(points: Sequence[CurvePoint]) -> tuple[bytes, bytes]:
    """Returns a picture of gain over price, as SVG and as PNG; each point has its probability."""

    def draw(figure: Figure) -> None:
        figure.set_size_inches(7.0, 4.5)
        axes = figure.add_subplot()
        prices, gains = [point.price for point in points], [point.gain for point in points]
        axes.plot(prices, gains, color=SERIES[0], linewidth=1.5, marker="o", markersize=5, zorder=3)
        labels: dict[tuple[float, float], tuple[CurvePoint, list[str]]] = {}
        width, height = max(prices) - min(prices) or 1.0, max(gains) - min(gains) or 1.0
        for point in points:
            # Points that lie on each other share a label.
            near = (round(point.price / width, 1), round(point.gain / height, 1))
            labels.setdefault(near, (point, []))[1].append(f"{point.share:g}")
        for point, shares in labels.values():
            axes.annotate(f"p = {', '.join(shares)}", (point.price, point.gain), (7, -11),
                          textcoords="offset points", color=INK, fontsize=8)  # fmt: skip
        axes.margins(x=0.15, y=0.15)
        axes.set_xlabel("price: lost at most, against a best response, % of the pot")
        axes.set_ylabel("gain against the model, % of the pot")
        axes.grid()

    return draw_svg_and_png(draw)
