"""The strategy of a range at one decision, and how it shows itself: 13 x 13 grid, bar of the actions, table, chart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES, HAND_CLASS_SIZES, NUM_HAND_CLASSES
from hedgehog.poker.hand_grid import (
    COLOURS,
    STYLE_ORDER,
    HandGrid,
    action_styles,
    grid_svg,
    lay_out_hand_grid,
    plot_grid,
)
from hedgehog.runtime.display.axes import open_axes
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.table import MISSING, Column, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK: Final = "#1b1f24"
_BAR_WIDTH: Final = 491
"""Width of the bar of the actions in pixels, that of the grid."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HandStrategy(Shown):
    """What every combo of a range does at one decision."""

    title: str
    """The decision in a few words."""
    actions: tuple[str, ...]
    """Texts of the actions, such as ``X`` and ``B500``."""
    strategy: NDArray[np.floating[Any]]
    """(actions, 1326) probability of each action for each combo; NaN for combos without a strategy."""
    reach: NDArray[np.floating[Any]]
    """(1326,) weights with which the combos are held at the decision, 0..1."""
    weights: NDArray[np.floating[Any]] | None = None
    """(1326,) weights of the combos in averages; None for :attr:`reach`."""
    styles: tuple[str, ...] | None = None
    """Style of each action (:mod:`hedgehog.poker.hand_grid`); None for what the texts of the actions say."""

    def frequency(self) -> NDArray[np.float64]:
        """Returns (actions,): how often the range takes each action; NaN if no combo has weight."""
        weights = self._weights()
        total = float(weights.sum())
        return np.asarray((self._taken() @ weights) / total if total > 0 else np.full(len(self.actions), math.nan))

    def class_strategy(self) -> NDArray[np.float64]:
        """Returns (actions, 169): how often each hand class takes each action; NaN for classes without weight."""
        weights = self._weights()
        total = _by_class(weights)
        taken = np.stack([_by_class(row * weights) for row in self._taken()])
        return np.asarray(np.divide(taken, total, out=np.full(taken.shape, math.nan), where=total > 0))

    def held(self) -> NDArray[np.float64]:
        """Returns (169,): the part of each hand class that is in the range, 0..1."""
        return np.asarray(np.minimum(_by_class(self.reach) / HAND_CLASS_SIZES, 1.0))

    def style_shares(self) -> dict[str, NDArray[np.float64]]:
        """Returns for each style of the actions (169,): how often each hand class takes an action of the style.

        The order is that of the bars in a cell from left to right.
        """
        styles = self._styles()
        rows = np.nan_to_num(self.class_strategy())
        return {
            style: rows[[found == style for found in styles]].sum(axis=0) for style in STYLE_ORDER if style in styles
        }

    def grid(self, x: int = 0, y: int = 0) -> HandGrid:
        """Returns the 13 x 13 grid with its top left corner at ``x``, ``y``."""
        return lay_out_hand_grid(self.style_shares(), self.held(), x, y)

    def summary(self) -> str:
        """Returns the decision, and how often each action is taken."""
        shares = ", ".join(f"{action} {format_percent(share)}" for action, share in self._shares())
        return f"{self.title}: {shares}" if shares else self.title

    def table(self) -> Table:
        """Returns a row per hand class in the range, from aces down: combos by weight, and a column per action."""
        columns = [
            Column("hand"),
            Column("combos"),
            *(Column(action, text=format_percent) for action in self.actions),
        ]
        combos, rows = _by_class(self.reach), self.class_strategy()
        held = sorted(np.flatnonzero(combos > 0).tolist(), key=class_order)
        cells = ((HAND_CLASS_NAMES[hand], float(combos[hand]), *rows[:, hand].tolist()) for hand in held)
        return Table("strategy", self.title, columns, tuple(cells))

    def picture(self) -> str:
        """Returns the bar of the actions and the 13 x 13 grid as HTML."""
        return f"{self._bar()}<div>{grid_svg(self.grid())}</div>"

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the 13 x 13 grid with a legend of the actions, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        axes = open_axes(axes, 6.4, 6.8)
        from matplotlib.patches import Patch

        plot_grid(axes, self.style_shares(), self.held())
        axes.set_title(self.title, loc="left", fontsize=10, color=_INK, parse_math=False)
        legend = [
            Patch(color=COLOURS[style], label=f"{action} {format_percent(share)}")
            for (action, share), style in zip(self._shares(), self._styles(), strict=True)
        ]
        if legend:
            axes.legend(handles=legend, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=4, frameon=False)
        return axes

    def _bar(self) -> str:
        """Returns one bar with a part per action, and the legend below it."""
        left, parts, legend = 0.0, [], []
        for (action, share), style in zip(self._shares(), self._styles(), strict=True):
            wide = 0.0 if math.isnan(share) else _BAR_WIDTH * share
            parts.append(f'<rect fill="{COLOURS[style]}" x="{left:.2f}" width="{wide:.2f}" height="14"/>')
            left += wide
            swatch = f'<span style="background:{COLOURS[style]};padding:0 .5em;margin-right:.3em"></span>'
            legend.append(f"<span>{swatch}{escape(action)} {format_percent(share)}</span>")
        if not parts:
            return ""
        return (
            f'<div><svg xmlns="http://www.w3.org/2000/svg" width="{_BAR_WIDTH}" height="14">'
            f"{''.join(parts)}</svg></div>"
            f'<p style="display:flex;gap:1em;flex-wrap:wrap">{"".join(legend)}</p>'
        )

    def _shares(self) -> Iterator[tuple[str, float]]:
        yield from zip(self.actions, self.frequency().tolist(), strict=True)

    def _styles(self) -> list[str]:
        return action_styles(self.actions) if self.styles is None else list(self.styles)

    def _weights(self) -> NDArray[np.float64]:
        weights = self.reach if self.weights is None else self.weights
        return np.asarray(weights, dtype=np.float64)

    def _taken(self) -> NDArray[np.float64]:
        return np.nan_to_num(np.asarray(self.strategy, dtype=np.float64))


class ShowsStrategy(Shown):
    """An object that shows itself by the strategy of a range at one decision. Derived classes say which, and sum up."""

    __slots__ = ()

    def hand_strategy(self) -> HandStrategy:
        """Returns the strategy that is shown."""
        raise NotImplementedError

    def table(self) -> Table:
        """Returns a row per hand class in the range: combos by weight, and how often it takes each action."""
        return self.hand_strategy().table()

    def picture(self) -> str:
        """Returns the bar of the actions and the 13 x 13 grid of the range as HTML."""
        return self.hand_strategy().picture()

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the 13 x 13 grid of the range with a legend of the actions, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        return self.hand_strategy().plot(axes)


def format_percent(share: float) -> str:
    """Returns a share from 0 to 1 in percent: ``12.5 %``; a dash if it is unknown (NaN)."""
    return MISSING if math.isnan(share) else f"{100 * share:.1f} %"


def class_order(hand_class: int) -> tuple[int, int, bool]:
    """Returns the sort key of a hand class (0..168): by high card, then low card, from aces down, suited first."""
    row, column = divmod(hand_class, 13)
    return -max(row, column), -min(row, column), row < column


def _by_class(values: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Returns (169,): the sums of the values of the combos of each hand class."""
    return np.asarray(np.bincount(HAND_CLASS, weights=values, minlength=NUM_HAND_CLASSES), dtype=np.float64)
