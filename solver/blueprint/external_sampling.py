"""Prepares betting and working memory for the trainer by external sampling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.limit_betting import NO_CHILD, LimitTree
from hedgehog.solver.blueprint._external_sampling_kernels import PLAYS, SampledScratch, SampledTree
from hedgehog.solver.blueprint.program import CHIPS_PER_UNIT, CompiledTree, padded
from hedgehog.strategies.betting_tree import BettingTree, NodeKind


def sampled_tree(tree: BettingTree, compiled: CompiledTree) -> SampledTree:
    """Returns a betting tree of two players as the external-sampling kernels take it.

    :param compiled: the compiled tree, which gives the layout of the tables of regrets and sums.
    """
    decision, ends = tree.kind == NodeKind.DECISION, tree.num_children == 0
    actions = np.arange(int(tree.num_children[decision].max()))
    legal = decision[:, None] & (actions < tree.num_children[:, None])
    child = np.where(legal, tree.first_child[:, None] + actions, 0)
    cost = np.where(legal, tree.committed[child].astype(np.int64).sum(axis=2) - _pot(tree)[:, None], 0)
    first_folds = tree.kind[child[:, 0]] == NodeKind.FOLD
    # A walk goes on with the first decision after a deal.
    child = np.where(tree.kind[child] == NodeKind.DEAL, tree.first_child[child], child)
    folded = np.where(tree.kind == NodeKind.FOLD, 1 << np.maximum(tree.player, 0).astype(np.int64), 0)
    return SampledTree(
        player=np.where(decision, tree.player, -1).astype(np.int64),
        street=tree.street.astype(np.int64),
        num_children=np.where(decision, tree.num_children, 0).astype(np.int64),
        child=child.astype(np.int64),
        call=(decision & first_folds).astype(np.int64),
        cost=(cost / CHIPS_PER_UNIT).astype(np.float32),
        pot=np.where(ends, _pot(tree) / CHIPS_PER_UNIT, 0.0).astype(np.float32),
        active=np.where(ends, 0b11 - folded, 0).astype(np.int64),
        start=compiled.node_start,
        width=compiled.program.street_buckets[tree.street],
        num_players=2,
        last_street=int(tree.street[decision].max()),
    )


def _pot(tree: BettingTree) -> NDArray[np.int64]:
    pot: NDArray[np.int64] = np.sum(tree.committed, axis=1, dtype=np.int64)
    return pot


def sampled_limit_tree(tree: LimitTree, bucket_counts: tuple[int, int, int, int]) -> tuple[SampledTree, int]:
    """Returns the betting of a limit game as the external-sampling kernels take it, and the size of their tables.

    :param bucket_counts: number of buckets on each street, preflop to river.
    """
    size, decisions = len(tree.street), tree.num_decisions
    order = np.argsort(tree.child == NO_CHILD, axis=1, kind="stable")  # legal actions first, in their order
    child = np.take_along_axis(tree.child, order, axis=1).astype(np.int64)
    legal = child != NO_CHILD
    raise_size = np.array(tree.gamedef.raise_sizes, dtype=np.int64)[tree.street]
    cost = np.stack([np.zeros(size, dtype=np.int64), tree.to_call, tree.to_call + raise_size], axis=1)
    width = np.array([padded(count) for count in bucket_counts], dtype=np.int64)[tree.street]
    ends = np.cumsum(tree.num_actions * width)
    over = np.arange(size) >= decisions
    sampled = SampledTree(
        player=tree.player.astype(np.int64),
        street=tree.street.astype(np.int64),
        num_children=tree.num_actions,
        child=np.where(legal, child, 0),
        call=(~over & (tree.child[:, 0] != NO_CHILD)).astype(np.int64),
        cost=(np.where(legal, np.take_along_axis(cost, order, axis=1), 0) / CHIPS_PER_UNIT).astype(np.float32),
        pot=np.where(over, tree.pot / CHIPS_PER_UNIT, 0.0).astype(np.float32),
        active=np.where(over, tree.active, 0).astype(np.int64),
        start=np.where(over, -1, ends - tree.num_actions * width),
        width=width,
        num_players=tree.gamedef.num_players,
        last_street=int(tree.street[:decisions].max()),
    )
    return sampled, int(ends[-1])


def longest_walk(tree: SampledTree) -> int:
    """Returns the largest number of entries that the list of a walk can have, whoever learns."""
    counts = np.ones((tree.num_players, len(tree.player)), dtype=np.int64)
    for node in _children_first(tree):
        below = counts[:, tree.child[node, : tree.num_children[node]]]
        counts[:, node] = below.max(axis=1)
        learner = tree.player[node]
        counts[learner, node] = 1 + below[learner].sum()
    return int(counts[:, 0].max())


def _children_first(tree: SampledTree) -> list[int]:
    """Returns all decisions, each after the decisions that may follow it."""
    done: list[int] = []
    seen = tree.player < 0
    todo = [(0, False)]
    while todo:
        node, below_done = todo.pop()
        if below_done:
            done.append(node)
        elif not seen[node]:
            seen[node] = True
            todo.append((node, True))
            todo.extend((child, False) for child in tree.child[node, : tree.num_children[node]].tolist())
    return done


def allocate_sampled_scratch(tree: SampledTree) -> SampledScratch:
    """Returns empty working memory for one thread of external sampling."""
    size, players = longest_walk(tree), tree.num_players
    return SampledScratch(
        node=np.zeros(size, dtype=np.int64),
        first=np.zeros(size, dtype=np.int64),
        weight=np.zeros((size, players), dtype=np.float32),
        probability=np.zeros(size, dtype=np.float32),
        value=np.zeros(size, dtype=np.float32),
        strategy=np.zeros(tree.child.shape[1], dtype=np.float32),
        ranks=np.zeros(NUM_COMBOS, dtype=np.int32),
        buckets=np.zeros((players, 4), dtype=np.int64),
        habits=np.full(players, PLAYS, dtype=np.int64),
        shares=np.zeros((1 << players, players), dtype=np.float32),
        cards=np.zeros(5 + 2 * players, dtype=np.uint8),
    )
