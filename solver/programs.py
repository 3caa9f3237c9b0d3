"""Compiles a betting tree into the flat programs the kernels run: one per street and updating player.

All money here is what a player ends up with compared to half the pot at the root, so without rake the game is
zero-sum: the winner of a pot gets ``root_pot / 2`` plus what the loser put in, less the rake.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver._kernels import Program
from solver._simd_kernels import LANES
from strategies.betting_tree import BettingTree, NodeKind


@dataclass(frozen=True, slots=True)
class Rake:
    """What the house takes from every pot: ``min(rate * pot, cap)`` chips, also if the pot is won by a fold."""

    rate: float = 0.0
    cap: float = 0.0

    def of(self, pot: float) -> float:
        """Returns the rake of a final pot."""
        return min(self.rate * pot, self.cap)


@dataclass(frozen=True, slots=True)
class Forest:
    """The betting lines of one street: where each has its values, and each decision its rows."""

    nodes: NDArray[np.int32]
    """(slots,): tree node of every line; the first ``num_roots`` enter from the street before."""
    first_child: NDArray[np.int32]
    """(slots,): slot of the first child of a decision, -1 elsewhere."""
    row: NDArray[np.int32]
    """(slots,): first row of a decision among the rows of its player, -1 elsewhere."""
    exits: NDArray[np.int32]
    """(exits,): slots that go on to the next street."""
    num_roots: int
    num_rows: tuple[int, int]
    """Rows (actions of decisions) per player."""


def plant_forests(tree: BettingTree, num_levels: int) -> list[Forest]:
    """Splits a tree into one forest per street, the root's street first; the last street is street 3."""
    forests = []
    entering = [0]
    for level in range(num_levels):
        last = level == num_levels - 1
        kind, first, count = tree.kind, tree.first_child, tree.num_children
        nodes = list(entering)
        first_child: list[int] = []
        row: list[int] = []
        exits: list[int] = []
        num_rows = [0, 0]
        slot = 0
        while slot < len(nodes):
            node = nodes[slot]
            first_child.append(-1)
            row.append(-1)
            if kind[node] == NodeKind.DECISION and int(tree.street[node]) == 4 - num_levels + level:
                player = int(tree.player[node])
                first_child[slot] = len(nodes)
                row[slot] = num_rows[player]
                num_rows[player] += int(count[node])
                nodes.extend(range(int(first[node]), int(first[node]) + int(count[node])))
            elif not last and kind[node] in (NodeKind.DEAL, NodeKind.SHOWDOWN):
                exits.append(slot)
            slot += 1
        forests.append(
            Forest(
                np.array(nodes, dtype=np.int32),
                np.array(first_child, dtype=np.int32),
                np.array(row, dtype=np.int32),
                np.array(exits, dtype=np.int32),
                len(entering),
                (num_rows[0], num_rows[1]),
            )
        )
        # A pot that is all-in before the last street goes on without decisions.
        entering = [int(first[nodes[slot]]) if kind[nodes[slot]] == NodeKind.DEAL else nodes[slot] for slot in exits]
    return forests


def payoffs(tree: BettingTree, node: int, player: int, rake: Rake) -> tuple[float, float, float]:
    """Returns what ``player`` wins, loses (negative) and gets in a tie at a terminal, relative to half the root pot.

    At a fold only one of the first two can happen.
    """
    half = tree.root_pot / 2
    # Chips nobody called go back to their owner.
    matched = int(min(tree.committed[node]))
    taken = rake.of(tree.root_pot + 2 * matched)
    return half + matched - taken, -(half + matched), -taken / 2


def largest_payoff(tree: BettingTree) -> float:
    """Returns the most chips a player can win or lose relative to half the root pot."""
    return tree.root_pot / 2 + float(tree.committed.min(axis=1).max())


def compile_program(
    tree: BettingTree, forest: Forest, player: int, bases: tuple[int, int], rake: Rake, scale: float
) -> Program:
    """Compiles one street for one updating player.

    :param bases: where the street starts in each player's regrets.
    :param scale: factor of all payoffs.
    """
    opponent = 1 - player
    slots = len(forest.nodes)
    reach_slot = np.zeros(slots, dtype=np.int64)
    reach_slot[: forest.num_roots] = np.arange(forest.num_roots)
    num_reach = forest.num_roots
    forward: list[int] = []
    backward: list[list[int]] = []
    showdowns: list[int] = []
    folds: list[int] = []
    leaves = set(forest.exits.tolist())
    for slot in range(slots):
        node = int(forest.nodes[slot])
        first = int(forest.first_child[slot])
        if first >= 0:
            count = int(tree.num_children[node])
            row = int(forest.row[slot]) * LANES
            own = int(tree.player[node]) == player
            backward.append([int(own), slot * LANES, first * LANES, count, row])
            if own:
                reach_slot[first : first + count] = reach_slot[slot]
            else:
                forward += [int(reach_slot[slot]) * LANES, num_reach * LANES, count, row]
                reach_slot[first : first + count] = np.arange(num_reach, num_reach + count)
                num_reach += count
        elif slot not in leaves:
            (folds if tree.kind[node] == NodeKind.FOLD else showdowns).append(slot)

    showdown_tiles = -(-len(showdowns) // LANES)
    tiles = showdown_tiles - (-len(folds) // LANES)
    # Padding lanes read the first reach slot, weigh it by zero and write to a slot behind the last.
    line_reach = np.zeros(tiles * LANES, dtype=np.int32)
    line_value = np.full(tiles * LANES, slots * LANES, dtype=np.int32)
    factors = np.zeros((tiles, 4, LANES), dtype=np.float32)
    for start, lines in ((0, showdowns), (showdown_tiles, folds)):
        for i, slot in enumerate(lines):
            node = int(forest.nodes[slot])
            tile, lane = start + i // LANES, i % LANES
            line_reach[tile * LANES + lane] = reach_slot[slot] * LANES
            line_value[tile * LANES + lane] = slot * LANES
            win, lose, tie = payoffs(tree, node, player, rake)
            if tree.kind[node] == NodeKind.FOLD:
                factors[tile, 2, lane] = scale * (lose if tree.player[node] == player else win)
            else:
                factors[tile, :, lane] = scale * np.array([win - tie, tie - lose, lose, tie])
    return Program(
        forward=np.array(forward, dtype=np.int32),
        backward=np.array(backward[::-1], dtype=np.int32).reshape(-1),
        exit_reach=(reach_slot[forest.exits] * LANES).astype(np.int32),
        exit_value=forest.exits * np.int32(LANES),
        line_reach=line_reach,
        line_value=line_value,
        factors=factors.reshape(-1),
        num_showdown_tiles=showdown_tiles,
        num_roots=forest.num_roots,
        own_base=bases[player],
        own_stride=forest.num_rows[player] * LANES,
        opp_base=bases[opponent],
        opp_stride=forest.num_rows[opponent] * LANES,
    )


def num_reach_slots(program: Program) -> int:
    """Returns how many ``reach`` slots a program fills."""
    return program.num_roots + int(program.forward[2::4].sum())
