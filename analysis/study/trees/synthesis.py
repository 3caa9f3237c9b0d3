"""A betting menu with sizes of its own for every node, from a tree of real hands.

The sequences of bets, raises, calls and checks that occurred are the nodes. Every bet has sizes of its own: with *n*
sizes per node they are the *n* that have the least mean distance to the real sizes there. Where a bet has two sizes,
all that follows is there twice, so that a menu has a price in decisions.

Under a budget of decisions the menu is grown: of all nodes, the one gets another size at which the fall of *error times
frequency* (the distance of the real bets from the nearest size, added up over them, as a share of the pot) is largest
per decision added. Without a size, real bets are as far away as from a check or call. All-in is offered everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from hedgehog.analysis.study.menus import medoids
from hedgehog.analysis.study.sizes import ALL_IN, MULTIPLE_BINS, POT_BINS, size_token
from hedgehog.analysis.study.trees.betting_tree import LETTERS, StudyTree
from hedgehog.poker.streets import STREETS
from hedgehog.runtime.errors import InputError
from hedgehog.runtime.table import Column, Table

MOST_SIZES: Final = 10
_MOST_BETS: Final = 20
"""Limit on the bets of a street in a written menu; what is not in its lines is all-in alone."""
_RAISE: Final = LETTERS.index("r")
_FOLD: Final = LETTERS.index("f")
_CALL: Final = LETTERS.index("c")
_LAST_ROUND: Final = 3


@dataclass(frozen=True, slots=True)
class NodeSizes:
    """The sizes of one bet."""

    line: str
    """The betting before it, such as ``rc/c``."""
    bets: int
    """Real bets and raises there, all-ins included."""
    tokens: tuple[str, ...]
    """Sizes in the grammar of bet sizes, smallest first; none: all-in alone."""
    error: float
    """Mean distance of the real bets, all-ins apart, from the nearest size, as a share of the pot."""


@dataclass(frozen=True, slots=True)
class NodeMenu:
    """A menu with sizes for every node."""

    nodes: tuple[NodeSizes, ...]
    """The most frequent lines first."""
    decisions: int
    """Decisions of the betting tree, those after an all-in included, if no size comes near all-in."""
    error: float
    """Sum of the distances of all real bets, all-ins apart, as shares of the pot."""
    bets: int
    """Number of these bets."""

    @property
    def mean(self) -> float:
        """Mean distance of a real bet as a share of the pot; 0 without bets."""
        return self.error / self.bets if self.bets else 0.0


class _Bet:
    """A bet at one node of the tree: its real sizes, and the best sizes of a menu."""

    def __init__(self, tree: StudyTree, node: int) -> None:
        self.node = node
        self.line = tree.path(node)[:-1]
        self.by_pot = tree.by_pot(node)
        self.all = sum(tree.bins(node).values())
        self.counts = {number: count for number, count in tree.bins(node).items() if number != ALL_IN}
        per_unit = POT_BINS if self.by_pot else MULTIPLE_BINS
        unit = tree.unit(node)
        self.scale = (unit or 0.0) / per_unit
        self.nothing = 0 if self.by_pot else per_unit
        """The bin of a check or call."""
        self.least = self.nothing + 1
        self.bets = sum(self.counts.values())

    def sizes(self, number: int) -> list[int]:
        """Returns the best bins for a number of sizes."""
        usable = {one: count for one, count in self.counts.items() if one >= self.least}
        return medoids(usable, number) if number and usable else []

    def error(self, number: int) -> float:
        """Returns the distance of the real bets from a number of sizes, added up, as shares of the pot."""
        offered = self.sizes(number) or [self.nothing]
        return self.scale * sum(count * min(abs(one - size) for size in offered) for one, count in self.counts.items())


class Synthesis:
    """The bets of a tree of real hands, and how many sizes each of them has."""

    def __init__(self, tree: StudyTree, *, min_count: int = 10) -> None:
        """
        :param tree: hands and sizes, not from a folder.
        :param min_count: a node with fewer real bets has no sizes of its own.
        :raises InputError: if no node has so many.
        """
        self.tree = tree
        self._order: list[int] = tree.order()[0].tolist()
        found = [_Bet(tree, node) for node in range(1, tree.count) if tree.nodes.kind[node] == _RAISE]
        self.every = [one for one in found if one.bets and one.scale]
        self.bets = {one.node: one for one in self.every if one.bets >= min_count and one.sizes(1)}
        if not self.bets:
            raise InputError(f"no bet has {min_count} real sizes: expected more hands, or a smaller least number")
        self.chosen = dict.fromkeys(self.bets, 0)

    def same(self, number: int) -> None:
        """Gives every bet the same number of sizes, as far as it has so many different ones.

        A bet after one without sizes has none.
        """
        self.chosen = {node: len(bet.sizes(number)) for node, bet in self.bets.items()}
        copies = self._copies()
        for node in self.bets:
            if not copies[node]:
                self.chosen[node] = 0

    def grow(self, budget: int, report: Callable[[int], None] | None = None) -> None:
        """Gives sizes to the bets until no other one fits into a budget.

        :param budget: most decisions of the betting tree.
        :param report: called with the decisions so far.
        :raises InputError: if the budget is below that of a tree with all-in alone.
        """
        below = self._decisions()
        if below[0] > budget:
            raise InputError(f"a menu of all-ins alone has {below[0]:,} decisions, expected a larger budget")
        errors = {node: [bet.error(0)] for node, bet in self.bets.items()}
        full: set[int] = set()
        while True:
            copies = self._copies()
            best, gain = None, 0.0
            for node, bet in self.bets.items():
                number = self.chosen[node]
                here = copies[int(self.tree.nodes.parent[node])]
                if node in full or not here:
                    continue
                if len(errors[node]) == number + 1:
                    errors[node].append(bet.error(number + 1) if len(bet.sizes(number + 1)) > number else -1.0)
                if errors[node][number + 1] < 0 or number >= MOST_SIZES:
                    full.add(node)
                    continue
                price = here * below[node]
                if below[0] + price > budget:
                    continue
                worth = (errors[node][number] - errors[node][number + 1]) / price
                if worth > gain:
                    best, gain = node, worth
            if best is None:
                return
            self.chosen[best] += 1
            below = self._decisions()
            if report is not None:
                report(below[0])

    def _copies(self) -> dict[int, int]:
        """Returns for every node how often it is in the betting tree of the menu."""
        nodes = self.tree.nodes
        copies = {0: 1}
        for node in self._order[1:]:
            sizes = self.chosen.get(node, 0) if nodes.kind[node] == _RAISE else 1
            copies[node] = copies[int(nodes.parent[node])] * sizes
        return copies

    def _decisions(self) -> dict[int, int]:
        """Returns for every node the decisions below one copy of it, its own included; 0 after the last action.

        A sequence that did not occur is there without bets but all-in.
        """
        nodes = self.tree.nodes
        below: dict[int, int] = {}
        for node in reversed(self._order):
            kind, street, parent = int(nodes.kind[node]), int(nodes.round[node]), int(nodes.parent[node])
            opens = parent == 0 or int(nodes.round[parent]) != street
            closed = bool(node) and kind == _CALL and not opens
            if node and (kind == _FOLD or (closed and street == _LAST_ROUND)):
                below[node] = 0
                continue
            _fold, call, bet = (int(child) for child in nodes.children[node])
            # A check that opens a round does not close it.
            after = below[call] if call >= 0 else _passive(street + closed, closes=bool(node) and not closed)
            # The decision itself, and the answer to an all-in.
            below[node] = 2 + after + (self.chosen.get(bet, 0) * below[bet] if bet >= 0 else 0)
        return below

    def menu(self) -> NodeMenu:
        """Returns the sizes chosen."""
        found = []
        for node, bet in self.bets.items():
            tokens = tuple(size_token(one, bet.by_pot) for one in bet.sizes(self.chosen[node]))
            found.append(NodeSizes(bet.line, bet.all, tokens, bet.error(self.chosen[node]) / bet.bets))
        total = sum(bet.error(self.chosen.get(bet.node, 0)) for bet in self.every)
        found.sort(key=lambda one: (-one.bets, one.line))
        return NodeMenu(tuple(found), self._decisions()[0], total, sum(bet.bets for bet in self.every))


def _passive(street: int, closes: bool) -> int:
    """Returns the decisions after a check or call that did not occur, if nobody bets but all-in afterwards.

    :param street: round of the check or call.
    :param closes: whether it closes the round; otherwise the other player may act.
    """
    rest = (_LAST_ROUND - street) * 4  # a check of each player in every later round, each with an answer to all-in
    return rest if closes else rest + 2


def node_menu_table(nodes: Sequence[NodeSizes]) -> Table:
    """Returns the sizes of some bets, a row each."""
    columns = (
        Column("line", "betting before", lambda line: line or "-", left=True),
        Column("bets", text="{:,}".format),
        Column("sizes"),
        Column("error", "error, % of the pot", lambda error: f"{100 * error:.1f}"),
    )
    rows = [(one.line, one.bets, ",".join(one.tokens) or "all-in alone", one.error) for one in nodes]
    return Table("sizes", "Sizes of every bet; all-in is offered everywhere", columns, tuple(rows))


def format_node_menu(menu: NodeMenu, comments: Sequence[str] = ()) -> str:
    """Returns a menu as YAML: the key ``menu`` of a blueprint configuration, with sizes by betting line.

    :param comments: lines to put at the top.
    """
    lines = [f"# {comment}" for comment in comments]
    lines += ["menu:", *(f"  {key}: a" for key in ("preflop", "limped", *STREETS[1:]))]
    lines += [f"  caps: [{', '.join([str(_MOST_BETS)] * len(STREETS))}]", f"  max_raises: {_MOST_BETS * len(STREETS)}"]
    lines.append("  lines: # the betting before: r bet or raise, c check or call, / next street")
    lines += [f'    "{one.line}": "{",".join(one.tokens)}"' for one in menu.nodes if one.tokens]
    return "\n".join(lines) + "\n"
