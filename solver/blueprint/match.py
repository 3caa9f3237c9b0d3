"""Matches between two blueprints on their common betting tree.

No hands are dealt to players. The result on every sampled board is the exact average over all pairs of hands, with each
player once in each seat. So a few hundred boards say more than a million dealt hands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint._blueprint_kernels import compare_kernel
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.program import CHIPS_PER_UNIT, aligned_zeros, allocate_scratch, compile_tree, padded
from hedgehog.solver.blueprint.table import Blueprint
from hedgehog.strategies.betting_tree import NodeKind


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What the first of two strategies wins against the second, averaged over both seats."""

    mbb_per_hand: float
    """Thousandths of a big blind that the first strategy wins per hand."""
    standard_error: float
    """Standard error of ``mbb_per_hand``."""
    boards: int
    """Number of sampled boards."""


def compare_blueprints(
    first: Blueprint, second: Blueprint, abstraction: CardAbstraction, boards: int, seed: int = 1
) -> MatchResult:
    """Returns what the first of two blueprints wins against the second on random boards.

    :param abstraction: the card buckets of both blueprints.
    :param boards: number of boards, at least 2.
    :param seed: seed of the boards.
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
