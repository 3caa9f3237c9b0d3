"""Lays out the 13 x 13 grid of the hand classes: aces in the top left corner, suited hands above the diagonal.

In a cell, widths show the shares of the actions. The height shows how much of the hand is in the range. The templates
``hand_grid.svg`` and ``hand_grid.css`` of the reports draw it in colours that follow the light or dark scheme of the
reader; :func:`grid_svg` draws it for a notebook in light colours, and :func:`plot_grid` with matplotlib.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from itertools import chain, repeat
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.hand_classes import HAND_CLASS_NAMES, offsuit_class, suited_class

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL_WIDTH: Final = 27
CELL_HEIGHT: Final = 22
GRID_WIDTH: Final = 13 * CELL_WIDTH
GRID_HEIGHT: Final = 13 * CELL_HEIGHT
SIZE_STYLES: Final = ("raise", "large", "larger", "largest")
"""Styles of bets and raises, the smallest size first."""
STYLE_ORDER: Final = ("jam", *reversed(SIZE_STYLES), "call", "fold")
"""Styles of the actions from left to right in a cell."""
COLOURS: Final = {
    "fold": "#b9d3ee", "call": "#a9dcb1", "raise": "#f7b48a", "large": "#ee8f8b", "larger": "#d9647b",
    "largest": "#b8486f", "jam": "#d3aeea",
}  # fmt: skip
"""Colours of the styles on light paper, those of ``hand_grid.css``."""
EMPTY: Final = "#f1f3f5"
"""Colour of the part of a cell that is not in the range."""
_INK: Final = "#1b1f24"
_PAPER: Final = "#fefefe"
_STYLES: Final = {"F": "fold", "X": "call", "C": "call", "A": "jam"}


@dataclass(frozen=True, slots=True)
class HandGrid:
    """One grid for the macro ``hand_grid`` of the template ``hand_grid.svg``; lengths are in SVG units."""

    x: int
    y: int
    """Coordinates of the top left corner of the grid: ``x`` to the right, ``y`` down."""
    areas: dict[str, str]
    """CSS class of an action -> SVG path of all its bars. Actions that are never taken are left out."""
    lines: str
    """SVG path of the lines between the cells."""
    labels: tuple[tuple[str, str, str], ...]
    """Name of each hand class, with the x and y coordinates of its text."""
    width: int = GRID_WIDTH
    height: int = GRID_HEIGHT


def cell_class(row: int, column: int) -> int:
    """Returns the hand class (0..168) of a cell. Row and column 0 are the ace; suited hands are above the diagonal."""
    high, low = 12 - min(row, column), 12 - max(row, column)
    return suited_class(high, low) if column > row else offsuit_class(high, low)


def action_styles(actions: Iterable[str]) -> list[str]:
    """Returns the name of the style of each action: ``fold``, ``call``, ``jam``, or one of four for bets and raises.

    :param actions: tokens such as ``X`` and ``B33``, or words such as ``check`` and ``bet 33%``.
    """
    sizes = chain(SIZE_STYLES, repeat(SIZE_STYLES[-1]))
    return [_STYLES.get(action[0].upper()) or next(sizes) for action in actions]


def lay_out_hand_grid(shares: Mapping[str, NDArray[np.float64]], held: NDArray[np.float64], x: int, y: int) -> HandGrid:
    """Returns one grid with its top left corner at ``x``, ``y``.

    :param shares: CSS class of an action -> (169,) share of each hand class that takes the action, 0..1. The order is
        the order in a cell from left to right.
    :param held: (169,) part of each hand class that is in the range, 0..1.
    """
    paths: dict[str, list[str]] = {kind: [] for kind in shares}
    labels = []
    for row in range(13):
        for column in range(13):
            hand = cell_class(row, column)
            left, bottom = float(x + column * CELL_WIDTH), y + (row + 1) * CELL_HEIGHT
            tall = CELL_HEIGHT * float(held[hand])
            for kind, of_hands in shares.items():
                wide = CELL_WIDTH * float(of_hands[hand])
                if wide >= 0.05 and tall >= 0.05:
                    paths[kind].append(f"M{left:.1f} {bottom}h{wide:.3g}v{-tall:.3g}h{-wide:.3g}z")
                left += wide
            middle = x + (column + 0.5) * CELL_WIDTH
            labels.append((HAND_CLASS_NAMES[hand], f"{middle:g}", f"{bottom - 7.5:g}"))
    lines = "".join(f"M{x} {y + i * CELL_HEIGHT}h{GRID_WIDTH}" for i in range(14))
    lines += "".join(f"M{x + i * CELL_WIDTH} {y}v{GRID_HEIGHT}" for i in range(14))
    areas = {kind: "".join(path) for kind, path in paths.items() if path}
    return HandGrid(x, y, areas, lines, tuple(labels))


def grid_svg(grid: HandGrid) -> str:
    """Returns a grid whose corner is at 0, 0 as an ``<svg>`` element that needs no style sheet and changes no other."""
    bars = "".join(f'<path fill="{COLOURS[kind]}" d="{path}"/>' for kind, path in grid.areas.items())
    names = "".join(f'<text x="{x}" y="{y}">{escape(hand)}</text>' for hand, x, y in grid.labels)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 {grid.width + 2} {grid.height + 2}" '
        f'width="{1.4 * grid.width:.0f}" role="img" aria-label="hands, suited above the diagonal">'
        f'<rect fill="{EMPTY}" width="{grid.width}" height="{grid.height}"/>{bars}'
        f'<path fill="none" stroke="{_PAPER}" d="{grid.lines}"/>'
        f'<g fill="{_INK}" font-family="sans-serif" font-size="9" text-anchor="middle">{names}</g></svg>'
    )


def plot_grid(axes: Axes, shares: Mapping[str, NDArray[np.float64]], held: NDArray[np.float64]) -> None:
    """Draws a grid with matplotlib: cells of size 1, the first row on top.

    :param shares: style of an action -> (169,) share of each hand class that takes the action, 0..1.
    :param held: (169,) part of each hand class that is in the range, 0..1.
    """
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((0, 0), 13, 13, facecolor=EMPTY, linewidth=0))
    for row in range(13):
        for column in range(13):
            hand = cell_class(row, column)
            left, tall = float(column), float(held[hand])
            for kind, of_hands in shares.items():
                wide = float(of_hands[hand])
                if wide * tall > 0:
                    corner = (left, row + 1 - tall)
                    axes.add_patch(Rectangle(corner, wide, tall, facecolor=COLOURS[kind], linewidth=0))
                left += wide
            name = HAND_CLASS_NAMES[hand]
            axes.text(column + 0.5, row + 0.5, name, ha="center", va="center", fontsize=8, color=_INK)
    for edge in range(14):
        axes.plot([0, 13], [edge, edge], color=_PAPER, linewidth=1)
        axes.plot([edge, edge], [0, 13], color=_PAPER, linewidth=1)
    axes.set(xlim=(0, 13), ylim=(13, 0), aspect="equal")
    axes.set_axis_off()
