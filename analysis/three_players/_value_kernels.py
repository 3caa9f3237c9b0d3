"""Kernels of the values of a three-player limit strategy: what decisions and actions are worth in self-play, by bucket.

A walk takes all actions of one player and a sampled action of the others, as in training
(:mod:`hedgehog.solver.blueprint._external_sampling_kernels`), but from a fixed strategy. A value counts the chips won
from a decision on, in thousands, because merged betting does not know what was put in before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime._random_kernels import random_unit
from hedgehog.runtime.jit import njit
from hedgehog.solver.blueprint._external_sampling_kernels import SampledScratch, SampledTree, deal_buckets_kernel
from hedgehog.solver.blueprint.cards._abstraction_kernels import AbstractionTables, largest_value
from hedgehog.solver.blueprint.cards._river_kernels import deal_kernel

MOST_STEPS = 16
"""Most actions of the others between two decisions of a player who is in the hand."""


class ValueTables(NamedTuple):
    """A fixed strategy, and the sums of the values seen in its walks."""

    offsets: NDArray[np.int64]
    """(D,) start of each decision's block (buckets, legal actions)."""
    first_rows: NDArray[np.int64]
    """(D + 1,) number of the first row of each decision."""
    probabilities: NDArray[np.float32]
    """(P,) the strategy."""
    action_sums: NDArray[np.float32]
    """(players, P) sums of the values of a player after an action, by its own bucket."""
    action_counts: NDArray[np.int32]
    """(players, P) number of values in each sum."""
    row_sums: NDArray[np.float32]
    """(players, R) sums of the values at a decision, whoever acts, by the player's own bucket."""
    row_counts: NDArray[np.int32]
    """(players, R) number of values in each sum."""


class Steps(NamedTuple):
    """The actions of the others in each entry of a walk's list."""

    length: NDArray[np.int64]
    """(entries,)"""
    node: NDArray[np.int64]
    """(entries, MOST_STEPS)"""
    action: NDArray[np.int64]
    """(entries, MOST_STEPS)"""


@njit(nogil=True)
def value_walk_kernel(
    tables: ValueTables,
    steps: Steps,
    scratch: SampledScratch,
    tree: SampledTree,
    traverser: int,
    rng_state: NDArray[np.uint64],
) -> None:
    """Adds the values of one player in one deal to the sums.

    The sum at a decision of its own is that of the strategy's mean.
    """
    scratch.node[0] = 0
    count = 1
    entry = 0
    while entry < count:
        node = scratch.node[entry]
        scratch.first[entry] = -1
        steps.length[entry] = 0
        while True:
            player = tree.player[node]
            if player < 0:
                scratch.value[entry] = scratch.shares[tree.active[node], traverser] * tree.pot[node]
                break
            num_actions = tree.num_children[node]
            at = tables.offsets[node] + scratch.buckets[player, tree.street[node]] * num_actions
            if player == traverser:
                scratch.node[entry] = node
                scratch.first[entry] = count
                for a in range(num_actions):
                    scratch.node[count + a] = tree.child[node, a]
                    scratch.probability[count + a] = tables.probabilities[at + a]
                count += num_actions
                break
            left = random_unit(rng_state)
            action = 0
            while action < num_actions - 1 and left >= tables.probabilities[at + action]:
                left -= tables.probabilities[at + action]
                action += 1
            if steps.length[entry] < MOST_STEPS:
                steps.node[entry, steps.length[entry]] = node
                steps.action[entry, steps.length[entry]] = action
                steps.length[entry] += 1
            node = tree.child[node, action]
        entry += 1

    for last in range(count - 1, -1, -1):
        first = scratch.first[last]
        if first >= 0:
            node = scratch.node[last]
            num_actions = tree.num_children[node]
            bucket = scratch.buckets[traverser, tree.street[node]]
            at = tables.offsets[node] + bucket * num_actions
            value = np.float32(0.0)
            for a in range(num_actions):
                after = scratch.value[first + a]
                tables.action_sums[traverser, at + a] += after
                tables.action_counts[traverser, at + a] += 1
                value += scratch.probability[first + a] * (after - tree.cost[node, a])
            scratch.value[last] = value
            tables.row_sums[traverser, tables.first_rows[node] + bucket] += value
            tables.row_counts[traverser, tables.first_rows[node] + bucket] += 1
        for step in range(steps.length[last]):
            node = steps.node[last, step]
            bucket = scratch.buckets[traverser, tree.street[node]]
            at = tables.offsets[node] + bucket * tree.num_children[node] + steps.action[last, step]
            tables.action_sums[traverser, at] += scratch.value[last]
            tables.action_counts[traverser, at] += 1
            tables.row_sums[traverser, tables.first_rows[node] + bucket] += scratch.value[last]
            tables.row_counts[traverser, tables.first_rows[node] + bucket] += 1


