"""Compares two blueprints, or a blueprint with a simple opponent, on the abstract tree.

No cards are dealt to players: on every sampled board the result is the exact average over all pairs of hands, once
in each seat, so a few hundred boards say more than a million dealt hands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from runtime.errors import InputError
from solver.blueprint._blueprint_kernels import compare_kernel
from solver.blueprint.card_abstraction import CardAbstraction
from solver.blueprint.program import CHIPS_PER_UNIT, aligned_zeros, allocate_scratch, compile_tree, padded
from solver.blueprint.table import Blueprint
from strategies.betting_tree import ActionKind, BettingTree, NodeKind


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What the first strategy wins against the second, seats exchanged."""

    mbb_per_hand: float
    standard_error: float
    boards: int


def compare_blueprints(
    first: Blueprint, second: Blueprint, abstraction: CardAbstraction, boards: int, seed: int = 1
) -> MatchResult:
    """Plays two blueprints of the same tree and buckets against each other on ``boards`` random boards.

    :raises InputError: if the blueprints differ in menu or buckets, or there are fewer than two boards.
    """
    if first.menu != second.menu or not first.cards == second.cards == abstraction.config:
        raise InputError("the blueprints have different menus or card abstractions")
    if boards < 2:
        raise InputError(f"expected at least two boards, got {boards}")
    tree = first.tree
    compiled = compile_tree(tree, abstraction.bucket_counts)
    tables = aligned_zeros((2, padded(compiled.table_size)))
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION):
        start = int(compiled.node_start[node])
        for seat in range(2):
            # Table 0 has the first blueprint as player 0, table 1 as player 1.
            source = first if tree.player[node] == seat else second
            block = source.block(int(node))
            count, actions = block.shape
            width = padded(count)
            tables[seat, start : start + actions * width].reshape(actions, width)[:, :count] = block.T
    results = np.empty(boards, dtype=np.float64)
    compare_kernel(
        results,
        tables,
        aligned_zeros(1),
        allocate_scratch(compiled.program),
        compiled.program,
        abstraction.tables,
        np.array([seed], dtype=np.uint64),
    )
    big_blind = int(tree.committed[0].max())
    mbb = results * (CHIPS_PER_UNIT * 1000 / big_blind)
    return MatchResult(float(mbb.mean()), float(mbb.std(ddof=1) / np.sqrt(boards)), boards)


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
"""Simple opponents: the action each chooses, None for all with equal probability."""


def foil(name: str, like: Blueprint) -> Blueprint:
    """Returns one of :data:`FOILS` as a blueprint on the same tree and buckets as ``like``."""
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
