"""Action-sequence trees R-A-T: R rounds, at most A raises in a round and T raises in a hand. Cards play no role.

The big blind counts as a raise of the first round, but not of the hand. A fold is always possible, also where checking
is free. Trees are counted by dynamic programming, without building them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from hedgehog.analysis.stats.number_text import format_covered
from hedgehog.analysis.study.batches import RAISES, HandBatch
from hedgehog.runtime.display.axes import open_axes
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import MISSING, Column, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_RAISES: Final = 60
"""Largest limit on raises that a name may hold; more raises do not fit into a round."""
_NAME: Final = re.compile(r"([1-4])-([0-9]{1,2}|inf)-([0-9]{1,2}|inf)")


class TreeSize(NamedTuple):
    """The number of nodes of a tree."""

    decisions: int
    """Nodes at which a player acts: the betting sequences."""
    showdowns: int
    """Ends without a fold."""

    @property
    def sequences(self) -> int:
        """All nodes but those after a fold."""
        return self.decisions + self.showdowns

    @property
    def nodes(self) -> int:
        """Nodes as the published tables count them: a fold below every sequence, showdowns included."""
        return 2 * self.sequences

    @property
    def clean_nodes(self) -> int:
        """Nodes with a fold below the decisions only."""
        return 2 * self.decisions + self.showdowns


@dataclass(frozen=True, slots=True, order=True)
class TreeShape:
    """The limits of a tree."""

    rounds: int
    """Number of betting rounds, 1 to 4."""
    per_round: int | None
    """Most raises in a round; None: no limit."""
    total: int | None
    """Most raises in a hand; None: no limit."""

    def __str__(self) -> str:
        return "-".join("inf" if part is None else str(part) for part in (self.rounds, self.per_round, self.total))

    def limits(self) -> tuple[int, int]:
        """Returns both limits as numbers: one that is missing follows from the other."""
        if self.per_round is None:
            assert self.total is not None
            return self.total + 1, self.total
        return self.per_round, self.rounds * self.per_round if self.total is None else self.total

    def covers(self, need: Need) -> bool:
        """Returns True if a hand with these needs is a path of the tree."""
        return (
            need.rounds <= self.rounds
            and (self.per_round is None or need.per_round <= self.per_round)
            and (self.total is None or need.total <= self.total)
        )


def parse_shape(text: str) -> TreeShape:
    """Returns the tree with a name such as ``4-4-8`` or ``4-inf-7``.

    :raises InputError: if the name is malformed, a limit is 0, or both limits are missing.
    """
    match = _NAME.fullmatch(text.strip())
    if match is None:
        raise InputError(f"expected a tree ROUNDS-RAISES-TOTAL such as 4-4-8 or 4-inf-7, got {text!r}")
    per_round, total = (None if part == "inf" else int(part) for part in match.groups()[1:])
    if per_round is None and total is None:
        raise InputError(f"expected a limit on the raises of a round or of a hand, got {text!r}")
    if per_round == 0 or max(per_round or 0, total or 0) > MOST_RAISES:
        raise InputError(
            f"expected 1 to {MOST_RAISES} raises in a round and at most {MOST_RAISES} in a hand, got {text!r}"
        )
    return TreeShape(int(match[1]), per_round, total)


def count_tree(shape: TreeShape) -> TreeSize:
    """Returns the number of nodes of a tree, by dynamic programming."""
    per_round, total = shape.limits()

    @cache
    def below(street: int, raises: int, hand_raises: int, acted: bool) -> tuple[int, int]:
        decisions, showdowns = 1, 0
        if not acted:
            children = [(street, raises, hand_raises, True)]
        elif street < shape.rounds:
            children = [(street + 1, 0, hand_raises, False)]
        else:
            children, showdowns = [], 1
        if raises < per_round and hand_raises < total:
            children.append((street, raises + 1, hand_raises + 1, True))
        for child in children:
            more = below(*child)
            decisions += more[0]
            showdowns += more[1]
        return decisions, showdowns

    return TreeSize(*below(1, 1, 0, False))


class Need(NamedTuple):
    """The smallest limits of a tree that contains a hand."""

    rounds: int
    per_round: int
    total: int


class Coverage(Shown):
    """Counts hands by the limits of the trees that contain them, so that any tree's coverage is a sum."""

    def __init__(self) -> None:
        self.needs: Counter[Need] = Counter()

    def add(self, batch: HandBatch) -> None:
        """Adds the hands of a batch."""
        raises = np.stack([batch.hands[name] for name in RAISES], axis=1).astype(np.int64)
        total = raises.sum(axis=1)
        raises[:, 0] += raises[:, 0] > 0  # the big blind
        packed = (batch.hands["rounds"].astype(np.int64) << 32) + (raises.max(axis=1, initial=0) << 16) + total
        for key, count in zip(*np.unique(packed, return_counts=True), strict=True):
            self.needs[Need(int(key) >> 32, (int(key) >> 16) & 0xFFFF, int(key) & 0xFFFF)] += int(count)

    @property
    def hands(self) -> int:
        """Number of hands."""
        return self.needs.total()

    def uncovered(self, shape: TreeShape) -> int:
        """Returns the number of hands that are no path of a tree."""
        return sum(count for need, count in self.needs.items() if not shape.covers(need))

    def summary(self) -> str:
        """Returns the number of hands."""
        return f"{self.hands:,} hands"

    def table(self) -> Table:
        """Returns the published trees with their nodes and the hands that they lack."""
        rows = []
        for row in published_trees():
            lacks = self.uncovered(row.shape)
            share = 1 - lacks / self.hands if self.hands else None
            covered = MISSING if share is None else f"{format_covered(lacks, self.hands, 3)} %"
            rows.append((str(row.shape), row.nodes, lacks, share, covered))
        columns = [
            Column("tree"), Column("nodes"), Column("uncovered", "left out"),
            Column("covered_share", shown=False), Column("covered shown", "covered", str, data=False),
        ]  # fmt: skip
        return Table("coverage", "Betting trees: rounds-raises per round-raises per hand", columns, tuple(rows))

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the share of hands that each published tree lacks over its number of nodes, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        axes = open_axes(axes, 6.4, 3.8)
        trees = published_trees()
        shares = [100 * self.uncovered(row.shape) / max(self.hands, 1) for row in trees]
        axes.scatter([row.nodes for row in trees], shares, s=18, color="#0072b2")
        axes.set_xscale("log")
        axes.set_xlabel("nodes of the tree")
        axes.set_ylabel("hands that the tree lacks, %")
        return axes


