"""Preflop values of other own play: the player takes its best action where the blueprint's own would not do.

A table of preflop values says what an action is worth if the player follows the blueprint after it. But a blueprint's
rows are averages over the hands that come to a decision. Where a hand never comes, its row is whatever training left
there, often all actions equally often. So an action that the blueprint never takes has too low a value if the
player has to act again before the flop.

The opponent follows the blueprint in any case, so the values of one player's decisions depend on those of its own next
ones alone: after action a at decision h, the opponent's actions lead to the player's decision h' with probability
share(h') / share(h), for the hand classes share counts the opponent's hands that they can meet.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hedgehog.strategies.betting_tree import BettingTree
from hedgehog.strategies.preflop_values import Floats, NodeValues, PreflopValues, preflop_reach


def with_best_play(values: PreflopValues, below: float = np.inf) -> PreflopValues:
    """Returns the values for a player who takes the best action, before the flop, where a hand hardly comes.

    As in :attr:`NodeValues.best`, the action that looks best on one half of the boards is valued on the other.
    Standard errors stay those of the table.

    :param below: at decisions to which the blueprint's own actions lead with less than this probability, by hand class,
        the player takes its best action, always, and that is its ``strategy`` there; infinite: at all.
    """
    tree = values.blueprint.tree
    reach = preflop_reach(tree, {node: each.strategy for node, each in values.nodes.items()})
    found: dict[int, NodeValues] = {}
    gains: dict[int, Floats] = {}
    for node in sorted(values.nodes, reverse=True):  # parents precede their children
        old = values.nodes[node]
        halves = np.stack([old.ev + old.half_difference, old.ev - old.half_difference])
        before = (old.strategy * halves).sum(axis=2)
        for action, following in enumerate(_next_own(tree, values, node)):
            for own in following:
                with np.errstate(divide="ignore", invalid="ignore"):
                    often = np.where(old.share > 0, values.nodes[own].share / old.share, 0.0)
                halves[:, :, action] += np.nan_to_num(often * gains[own])
        chosen = np.nan_to_num(halves, nan=-np.inf).argmax(axis=2)
        rows = np.arange(len(old.share))
        best = np.stack([halves[0, rows, chosen[1]], halves[1, rows, chosen[0]]])
        mean = halves.mean(axis=0)
        replaced = reach[node][int(tree.player[node])] < below
        strategy = np.where(replaced[:, None], np.eye(mean.shape[1])[np.nan_to_num(mean, nan=-np.inf).argmax(axis=1)],
                            old.strategy)  # fmt: skip
        gains[node] = np.where(replaced, best, (old.strategy * halves).sum(axis=2)) - before
        found[node] = replace(old, ev=mean, half_difference=(halves[0] - halves[1]) / 2, strategy=strategy)
    return replace(values, nodes={node: found[node] for node in values.nodes})


def _next_own(tree: BettingTree, values: PreflopValues, node: int) -> list[list[int]]:
    """Returns for each action of a decision the player's own decisions that may come next before the flop."""
    return [
        [own for own in tree.children(child) if own in values.nodes] if child in values.nodes else []
        for child in tree.children(node)
    ]
