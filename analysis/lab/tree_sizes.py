"""The size of a spot's public tree: nodes, decisions, leaves, infosets and actions, before and after isomorphism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from hedgehog.poker.cards import format_cards
from hedgehog.runtime.table import Column, Table
from hedgehog.solver.abstraction.board_classes import ClassRule, relaxed_classes
from hedgehog.solver.postflop.chance import NodeCounts, StreetSize, build_runouts, count_nodes, measure_streets
from hedgehog.solver.postflop.spot import PostflopSpot
from hedgehog.solver.postflop.tree import build_postflop_tree
from hedgehog.strategies.betting_tree import BettingTree

Dealing = Literal["all", "exact", "relaxed"]
"""Which boards are dealt: all, or one of each class by a rule."""
_STREETS: Final = ("flop", "turn", "river")
_NODES: Final = ("boards", "nodes", "decisions", "leaves", "deals")
_INFOSETS: Final = ("infosets", "actions")
_NODES_NOTE: Final = (
    "all: every board; exact, relaxed: one board of each class. Leaves: folds, showdowns, and called all-ins without "
    "the cards after them. Deals: chance nodes."
)
_INFOSETS_NOTE: Final = (
    "Infosets: decisions times hands in range on the first board, all of which later boards keep. Actions: the same, "
    "once for every action."
)


@dataclass(frozen=True, slots=True)
class TreeSize:
    """The public tree of a spot, with some of its boards."""

    board: str
    dealing: Dealing
    boards: tuple[int, int, int]
    """Boards on flop, turn and river; 0 before the street of the root."""
    nodes: NodeCounts
    """A called all-in is one terminal node."""
    sizes: tuple[StreetSize, ...]
    """Of flop, turn and river."""

    def street(self, street: int) -> tuple[int, ...]:
        """Returns boards, nodes, decisions, leaves, deals, infosets and actions of a street: 0 is the flop."""
        nodes, decisions, leaves = (
            counts[street] for counts in (self.nodes.nodes, self.nodes.decision_nodes, self.nodes.terminal_nodes)
        )
        size = self.sizes[street]
        boards = self.boards[street]
        return boards, nodes, decisions, leaves, nodes - decisions - leaves, size.infosets, size.actions


def tree_sizes(spot: PostflopSpot, classes: ClassRule, tree: BettingTree | None = None) -> tuple[TreeSize, TreeSize]:
    """Returns the size of a spot's tree with all boards, and with one board of each class.

    :param classes: which next cards count as equal; the relaxed rule is for flops.
    :param tree: the betting tree of the spot; None builds it.
    """
    tree = build_postflop_tree(spot.tree) if tree is None else tree
    ranges = (spot.live_range(0), spot.live_range(1))
    hands = [int(np.count_nonzero(weights)) for weights in ranges]
    every = build_runouts(spot.board, ranges, isomorphism=False)
    if classes == "relaxed":
        found = relaxed_classes(spot.board)
        merged = (1, len(found.turn), len(found.river))
    else:
        runouts = build_runouts(spot.board, ranges)
        merged = (runouts.boards_on(1), runouts.boards_on(2), runouts.boards_on(3))

    def size(dealing: Dealing, boards: tuple[int, int, int]) -> TreeSize:
        counts = count_nodes(tree, boards, allin_is_leaf=True)
        return TreeSize(format_cards(spot.board), dealing, boards, counts, measure_streets(tree, boards, hands))

    return size("all", (every.boards_on(1), every.boards_on(2), every.boards_on(3))), size(classes, merged)


def tree_tables(pairs: Sequence[tuple[TreeSize, TreeSize]], weights: Sequence[float] | None = None) -> list[Table]:
    """Returns two tables by street and in all, of nodes and of infosets; of several boards the means.

    :param pairs: for each board the tree with all boards and with classes of them.
    :param weights: weight of each board; None: each counts once.
    """
    several = len(pairs) > 1
    rows: list[tuple[Any, ...]] = []
    for side in (0, 1):
        each = np.array([[pair[side].street(street) for street in range(3)] for pair in pairs])
        means = np.average(each, axis=0, weights=weights) if several else each[0]
        dealing = pairs[0][side].dealing
        rows += [(dealing, name, *row) for name, row in zip(_STREETS, means.tolist(), strict=True) if row[0]]
        rows.append((dealing, "total", *means.sum(axis=0).tolist()))
    over = f", means over {len(pairs):,} flops" if several else ""

    def table(name: str, title: str, counts: Sequence[str], first: int, note: str) -> Table:
        texts = ["{:,.1f}" if several and count == "boards" else "{:,.0f}" for count in counts]
        columns = [Column(count, text=text.format) for count, text in zip(counts, texts, strict=True)]
        cells = tuple((*row[:2], *row[first : first + len(counts)]) for row in rows)
        return Table(name, title + over, (Column("dealt"), Column("street"), *columns), cells, note)

    return [
        table("nodes", "Nodes", _NODES, 2, _NODES_NOTE),
        table("infosets", "Infosets", _INFOSETS, 2 + len(_NODES), _INFOSETS_NOTE),
    ]


def boards_table(pairs: Sequence[tuple[TreeSize, TreeSize]], weights: Sequence[float]) -> Table:
    """Returns a row per flop: its weight, its classes of turns and rivers, and the whole tree over them.

    :param weights: weight of each flop; they add up to 1.
    """
    rows = []
    for (_, merged), weight in zip(pairs, weights, strict=True):
        _, *totals = (sum(column) for column in zip(*(merged.street(street) for street in range(3)), strict=True))
        rows.append((merged.board, weight, *merged.boards[1:], *totals))
    hidden = ("decisions", "leaves", "deals")
    columns = [Column("flop"), Column("weight", text="{:.4f}".format)]
    for name in ("turns", "rivers", *_NODES[1:], *_INFOSETS):
        columns.append(Column(name, text="{:,}".format, shown=name not in hidden))
    return Table("flops", "Tree on each flop", columns, tuple(rows), "With one board of each class.")
