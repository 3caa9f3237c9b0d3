"""Where the rows of a solve on groups lie, how many numbers they hold, and what the solve allocates."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.abstraction._pass_kernels import Partition
from hedgehog.solver.abstraction.abstraction import SpotGroups
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.card_game import CardGame, boards_bytes, make_sides
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.cfr.memory import tile_starts
from hedgehog.solver.postflop.prepared import PreparedSpot


@dataclass(frozen=True, slots=True)
class GroupSize:
    """How much a solve on groups stores."""

    infosets: int
    """(decision node, group) pairs over all boards."""
    entries: int
    """(decision node, action, group) triples over all boards: one number each per array of the algorithm."""
    states: int
    """(node, group of OOP, group of IP) triples over all boards."""

    def bytes_f32(self, arrays: float) -> int:
        """Returns the bytes of that many arrays in single precision."""
        return round(4 * arrays * self.entries)

    def bytes_f16(self, arrays: float) -> int:
        """Returns the bytes of that many arrays in half precision."""
        return round(2 * arrays * self.entries)


def measure_groups(spot: PreparedSpot, groups: SpotGroups | None) -> GroupSize:
    """Returns how much a solve on groups stores.

    :param spot: the spot, without merged cards if there are groups.
    :param groups: the groups; None counts every hand of the root on every board.
    """
    tree = spot.tree
    infosets = entries = states = 0
    for level, forest in enumerate(spot.layout.forests):
        boards = spot.game.num_boards(level)
        counts = [
            np.full(boards, len(spot.game.hands[player]), dtype=np.int64)
            if groups is None
            else groups.players[player][level].count
            for player in (0, 1)
        ]
        slots = np.flatnonzero(forest.row >= 0)
        decisions = np.bincount(tree.player[forest.nodes[slots]], minlength=2)
        states += len(forest.nodes) * int(counts[0] @ counts[1])
        for player in (0, 1):
            total = int(counts[player].sum())
            infosets += int(decisions[player]) * total
            entries += forest.num_rows[player] * total
    return GroupSize(infosets, entries, states)


@dataclass(frozen=True, slots=True)
class GroupLayout:
    """Where the rows of a solve on groups lie: ``[level][board][row][groups]``, groups padded to whole vectors."""

    widths: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Per player (boards of all levels,): number of groups, padded."""
    starts: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Per player (boards of all levels,): first element of each board."""
    sizes: tuple[int, int]
    """Number of elements of each player's arrays."""
    first_boards: tuple[int, ...]
    """First board of each level, and the number of all boards."""

    @property
    def width(self) -> int:
        """Largest number of groups on a board, padded."""
        return int(max(widths.max() for widths in self.widths))


