"""Equity over all run-outs of a prepared spot, by a solver on a tree without decisions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS
from hedgehog.poker.ranges import disjoint_weight
from hedgehog.poker.streets import RIVER
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind


def root_equity(spot: PreparedSpot) -> NDArray[np.float32]:
    """Returns float32[2, 1326]: showdown equity against the opponent's range over all run-outs; ties count half.

    Combos that the player cannot hold, or that meet no combo of the opponent, are NaN.
    """
    showdown = CfrSolver(spot.game, _showdown_tree(spot.street))
    equity = np.full((2, NUM_COMBOS), np.nan, dtype=np.float32)
    for player in (0, 1):
        combos = spot.combos[player]
        met = disjoint_weight(spot.ranges[1 - player])[combos]
        won = showdown.root_values(player)[spot.hands[player]]
        equity[player, combos] = np.where(met > 0, (won / np.where(met > 0, met, 1) + 1) / 2, np.nan)
    return equity


def _showdown_tree(street: int) -> BettingTree:
    """Returns a tree without decisions: the board is run out and the hands are compared for one chip each."""
    count = RIVER - street + 1
    kind = np.full(count, NodeKind.DEAL, dtype=np.int8)
    kind[-1] = NodeKind.SHOWDOWN
    action = np.full(count, ActionKind.DEAL, dtype=np.int8)
    action[0] = ActionKind.ROOT
    index = np.arange(count, dtype=np.int32)
    last = index == count - 1
    return BettingTree(
        kind=kind,
        street=(street + index).astype(np.int8),
        player=np.full(count, -1, dtype=np.int8),
        parent=index - 1,
        first_child=np.where(last, -1, index + 1).astype(np.int32),
        num_children=np.where(last, 0, 1).astype(np.int32),
        action=action,
        amount=np.zeros(count, dtype=np.int32),
        committed=np.zeros((count, 2), dtype=np.int32),
        root_pot=2,
        stack=0,
    )
