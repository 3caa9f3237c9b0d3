"""The preflop chart: what a blueprint does with each of the 169 hands at the main decisions, as an SVG picture.

One 13 x 13 grid per decision, aces in the top left corner, suited hands above the diagonal. A cell shows the shares of
the actions by width, and by height how often the hand gets there at all. The picture follows the light or dark scheme
of the reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from poker.hand_classes import (
    HAND_CLASS,
    HAND_CLASS_NAMES,
    HAND_CLASS_SIZES,
    NUM_HAND_CLASSES,
    offsuit_class,
    suited_class,
)
from solver.blueprint_report import PreflopDecision, PreflopStrategy, main_spot_steps, preflop_decision

_CELL_WIDTH: Final = 27
_CELL_HEIGHT: Final = 22
_GRID_WIDTH: Final = 13 * _CELL_WIDTH
_GRID_HEIGHT: Final = 13 * _CELL_HEIGHT
_GAP: Final = 26
_HEADING: Final = 40
_TOP: Final = 64
_COLUMNS: Final = 3

_KINDS: Final = ("jam", "large", "raise", "call", "fold")
"""Actions from left to right in a cell; also the names of the styles."""
_LEGEND: Final = {
    "fold": "fold",
    "call": "check or call",
    "raise": "raise, smallest size",
    "large": "larger raise",
    "jam": "all-in",
    "none": "not held here",
}
_STYLE: Final = """\
.page{fill:#fefefe}.ink{fill:#1b1f24}.muted{fill:#5b6570}.none{fill:#f1f3f5}.lines{stroke:#fefefe;stroke-width:1}
.fold{fill:#b9d3ee}.call{fill:#a9dcb1}.raise{fill:#f7b48a}.large{fill:#ee8f8b}.jam{fill:#d3aeea}
text{font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif}
.hand{font-size:9px;text-anchor:middle}.head{font-size:14px;font-weight:600}.small{font-size:11px}
.title{font-size:18px;font-weight:600}
@media (prefers-color-scheme:dark){
.page{fill:#15181c}.ink{fill:#f2f4f6}.muted{fill:#a8b1bb}.none{fill:#22272d}.lines{stroke:#15181c}
.fold{fill:#2c4a6e}.call{fill:#256b38}.raise{fill:#9a4b1c}.large{fill:#9b2f33}.jam{fill:#6a3d8f}}"""


def preflop_chart(blueprint: PreflopStrategy, title: str) -> str:
    """Returns the picture as the text of an SVG file: those of the main spots that the blueprint's tree has."""
    tree = blueprint.tree
    spots = {name: preflop_decision(blueprint, *steps) for name, steps in main_spot_steps(tree).items()}
    width = _GAP + _COLUMNS * (_GRID_WIDTH + _GAP)
    height = _TOP + -(-len(spots) // _COLUMNS) * (_HEADING + _GRID_HEIGHT + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-labelledby="chart-title chart-description">',
        f'<title id="chart-title">{escape(title)}</title>',
        f'<desc id="chart-description">{escape(_description(spots))}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
        f'<text class="ink title" x="{_GAP}" y="27">{escape(title)}</text>',
        *_legend(_GAP, 38, sizes=max(_num_raises(decision, tree.stack) for decision in spots.values())),
    ]
    for number, (name, decision) in enumerate(spots.items()):
        row, column = divmod(number, _COLUMNS)
        x = _GAP + column * (_GRID_WIDTH + _GAP)
        y = _TOP + row * (_HEADING + _GRID_HEIGHT + _GAP)
        parts += _grid(name, decision, tree.stack, x, y)
    return "\n".join([*parts, "</svg>", ""])


def action_kinds(actions: Sequence[str], stack: int) -> list[str]:
    """Returns the style of each action of a decision: ``fold``, ``call``, ``raise``, ``large`` or ``jam``."""
    kinds: list[str] = []
    for action in actions:
        if not action.startswith("r"):
            kinds.append({"f": "fold", "c": "call"}[action])
        elif int(action[1:]) >= stack:
            kinds.append("jam")
        else:
            kinds.append("large" if "raise" in kinds else "raise")
    return kinds


def _num_raises(decision: PreflopDecision, stack: int) -> int:
    return sum(kind in ("raise", "large") for kind in action_kinds(decision.actions, stack))


def _frequencies(decision: PreflopDecision) -> NDArray[np.float64]:
    """Returns (actions,): how often each action is taken, over the hands that get there."""
    weights = decision.weights
    frequencies: NDArray[np.float64] = weights @ decision.strategy[HAND_CLASS] / max(weights.sum(), 1e-12)
    return frequencies


def _shares_text(decision: PreflopDecision) -> str:
    names = {"f": "fold", "c": "call" if "f" in decision.actions else "check"}
    return ", ".join(
        f"{names.get(action, action[1:])} {share:.1%}"
        for action, share in zip(decision.actions, _frequencies(decision), strict=True)
    )


def _description(spots: dict[str, PreflopDecision]) -> str:
    return "; ".join(f"{name}: {_shares_text(decision)}" for name, decision in spots.items())


def _legend(x: int, y: int, *, sizes: int) -> list[str]:
    parts = []
    for kind, text in _LEGEND.items():
        if kind == "large" and sizes < 2:
            continue
        shown = "raise" if kind == "raise" and sizes < 2 else text
        parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="14" height="14"/>')
        parts.append(f'<text class="muted small" x="{x + 19}" y="{y + 11}">{shown}</text>')
        x += 40 + 6 * len(shown)
    return parts


def _hand_class(row: int, column: int) -> int:
    """Returns the hand class of a cell: rows and columns go from the ace down, suited hands are above the diagonal."""
    high, low = 12 - min(row, column), 12 - max(row, column)
    return suited_class(high, low) if column > row else offsuit_class(high, low)


def _grid(name: str, decision: PreflopDecision, stack: int, x: int, y: int) -> list[str]:
    """Draws one decision with its heading; ``x`` and ``y`` are the top left corner."""
    line = f"  ({decision.line})" if decision.line else ""
    top = y + _HEADING
    paths: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    labels = []
    held = np.bincount(HAND_CLASS, weights=decision.reach, minlength=NUM_HAND_CLASSES) / HAND_CLASS_SIZES
    kinds = action_kinds(decision.actions, stack)
    for row in range(13):
        for column in range(13):
            hand = _hand_class(row, column)
            left, bottom = float(x + column * _CELL_WIDTH), top + (row + 1) * _CELL_HEIGHT
            tall = _CELL_HEIGHT * float(held[hand])
            for kind in _KINDS:
                share = sum(float(decision.strategy[hand, index]) for index, found in enumerate(kinds) if found == kind)
                wide = _CELL_WIDTH * share
                if wide >= 0.05 and tall >= 0.05:
                    paths[kind].append(f"M{left:.1f} {bottom}h{wide:.3g}v{-tall:.3g}h{-wide:.3g}z")
                left += wide
            middle = x + (column + 0.5) * _CELL_WIDTH
            labels.append(f'<text x="{middle:g}" y="{bottom - 7.5:g}">{HAND_CLASS_NAMES[hand]}</text>')
    rules = "".join(f"M{x} {top + i * _CELL_HEIGHT}h{_GRID_WIDTH}" for i in range(14))
    rules += "".join(f"M{x + i * _CELL_WIDTH} {top}v{_GRID_HEIGHT}" for i in range(14))
    return [
        f'<text class="ink head" x="{x}" y="{y + 14}">{escape(name + line)}</text>',
        f'<text class="muted small" x="{x}" y="{y + 31}">{escape(_shares_text(decision))}</text>',
        f'<rect class="none" x="{x}" y="{top}" width="{_GRID_WIDTH}" height="{_GRID_HEIGHT}"/>',
        *(f'<path class="{kind}" d="{"".join(path)}"/>' for kind, path in paths.items() if path),
        f'<path class="lines" fill="none" d="{rules}"/>',
        f'<g class="ink hand">{"".join(labels)}</g>',
    ]