@njit(nogil=True)
def value_kernel(
    tables: ValueTables,
    steps: Steps,
    scratch: SampledScratch,
    tree: SampledTree,
    cards: AbstractionTables,
    num_deals: int,
    rng_state: NDArray[np.uint64],
) -> None:
    """Deals hands and walks the tree once for every player.

    :param rng_state: (1,) state of SplitMix64.
    """
    for _ in range(num_deals):
        deal_kernel(scratch.cards, rng_state)
        deal_buckets_kernel(scratch, tree, cards)
        for traverser in range(tree.num_players):
            value_walk_kernel(tables, steps, scratch, tree, traverser, rng_state)


@njit(nogil=True)
def flop_sums_kernel(
    sums: NDArray[np.float64],
    scalars: NDArray[np.float64],
    values: NDArray[np.float64],
    extra: NDArray[np.float64],
    others: NDArray[np.int64],
    cards: AbstractionTables,
) -> None:
    """Sums values over flops, for the hands of one player and for single hands of the others.

    :param sums: (1326,) output: for every combo the sum of its value over the flops that hold at least one card of the
        others. Flops that hold a card of the combo itself are left out.
    :param scalars: (53, 53) output: sums of the others' values over the flops without a card of the others. Entry
        (52, 52) is over all of these flops, (c, 52) over those that hold card c, and (c, d), c > d, over those that
        hold both.
    :param values: (buckets,) value of the player by its bucket.
    :param extra: (others, buckets) value of each of the others by its bucket.
    :param others: (others,) combos of the others.
    """
    held = np.zeros(52, dtype=np.bool_)
    for other in others:
        held[cards.combo_cards[other, 0]] = True
        held[cards.combo_cards[other, 1]] = True
    blocked = largest_value(cards.flop)
    sums[:] = 0
    scalars[:] = 0
    for high in range(2, 52):
        for middle in range(1, high):
            for low in range(middle):
                index = cards.binomials[low, 1] + cards.binomials[middle, 2] + cards.binomials[high, 3]
                row = cards.flop[cards.flop_classes.class_of[index]]
                permuted = cards.combo_permutations[cards.flop_classes.permutation_of[index]]
                if held[low] or held[middle] or held[high]:
                    for combo in range(len(sums)):
                        bucket = row[permuted[combo]]
                        if bucket != blocked:
                            sums[combo] += values[bucket]
                    continue
                value = 0.0
                for number in range(len(others)):
                    value += extra[number, row[permuted[others[number]]]]
                scalars[52, 52] += value
                scalars[low, 52] += value
                scalars[middle, 52] += value
                scalars[high, 52] += value
                scalars[middle, low] += value
                scalars[high, low] += value
                scalars[high, middle] += value


@njit(nogil=True)
def flop_buckets_kernel(counts: NDArray[np.int64], combos: NDArray[np.int64], cards: AbstractionTables) -> None:
    """Counts the buckets that single hands have over all flops without their cards.

    :param counts: (hands, buckets) output.
    :param combos: (hands,) one combo each.
    """
    blocked = largest_value(cards.flop)
    counts[:] = 0
    for index in range(len(cards.flop_classes.class_of)):
        row = cards.flop[cards.flop_classes.class_of[index]]
        permuted = cards.combo_permutations[cards.flop_classes.permutation_of[index]]
        for number in range(len(combos)):
            bucket = row[permuted[combos[number]]]
            if bucket != blocked:
                counts[number, bucket] += 1
