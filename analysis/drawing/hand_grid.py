"""The 13 x 13 grid of the hand classes as SVG: aces in the top left corner, suited hands above the diagonal.

A cell shows the shares of the actions by width and, by height, how much of the hand is there at all. Colours come from
the CSS classes of :data:`ACTION_STYLE` and follow the light or dark scheme of the reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from poker.hand_classes import HAND_CLASS_NAMES, offsuit_class, suited_class

CELL_WIDTH: Final = 27
CELL_HEIGHT: Final = 22
GRID_WIDTH: Final = 13 * CELL_WIDTH
GRID_HEIGHT: Final = 13 * CELL_HEIGHT

ACTION_STYLE: Final = """\
.page{fill:#fefefe}.ink{fill:#1b1f24}.muted{fill:#5b6570}.none{fill:#f1f3f5}.lines{stroke:#fefefe;stroke-width:1}
.fold{fill:#b9d3ee}.call{fill:#a9dcb1}.raise{fill:#f7b48a}.large{fill:#ee8f8b}.jam{fill:#d3aeea}
text{font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
.hand{font-size:9px;text-anchor:middle}.head{font-size:14px;font-weight:600}.small{font-size:11px}
.title{font-size:18px;font-weight:600}
@media (prefers-color-scheme:dark){
.page{fill:#15181c}.ink{fill:#f2f4f6}.muted{fill:#a8b1bb}.none{fill:#22272d}.lines{stroke:#15181c}
.fold{fill:#2c4a6e}.call{fill:#256b38}.raise{fill:#9a4b1c}.large{fill:#9b2f33}.jam{fill:#6a3d8f}}"""
"""CSS of a picture with grids: the paper, the text, and ``fold``, ``call``, ``raise``, ``large`` and ``jam``."""


def cell_class(row: int, column: int) -> int:
    """Returns the hand class of a cell: rows and columns go from the ace down, suited hands are above the diagonal."""
    high, low = 12 - min(row, column), 12 - max(row, column)
    return suited_class(high, low) if column > row else offsuit_class(high, low)


def draw_hand_grid(shares: Mapping[str, NDArray[np.float64]], held: NDArray[np.float64], x: int, y: int) -> list[str]:
    """Draws one grid with its top left corner at ``x``, ``y``; returns the SVG elements.

    :param shares: per CSS class, from left to right in a cell, (169,) the share of a hand that is drawn so.
    :param held: (169,) the part of each hand that is there, 0 to 1.
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
            labels.append(f'<text x="{middle:g}" y="{bottom - 7.5:g}">{HAND_CLASS_NAMES[hand]}</text>')
    rules = "".join(f"M{x} {y + i * CELL_HEIGHT}h{GRID_WIDTH}" for i in range(14))
    rules += "".join(f"M{x + i * CELL_WIDTH} {y}v{GRID_HEIGHT}" for i in range(14))
    return [
        f'<rect class="none" x="{x}" y="{y}" width="{GRID_WIDTH}" height="{GRID_HEIGHT}"/>',
        *(f'<path class="{kind}" d="{"".join(path)}"/>' for kind, path in paths.items() if path),
        f'<path class="lines" fill="none" d="{rules}"/>',
        f'<g class="ink hand">{"".join(labels)}</g>',
    ]
