"""The betting trees that bet menus make, from the blinds to the river.

Amounts are in chips. They are street totals, and blinds count as chips put in preflop. The rules are:

* the first raise goes to ``opens`` big blinds, or to ``isolations`` after a limp; later preflop raises multiply the
  amount faced;
* a postflop bet or raise adds a fraction of the pot after a call to the amount faced;
* a size may also be any token of :mod:`hedgehog.poker.betsizes`, such as ``100c``, ``3x`` or ``e``;
* a raise below the legal minimum is increased to it, and one that would put in ``all_in_share`` of the stack becomes
  all-in; all-in itself is always offered unless ``all_in`` is off;
* the sizes of a betting line in ``lines`` stand in place of all these;
* a street has at most ``caps`` bets and raises; after ``max_raises`` in the hand only all-in is left;
* a called all-in leads directly to a SHOWDOWN, on any street.

The menus themselves are in :mod:`hedgehog.strategies.bet_menus`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from hedgehog.poker.betsizes import parse_bet_size
from hedgehog.poker.streets import RIVER
from hedgehog.runtime.errors import InputError, ResourceError
from hedgehog.solver.postflop.tree import menu_amounts
from hedgehog.strategies.bet_menus import BlueprintMenu, Sizes
from hedgehog.strategies.betting_tree import IP, OOP, ActionKind, BettingTree, NodeKind, TreeBuilder

MAX_STACK: Final = 1_000_000_000
"""Stacks must be below this number of chips, because trees store chips as int32."""
MAX_NODES: Final = 2_000_000
"""Most nodes of a tree that :func:`build_blueprint_tree` builds. With 200 buckets its tables take about 3 GB."""


def build_blueprint_tree(menu: BlueprintMenu, blinds: tuple[int, int] = (50, 100), stack: int = 20_000) -> BettingTree:
    """Returns the whole-game betting tree of a menu. The button (IP) has the small blind and acts first preflop.

    :param blinds: small and big blind in chips.
    :param stack: chips of each player at the start of the hand, blinds included.
    :raises InputError: if the stack does not cover the big blind.
    :raises ResourceError: if the tree exceeds :data:`MAX_NODES` nodes.
    """
    small, big = blinds
    if not 0 < small <= big < stack < MAX_STACK:
        raise InputError(f"expected 0 < small blind <= big blind < stack < {MAX_STACK:,}, got {small}, {big}, {stack}")
    return _Builder(menu, big, stack).build(small)


@dataclass(slots=True)
class _Pending:
    """A decision whose children are still to be made."""

    node: int
    start: int
    """Chips each player had put in when the street began."""
    acted: int
    """Actions on this street so far."""
    raises: int
    """Bets and raises on this street so far."""
    total_raises: int
    last_raise: int
    """Size of the last bet or raise on this street; the next one is at least as large."""
    line: str
    """Betting so far, as in :attr:`BlueprintMenu.lines`."""


class _Builder(TreeBuilder):
    def __init__(self, menu: BlueprintMenu, big_blind: int, stack: int) -> None:
        super().__init__()
        self.menu = menu
        self.big_blind = big_blind
        self.stack = stack
        self.lines = dict(menu.lines)

    def build(self, small_blind: int) -> BettingTree:
        root = self.add(NodeKind.DECISION, 0, IP, -1, ActionKind.ROOT, 0, (self.big_blind, small_blind))
        todo = [_Pending(root, 0, 0, 0, 0, self.big_blind, "")]
        while todo:
            todo.extend(reversed(self._expand(todo.pop())))
            if len(self.kind) > MAX_NODES:
                raise ResourceError(f"the betting tree exceeds {MAX_NODES:,} nodes: use fewer sizes or lower caps")
        return self.finish(0, self.stack)

    def _expand(self, state: _Pending) -> list[_Pending]:
        """Adds the children of a decision and returns the decisions that follow."""
        node, start = state.node, state.start
        street, player = self.street[node], self.player[node]
        mine, theirs = self.committed[node][player], self.committed[node][1 - player]
        matched = (theirs, theirs)
        following: list[_Pending] = []
        deals: list[int] = []

        first = self.first_child[node] = len(self.kind)
        if theirs > mine:
            self.add(NodeKind.FOLD, street, player, node, ActionKind.FOLD, 0, self.committed[node])
        action, amount = (ActionKind.CALL, theirs - start) if theirs > mine else (ActionKind.CHECK, 0)
        limp = street == 0 and state.acted == 0
        if state.acted > 0:
            if theirs == self.stack or street == RIVER:
                self.add(NodeKind.SHOWDOWN, street, -1, node, action, amount, matched)
            else:
                deals.append(self.add(NodeKind.DEAL, street, -1, node, action, amount, matched))
        elif not limp or self.menu.limp:
            child = self.add(NodeKind.DECISION, street, 1 - player, node, action, amount, matched)
            following.append(
                _Pending(child, start, 1, state.raises, state.total_raises, state.last_raise, f"{state.line}c")
            )
        for total in self._raise_totals(state, street, mine, theirs):
            if total == self.stack:
                action = ActionKind.ALL_IN
            else:
                action = ActionKind.RAISE if theirs > start else ActionKind.BET
            committed = (total, theirs) if player == OOP else (theirs, total)
            child = self.add(NodeKind.DECISION, street, 1 - player, node, action, total - start, committed)
            following.append(
                _Pending(
                    child, start, state.acted + 1, state.raises + 1, state.total_raises + 1, total - theirs,
                    f"{state.line}r",
                )
            )  # fmt: skip
        self.num_children[node] = len(self.kind) - first

        for deal in deals:
            self.first_child[deal] = self.add(NodeKind.DECISION, street + 1, OOP, deal, ActionKind.DEAL, 0, matched)
            self.num_children[deal] = 1
            opened = _Pending(
                self.first_child[deal], theirs, 0, 0, state.total_raises, self.big_blind, f"{state.line}c/"
            )
            following.append(opened)
        return following

    def _raise_totals(self, state: _Pending, street: int, mine: int, theirs: int) -> list[int]:
        """Returns the chips that the player may have put in after a bet or raise, ascending; all-in is last."""
        menu = self.menu
        if theirs == self.stack or state.raises >= menu.caps[street]:
            return []
        totals = {self.stack} if menu.all_in else set()
        if state.total_raises < menu.max_raises:
            for wish in self._wishes(state, street, mine, theirs):
                total = max(math.floor(wish + 0.5), theirs + max(state.last_raise, self.big_blind))
                totals.add(total if total < menu.all_in_share * self.stack else self.stack)
        return sorted(totals)

    def _wishes(self, state: _Pending, street: int, mine: int, theirs: int) -> list[float]:
        """Returns the menu's raises as total chips put in over the hand, before rounding and legal limits."""
        menu = self.menu
        sizes: Sizes
        if state.line in self.lines:
            sizes = self.lines[state.line]
        elif street == 0:
            if state.raises == 0:
                sizes = menu.isolations if mine == theirs else menu.opens
            else:
                sizes = _level(menu.reraises, state.raises - 1)
        else:
            sizes = menu.bets[street - 1] if state.raises == 0 else _level(menu.raises[street - 1], state.raises - 1)
        wishes: list[float] = []
        for size in sizes:
            if isinstance(size, str):
                # Preflop the blind is the bet; after it the first raise is a bet.
                raises = state.raises if street == 0 else max(state.raises - 1, 0)
                faced, largest = theirs - state.start, self.stack - state.start
                token = (parse_bet_size(size),)
                wishes += [
                    state.start + amount for amount in menu_amounts(token, street, raises, 2 * theirs, faced, largest)
                ]
            else:
                wishes.append(size * theirs if street == 0 else theirs + size * 2 * theirs)
        return wishes


def _level(levels: tuple[Sizes, ...], number: int) -> Sizes:
    return levels[min(number, len(levels) - 1)]
