"""The check of preflop values: what play before the flop loses by the values is what it loses in a direct match.

Both are counted on the same boards. A strategy plays its own preflop part and follows the blueprint after the flop; its
opponent is the blueprint. The signed losses, weighted by how often the strategy comes to them, add up to the difference
to the blueprint's own result, as by the performance difference lemma of S. Kakade and J. Langford, "Approximately
Optimal Approximate Reinforcement Learning" (ICML 2002).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hedgehog.poker.hand_classes import NUM_HAND_CLASSES
from hedgehog.solver.blueprint._blueprint_kernels import compare_kernel
from hedgehog.solver.blueprint.cards._river_kernels import NUM_OPPONENTS
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from hedgehog.solver.blueprint.preflop.values import CHUNK, Block, Floats, PreflopWalk, strategy_table
from hedgehog.solver.blueprint.program import CHIPS_PER_UNIT, aligned_zeros, allocate_scratch
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind

_RIVER_HANDS = 1081


@dataclass(frozen=True, slots=True)
class Check:
    """What a preflop strategy wins from a blueprint in mbb per hand, averaged over both seats."""

    direct: float
    """By a match."""
    by_losses: float
    """Less the sum of its losses by the values."""


def check_values(
    walk: PreflopWalk, block: Block, abstraction: CardAbstraction, strategy: Mapping[int, Floats]
) -> Check:
    """Returns what a preflop strategy wins from the blueprint on the boards of a walk, counted in two ways.

    :param walk: a walk over at least one chunk of boards.
    :param block: the strategy of the blueprint.
    :param abstraction: its card buckets.
    :param strategy: (169, actions) probabilities for every decision before the flop.
    """
    mbb = CHIPS_PER_UNIT * 1000 / int(walk.tree.committed[0].max())
    compiled, tree = walk.compiled, walk.tree
    plain = strategy_table(tree, block, compiled)
    other = strategy_table(tree, lambda node: strategy.get(node, block(node)), compiled)
    tables = aligned_zeros((2, len(plain)))
    tables[:] = plain
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION):
        start = int(compiled.node_start[node])
        size = int(tree.num_children[node]) * int(walk.program.street_buckets[tree.street[node]])
        tables[int(tree.player[node]), start : start + size] = other[start : start + size]
    results = np.empty((walk.state.chunks, CHUNK))
    scratch = allocate_scratch(walk.program)
    for chunk, part in enumerate(results):
        compare_kernel(part, tables, plain, scratch, walk.program, abstraction.tables, walk.random_state(chunk))
    losses = sum(_losses(walk, number, strategy) for number in range(len(walk.nodes)))
    return Check(float(results.mean()) * mbb, -losses / (2.0 * _RIVER_HANDS * NUM_OPPONENTS) * mbb)


def _losses(walk: PreflopWalk, number: int, strategy: Mapping[int, Floats]) -> float:
    """Returns the signed losses at one decision, summed over all hands of both players."""
    node, values = walk.nodes[number], walk.raw_values(number)
    mixed = (walk.strategy[node] * values).sum(axis=1)
    played = (strategy[node] * values).sum(axis=1)
    return float(own_reach(walk.tree, node, strategy) @ (mixed - played))


def own_reach(tree: BettingTree, node: int, strategy: Mapping[int, Floats]) -> Floats:
    """Returns (169,): the probability that the own actions of the player at a decision lead there."""
    player, reach = int(tree.player[node]), np.ones(NUM_HAND_CLASSES)
    while node:
        parent = int(tree.parent[node])
        if tree.player[parent] == player:
            reach = reach * strategy[parent][:, node - int(tree.first_child[parent])]
        node = parent
    return reach


def preflop_plays(walk: PreflopWalk) -> dict[str, dict[int, Floats]]:
    """Returns simple preflop strategies by name: the blueprint's own, uniform, and always call, raise least, or fold.

    Where one of the last three cannot be done, the strategy checks or calls, or takes the first action.
    """
    tree = walk.tree
    wanted = {
        "call": (ActionKind.CHECK, ActionKind.CALL),
        "raise": (ActionKind.BET, ActionKind.RAISE, ActionKind.ALL_IN),
        "fold": (ActionKind.FOLD,),
    }

    def always(kinds: tuple[ActionKind, ...], node: int) -> Floats:
        children = list(tree.children(node))
        fitting = [i for i, child in enumerate(children) if tree.action[child] in kinds]
        passive = [i for i, child in enumerate(children) if tree.action[child] in wanted["call"]]
        row = np.eye(len(children))[(fitting or passive or [0])[0]]
        return np.tile(row, (NUM_HAND_CLASSES, 1))

    plays = {"own": walk.strategy}
    plays["uniform"] = {node: np.full_like(rows, 1 / rows.shape[1]) for node, rows in walk.strategy.items()}
    return plays | {name: {node: always(kinds, node) for node in walk.nodes} for name, kinds in wanted.items()}