def make_group_layout(spot: PreparedSpot, groups: SpotGroups) -> GroupLayout:
    """Returns where the rows of a solve on groups lie."""
    forests = spot.layout.forests
    boards = [0]
    for level in range(len(forests)):
        boards.append(boards[-1] + spot.game.num_boards(level))
    widths, starts, sizes = [], [], []
    for player in (0, 1):
        counts = np.concatenate([street.count for street in groups.players[player]])
        rows = np.repeat([forest.num_rows[player] for forest in forests], np.diff(boards))
        width = -(-counts // LANES) * LANES
        ends = np.cumsum(width * rows)
        widths.append(width)
        starts.append(ends - width * rows)
        sizes.append(int(ends[-1]))
    return GroupLayout((widths[0], widths[1]), (starts[0], starts[1]), (sizes[0], sizes[1]), tuple(boards))


def make_partition(game: CardGame, groups: SpotGroups, layout: GroupLayout, player: int) -> Partition:
    """Returns one player's groups as the kernels read them."""
    hands = game.num_blocks(player) * LANES
    count = len(game.hands[player])
    boards = layout.first_boards[-1]
    group_of = np.zeros((boards, hands), dtype=np.int32)
    weight = np.zeros((boards, hands), dtype=np.float32)
    first = 0
    for street in groups.players[player]:
        there = slice(first, first + len(street.count))
        live = street.number_of >= 0
        group_of[there, :count] = np.where(live, street.number_of, 0)
        weight[there, :count] = np.where(live, game.weights[player], np.float32(0))
        first += len(street.count)
    twin = _twins(game, groups, player, layout.width)
    return Partition(group_of, weight, layout.widths[player], layout.starts[player], twin)


def _twins(game: CardGame, groups: SpotGroups, player: int, width: int) -> NDArray[np.int32]:
    """Returns ``Partition.twin`` for all boards of a player, as one array."""
    first_hand = make_sides(game, player).own_first
    if not first_hand.size:
        return np.zeros((0, 0), dtype=np.int32)
    twin = np.tile(np.arange(width, dtype=np.int32), (len(first_hand), 1))
    board = 0
    for street in groups.players[player][:-1]:
        for numbers in street.number_of:
            live = np.flatnonzero(numbers >= 0)
            group, other = numbers[live], numbers[first_hand[board][live]]
            row = twin[board]
            # Groups are connected by their hands: the lowest number spreads until nothing changes.
            while True:
                before = row.copy()
                lowest = np.minimum(row[group], row[other])
                np.minimum.at(row, group, lowest)
                np.minimum.at(row, other, lowest)
                if np.array_equal(row, before):
                    break
            board += 1
    return twin


def scratch_shapes(
    spot: PreparedSpot, layout: GroupLayout, algorithm: Algorithm, threads: int
) -> dict[str, tuple[int, ...]]:
    """Returns by name the shapes of the float32 buffers of
    :class:`~hedgehog.solver.abstraction._pass_kernels.GroupScratch`."""
    game, tree, forests = spot.game, spot.tree, spot.layout.forests
    rows = threads + 1
    blocks = max(game.num_blocks(0), game.num_blocks(1))
    reach = LANES * blocks * max(forest.num_roots + max(forest.num_rows) for forest in forests)
    actions = int(tree.num_children.max())
    root_values = [blocks * forest.num_roots * LANES for forest in forests]
    exits = LANES * blocks * max(len(forest.exits) for forest in forests)
    weighted = algorithm.weighs_by_reach
    return {
        "reach": (rows, reach),
        "own_reach": (rows, 2 * reach if weighted else 0),
        "values": (rows, LANES * blocks * (1 + max(len(forest.nodes) for forest in forests))),
        "tiles": (rows, tile_starts(game, tree, spot.layout)[-1]),
        "sums": (rows, LANES * (1 + int(game.cards.max()))),
        "ties": (rows, LANES * game.num_hands),
        "chances": (rows, actions * layout.width),
        "totals": (rows, actions * layout.width),
        "mass": (rows, layout.width),
        "entry": (rows, exits),
        "own_entry": (rows, exits if weighted else 0),
        "result": (rows, root_values[-1]),
        "sum": (rows, (1 + len(game.swaps)) * max([0, *root_values[1:]])),
        "child": (game.num_boards(1), root_values[1]) if len(game.levels) > 1 else (0, 0),
        "root": (LANES * blocks,),
    }


def group_bytes(spot: PreparedSpot, groups: SpotGroups, layout: GroupLayout, algorithm: Algorithm, threads: int) -> int:
    """Returns the bytes of rows, groups, board tables and scratch of a solve on groups."""
    game = spot.game
    per_hand = sum(8 * layout.first_boards[-1] * game.num_blocks(player) * LANES for player in (0, 1))
    kept = sum(street.number_of.nbytes for player in groups.players for street in player)
    return (
        sum(4 * arrays * size for arrays, size in zip(algorithm.num_arrays, layout.sizes, strict=True))
        + boards_bytes(game)
        + per_hand
        + kept
        + sum(4 * math.prod(shape) for shape in scratch_shapes(spot, layout, algorithm, threads).values())
    )
