"""Values of average strategies on one street of one board."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.streets import RIVER
from hedgehog.solver.cfr.array_types import Stored
from hedgehog.solver.cfr.layout import board_block, rows_by_hand
from hedgehog.solver.cfr.programs import Forest
from hedgehog.solver.cfr.solver import CfrSolver
from hedgehog.solver.postflop.cards import boards_on, make_card_game
from hedgehog.solver.postflop.chance import Range, build_runouts
from hedgehog.solver.postflop.merging import merged_cards
from hedgehog.solver.postflop.prepared import PreparedSpot, slots_of_nodes
from hedgehog.strategies.betting_tree import BettingTree, subtree


class StreetValues(NamedTuple):
    """Values of the nodes of one street on one board that follow one first node of the street."""

    slot_of_node: NDArray[np.int32]
    """int32[tree nodes]: the row of each node in ``values``, -1 for nodes without one."""
    combos: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Per player the combos that have values."""
    hands: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Per player the column in ``values`` of each of these combos."""
    values: tuple[NDArray[np.float32], NDArray[np.float32]]
    """Per player float32[slots, hands]: chips won or lost relative to half the root pot, times the weight of the
    opponent's hands."""


def evaluate_board(
    spot: PreparedSpot,
    averages: tuple[Stored, Stored],
    entry: int,
    dealt: tuple[int, ...],
    reaches: tuple[Range, Range],
    threads: int | None,
) -> StreetValues:
    """Returns the values of average strategies on the street that begins with a node.

    Every later card is dealt and every combo is a hand, because merging them again could differ from how the spot
    merged them.

    :param averages: averages of both players, in the order of the spot's layout.
    :param entry: the node that begins the street.
    :param dealt: the cards dealt after the root board on the way to the node.
    :param reaches: float32[1326] per player, the reach of its combos at the node.
    :param threads: number of threads; None takes one per processor. The river always uses one.
    """
    street = spot.street + len(dealt)
    runouts = build_runouts((*spot.board, *dealt), spot.ranges, isomorphism=False)
    below, nodes = subtree(spot.tree, entry)
    slot_of_node = np.full(spot.tree.num_nodes, -1, dtype=np.int32)
    live = [weights[combo_mask(runouts.board)].any() for weights in spot.ranges]
    if not all(live):
        slot_of_node[nodes] = 0
        none = np.zeros(0, dtype=np.int64)
        return StreetValues(slot_of_node, (none, none), (none, none), (np.zeros((1, 0), np.float32),) * 2)
    cards = merged_cards(runouts, spot.ranges, enabled=False)
    game, combos, hands = make_card_game(cards, street, spot.ranges)
    game = replace(game, weights=(reaches[0][combos[0]], reaches[1][combos[1]]))
    solver = CfrSolver(game, below, rake=spot.rake, threads=1 if street == RIVER else threads)
    column = np.zeros((2, NUM_COMBOS), dtype=np.int64)
    for player in (0, 1):
        column[player, spot.combos[player]] = spot.hands[player]
    for level, forest in enumerate(solver.layout.forests):
        rows = _rows_of_forest(spot, street - spot.street + level, below, nodes, forest)
        for index, board in enumerate(boards_on(runouts, street + level)):
            above, stored_board, permutation = spot.locate_board(board[len(spot.board) :])
            for player in (0, 1):
                held = combos[player] if permutation is None else permutation[combos[player]]
                block = board_block(spot.game, spot.layout, averages[player], above, stored_board, player)
                by_hand = rows_by_hand(spot.game, block[:, rows[player]], player)
                solver.fill_average(level, index, player, by_hand[:, column[player, held]])
    slot_of_node[nodes] = slots_of_nodes(below, solver.layout)[0]
    return StreetValues(slot_of_node, combos, hands, (solver.street_values(0), solver.street_values(1)))


def _rows_of_forest(
    spot: PreparedSpot, level: int, below: BettingTree, nodes: NDArray[np.int32], forest: Forest
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns per player the row in the spot's layout of each row of a forest of the subtree ``below``.

    :param level: level of the forest in the spot's layout.
    :param nodes: the node of the spot's tree for each node of ``below``.
    :param forest: a forest of ``below``.
    """
    found: tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]] = ([], [])
    rows = spot.layout.forests[level].row
    # Slots ascend with their rows.
    for slot in np.flatnonzero(forest.row >= 0):
        node = int(forest.nodes[slot])
        first = int(rows[spot.slots[level][nodes[node]]])
        found[int(below.player[node])].append(np.arange(first, first + int(below.num_children[node])))
    none = np.zeros(0, dtype=np.int64)
    return np.concatenate([none, *found[0]]), np.concatenate([none, *found[1]])
