"""Kernels of the trainer by external sampling, one hand per player at a time, for two or more players.

An iteration deals one hand for each player and a board, and walks the tree once for each player. A walk takes all
actions of the player who learns and one sampled action of the others (M. Lanctot et al., "Monte Carlo Sampling for
Regret Minimization in Extensive Games", NIPS 2009). The walk is breadth-first into a flat list. Then values are carried
back from its end. Average strategies are summed at the nodes of the players who are sampled.

A node may have several parents, as where betting that leads to the same pot is merged. Therefore a value counts the
chips won from its node on: an action costs what the player puts in, and the end of the hand gives a share of the pot.

With more than two players the sums of a player also count how often the other sampled players lead to a node. They are
averages over the visits, and no theorem promises an equilibrium. Such strategies may also learn against simple
opponents in a share of the walks: each player who does not learn then has a habit, whatever its cards are.

Tables have the layout of the public-chance-sampling trainer (``RoundProgram`` in
:mod:`hedgehog.solver.blueprint._blueprint_kernels`): at a decision, (actions, padded buckets).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker._combo_kernels import combo_kernel
from hedgehog.poker.evaluation._evaluator_kernels import rank_combos_kernel
from hedgehog.runtime._random_kernels import random_unit
from hedgehog.runtime.jit import njit
from hedgehog.solver.blueprint.cards._abstraction_kernels import (
    AbstractionTables,
    combo_bucket_kernel,
    combo_river_bucket_kernel,
)
from hedgehog.solver.blueprint.cards._river_kernels import deal_kernel

PLAYS: Final = -1
RAISES: Final = 0
CALLS: Final = 1
HABITS: Final = 3
"""Number of habits: always raising where that is legal, always calling, and any legal action."""


class SampledTree(NamedTuple):
    """The betting with the places of its decisions in the tables of regrets and sums, as arrays over N nodes."""

    player: NDArray[np.int64]
    """Acting player; -1 at the end of a hand."""
    street: NDArray[np.int64]
    num_children: NDArray[np.int64]
    """Number of actions of a decision, 0 at the end of a hand."""
    child: NDArray[np.int64]
    """(N, most actions) next decision or end of the hand after each action."""
    call: NDArray[np.int64]
    """Number of the action that checks or calls."""
    cost: NDArray[np.float32]
    """(N, most actions) thousands of chips that the acting player puts in by each action."""
    pot: NDArray[np.float32]
    """Thousands of chips in the pot at the end of a hand, 0 elsewhere."""
    active: NDArray[np.int64]
    """At the end of a hand the players who have not folded, as bits; 0 elsewhere."""
    start: NDArray[np.int64]
    """Start of a decision's rows in the tables."""
    width: NDArray[np.int64]
    """Number of buckets of the node's street, padded to a multiple of 16."""
    num_players: int
    last_street: int
    """Latest street with a decision."""


class SampledScratch(NamedTuple):
    """Working memory of one thread. Most arrays are over the entries of the walk's list.

    An entry is a stretch of the walk that starts after an action of the learner, or at the root, and ends at its next
    decision or at the end of the hand.
    """

    node: NDArray[np.int64]
    """The node where the entry starts; later the learner's decision where it ends."""
    first: NDArray[np.int64]
    """The entry of the first action of that decision, -1 if the hand has ended."""
    weight: NDArray[np.float32]
    """(entries, players) probability that a sampled player's own strategy leads to the entry, divided by that of the
    sampling."""
    probability: NDArray[np.float32]
    """Probability of the action that led to the entry."""
    value: NDArray[np.float32]
    """What the learner wins from the start of the entry on, in thousands of chips."""
    strategy: NDArray[np.float32]
    """(most actions,) strategy at the current node."""
    ranks: NDArray[np.int32]
    """(1326,) ranks of all combos on the board, negative where blocked."""
    buckets: NDArray[np.int64]
    """(players, 4) buckets of the hands by street."""
    habits: NDArray[np.int64]
    """(players,) how a player who does not learn acts in this walk: ``PLAYS`` by its strategy, or by a habit."""
    shares: NDArray[np.float32]
    """(2^players, players) share of the pot that each player wins, by the players who have not folded, as bits."""
    cards: NDArray[np.uint8]
    """(5 + 2 players,) the deal: five board cards, then two of each player."""


@njit(nogil=True)
def deal_buckets_kernel(scratch: SampledScratch, tree: SampledTree, cards: AbstractionTables) -> None:
    """Writes the buckets of the dealt hands, and the shares of the pot that they win."""
    board = scratch.cards[:5]
    rank_combos_kernel(scratch.ranks, board, cards.evaluator)
    strengths = np.zeros(tree.num_players, dtype=np.int64)
    for player in range(tree.num_players):
        first, second = int(scratch.cards[5 + 2 * player]), int(scratch.cards[6 + 2 * player])
        combo = combo_kernel(min(first, second), max(first, second))
        strengths[player] = scratch.ranks[combo]
        buckets = scratch.buckets[player]
        buckets[0] = cards.hand_class[combo]
        if tree.last_street > 0:
            buckets[1] = combo_bucket_kernel(combo, board[:3], cards)
        if tree.last_street > 1:
            buckets[2] = combo_bucket_kernel(combo, board[:4], cards)
        if tree.last_street > 2:
            buckets[3] = combo_river_bucket_kernel(combo, scratch.ranks, cards)
    for active in range(1, len(scratch.shares)):
        best = np.int64(-1)
        winners = 0
        for player in range(tree.num_players):
            if active >> player & 1:
                if strengths[player] > best:
                    best = strengths[player]
                    winners = 0
                if strengths[player] == best:
                    winners += 1
        for player in range(tree.num_players):
            wins = (active >> player & 1) == 1 and strengths[player] == best
            scratch.shares[active, player] = np.float32(1.0 / winners) if wins else np.float32(0.0)


