"""A range of hands that shows itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehog.poker.cards import NUM_COMBOS, format_combo
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_NAMES
from hedgehog.poker.hand_grid import grid_svg, lay_out_hand_grid, plot_grid
from hedgehog.poker.hand_strategy import HandStrategy, class_order, format_percent
from hedgehog.poker.range_texts.forms import format_range_for
from hedgehog.poker.range_texts.vectors import ORDERS
from hedgehog.poker.ranges import format_range, parse_range
from hedgehog.runtime.display.axes import open_axes
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.errors import RangeError
from hedgehog.runtime.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_LETTERS: Final = 100
"""Longest range notation in the short text of a range."""
_STYLE: Final = "raise"
"""Colour of the hands of a range."""


class Range(Shown):
    """The weights of all 1,326 combos, which show themselves as a 13 x 13 grid.

    A range stands wherever weights of combos are asked for: ``np.asarray(range)`` is its float32 array.

    :param weights: range notation such as ``QQ+,AKs:0.5`` (:mod:`hedgehog.poker.ranges`), or weights of shape (1326,)
        from 0 to 1, one per combo.
    :param order: the order of such weights, ``hedgehog`` or ``pio`` (:mod:`hedgehog.poker.range_texts.vectors`).
    :raises RangeError: if the text is malformed, a weight lies outside [0, 1], or there is no such order.
    :raises ValueError: if the weights have another shape.
    """

    __slots__ = ("weights",)

    weights: NDArray[np.float32]
    """float32[1326] weights of the combos; read-only."""

    def __init__(self, weights: str | ArrayLike, order: str = "hedgehog") -> None:
        if order not in ORDERS:
            raise RangeError(f"no order of hands is called {order!r}: expected {', '.join(ORDERS)}")
        values = parse_range(weights) if isinstance(weights, str) else np.array(weights, dtype=np.float32)
        if values.shape != (NUM_COMBOS,):
            raise ValueError(f"expected weights of shape ({NUM_COMBOS},), got {values.shape}")
        if isinstance(weights, str) and order != "hedgehog":
            raise RangeError(f"a text has no order of its own: write {order}-order before its 1,326 numbers")
        values[ORDERS[order]] = values.copy()
        if not ((values >= 0) & (values <= 1)).all():
            raise RangeError("range weights must lie between 0 and 1")
        values.setflags(write=False)
        self.weights = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Returns the weights, for numpy."""
        return np.array(self.weights, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return NUM_COMBOS

    def __getitem__(self, index: Any) -> Any:
        return self.weights[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.weights)

    def __str__(self) -> str:
        """Returns the range in range notation; empty if no combo has a weight."""
        return format_range(self.weights) if self.weights.any() else ""

    def as_text(self, form: str) -> str:
        """Returns the range in the form of another program, such as ``pio``, ``gto+`` or ``gto-wizard``.

        :param form: a name in :data:`hedgehog.poker.range_texts.forms.FORMS`.
        :raises RangeError: if there is no such form, or no combo has a weight.
        """
        return format_range_for(form, self.weights)

    @property
    def combos(self) -> float:
        """Number of combos by weight: a combo of weight 0.5 is half a combo."""
        return float(self.weights.sum(dtype=np.float64))

    def summary(self) -> str:
        """Returns the number of combos, their share of all, and the range notation if it is short."""
        text = str(self)
        size = f"{self.combos:,.4g} combos, {format_percent(self.combos / NUM_COMBOS)}"
        return f"{size}: {text}" if 0 < len(text) <= _MOST_LETTERS else size

    def table(self) -> Table:
        """Returns a row per combo in the range, from aces down: combo, hand class, weight."""
        held = np.flatnonzero(self.weights > 0).tolist()
        ordered = sorted(held, key=lambda combo: (class_order(int(HAND_CLASS[combo])), -combo))
        columns = ["combo", "hand", "weight"]
        rows = ((format_combo(c), HAND_CLASS_NAMES[HAND_CLASS[c]], float(self.weights[c])) for c in ordered)
        return Table("range", "", columns, tuple(rows))

    def picture(self) -> str:
        """Returns the 13 x 13 grid as HTML."""
        held = self._held()
        return f"<div>{grid_svg(lay_out_hand_grid({_STYLE: np.ones(len(held))}, held, 0, 0))}</div>"

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the 13 x 13 grid and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        axes, held = open_axes(axes, 6.4, 6.4), self._held()
        plot_grid(axes, {_STYLE: np.ones(len(held))}, held)
        axes.set_title(
            f"{self.combos:,.4g} combos, {format_percent(self.combos / NUM_COMBOS)}", loc="left", fontsize=10
        )
        return axes

    def details(self) -> str:
        """Returns nothing: the grid says it all, and a notebook shows no list of combos."""
        return ""

    def _held(self) -> NDArray[np.float64]:
        return HandStrategy("", (), np.zeros((0, NUM_COMBOS)), self.weights).held()