class Published(NamedTuple):
    """A published tree of Appendix A of the study of 40,177,601 heads-up no-limit hands."""

    shape: TreeShape
    nodes: int
    uncovered: int
    """Hands of the study that are no path of the tree."""


PUBLISHED_HANDS: Final = 40_177_601
_PUBLISHED: Final = """
3-15-inf 115190 9307776|4-3-inf 8002 334362|4-4-inf 22962 64059|4-5-inf 52706 7172|4-6-inf 104722 1134
4-7-inf 188034 395|4-8-inf 313202 186|4-9-inf 492322 115|4-10-inf 739026 74|4-15-inf 3570946 18
4-4-4 1970 807031|4-4-5 3730 194551|4-4-6 6226 81217|4-4-7 9330 66139|4-4-8 12722 64284|4-4-9 15986 64089
4-4-10 18738 64065|4-4-11 20754 64062|4-4-12 22002 64060
4-5-5 3906 143939|4-5-6 6850 26321|4-5-7 10946 9750|4-5-8 16130 7519|4-5-9 22146 7235|4-5-10 28546 7189
4-5-11 34786 7177|4-5-12 40354 7173
4-6-6 7026 21254|4-6-7 11570 4078|4-6-8 17746 1594|4-6-9 25554 1229|4-6-10 34802 1166|4-6-11 45106 1145
4-6-12 55890 1137
4-inf-4 2002 758764|4-inf-5 3938 139156|4-inf-6 7058 20806|4-inf-7 11778 3476|4-inf-8 18578 787
4-inf-9 28002 302|4-inf-10 40658 158|4-inf-11 57218 95|4-inf-12 78418 54
"""


def published_trees() -> list[Published]:
    """Returns the 43 published trees in their printed order."""
    rows = (row.split() for line in _PUBLISHED.split("\n") if line for row in line.split("|"))
    return [Published(parse_shape(name), int(nodes), int(uncovered)) for name, nodes, uncovered in rows]


PRINTED_SLIPS: Final[Mapping[str, tuple[float, float]]] = {
    "4-4-9": (0.001599996, 64089 / PUBLISHED_HANDS),
    "4-4-10": (0.001595143, 64065 / PUBLISHED_HANDS),
}
"""Trees whose printed uncovered fraction contradicts the printed number of hands: (printed, recomputed)."""


def frontier(sizes: Iterable[tuple[TreeShape, int, int]]) -> list[TreeShape]:
    """Returns the trees that no other tree beats: no smaller or equal tree leaves out fewer hands.

    :param sizes: trees with their number of nodes and of hands left out.
    """
    best: list[TreeShape] = []
    fewest: int | None = None
    for shape, _, uncovered in sorted(sizes, key=lambda row: (row[1], row[2])):
        if fewest is None or uncovered < fewest:
            best.append(shape)
            fewest = uncovered
    return best
