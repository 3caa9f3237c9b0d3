"""Explicit action-sequence trees with the number of hands and the sizes of bets at every node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.histories.action_kinds import RAISE
from hedgehog.analysis.study.batches import HandBatch
from hedgehog.analysis.study.sizes import ALL_IN, MULTIPLE_BINS, POT_BINS, Histogram, raises_of, size_token
from hedgehog.analysis.study.trees._tree_kernels import NO_NODE, ROOT_KIND, Nodes, build_tree_kernel, walk_kernel
from hedgehog.analysis.study.trees.kinds import TreeShape, count_tree
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import Column, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTERS: Final = "fcr"
BYTES_PER_NODE: Final = 16
"""Memory of a node as the published tables state it: two floats of 8 bytes."""
MOST_NODES: Final = 20_000_000
_ROOM: Final = 1 << 12
_MOST_DRAWN: Final = 30
"""Most sequences in a chart."""


def allocate_nodes(room: int) -> Nodes:
    """Returns columns with room for some nodes, and the root in row 0."""
    nodes = Nodes(
        children=np.full((room, 3), NO_NODE, np.int32),
        parent=np.full(room, NO_NODE, np.int32),
        kind=np.zeros(room, np.uint8),
        round=np.zeros(room, np.uint8),
        seat=np.zeros(room, np.uint8),
        round_raises=np.zeros(room, np.uint8),
        hand_raises=np.zeros(room, np.uint8),
        hands=np.zeros(room, np.uint32),
        pot=np.zeros(room, np.float64),
    )
    nodes.kind[0] = ROOT_KIND
    return nodes


class StudyTree(Shown):
    """A tree of betting sequences, with the hands that took them.

    Without a shape the tree grows with the hands: it holds the sequences that occurred. With a shape it is the whole
    tree R-A-T, and a hand stops at the first action that the tree lacks.
    """

    def __init__(self, shape: TreeShape | None = None) -> None:
        """Builds the tree, without hands.

        :raises InputError: if the whole tree is too large.
        """
        self.shape = shape
        self.count = 1
        self.hands = 0
        self.uncovered = 0
        """Number of hands that left the tree."""
        self.sizes = Histogram()
        """Size bins by node: :data:`MULTIPLE_BINS` and :data:`POT_BINS` per unit."""
        if shape is None:
            self.nodes = allocate_nodes(_ROOM)
            self.unit_sum = np.zeros(_ROOM)
            return
        size = count_tree(shape)
        if size.clean_nodes > MOST_NODES:
            raise InputError(f"the tree {shape} has {size.clean_nodes:,} nodes, expected at most {MOST_NODES:,}")
        self.nodes = allocate_nodes(size.clean_nodes)
        self.unit_sum = np.zeros(size.clean_nodes)
        per_round, total = shape.limits()
        self.count = int(build_tree_kernel(self.nodes, shape.rounds, per_round, total))

    def add(self, batch: HandBatch, counted: NDArray[np.bool_]) -> None:
        """Adds hands, and the sizes of those bets and raises for which ``counted``, bool[M], is True."""
        grow = self.shape is None
        if grow:
            self._make_room(self.count + batch.num_actions)
        actions = batch.actions
        big_blind = np.maximum(batch.hands["big_blind"], 1)[batch.hand_of_action()]
        node_of_action = np.empty(batch.num_actions, np.int32)
        self.count, uncovered = walk_kernel(
            node_of_action,
            self.nodes,
            self.count,
            batch.first_action(),
            actions["kind"],
            actions["round"],
            actions["seat"],
            actions["ordinal"],
            actions["pot"] / big_blind,
            grow,
        )
        self.hands += batch.num_hands
        self.uncovered += uncovered
        chosen = counted & (actions["kind"] == RAISE) & (node_of_action >= 0)
        raises = raises_of(batch, chosen)
        self.sizes.add(node_of_action[chosen], raises.bins(MULTIPLE_BINS, POT_BINS))
        unit = np.where(raises.by_pot, raises.pot, raises.faced) / np.maximum(raises.pot, 1)
        np.add.at(self.unit_sum, node_of_action[chosen], unit)

    def _make_room(self, wanted: int) -> None:
        room = len(self.nodes.parent)
        if wanted <= room:
            return
        larger = allocate_nodes(max(wanted, 2 * room))
        for name in Nodes._fields:
            getattr(larger, name)[: self.count] = getattr(self.nodes, name)[: self.count]
        self.nodes = larger
        self.unit_sum = np.concatenate([self.unit_sum, np.zeros(len(larger.parent) - room)])

    def unit(self, node: int) -> float | None:
        """Returns the mean unit of the sizes of the bet that leads to a node, as a share of the pot before it.

        None without counted bets, and for a tree from a folder, which does not hold it.
        """
        bets = sum(self.bins(node).values())
        return float(self.unit_sum[node]) / bets if bets and self.unit_sum[node] else None

    def children(self, node: int) -> Iterator[int]:
        """Yields the nodes below a node, in the order fold, check or call, raise."""
        yield from (int(child) for child in self.nodes.children[node] if child >= 0)

    def path(self, node: int) -> str:
        """Returns the actions that lead to a node, such as ``rc/cr``; a new round starts with a slash."""
        letters: list[str] = []
        while node > 0:
            parent = int(self.nodes.parent[node])
            letters.append(LETTERS[self.nodes.kind[node]])
            if parent > 0 and self.nodes.round[parent] != self.nodes.round[node]:
                letters.append("/")
            node = parent
        return "".join(reversed(letters))

    def find(self, path: str) -> int:
        """Returns the node to which a path leads; slashes may be left out.

        :raises InputError: if the tree has no such node.
        """
        node = 0
        for index, letter in enumerate(path):
            if letter == "/":
                continue
            if letter not in LETTERS:
                raise InputError(f"expected a path of f, c, r and /, got {path!r}")
            node = int(self.nodes.children[node, LETTERS.index(letter)])
            if node < 0:
                raise InputError(f"the tree has no node {path[: index + 1]!r}")
        return node

    def bins(self, node: int) -> dict[int, int]:
        """Returns the number of bets of each size bin that lead to a node."""
        return self.sizes.counts(node)

    def by_pot(self, node: int) -> bool:
        """Returns True if the sizes of the bet that leads to a node are fractions of the pot."""
        return bool(self.nodes.round[node] > 0 and self.nodes.round_raises[node] == 1)

    def named_bins(self, node: int) -> dict[str, int]:
        """Returns the number of bets by size token, the most frequent first, on a tie the smaller one."""
        bins = self.bins(node)
        order = sorted(bins, key=lambda number: (-bins[number], number == ALL_IN, number))
        return {size_token(number, self.by_pot(node)): bins[number] for number in order}

    def mean_pot(self, node: int) -> float | None:
        """Returns the mean pot in big blinds before the action that leads to a node; None without hands or action."""
        hands = int(self.nodes.hands[node])
        return float(self.nodes.pot[node]) / hands if node and hands else None

    def summary(self) -> str:
        """Returns the shape, the nodes and the hands."""
        shape = "grown with the hands" if self.shape is None else str(self.shape)
        return f"{shape}, {self.count:,} nodes, {self.hands:,} hands, {self.uncovered:,} of them not in the tree"

    def table(self) -> Table:
        """Returns a row for each sequence with hands, most hands first: hands, mean pot, share of the node before."""
        hands = self.nodes.hands[: self.count].astype(np.int64)
        order = np.argsort(-hands, kind="stable")
        rows = []
        for node in order[hands[order] > 0].tolist():
            if not node:
                continue
            parent = int(self.nodes.parent[node])
            before = int(hands[parent]) if parent else self.hands
            size = next(iter(self.named_bins(node)), None)
            rows.append((self.path(node), int(hands[node]), int(hands[node]) / before, self.mean_pot(node), size))
        columns = [
            Column("sequence"), Column("hands"), Column("share", text=lambda share: f"{100 * share:.1f} %"),
            Column("mean_pot_bb", "mean pot, BB"), Column("most_frequent_size", "most frequent size"),
        ]  # fmt: skip
        return Table("sequences", "Betting sequences", columns, tuple(rows))

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the hands of the most frequent sequences as bars, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if the tree has no hands, or matplotlib is not installed.
        """
        table = self.table()
        return Table(table.name, table.title, table.columns, table.rows[:_MOST_DRAWN]).plot(axes, column="hands")

    def order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns int64[count]: the nodes in breadth-first order, so that the children of a node are neighbours.

        The second array, int64[count], has the place of every node in this order.
        """
        levels = [np.zeros(1, np.int64)]
        while len(levels[-1]):
            below = self.nodes.children[levels[-1]].reshape(-1)
            levels.append(below[below >= 0].astype(np.int64))
        order = np.concatenate(levels)
        return order, np.argsort(order)