@njit(nogil=True)
def match_regrets_kernel(
    strategy: NDArray[np.float32], regrets: NDArray[np.float32], at: int, width: int, num_actions: int
) -> None:
    """Writes the strategy of one infoset by regret matching.

    :param at: index of the first action's regret; the other actions follow at distances of ``width``.
    """
    total = np.float32(0.0)
    for a in range(num_actions):
        regret = max(regrets[at + a * width], np.float32(0.0))
        strategy[a] = regret
        total += regret
    for a in range(num_actions):
        strategy[a] = strategy[a] / total if total > 0 else np.float32(1.0 / num_actions)


@njit(nogil=True)
def habit_kernel(habit: int, num_actions: int, call: int, rng_state: NDArray[np.uint64]) -> int:
    """Returns the action of a player with a habit."""
    if habit == RAISES:
        return num_actions - 1
    if habit == CALLS:
        return call
    return int(random_unit(rng_state) * num_actions)


@njit(nogil=True)
def sampled_walk_kernel(
    regrets: NDArray[np.float32],
    sums: NDArray[np.float32],
    scratch: SampledScratch,
    tree: SampledTree,
    traverser: int,
    tremble: float,
    rng_state: NDArray[np.uint64],
) -> None:
    """Updates the traverser's regrets and the other players' summed strategies for one deal.

    Players with a habit (``scratch.habits``) act by it, and their summed strategies stay as they are.

    :param tremble: least probability with which the other players' actions are sampled.
    """
    strategy = scratch.strategy
    scratch.node[0] = 0
    for player in range(tree.num_players):
        scratch.weight[0, player] = 1.0 if scratch.habits[player] == PLAYS else 0.0
    count = 1
    entry = 0
    while entry < count:
        node = scratch.node[entry]
        weight = scratch.weight[entry]
        scratch.first[entry] = -1
        while True:
            player = tree.player[node]
            if player < 0:
                scratch.value[entry] = scratch.shares[tree.active[node], traverser] * tree.pot[node]
                break
            num_actions = tree.num_children[node]
            width = tree.width[node]
            at = tree.start[node] + scratch.buckets[player, tree.street[node]]
            match_regrets_kernel(strategy, regrets, at, width, num_actions)
            if player == traverser:
                scratch.node[entry] = node
                scratch.first[entry] = count
                for a in range(num_actions):
                    scratch.node[count + a] = tree.child[node, a]
                    scratch.probability[count + a] = strategy[a]
                    for other in range(tree.num_players):
                        scratch.weight[count + a, other] = weight[other]
                count += num_actions
                break
            if scratch.habits[player] != PLAYS:
                node = tree.child[node, habit_kernel(scratch.habits[player], num_actions, tree.call[node], rng_state)]
                continue
            if weight[player] > 0:
                for a in range(num_actions):
                    sums[at + a * width] += weight[player] * strategy[a]
            rest = 1.0 - num_actions * tremble
            left = random_unit(rng_state)
            action = 0
            sampled = rest * strategy[0] + tremble
            while action < num_actions - 1 and left >= sampled:
                left -= sampled
                action += 1
                sampled = rest * strategy[action] + tremble
            weight[player] = np.float32(weight[player] * strategy[action] / sampled) if sampled > 0 else np.float32(0.0)
            node = tree.child[node, action]
        entry += 1

    for last in range(count - 1, -1, -1):
        first = scratch.first[last]
        if first < 0:
            continue
        node = scratch.node[last]
        num_actions = tree.num_children[node]
        value = np.float32(0.0)
        for a in range(num_actions):
            scratch.value[first + a] -= tree.cost[node, a]
            value += scratch.probability[first + a] * scratch.value[first + a]
        scratch.value[last] = value
        at = tree.start[node] + scratch.buckets[traverser, tree.street[node]]
        for a in range(num_actions):
            regrets[at + a * tree.width[node]] += scratch.value[first + a] - value


@njit(nogil=True)
def external_train_kernel(
    regrets: NDArray[np.float32],
    sums: NDArray[np.float32],
    scratch: SampledScratch,
    tree: SampledTree,
    cards: AbstractionTables,
    num_iterations: int,
    tremble: float,
    simple: float,
    rng_state: NDArray[np.uint64],
) -> None:
    """Runs iterations, each of which deals a hand and walks the tree for every player in turn.

    :param regrets: table of regrets. Other threads may add to the tables at the same time; a lost update is noise.
    :param sums: table of summed strategies.
    :param tremble: least probability with which the actions of the players who do not learn are sampled.
    :param simple: share of the walks in which every player who does not learn has a habit, drawn for each by himself.
    :param rng_state: (1,) state of SplitMix64.
    """
    for _ in range(num_iterations):
        deal_kernel(scratch.cards, rng_state)
        deal_buckets_kernel(scratch, tree, cards)
        for traverser in range(tree.num_players):
            habitual = simple > 0 and random_unit(rng_state) < simple
            for player in range(tree.num_players):
                scratch.habits[player] = int(random_unit(rng_state) * HABITS) if habitual else PLAYS
            sampled_walk_kernel(regrets, sums, scratch, tree, traverser, tremble, rng_state)
