"""What a blueprint does before the flop, and the checks a blueprint must pass before it is released.

A blueprint that has been trained too shortly folds too much and jams: its preflop frequencies show it at once. The
bounds of :func:`gate_faults` hold at 200 big blinds with opens of two to three big blinds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from poker.cards import NUM_COMBOS
from poker.hand_classes import HAND_CLASS
from poker.ranges import disjoint_weight
from solver.blueprint import Blueprint, betting_token


@dataclass(frozen=True, slots=True)
class PreflopSpot:
    """How often each action is taken at a preflop decision, over the hands that get there."""

    line: str
    """Betting that leads there, as ACPC writes it, empty at the start."""
    shares: dict[str, float]
    """By the token of the action: ``f``, ``c``, ``r250``."""

    @property
    def fold(self) -> float:
        """Share of folds, 0 if there is nothing to fold to."""
        return self.shares.get("f", 0.0)


def preflop_spot(blueprint: Blueprint, *steps: int) -> PreflopSpot:
    """Returns the frequencies at the decision reached by taking child ``step`` of each node in turn.

    A negative step counts from the last child (all-in), as in indexing. The hands of the player to act are weighted
    with their own reach and with the opponent's reach, blockers included.

    :raises ValueError: if the steps do not lead to a preflop decision.
    """
    tree = blueprint.tree
    node, line = 0, ""
    ranges = [np.ones(NUM_COMBOS), np.ones(NUM_COMBOS)]
    for step in steps:
        children = tree.children(node)
        player = int(tree.player[node])
        index = range(len(children))[step]
        ranges[player] = ranges[player] * blueprint.block(node)[HAND_CLASS, index]
        line += betting_token(tree, children[index])
        node = children[index]
    if tree.street[node] != 0 or tree.num_children[node] == 0 or tree.player[node] < 0:
        raise ValueError(f"{line!r} does not lead to a preflop decision")
    player = int(tree.player[node])
    weights = ranges[player] * disjoint_weight(ranges[1 - player])
    if not weights.sum() > 0:  # a line the opponent never takes: blockers unknown
        weights = ranges[player]
    shares = weights @ blueprint.block(node)[HAND_CLASS].astype(np.float64)
    shares /= max(weights.sum(), 1e-12)
    return PreflopSpot(
        line, {betting_token(tree, c): float(s) for c, s in zip(tree.children(node), shares, strict=True)}
    )


# Children in action order at every raise: fold, call, smallest raise, ..., all-in. The first raise of each menu.
_CALL, _RAISE, _ALL_IN = 1, 2, -1
MAIN_SPOTS: Final[dict[str, tuple[int, ...]]] = {
    "button first in": (),
    "big blind against a limp": (_CALL,),
    "big blind against an open": (_RAISE,),
    "button against a 3-bet": (_RAISE, _RAISE),
    "big blind against a 4-bet": (_RAISE, _RAISE, _RAISE),
    "big blind against an open-jam": (_ALL_IN,),
}
"""The preflop decisions worth a look, as steps for :func:`preflop_spot`; the opens are the menu's smallest."""


def main_spots(blueprint: Blueprint) -> dict[str, PreflopSpot]:
    """Returns the frequencies at :data:`MAIN_SPOTS`."""
    return {name: preflop_spot(blueprint, *steps) for name, steps in MAIN_SPOTS.items()}


def gate_faults(blueprint: Blueprint) -> list[str]:
    """Returns one line per frequency outside the bounds of a sound 200 big blind strategy; empty if all is well."""
    spots = main_spots(blueprint)
    jam = betting_token(blueprint.tree, blueprint.tree.children(0)[-1])
    checks = [
        ("the button folds first in", spots["button first in"].fold, 0.0, 0.15),
        ("the button open-jams", spots["button first in"].shares[jam], 0.0, 0.005),
        ("the big blind folds to an open", spots["big blind against an open"].fold, 0.30, 0.45),
        ("the big blind calls an open-jam", spots["big blind against an open-jam"].shares["c"], 0.04, 0.08),
    ]
    return [
        f"{what} {value:.1%} of hands, expected {low:.1%} to {high:.1%}"
        for what, value, low, high in checks
        if not low <= value <= high
    ]


def format_spots(blueprint: Blueprint) -> str:
    """Returns a Markdown table of :func:`main_spots`."""
    lines = ["| spot | frequencies |", "|---|---|"]
    for name, spot in main_spots(blueprint).items():
        shares = ", ".join(f"{token} {share:.1%}" for token, share in spot.shares.items())
        lines.append(f"| {name} | {shares} |")
    return "\n".join(lines)
