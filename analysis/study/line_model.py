"""Counts what a player does at the decisions of a spot in real hands, as a model for responses to it.

A hand walks down the betting tree of the spot. Cards do not matter, and neither does the depth of the stacks: a bet is
taken for the size of the tree whose share of the pot is nearest, and an all-in for the all-in of the tree. A hand stops
at the first action that the tree lacks. Out of position is the big blind, in position the small blind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.histories.action_kinds import FOLD, RAISE
from hedgehog.analysis.study.batches import HandBatch
from hedgehog.analysis.study.trees.betting_tree import LETTERS
from hedgehog.runtime.display.axes import open_axes
from hedgehog.runtime.display.shown import Shown
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import Column, Table
from hedgehog.solver.postflop.spot import PLAYERS
from hedgehog.solver.postflop.tree import format_action, format_line, line_of
from hedgehog.strategies.betting_tree import ActionKind, BettingTree, NodeKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STOPPED = -1
_MOST_DRAWN: Final = 30
"""Most decisions in a chart."""


class ModelLine(NamedTuple):
    """A decision of the player and what it did there."""

    line: str
    """Actions from the root to the decision, as in spot files."""
    hands: int
    counts: dict[str, int]
    """Number of hands by action token."""

    @property
    def frequencies(self) -> dict[str, float]:
        """Share of the hands by action token; actions that never occurred are left out."""
        return {token: count / self.hands for token, count in self.counts.items() if count}


class LineModel(Shown):
    """Counts of one player's actions at the decisions of a spot."""

    def __init__(self, tree: BettingTree, player: int, before: str = "") -> None:
        """Makes a model without hands.

        :param tree: betting tree of the spot; its root is on the flop, turn or river.
        :param player: whose actions are counted, 0 for OOP, the big blind.
        :param before: actions before the root, such as ``rc/``; empty for all hands that come to the root's street.
        :raises InputError: if ``before`` has other letters than f, c, r and /.
        """
        letters = before.replace("/", "")
        if not set(letters) <= set(LETTERS):
            raise InputError(f"expected actions of f, c, r and /, got {before!r}")
        self.tree = tree
        self.player = player
        self.hands = 0
        """Number of hands that came to the root."""
        self.stopped = 0
        """Number of hands that took an action that the tree lacks."""
        self._before = np.array([LETTERS.index(letter) for letter in letters], np.int64)
        self._counts = np.zeros(tree.num_nodes, np.int64)
        self._fold = np.full(tree.num_nodes, _STOPPED, np.int64)
        self._passive = np.full(tree.num_nodes, _STOPPED, np.int64)
        self._raises: dict[int, tuple[NDArray[np.int64], NDArray[np.float64], bool]] = {}
        for node in np.flatnonzero(tree.kind == NodeKind.DECISION).tolist():
            self._note_children(node)

    def _note_children(self, node: int) -> None:
        tree = self.tree
        raises = []
        for child in tree.children(node):
            kind = tree.action[child]
            if kind == ActionKind.FOLD:
                self._fold[node] = child
            elif kind in (ActionKind.CHECK, ActionKind.CALL):
                self._passive[node] = child
            else:
                raises.append(child)
        if raises:
            player = int(tree.player[node])
            own, other = (int(tree.committed[node, p]) for p in (player, 1 - player))
            after_call = tree.pot(node) + other - own
            shares = [(int(tree.committed[child, player]) - other) / after_call for child in raises]
            all_in = bool(tree.action[raises[-1]] == ActionKind.ALL_IN)
            self._raises[node] = (np.array(raises, np.int64), np.array(shares), all_in)

    def add(self, batch: HandBatch, counted: NDArray[np.bool_]) -> None:
        """Adds hands.

        :param counted: bool[M]: whether the actions of the player who acts are counted.
        """
        actions = batch.actions
        first, last = self._rows(batch)
        self.hands += len(first)
        node = np.zeros(len(first), np.int64)
        row = first.copy()
        pot_after_call = actions["pot"] + actions["faced"] - actions["own"]
        share = (actions["size"] - actions["faced"]) / np.maximum(pot_after_call, 1)
        active = np.flatnonzero(row < last)
        while len(active):
            here, at = node[active], row[active]
            kind = actions["kind"][at]
            child = np.where(kind == FOLD, self._fold[here], self._passive[here])
            for number in np.flatnonzero(kind == RAISE).tolist():
                child[number] = self._nearest(
                    int(here[number]), float(share[at[number]]), actions["all_in"][at[number]]
                )
            # A hand whose betting is on another street than the tree's has left the tree, too.
            child[self.tree.street[here] != actions["round"][at]] = _STOPPED
            counts = (child != _STOPPED) & counted[at] & (self.tree.player[here] == self.player)
            np.add.at(self._counts, child[counts], 1)
            self.stopped += int((child == _STOPPED).sum())
            dealt = (child != _STOPPED) & (self.tree.kind[child] == NodeKind.DEAL)
            child[dealt] = self.tree.first_child[child[dealt]]
            node[active], row[active] = child, at + 1
            on = (child != _STOPPED) & (row[active] < last[active])
            # A hand that goes on after an end of the tree has left the tree.
            over = on & (self.tree.kind[child] != NodeKind.DECISION)
            self.stopped += int(over.sum())
            active = active[on & ~over]

    def _nearest(self, node: int, share: float, all_in: bool) -> int:
        """Returns the bet or raise of a node that stands for a real one; -1 if the node has none."""
        found = self._raises.get(node)
        if found is None:
            return _STOPPED
        children, shares, has_all_in = found
        return int(children[-1] if all_in and has_all_in else children[np.abs(shares - share).argmin()])

    def _rows(self, batch: HandBatch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the first row on the root's street and the end of the rows of each hand that comes to the root."""
        actions, street = batch.actions, int(self.tree.street[0])
        start = batch.first_action()
        earlier = np.bincount(batch.hand_of_action()[actions["round"] < street], minlength=batch.num_hands)
        first, last = start[:-1] + earlier, start[1:]
        chosen = first < last
        if len(self._before):
            chosen &= earlier == len(self._before)
            letters = np.where(actions["kind"] == FOLD, 0, np.where(actions["kind"] == RAISE, 2, 1))
            hands = np.flatnonzero(chosen)
            for number, letter in enumerate(self._before.tolist()):
                hands = hands[letters[start[hands] + number] == letter]
            return first[hands], last[hands]
        return first[chosen], last[chosen]

    def lines(self, least: int) -> Iterator[ModelLine]:
        """Yields the player's decisions with enough hands, in the order of the tree.

        :param least: fewest hands of a decision.
        """
        tree = self.tree
        for node in np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.player == self.player)).tolist():
            counts = {format_action(tree, child): int(self._counts[child]) for child in tree.children(node)}
            hands = sum(counts.values())
            if hands >= least:
                yield ModelLine(format_line(line_of(tree, node)), hands, counts)

    def summary(self) -> str:
        """Returns whose actions are counted, and over how many hands."""
        name = PLAYERS[self.player]
        return f"{name}, {self.hands:,} hands that came to the spot, {self.stopped:,} left its tree"

    def table(self) -> Table:
        """Returns a row for each decision with hands: its line, the hands, and the share of every action."""
        lines = list(self.lines(1))
        tokens = list(dict.fromkeys(token for one in lines for token in one.counts))
        columns = [
            Column("line", text=lambda line: line or "(root)", left=True),
            Column("hands"),
            *(Column(token, text=_share_text) for token in tokens),
        ]
        rows = []
        for one in lines:
            shares = (one.counts[token] / one.hands if token in one.counts else None for token in tokens)
            rows.append((one.line, one.hands, *shares))
        return Table("lines", "What the player does", columns, tuple(rows))

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draws the shares of the actions at each decision as stacked bars, most hands first, and returns the axes.

        :param axes: axes of matplotlib to draw on; None for a new figure.
        :raises InputError: if matplotlib is not installed.
        """
        lines = sorted(self.lines(1), key=lambda one: -one.hands)[:_MOST_DRAWN]
        tokens = list(dict.fromkeys(token for one in lines for token in one.counts))
        axes = open_axes(axes, 7.0, 1.4 + 0.28 * len(lines))
        left = np.zeros(len(lines))
        for token in tokens:
            shares = np.array([100 * one.counts.get(token, 0) / one.hands for one in lines])
            axes.barh(range(len(lines)), shares, left=left, height=0.7, label=token)
            left += shares
        axes.set_yticks(range(len(lines)), [one.line or "(root)" for one in lines], parse_math=False)
        axes.set_ylim(max(len(lines), 1) - 0.5, -0.5)
        axes.set_xlabel("% of hands")
        if tokens:
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=6, frameon=False)
        return axes


def _share_text(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def model_table(lines: Sequence[ModelLine]) -> Table:
    """Returns the decisions of a model: what the player does, as data in numbers of hands."""
    columns = [
        Column("line", text=lambda line: line or "(root)", left=True),
        Column("hands", text="{:,}".format),
        Column("counts", shown=False),
        Column("frequencies", "what they do", _frequencies_text, data=False, left=True),
    ]
    rows = tuple((one.line, one.hands, one.counts, one.frequencies) for one in lines)
    return Table("lines", "What the player does", columns, rows)


def _frequencies_text(frequencies: dict[str, float]) -> str:
    return ", ".join(f"{token} {100 * share:.1f} %" for token, share in frequencies.items())


def format_model_file(player: str, lines: list[ModelLine], notes: list[str]) -> str:
    """Returns the text of a model file for ``hedgehog solve --respond``.

    :param player: ``oop`` or ``ip``.
    :param notes: lines of the comment at the top.
    """
    texts = [f"# {note}" for note in notes]
    texts += [f"player: {player}", "locks:"]
    for line in lines:
        strategy = ", ".join(f"{token}: {share:.6f}" for token, share in line.frequencies.items())
        texts.append(f'  - {{line: "{line.line}", strategy: {{{strategy}}}}}  # {line.hands:,} hands')
    return "\n".join(texts) + "\n"
