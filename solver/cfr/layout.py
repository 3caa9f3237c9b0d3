"""Where the regrets and average strategies of a solve lie, and how to read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.cfr.array_types import Stored
from hedgehog.solver.cfr.card_game import CardGame
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.programs import Forest, plant_forests
from hedgehog.strategies.betting_tree import BettingTree


@dataclass(frozen=True, slots=True)
class Layout:
    """Where regrets and averages lie in their flat arrays: ``[level][board][block][row][16 hands]``.

    A row is one action of one decision of the player (:mod:`hedgehog.solver.cfr.kernels._board_kernels`).
    """

    forests: tuple[Forest, ...]
    """The betting lines of each level."""
    bases: tuple[tuple[int, int], ...]
    """Per level the first element in each player's array."""
    sizes: tuple[int, int]
    """Number of elements of each player's array."""


def make_layout(game: CardGame, tree: BettingTree) -> Layout:
    """Returns the layout of the regrets and averages of both players, level by level."""
    forests = plant_forests(tree, len(game.levels))
    bases = []
    sizes = [0, 0]
    for level, forest in enumerate(forests):
        bases.append((sizes[0], sizes[1]))
        for player in (0, 1):
            rows = game.num_boards(level) * game.num_blocks(player) * forest.num_rows[player]
            sizes[player] += rows * LANES
    return Layout(tuple(forests), tuple(bases), (sizes[0], sizes[1]))


def named_arrays(**of_both: Sequence[NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Returns both players' arrays by name, such as ``regret_oop``; each array once, under its first name.

    Algorithms may use one array for two purposes.
    """
    found: dict[str, NDArray[Any]] = {}
    for name, arrays in of_both.items():
        for player, array in zip(("oop", "ip"), arrays, strict=True):
            if not any(array is other for other in found.values()):
                found[f"{name}_{player}"] = array
    return found


def board_block(game: CardGame, layout: Layout, stored: Stored, level: int, board: int, player: int) -> Stored:
    """Returns a view of one board's rows, shape (blocks, rows, 16); half floats are viewed as float16.

    :param board: number of the board on its level.
    """
    blocks, rows = game.num_blocks(player), layout.forests[level].num_rows[player]
    size = blocks * rows * LANES
    start = layout.bases[level][player] + board * size
    found = stored[start : start + size].reshape(blocks, rows, LANES)
    return found.view(np.float16) if found.dtype == np.uint16 else found


def rows_by_hand(game: CardGame, block: Stored, player: int) -> NDArray[np.float32]:
    """Returns float32[rows, hands of ``player``] from one board's rows of shape (blocks, rows, 16)."""
    blocks, rows, _ = block.shape
    by_row = block.astype(np.float32).transpose(1, 0, 2).reshape(rows, blocks * LANES)
    return by_row[:, : len(game.hands[player])]


def decision_rows(
    game: CardGame, tree: BettingTree, layout: Layout, stored: tuple[Stored, Stored], level: int, board: int, slot: int
) -> NDArray[np.float32]:
    """Returns float32[actions, hands of the acting player]: the regrets or averages of one decision.

    :param stored: regrets or averages of both players.
    :param board: number of the board on its level.
    :param slot: number of the decision's line in the forest of the level.
    """
    forest = layout.forests[level]
    node = int(forest.nodes[slot])
    player = int(tree.player[node])
    first = int(forest.row[slot])
    block = board_block(game, layout, stored[player], level, board, player)
    return rows_by_hand(game, block[:, first : first + int(tree.num_children[node])], player)


def normalised(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns float32[actions, hands]: probabilities proportional to the positive parts of regrets or averages.

    Hands without a positive number get the uniform distribution.
    """
    weights = np.maximum(rows, 0)
    total = weights.sum(axis=0)
    strategy: NDArray[np.float32] = np.where(
        total > 0, weights / np.where(total > 0, total, 1), np.float32(1 / len(weights))
    )
    return strategy
