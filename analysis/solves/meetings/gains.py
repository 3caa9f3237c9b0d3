"""Where on the tree of a spot one strategy wins more than another.

Let A replace B in one seat, decision by decision from the root on. A has come to a decision by its own play, and after
it B's play goes on. What A wins there by acting as A instead of as B is the sum, over its hands, of A's reach times
A's probabilities times the counterfactual regrets of B's play. Over all decisions of the seat these gains add up to
what A wins there more than B, exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.responses.given_strategy import level_blocks
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import PLAYERS
from hedgehog.strategies.betting_tree import NodeKind

Rows = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Rows of OOP and IP, flat in the order of the layout of a spot
(:func:`~hedgehog.solver.postflop.responses.given_strategy.place_rows`)."""
MEETS_BY = "cfr:simultaneous=yes"
"""Algorithm of the solver on which strategies meet: one iteration adds the regrets of both players' strategies."""


def play_regrets(solver: PostflopSolver, rows: Rows) -> Rows:
    """Returns the counterfactual regrets of all actions if both players follow given strategies.

    :param solver: a solver by :data:`MEETS_BY`, whose state is replaced.
    :param rows: the probabilities of both players.
    :returns: in chips times the weight of the opponent's hands that reach the decision.
    """
    state = {name: np.zeros_like(array) for name, array in solver.state().items()}
    for name, array in zip(PLAYERS, rows, strict=True):
        state[f"regret_{name}"] = array
    solver.restore(0, state)
    solver.run(1)
    found = solver.state()
    # The regrets of the first player start from an array of zeros, those of the second from its strategy.
    return found["regret_oop"].copy(), found["regret_ip"] - rows[1]


def line_gains(
    spot: PreparedSpot, player: int, acting: NDArray[np.float32], regrets: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Returns float64[nodes]: what a strategy gains at each decision of a player, in chips per deal; 0 elsewhere.

    :param spot: a spot without merged cards.
    :param acting: the probabilities of the player in the strategy.
    :param regrets: the player's regrets in the play that goes on after the decision (:func:`play_regrets`).
    """
    tree, game = spot.tree, spot.game
    hands, padding = game.hands[player], game.num_blocks(player) * LANES - len(game.hands[player])
    boards = [np.ones(1)]
    for cards in game.levels[1:]:
        dealt = np.array([1 + len(swaps) for swaps in cards.swaps])
        boards.append(boards[-1][cards.parent] * cards.weight * dealt)
    weights = np.where(game.levels[0].strengths[:, hands] >= 0, game.weights[player], np.float32(0))
    gains = np.zeros(tree.num_nodes)
    todo = [(0, _blocks(weights, padding))]
    while todo:
        node, reach = todo.pop()
        children, level = tree.children(node), int(tree.street[node]) - spot.street
        if tree.kind[node] == NodeKind.DEAL and level + 1 < len(game.levels):
            after = game.levels[level + 1]
            live = _blocks((after.strengths[:, hands] >= 0).astype(np.float32), padding)
            todo += [(child, reach[after.parent] * live) for child in children]
        elif tree.kind[node] == NodeKind.DECISION and tree.player[node] != player:
            todo += [(child, reach) for child in children]
        elif tree.kind[node] == NodeKind.DECISION and reach.any():
            first = int(spot.layout.forests[level].row[spot.slots[level][node]])
            ours, theirs = (level_blocks(spot, flat, level, player) for flat in (acting, regrets))
            total: NDArray[np.float64] = np.zeros(len(reach))
            for action, child in enumerate(children):
                taken = reach * ours[:, :, first + action]
                total += (taken * theirs[:, :, first + action]).sum(axis=(1, 2), dtype=np.float64)
                todo.append((child, taken))
            gains[node] = total @ boards[level] / spot.pair_weight
    return gains


def _blocks(rows: NDArray[np.float32], padding: int) -> NDArray[np.float32]:
    """Returns float32[boards, blocks, 16] of float32[boards, hands], with zeros in the padding."""
    return np.pad(rows, ((0, 0), (0, padding))).reshape(len(rows), -1, LANES)
