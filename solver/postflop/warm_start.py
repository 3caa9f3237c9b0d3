"""Regrets that make a solve start from known strategies over hand buckets, such as those of a blueprint.

Brown and Sandholm 2016 (Strategy-based warm starting for regret minimization in games) start a solve from the values
of the known strategies. Here a regret is an action's probability times the pot and the opponent's reach, which needs no
pass over the game and has the right order of magnitude at every decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.postflop.cards import boards_on
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.strategies.betting_tree import NodeKind

CARDS_LEFT = 44
"""River cards that two hands and a board of four leave."""


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """Strategies at decisions of a betting tree, over buckets of hands."""

    rows: Mapping[int, NDArray[np.float32]]
    """Per decision node float32 (buckets, actions): probabilities of the actions of each bucket."""
    buckets: tuple[NDArray[np.int64], ...]
    """Per street from the root's on, (boards, 1326): the bucket of each combo on each board that is dealt
    (:func:`dealt_boards`). Combos that the board blocks may have any bucket. Streets after the last one here start from
    uniform strategies."""


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
            uniform = np.full((1, int(tree.num_children[node])), 1 / int(tree.num_children[node]), dtype=np.float32)
            found = _by_hand(uniform, np.minimum(buckets[level][player], 0))
        else:
            found = _by_hand(rows, buckets[level][player])
        yield level, int(spot.slots[level][node]), found


def start_regrets(spot: PreparedSpot, prior: Prior, weight: float) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
    """Yields the regrets that stand for a prior at every decision that it covers.

    :param prior: strategies by hand bucket, on one or two streets.
    :param weight: number of iterations in each of which every action gained its probability times the pot.
    :returns: triples of a level, a slot in the forest of the level, and float32[actions, boards, hands]. The hands are
        those of the acting player, padded to whole blocks of 16 with regrets of 0.
    """
    tree, game = spot.tree, spot.game
    padded = [game.num_blocks(player) * LANES for player in (0, 1)]
    buckets = _hand_buckets(spot, prior)
    live = [
        [_padded(level.strengths[:, game.hands[p]] >= 0, padded[p], False) for p in (0, 1)] for level in game.levels
    ]
    weights = [_padded(game.total_weights(p).astype(np.float32)[None], padded[p], 0) for p in (0, 1)]
    todo = [(0, (weights[0], weights[1]))]
    while todo:
        node, reach = todo.pop()
        kind = tree.kind[node]
        level = int(tree.street[node]) - spot.street
        if kind == NodeKind.DEAL and level + 1 < len(buckets):
            after = [reach[player] * live[level + 1][player] for player in (0, 1)]
            todo.append((int(tree.first_child[node]), (after[0], after[1])))
        if kind != NodeKind.DECISION:
            continue
        player = int(tree.player[node])
        rows = prior.rows.get(node)
        children = tree.children(node)
        if rows is None:
            shape = (len(children), len(reach[0]), padded[player])
            found = np.broadcast_to(np.float32(1 / len(children)), shape)
        else:
            found = _by_hand(rows, buckets[level][player])
        continuing = [c for c in children if tree.kind[c] in (NodeKind.DECISION, NodeKind.DEAL)]
        for child in continuing:
            own = reach[player] * found[child - children[0]]
            todo.append((child, (own, reach[1]) if player == 0 else (reach[0], own)))
        if rows is not None:
            met = reach[1 - player].sum(axis=1) / CARDS_LEFT**level
            scale = weight * tree.pot(node) * met
            found *= scale[:, None].astype(np.float32)
            yield level, int(spot.slots[level][node]), found


def _hand_buckets(spot: PreparedSpot, prior: Prior) -> list[list[NDArray[np.int64]]]:
    """Returns per street and player (boards, padded hands): the bucket of each hand, -1 in the padding."""
    game = spot.game
    hands = [np.zeros(len(game.hands[player]), dtype=np.int64) for player in (0, 1)]
    for player in (0, 1):
        # Any combo of a hand will do.
        hands[player][spot.hands[player]] = spot.combos[player]
    return [
        [_padded(of_boards[:, hands[player]], game.num_blocks(player) * LANES, -1) for player in (0, 1)]
        for of_boards in prior.buckets
    ]


def _by_hand(rows: NDArray[np.float32], buckets: NDArray[np.int64]) -> NDArray[np.float32]:
    """Returns float32[actions, boards, padded hands]: each hand's strategy on each board, 0 in the padding.

    :param rows: float32 (buckets, actions).
    :param buckets: (boards, padded hands), -1 in the padding.
    """
    found = np.empty((rows.shape[1], *buckets.shape), dtype=np.float32)
    for action, of_buckets in enumerate(rows.T):
        # The bucket -1 of the padding reads the 0 at the end.
        np.take(np.append(of_buckets, np.float32(0)), buckets, mode="wrap", out=found[action])
    return found


def _padded(rows: NDArray[Any], size: int, value: float) -> NDArray[Any]:
    """Returns rows with columns of a value added at the end, ``size`` columns in all."""
    found = np.full((len(rows), size), value, dtype=rows.dtype)
    found[:, : rows.shape[1]] = rows
    return found
