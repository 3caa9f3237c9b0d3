"""The example river, simple strategies on it, and hands that are played with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.responses.decisions import StreetDecisions
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import format_action
from hedgehog.strategies.betting_tree import NodeKind

SPOT = Path(__file__).parents[4] / "docs/examples/spots/river.yaml"
Rows = dict[int, NDArray[np.float64]]


def decisions(prepared: PreparedSpot, player: int) -> list[int]:
    tree = prepared.tree
    return [n for n in range(tree.num_nodes) if tree.kind[n] == NodeKind.DECISION and tree.player[n] == player]


def strategies(prepared: PreparedSpot, player: int) -> tuple[Rows, Rows, Rows]:
    """Returns the strategies uniform, call (or check) and all-in (the largest bet or raise, else call)."""
    tree = prepared.tree
    uniform, call, allin = {}, {}, {}
    for node in decisions(prepared, player):
        tokens = [format_action(tree, child) for child in tree.children(node)]
        uniform[node] = np.full((len(tokens), 1326), 1 / len(tokens))
        call[node] = np.array([[float(token in ("X", "C"))] * 1326 for token in tokens])
        allin[node] = np.array([[float(token == tokens[-1])] * 1326 for token in tokens])
    return uniform, call, allin


def play_hands(
    solver: PostflopSolver, hero: int, rows: Mapping[int, NDArray[np.float64]], hands: int, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Deals hands and plays them with ``rows`` against the solve's strategy.

    :returns: (2, hands) the combos of both, (hands,) the node at which each hand ends, and (hands,) the chips that the
        hero loses.
    """
    rng = np.random.default_rng(seed)
    street, tree, spot = StreetDecisions(solver, hero), solver.tree, solver.spot
    ranges = [solver.node_reach(player, 0).astype(np.float64) for player in (0, 1)]
    first, second = spot.combos[0], spot.combos[1]
    meet = ~(COMBO_CARDS[first][:, None, :, None] == COMBO_CARDS[second][None, :, None, :]).any(axis=(2, 3))
    weights = np.where(meet, ranges[0][first][:, None] * ranges[1][second][None, :], 0).ravel()
    pairs = rng.choice(len(weights), hands, p=weights / weights.sum())
    dealt = np.stack([first[pairs // len(second)], second[pairs % len(second)]])
    lost, ends = np.zeros(hands), np.zeros(hands, dtype=np.int64)
    waiting = [(0, np.arange(hands))]
    while waiting:
        node, here = waiting.pop()
        if tree.kind[node] != NodeKind.DECISION or not len(here):
            ends[here] = node
            continue
        player = int(tree.player[node])
        combos = dealt[player][here]
        strategy = (rows[node] if player == hero else solver.node_strategy(node))[:, combos].astype(np.float64)
        reached = np.cumsum(strategy / strategy.sum(axis=0), axis=0)
        chosen = np.minimum((rng.random(len(here)) > reached).sum(axis=0), len(strategy) - 1)
        if player == hero:
            lost[here] += street.all_losses(node)[chosen, combos]
        waiting += [(int(child), here[chosen == number]) for number, child in enumerate(tree.children(node))]
    return dealt, ends, lost
