"""Regrets that make a solve start from known strategies over hand buckets, such as those of a blueprint.

Brown and Sandholm 2016 (Strategy-based warm starting for regret minimization in games) start a solve from the values
of the known strategies. Here a regret is an action's probability times the pot and the opponent's reach, which needs no
pass over the game and has the right order of magnitude at every decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.postflop.cards import boards_on
from solver.postflop.prepared import PreparedSpot
from strategies.betting_tree import NodeKind

CARDS_LEFT = 44
"""River cards that two hands and a board of four leave."""


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """Strategies at decisions of a betting tree, over buckets of hands."""

    rows: Mapping[int, NDArray[np.float32]]
    """Per decision node float32 (buckets, actions): probabilities of the actions of each bucket."""
    buckets: tuple[NDArray[np.int64], ...]
    """Per street from the root's on, (boards, 1326): the bucket of each combo on each board that is dealt
    (:func:`dealt_boards`). Combos that the board blocks may have any bucket."""


def dealt_boards(spot: PreparedSpot) -> list[list[tuple[int, ...]]]:
    """Returns per street from the root's on the boards, as card ids, in the order of :attr:`Prior.buckets`."""
    return [boards_on(spot.cards.runouts, street) for street in range(spot.street, 4)]


def prior_strategies(spot: PreparedSpot, prior: Prior) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
    """Yields the probabilities of a prior at every decision, in the form of :func:`start_regrets`.

    Decisions that the prior lacks have uniform strategies.
    """
    buckets = _hand_buckets(spot, prior)
    tree = spot.tree
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION).tolist():
        player, level = int(tree.player[node]), int(tree.street[node]) - spot.street
        rows = prior.rows.get(node)
        if rows is None:
            shape = (spot.game.num_boards(level), int(tree.num_children[node]), len(spot.game.hands[player]))
            found = np.full(shape, 1 / shape[1], dtype=np.float32)
        else:
            found = rows.T[:, buckets[level][player]].transpose(1, 0, 2)
        yield level, int(spot.slots[level][node]), found


def _hand_buckets(spot: PreparedSpot, prior: Prior) -> list[list[NDArray[np.int64]]]:
    """Returns per street and player (boards, hands): the bucket of each hand on each board."""
    found = []
    hands = [np.zeros(len(spot.game.hands[player]), dtype=np.int64) for player in (0, 1)]
    for player in (0, 1):
        # Any combo of a hand will do.
        hands[player][spot.hands[player]] = spot.combos[player]
    for of_boards in prior.buckets:
        found.append([of_boards[:, hands[player]] for player in (0, 1)])
    return found


def start_regrets(spot: PreparedSpot, prior: Prior, weight: float) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
    """Yields the regrets that stand for a prior at every decision that it covers, for a root on turn or river.

    :param prior: strategies by hand bucket.
    :param weight: number of iterations in each of which every action gained its probability times the pot.
    :returns: triples of a level, a slot in the forest of the level, and float32[boards, actions, hands].
    """
    tree, game = spot.tree, spot.game
    buckets = _hand_buckets(spot, prior)
    live = [[level.strengths[:, game.hands[player]] >= 0 for player in (0, 1)] for level in game.levels]
    weights = [game.total_weights(player).astype(np.float32) for player in (0, 1)]
    todo = [(0, (weights[0][None], weights[1][None]))]
    while todo:
        node, reach = todo.pop()
        kind = tree.kind[node]
        level = int(tree.street[node]) - spot.street
        if kind == NodeKind.DEAL:
            after = [reach[player] * live[level + 1][player] for player in (0, 1)]
            todo.append((int(tree.first_child[node]), (after[0], after[1])))
        if kind != NodeKind.DECISION:
            continue
        player = int(tree.player[node])
        rows = prior.rows.get(node)
        children = tree.children(node)
        if rows is None:
            shape = (len(reach[0]), len(children), len(game.hands[player]))
            found = np.broadcast_to(np.float32(1 / len(children)), shape)
        else:
            found = rows.T[:, buckets[level][player]].transpose(1, 0, 2)
            met = reach[1 - player].sum(axis=1) / CARDS_LEFT**level
            scale = weight * tree.pot(node) * met
            yield level, int(spot.slots[level][node]), found * scale[:, None, None].astype(np.float32)
        for number, child in enumerate(children):
            if tree.kind[child] in (NodeKind.DECISION, NodeKind.DEAL):
                own = reach[player] * found[:, number]
                todo.append((child, (own, reach[1]) if player == 0 else (reach[0], own)))
