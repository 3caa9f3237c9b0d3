"""Prepares a betting tree and working memory for the external-sampling trainer of the blueprint."""

from __future__ import annotations

import numpy as np

from poker.cards import NUM_COMBOS
from solver.blueprint._external_sampling_kernels import SampledScratch, SampledTree
from solver.blueprint.program import CHIPS_PER_UNIT, CompiledTree
from strategies.betting_tree import BettingTree, NodeKind


def sampled_tree(tree: BettingTree, compiled: CompiledTree) -> SampledTree:
    """Returns a betting tree as the external-sampling kernels take it.

    :param compiled: the compiled tree, which gives the layout of the tables of regrets and sums.
    """
    decision = tree.kind == NodeKind.DECISION
    committed = tree.committed.astype(np.float64)
    lost = np.where(
        tree.kind == NodeKind.FOLD,
        np.take_along_axis(committed, np.maximum(tree.player, 0)[:, None].astype(np.int64), axis=1)[:, 0],
        np.where(tree.kind == NodeKind.SHOWDOWN, committed.min(axis=1), 0.0),
    )
    return SampledTree(
        kind=tree.kind.astype(np.int64),
        street=tree.street.astype(np.int64),
        player=tree.player.astype(np.int64),
        first_child=tree.first_child.astype(np.int64),
        num_children=tree.num_children.astype(np.int64),
        start=compiled.node_start,
        width=compiled.program.street_buckets[tree.street],
        payoff=(lost / CHIPS_PER_UNIT).astype(np.float32),
        last_street=int(tree.street[decision].max()),
    )


def allocate_sampled_scratch(tree: BettingTree) -> SampledScratch:
    """Returns empty working memory for one thread of external sampling."""
    size = tree.num_nodes
    return SampledScratch(
        node=np.zeros(size, dtype=np.int64),
        first=np.zeros(size, dtype=np.int64),
        weight=np.zeros(size, dtype=np.float32),
        probability=np.zeros(size, dtype=np.float32),
        value=np.zeros(size, dtype=np.float32),
        strategy=np.zeros(int(tree.num_children.max()), dtype=np.float32),
        ranks=np.zeros(NUM_COMBOS, dtype=np.int32),
        buckets=np.zeros((2, 4), dtype=np.int64),
        cards=np.zeros(9, dtype=np.uint8),
    )
