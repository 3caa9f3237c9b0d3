"""Strategies of a spot's tree as the flat arrays in which a solver keeps its averages.

A :class:`GivenStrategy` answers for one decision and board at a time; a saved solve does, and so does a file of another
solver (:mod:`hedgehog.interop.strategies`). :func:`given_rows` lays it out for a prepared spot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.layout import board_block, rows_by_hand
from hedgehog.solver.postflop.cards import boards_on
from hedgehog.solver.postflop.chance import Range
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.solution import PostflopSolution
from hedgehog.solver.postflop.spot import PLAYERS
from hedgehog.strategies.betting_tree import BettingTree


class GivenStrategy(Protocol):
    """Somebody's strategies for both players of a spot."""

    def node_strategy(self, node: int, dealt: Sequence[int] = ()) -> NDArray[np.float32]:
        """Returns float32[actions, 1326]: probabilities at a decision of the spot's betting tree.

        Combos that cannot be held there may have any probabilities.

        :param dealt: the cards dealt after the root board on the way to the node.
        :raises InputError: if the decision is missing.
        """


@runtime_checkable
class OwnCount(Protocol):
    """Strategies of a program that counts dealt cards in its own way."""

    @property
    def program(self) -> str:
        """Name of the program."""

    @property
    def card_weights(self) -> Mapping[int, float]:
        """By street, 2 turn and 3 river: the program's weight of one dealt card; ours are 1/45 and 1/44."""


def given_rows(strategy: GivenStrategy, spot: PreparedSpot, player: int) -> NDArray[np.float32]:
    """Returns a player's strategy, float32, flat in the order of the spot's layout.

    :param spot: a spot whose betting tree the strategy is for, without merged boards and hands unless the strategy
        treats what is merged alike.
    :param player: 0 is OOP, 1 is IP.
    :raises InputError: if the strategy lacks a decision.
    """
    if isinstance(strategy, PostflopSolution):
        return solve_rows(strategy, spot, player)
    rows = np.zeros(spot.layout.sizes[player], dtype=np.float32)
    tree = spot.tree
    # One combo for each hand; merged hands play alike.
    first = spot.combos[player][np.unique(spot.hands[player], return_index=True)[1]]
    for level, forest in enumerate(spot.layout.forests):
        slots = np.flatnonzero((forest.row >= 0) & (tree.player[forest.nodes] == player))
        for number, board in enumerate(boards_on(spot.cards.runouts, spot.street + level)):
            dealt = board[len(spot.board) :]
            target = board_block(spot.game, spot.layout, rows, level, number, player)
            padded = np.zeros((target.shape[1], target.shape[0] * LANES), dtype=np.float32)
            live = combo_mask(dealt)[first] if dealt else np.ones(len(first), dtype=np.bool_)
            for slot in slots.tolist():
                node, row = int(forest.nodes[slot]), int(forest.row[slot])
                found = strategy.node_strategy(node, dealt)[:, first]
                # Blocked hands count nowhere; any strategy will do.
                padded[row : row + len(found), : len(first)] = np.where(live, found, np.float32(1 / len(found)))
            target[:] = padded.reshape(len(padded), target.shape[0], LANES).transpose(1, 0, 2)
    return rows


def solve_rows(solve: PostflopSolution, spot: PreparedSpot, player: int) -> NDArray[np.float32]:
    """Returns the average strategy of a player in a solve, float32, flat in the order of a spot's layout.

    :param solve: a solve of the same board and betting tree (:func:`verify_same_tree`).
    :param spot: a spot that may store other boards and hands.
    """
    rows = np.zeros(spot.layout.sizes[player], dtype=np.float32)
    column = np.zeros(NUM_COMBOS, dtype=np.int64)
    column[solve.spot.combos[player]] = solve.spot.hands[player]
    # One combo for each hand; the others of a merged hand play alike.
    first = spot.combos[player][np.unique(spot.hands[player], return_index=True)[1]]
    for level in range(len(spot.layout.forests)):
        for index, board in enumerate(boards_on(spot.cards.runouts, spot.street + level)):
            above, stored, permutation = solve.spot.locate_board(board[len(spot.board) :])
            held = first if permutation is None else permutation[first]
            block = board_block(solve.spot.game, solve.spot.layout, solve.averages[player], above, stored, player)
            by_hand = rows_by_hand(solve.spot.game, block, player)[:, column[held]]
            target = board_block(spot.game, spot.layout, rows, level, index, player)
            padded = np.zeros((len(by_hand), target.shape[0] * target.shape[2]), dtype=np.float32)
            padded[:, : by_hand.shape[1]] = by_hand
            target[:] = padded.reshape(len(by_hand), target.shape[0], target.shape[2]).transpose(1, 0, 2)
    return rows


def same_cards(one: PreparedSpot, other: PreparedSpot) -> bool:
    """Returns whether two spots deal the same boards and keep the same hands."""
    a, b = one.cards.runouts, other.cards.runouts
    pairs = ((one.cards.hand_of, other.cards.hand_of), (a.turn_of, b.turn_of), (a.river_of, b.river_of))
    return all(np.array_equal(*pair) for pair in pairs)


def verify_same_tree(
    solve: PostflopSolution, own: BettingTree, board: tuple[int, ...], weights: Range, player: int, what: str
) -> None:
    """Checks that a solve is of the same board and betting tree, and has every hand of a player.

    :param weights: float32[1326], the range of the player that the solve must have.
    :param what: name of the solve, for the message.
    :raises SpotError: if not.
    """
    other = solve.tree
    same = board == solve.board and own.num_nodes == other.num_nodes and own.root_pot == other.root_pot
    if not same or any(
        not np.array_equal(getattr(own, name), getattr(other, name)) for name in ("parent", "action", "amount", "kind")
    ):
        raise SpotError(f"{what} is a solve of another board or betting tree")
    if ((weights > 0) & ~(solve.ranges[player] > 0)).any():
        raise SpotError(f"{what} is a solve in which the {PLAYERS[player]} range lacks some of the hands")
