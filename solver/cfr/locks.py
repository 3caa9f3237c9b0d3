"""Given strategies of a card game, laid out as the kernels read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.cfr.card_game import CardGame
from hedgehog.solver.cfr.kernels._game_kernels import Locks
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.layout import Layout
from hedgehog.strategies.betting_tree import BettingTree


@dataclass(frozen=True, slots=True, eq=False)
class BoardLock:
    """A decision whose acting player's strategy is given for some of its hands on some boards."""

    node: int
    """The decision node of the betting tree."""
    boards: NDArray[np.int64]
    """(boards,): numbers of the boards, on the node's level, on which the lock holds."""
    strategy: NDArray[np.float32]
    """(actions, hands of the acting player): probabilities; -1 for hands that are free."""


def place_locks(game: CardGame, tree: BettingTree, layout: Layout, locks: Sequence[BoardLock]) -> tuple[Locks, Locks]:
    """Returns each player's locks as the kernels read them. Of several locks for one hand, the first holds."""
    return _place(game, tree, layout, locks, 0), _place(game, tree, layout, locks, 1)


def _place(game: CardGame, tree: BettingTree, layout: Layout, locks: Sequence[BoardLock], player: int) -> Locks:
    blocks = game.num_blocks(player)
    rows, wanted = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    probabilities = [np.zeros(0, dtype=np.float32)]
    size = 0
    # The kernel writes the locks in order, so the first lock of a hand comes last.
    for lock in reversed([lock for lock in locks if tree.player[lock.node] == player]):
        level = int(tree.street[lock.node] - tree.street[0])
        forest = layout.forests[level]
        (slot,) = np.flatnonzero(forest.nodes == lock.node)
        num_actions, num_hands = lock.strategy.shape
        padded = np.full((num_actions, blocks * LANES), -1, dtype=np.float32)
        padded[:, :num_hands] = lock.strategy
        by_block = padded.reshape(num_actions, blocks, LANES).transpose(1, 0, 2)
        touched = np.flatnonzero((by_block >= 0).any(axis=(1, 2)))
        block_rows = (lock.boards[:, None] * blocks + touched) * forest.num_rows[player] + forest.row[slot]
        at = layout.bases[level][player] + (block_rows[..., None] + np.arange(num_actions)) * LANES
        source = size + np.arange(len(touched) * num_actions) * LANES
        rows.append(at.ravel())
        wanted.append(np.tile(source, len(lock.boards)))
        probabilities.append(by_block[touched].ravel())
        size += probabilities[-1].size
    return Locks(np.concatenate(rows), np.concatenate(wanted), np.concatenate(probabilities))
