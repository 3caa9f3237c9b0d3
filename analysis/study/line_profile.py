"""What some players do after every betting line, with 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.histories.real_hands import BIG_BLIND, SMALL_BLIND
from hedgehog.analysis.study.batches import HandBatch
from hedgehog.analysis.study.profiles import SEAT_LETTERS, SEATS, Share, wilson
from hedgehog.analysis.study.trees.betting_tree import StudyTree
from hedgehog.runtime.table import Column, Table

_EDGES = ("fold", "call", "raise")


class LineShares(NamedTuple):
    """A betting line after which the players act, and what they do."""

    seat: str
    """``big blind`` or ``small blind``: who acts."""
    line: str
    """Actions before, such as ``rc/k``; empty for the first decision of the hand."""
    hands: int
    shares: tuple[Share, Share, Share]
    """Folds; checks and calls; bets and raises."""
    sizes: dict[str, int]
    """Number of bets and raises by size, the most frequent first."""


class LineProfile:
    """Counts hands along betting lines, for each seat in which the players sit."""

    def __init__(self) -> None:
        self._trees = {BIG_BLIND: StudyTree(), SMALL_BLIND: StudyTree()}

    def add(self, batch: HandBatch, counted: NDArray[np.bool_]) -> None:
        """Adds hands.

        :param counted: bool[players]: whose actions are counted.
        """
        for seat, name in ((BIG_BLIND, "player_bb"), (SMALL_BLIND, "player_sb")):
            chosen = batch.select(counted[batch.hands[name]])
            if chosen.num_hands:
                self._trees[seat].add(chosen, chosen.actions["seat"] == seat)

    def lines(self, least: int = 1) -> list[LineShares]:
        """Returns the lines with enough hands, most hands first.

        :param least: fewest hands of a line.
        """
        found = []
        for seat, tree in self._trees.items():
            children = tree.nodes.children[: tree.count]
            for node in np.flatnonzero((children >= 0).any(axis=1)).tolist():
                below = children[node]
                if any(tree.nodes.seat[child] != seat for child in below if child >= 0):
                    continue
                counts = [int(tree.nodes.hands[child]) if child >= 0 else 0 for child in below]
                hands = sum(counts)
                if hands >= least:
                    fold, call, bet = (wilson(count, hands) for count in counts)
                    sizes = tree.named_bins(int(below[2])) if below[2] >= 0 else {}
                    found.append(
                        LineShares(SEATS[seat], _path(tree, node, int(max(below))), hands, (fold, call, bet), sizes)
                    )
        return sorted(found, key=lambda one: (-one.hands, one.seat, one.line))


def _path(tree: StudyTree, node: int, child: int) -> str:
    """Returns the line that leads to a node, with a slash at the end if the next action is on a new street."""
    path = tree.path(node)
    return f"{path}/" if node > 0 and tree.nodes.round[node] != tree.nodes.round[child] else path


def line_table(lines: Sequence[LineShares], who: str = "all players") -> Table:
    """Returns lines: as data each frequency with its interval, and the sizes.

    :param who: whose actions were counted, for the title.
    """
    columns = [
        Column("seat", "acts", SEAT_LETTERS.__getitem__, left=True),
        Column("line", text=lambda line: line or "-", left=True),
        Column("hands", text="{:,}".format),
    ]
    for name, heading in zip(_EDGES, ("fold", "check, call", "bet, raise"), strict=True):
        columns += [Column(name, shown=False), Column(f"{name} low", shown=False), Column(f"{name} high", shown=False)]
        columns.append(Column(f"{name} shown", heading, _share_text, data=False))
    columns += [Column("sizes", shown=False), Column("sizes shown", "sizes", _sizes_text, data=False, left=True)]
    rows = []
    for one in lines:
        shares = [cell for share in one.shares for cell in (share.share, share.low, share.high, share)]
        sizes = " ".join(f"{size}:{count}" for size, count in one.sizes.items())
        rows.append((one.seat, one.line, one.hands, *shares, sizes, one.sizes))
    return Table("lines", f"After betting lines ({who}), % ± 95 %", columns, tuple(rows))


def _share_text(share: Share) -> str:
    return f"{100 * share.share:.0f} ±{50 * (share.high - share.low):.0f}"


def _sizes_text(sizes: dict[str, int]) -> str:
    total = sum(sizes.values())
    return ", ".join(f"{size} {100 * count / total:.0f}%" for size, count in list(sizes.items())[:2])
