"""Draws the preflop chart: what a blueprint does with each of the 169 hands at the main decisions, as an SVG picture.

Every decision has a 13 x 13 grid with aces in the top left corner and suited hands above the diagonal. The widths in a
cell show the shares of the actions. The height shows how often the hand reaches the decision. The picture follows the
light or dark scheme of the reader.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.drawing.templates import render_template
from hedgehog.poker.hand_classes import HAND_CLASS, HAND_CLASS_SIZES, NUM_HAND_CLASSES
from hedgehog.poker.hand_grid import (
    GRID_HEIGHT,
    GRID_WIDTH,
    SIZE_STYLES,
    action_styles,
    lay_out_hand_grid,
)
from hedgehog.solver.blueprint.report import PreflopDecision, PreflopStrategy, main_spot_steps, preflop_decision
from hedgehog.solver.blueprint.table import load_blueprint
from hedgehog.strategies.betting_tree import depth_of_tree
from hedgehog.strategies.blueprint_pack import read_blueprint
from hedgehog.strategies.pack import open_pack
from hedgehog.strategies.pack_games import pack_of_depth

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


def draw_preflop_chart(path: str | os.PathLike[str], depth: float | None = None) -> str:
    """Returns the preflop chart of the blueprint at a path, or of a ``.npz`` file of a training, as SVG.

    :param depth: which of several blueprints, by its depth in big blinds; None for the one whose depth is nearest to
        that of the default game.
    :raises HedgehogError: if there is no blueprint at the path, or it is damaged.
    """
    blueprint: PreflopStrategy
    if Path(path).suffix == ".npz":
        name, blueprint = Path(path).stem, load_blueprint(Path(path))
    else:
        opened = open_pack(pack_of_depth(path, "blueprint", depth))
        name, blueprint = opened.manifest.name, read_blueprint(opened)
    return preflop_chart(blueprint, f"Before the flop, {depth_of_tree(blueprint.tree):g} big blinds: {name}")


def preflop_chart(blueprint: PreflopStrategy, title: str) -> str:
    """Returns an SVG of the preflop chart. Decisions that the blueprint's tree lacks are left out."""
    tree = blueprint.tree
    decisions = {name: preflop_decision(blueprint, *steps) for name, steps in main_spot_steps(tree).items()}
    return decision_chart(decisions, tree.stack, title)


def decision_chart(decisions: Mapping[str, PreflopDecision], stack: int, title: str) -> str:
    """Returns an SVG with a grid for each decision, by its name.

    :param stack: chips from which on a raise is all-in.
    """
    spots = []
    for number, (name, decision) in enumerate(decisions.items()):
        row, column = divmod(number, _COLUMNS)
        x = _GAP + column * (GRID_WIDTH + _GAP)
        y = _TOP + row * (_HEADING + GRID_HEIGHT + _GAP)
        spots.append(_spot(name, decision, stack, x, y + _HEADING))
    return render_template(
        "preflop_chart.svg",
        title=title,
        description="; ".join(f"{name}: {_shares_text(decision)}" for name, decision in decisions.items()),
        width=_GAP + _COLUMNS * (GRID_WIDTH + _GAP),
        height=_TOP + -(-len(spots) // _COLUMNS) * (_HEADING + GRID_HEIGHT + _GAP),
        gap=_GAP,
        legend=_legend(sizes=max(_num_raises(decision, stack) for decision in decisions.values())),
        spots=spots,
    )


def action_kinds(actions: Sequence[str], stack: int) -> list[str]:
    """Returns the name of the style of each action: ``fold``, ``call``, ``raise``, ``large`` or ``jam``."""
    tokens = ["A" if action[0] == "r" and int(action[1:]) >= stack else action for action in actions]
    return ["large" if style in SIZE_STYLES[1:] else style for style in action_styles(tokens)]


def _num_raises(decision: PreflopDecision, stack: int) -> int:
    return sum(kind in ("raise", "large") for kind in action_kinds(decision.actions, stack))


def decision_shares(decision: PreflopDecision) -> NDArray[np.float64]:
    """Returns (actions,) how often each action is taken, over the hands that reach the decision."""
    weights = decision.weights
    frequencies: NDArray[np.float64] = weights @ decision.strategy[HAND_CLASS] / max(weights.sum(), 1e-12)
    return frequencies


def _shares_text(decision: PreflopDecision) -> str:
    names = {"f": "fold", "c": "call" if "f" in decision.actions else "check"}
    return ", ".join(
        f"{names.get(action, action[1:])} {share:.1%}"
        for action, share in zip(decision.actions, decision_shares(decision), strict=True)
    )


def _legend(*, sizes: int) -> list[tuple[str, str, int]]:
    """Returns the style of each entry, its text and its place from the left."""
    entries = []
    x = _GAP
    for kind, text in _LEGEND.items():
        if kind == "large" and sizes < 2:
            continue
        shown = "raise" if kind == "raise" and sizes < 2 else text
        entries.append((kind, shown, x))
        x += 40 + 6 * len(shown)
    return entries


def _spot(name: str, decision: PreflopDecision, stack: int, x: int, y: int) -> dict[str, Any]:
    """Returns what the template shows of one decision; the grid's top left corner is at ``x``, ``y``."""
    held = np.bincount(HAND_CLASS, weights=decision.reach, minlength=NUM_HAND_CLASSES) / HAND_CLASS_SIZES
    kinds = action_kinds(decision.actions, stack)
    shares = {kind: decision.strategy[:, [found == kind for found in kinds]].sum(axis=1) for kind in _KINDS}
    return {
        "heading": name + (f"  ({decision.betting})" if decision.betting else ""),
        "shares": _shares_text(decision),
        "grid": lay_out_hand_grid(shares, held, x, y),
    }
