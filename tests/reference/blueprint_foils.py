"""Simple opponents as blueprints: each plays one rule at every decision of a blueprint's betting tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.blueprint.table import Blueprint
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind


def _fold(tree: BettingTree, children: range) -> int:
    return 0


def _call(tree: BettingTree, children: range) -> int:
    return int(np.flatnonzero(np.isin(tree.action[children], (ActionKind.CHECK, ActionKind.CALL)))[0])


def _pot(tree: BettingTree, children: range) -> int:
    sized = np.flatnonzero(np.isin(tree.action[children], (ActionKind.BET, ActionKind.RAISE)))
    return int(sized[-1]) if len(sized) else _call(tree, children)


def _all_in(tree: BettingTree, children: range) -> int:
    return len(children) - 1


FOILS: Final[dict[str, Callable[[BettingTree, range], int] | None]] = {
    "fold": _fold,  # or check
    "call": _call,
    "pot": _pot,  # the largest bet short of all-in
    "all-in": _all_in,
    "random": None,
}
"""Simple opponents by name: a function that returns the index of the action, or None for all actions equally often."""


def foil(name: str, like: Blueprint) -> Blueprint:
    """Returns a simple opponent as a blueprint on the same tree and buckets as ``like``.

    :param name: a key of :data:`FOILS`.
    """
    choose = FOILS[name]
    rows: NDArray[np.float32] = np.zeros_like(like.rows)
    result = replace(like, rows=rows, training={"foil": name})
    for node in np.flatnonzero(like.tree.kind == NodeKind.DECISION):
        block = result.block(int(node))
        if choose is None:
            block[:] = 1.0 / block.shape[1]
        else:
            block[:, choose(like.tree, like.tree.children(int(node)))] = 1.0
    return result
