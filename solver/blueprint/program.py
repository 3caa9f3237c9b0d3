"""Compiles a whole-game betting tree into the rounds, rows and leaves that the trainer's kernels work on."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.blueprint._blueprint_kernels import MAX_HANDS, RoundProgram, RoundScratch
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.strategies.betting_tree import BettingTree, NodeKind

CHIPS_PER_UNIT: Final = 1000.0
"""Chips in one unit of payoffs. This unit keeps the sums over hands well within the range of float32."""


@dataclass(frozen=True, slots=True)
class CompiledTree:
    """A betting tree compiled for the trainer's kernels, and the layout of its tables."""

    program: RoundProgram
    table_size: int
    """Number of float32 entries of each table, regrets or summed strategies."""
    node_start: NDArray[np.int64]
    """(tree nodes,) start of a decision's rows (actions, padded buckets) in the tables, -1 for other nodes."""
    leaf_node: NDArray[np.int64]
    """(leaves,) tree node of each leaf of ``program``, -1 for padding."""


def padded(count: int) -> int:
    """Returns ``count`` rounded up to a multiple of 16, the length of a vector."""
    return -(-count // LANES) * LANES


@dataclass(slots=True)
class _Round:
    street: int
    decisions: list[int]
    slots: list[int]
    rows: list[int]
    first_rows: list[int]
    terminals: list[tuple[int, int, int, int]]
    """Folds and showdowns as (tree node, row, slot of player 0, slot of player 1)."""
    deals: list[tuple[int, int, int, int]]
    num_rows: int = 0


def _collect_round(tree: BettingTree, root: int) -> _Round:
    found = _Round(int(tree.street[root]), [], [], [], [], [], [])
    decision, deal = int(NodeKind.DECISION), int(NodeKind.DEAL)
    todo = [(root, -1, 0, 0)]
    while todo:
        node, row, *slots = todo.pop()
        player = int(tree.player[node])
        found.decisions.append(node)
        found.rows.append(row)
        found.slots.append(slots[player])
        found.first_rows.append(found.num_rows)
        decisions = []
        for child in tree.children(node):
            child_slots = list(slots)
            child_slots[player] = found.num_rows + 1
            state = (child, found.num_rows, child_slots[0], child_slots[1])
            found.num_rows += 1
            kind = int(tree.kind[child])
            if kind == decision:
                decisions.append(state)
            elif kind == deal:
                found.deals.append(state)
            else:
                found.terminals.append(state)
        todo.extend(reversed(decisions))
    return found


def leaf_payoffs(tree: BettingTree, leaf_node: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Returns the payoffs at leaves, in thousands of chips: zeros at deals and padding.

    :param leaf_node: (leaves,) nodes of ``tree``, -1 for padding.
    :returns: float32 (leaves,) what the better hand wins at a showdown, and float32 (2, leaves) what each player wins
        at a fold, which is negative for the player who folds.
    """
    kind = np.where(leaf_node >= 0, tree.kind[leaf_node], -1)
    committed = tree.committed[leaf_node] + tree.root_pot / 2
    stake = np.where(kind == NodeKind.SHOWDOWN, committed.min(axis=1), 0.0)
    loser = np.maximum(tree.player[leaf_node], 0).astype(np.int64)
    lost = np.where(kind == NodeKind.FOLD, committed[np.arange(len(leaf_node)), loser], 0.0)
    fold = np.stack([np.where(loser == player, -lost, lost) for player in range(2)])
    return (stake / CHIPS_PER_UNIT).astype(np.float32), np.ascontiguousarray(fold / CHIPS_PER_UNIT, dtype=np.float32)


def with_chips(compiled: CompiledTree, tree: BettingTree) -> CompiledTree:
    """Returns a compiled tree with the payoffs of a tree that differs from the one compiled in its chips alone."""
    stake, fold = leaf_payoffs(tree, compiled.leaf_node)
    program = compiled.program._replace(leaf_stake=stake, leaf_fold=fold)
    return dataclasses.replace(compiled, program=program)


def compile_tree(tree: BettingTree, bucket_counts: tuple[int, int, int, int]) -> CompiledTree:
    """Returns a betting tree compiled for the trainer's kernels.

    :param tree: a whole-game tree, or a subtree from the first decision of a later street on.
    :param bucket_counts: number of buckets on each street, preflop to river.
    """
    widths = [padded(count) for count in bucket_counts]
    rounds: list[_Round] = []
    round_of: dict[int, int] = {}
    todo = [0]
    while todo:
        root = todo.pop()
        round_of[root] = len(rounds)
        found = _collect_round(tree, root)
        rounds.append(found)
        todo.extend(int(tree.first_child[leaf[0]]) for leaf in reversed(found.deals))

    node_start = np.full(tree.num_nodes, -1, dtype=np.int64)
    round_node, round_leaf, round_table = [0], [0], [0]
    leaf_slot: list[tuple[int, int]] = []
    leaf_row: list[int] = []
    leaf_node: list[int] = []
    leaf_round: list[int] = []
    for found in rounds:
        width = widths[found.street]
        for node, first_row in zip(found.decisions, found.first_rows, strict=True):
            node_start[node] = round_table[-1] + first_row * width
        for node, row, slot0, slot1 in (*found.terminals, *found.deals):
            leaf_slot.append((slot0, slot1))
            leaf_row.append(row)
            leaf_node.append(node)
            leaf_round.append(round_of[int(tree.first_child[node])] if tree.kind[node] == NodeKind.DEAL else -1)
        while len(leaf_row) % LANES:
            leaf_slot.append((0, 0))
            leaf_row.append(found.num_rows)
            leaf_node.append(-1)
            leaf_round.append(-1)
        round_node.append(round_node[-1] + len(found.decisions))
        round_leaf.append(len(leaf_row))
        round_table.append(round_table[-1] + found.num_rows * width)

    decisions = np.array([node for found in rounds for node in found.decisions], dtype=np.int64)
    node_of_leaf = np.array(leaf_node, dtype=np.int64)
    stake, fold = leaf_payoffs(tree, node_of_leaf)
    program = RoundProgram(
        round_street=np.array([found.street for found in rounds], dtype=np.int64),
        round_node=np.array(round_node, dtype=np.int64),
        round_leaf=np.array(round_leaf, dtype=np.int64),
        round_terminals=np.array([len(found.terminals) for found in rounds], dtype=np.int64),
        round_deals=np.array([len(found.deals) for found in rounds], dtype=np.int64),
        round_table=np.array(round_table, dtype=np.int64),
        node_player=tree.player[decisions].astype(np.int64),
        node_slot=np.array([slot for found in rounds for slot in found.slots], dtype=np.int64),
        node_row=np.array([row for found in rounds for row in found.rows], dtype=np.int64),
        node_first_row=np.array([row for found in rounds for row in found.first_rows], dtype=np.int64),
        node_actions=tree.num_children[decisions].astype(np.int64),
        leaf_slot=np.ascontiguousarray(np.array(leaf_slot, dtype=np.int64).T),
        leaf_row=np.array(leaf_row, dtype=np.int64),
        leaf_stake=stake,
        leaf_fold=fold,
        leaf_round=np.array(leaf_round, dtype=np.int64),
        street_rows=np.array(
            [max((found.num_rows for found in rounds if found.street == s), default=0) for s in range(4)],
            dtype=np.int64,
        ),
        street_buckets=np.array(widths, dtype=np.int64),
    )
    return CompiledTree(program, round_table[-1], node_start, node_of_leaf)


def aligned_zeros(shape: tuple[int, ...] | int) -> NDArray[np.float32]:
    """Returns float32 zeros that start on a cache line, because vectors that straddle two lines halve the speed."""
    size = int(np.prod(shape))
    raw = np.zeros(size + LANES, dtype=np.float32)
    first = -raw.ctypes.data // raw.itemsize % LANES
    return raw[first : first + size].reshape(shape)


def allocate_scratch(program: RoundProgram) -> RoundScratch:
    """Returns empty working memory for one thread of the trainer."""
    width = int(program.street_buckets.max())
    rows = int(program.street_rows.max())
    leaves = int(np.diff(program.round_leaf).max())
    return RoundScratch(
        reach=aligned_zeros((4, 2 * MAX_HANDS)),
        value=aligned_zeros((4, MAX_HANDS)),
        slots=aligned_zeros((4, (rows + 1) * width)),
        row_values=aligned_zeros((4, (rows + 1) * width)),
        leaf_reach=aligned_zeros((4, 2 * width * leaves)),
        leaf_values=aligned_zeros((4, width * leaves)),
        leaf_at=np.zeros((4, leaves // LANES * width), dtype=np.int64),
        slot_at=np.zeros(leaves, dtype=np.int64),
        row_at=np.zeros(leaves, dtype=np.int64),
        hand_row=np.zeros((4, MAX_HANDS), dtype=np.int64),
        hand_bucket=np.zeros((4, MAX_HANDS), dtype=np.int64),
        hand_combo=np.zeros(MAX_HANDS, dtype=np.int64),
        hand_card=np.zeros((2, MAX_HANDS), dtype=np.int64),
        tie_end=np.zeros(MAX_HANDS, dtype=np.int64),
        by_hand=aligned_zeros(LANES * MAX_HANDS),
        value_by_hand=aligned_zeros(LANES * MAX_HANDS),
        by_card=aligned_zeros(LANES * 53),
        tile=aligned_zeros(LANES * LANES),
        tile_at=np.arange(0, LANES * LANES, LANES, dtype=np.int64),
        hand_at=np.arange(0, LANES * MAX_HANDS, LANES, dtype=np.int64),
        bucket_weight=aligned_zeros(width),
    )
