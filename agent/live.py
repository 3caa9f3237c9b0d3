"""Live re-solving: the turn and the river are solved at the table with the true cards, pot, stacks and ranges.

A street is solved from its start with both ranges carried so far (unsafe re-solving). The tree holds the betting that
really happened, the opponent's size included, so nothing is translated. The menu is the richest one whose estimated
cost leaves enough iterations in the time allowed.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agent.hand_view import Event, HandView
from agent.shadow import Options
from poker.betsizes import parse_bet_sizes
from poker.errors import SpotError
from poker.state import CALL, FOLD, Action
from solver.postflop import PostflopSolver
from solver.postflop_tree import StreetSizes, TreeConfig, build_postflop_tree, node_for_line
from strategies.betting_tree import ActionKind, BettingTree, NodeKind

logger = logging.getLogger(__name__)

RIVER: Final = 3
ADD_ALLIN: Final = 1.5
FORCE_ALLIN: Final = 0.2
TARGET_ITERATIONS: Final = 60
"""A menu is rich enough when the time allowed gives this many iterations."""
MAX_ITERATIONS: Final = 1000
TURN_COMBOS: Final = 1128
"""Combos that miss a turn board; close enough for river boards too."""
NANOSECONDS_PER_ELEMENT: Final = 2.0
"""Planning figure for one iteration per (action x hand) element and thread; it fixes the number of iterations, so that
a decision does not depend on how busy the machine is unless the deadline cuts in."""

_MENUS: Final[dict[int, tuple[tuple[str, ...], ...]]] = {
    # street of the root -> menus, richest first; one string per street from the root's
    2: (
        ("33%,75%,150%/100%/100%/", "50%,100%/100%/"),
        ("50%,100%/100%/", "75%,150%/100%/"),
        ("50%,100%/100%/", "75%/100%/"),
        ("75%/100%/", "75%/100%/"),
        ("75%/100%/", "75%/"),
        ("75%/", "75%/"),
    ),
    3: (
        ("25%,50%,75%,100%,150%,a/50%,100%,a/100%,a/a",),
        ("33%,75%,150%,a/75%,a/a",),
        ("50%,100%,a/100%,a/a",),
        ("75%,a/a",),
    ),
}


def _street_tokens(events: list[Event], street_start: int, stack: int) -> list[str]:
    """Writes real actions of one street as line tokens with street totals."""
    tokens = []
    for situation, action, _ in events:
        if action.kind == "f":
            tokens.append("F")
        elif action.kind == "c":
            tokens.append("C" if situation.facing_bet else "X")
        else:
            letter = "A" if action.size >= stack else "R" if situation.facing_bet else "B"
            tokens.append(f"{letter}{action.size - street_start}")
    return tokens


@dataclass(frozen=True, slots=True)
class SolvedStreet:
    """A live solution of one street."""

    solver: PostflopSolver
    tree: BettingTree
    street_start: int
    """Chips each player had put in when the street began."""
    stack: int
    """Total each player can put in over the hand."""

    def _node(self, events: list[Event]) -> int | None:
        try:
            return node_for_line(self.tree, _street_tokens(events, self.street_start, self.stack))
        except SpotError:
            return None

    def options(self, events: list[Event], view: HandView) -> Options | None:
        """Returns our real actions after ``events``, or None if the tree lacks the line."""
        node = self._node(events)
        if node is None or self.tree.kind[node] != NodeKind.DECISION:
            return None
        strategy = self.solver.node_strategy(node).astype(np.float64)
        actions: list[Action] = []
        rows: list[NDArray[np.float64]] = []
        for i, child in enumerate(self.tree.children(node)):
            action = self._real_action(child, view)
            if action in actions:
                rows[actions.index(action)] += strategy[i]
            else:
                actions.append(action)
                rows.append(strategy[i])
        return Options(actions, np.stack(rows), [[] for _ in actions])

    def _real_action(self, child: int, view: HandView) -> Action:
        kind = int(self.tree.action[child])
        limits = view.situation.raise_range
        if kind == ActionKind.FOLD:
            return FOLD
        if kind in (ActionKind.CHECK, ActionKind.CALL) or limits is None:
            return CALL
        total = int(self.tree.amount[child]) + self.street_start
        return Action("r", min(max(total, limits[0]), limits[1]))

    def likelihood(self, events: list[Event]) -> NDArray[np.float64] | None:
        """Returns (1326,): the probability of the last of ``events`` for every combo of its actor."""
        node = self._node(events[:-1])
        if node is None or self.tree.kind[node] != NodeKind.DECISION:
            return None
        token = _street_tokens(events[-1:], self.street_start, self.stack)[0]
        kind = {"F": ActionKind.FOLD, "X": ActionKind.CHECK, "C": ActionKind.CALL}.get(token)
        for i, child in enumerate(self.tree.children(node)):
            same_bet = kind is None and int(self.tree.amount[child]) == int(token[1:] or 0)
            if (kind is not None and self.tree.action[child] == kind) or same_bet:
                row: NDArray[np.float64] = self.solver.node_strategy(node)[i].astype(np.float64)
                return row
        return None


class PostflopLiveSolver:
    """Solves turns and rivers at the table."""

    def __init__(self, think_ms: int, threads: int) -> None:
        self._think_ms = think_ms
        self._threads = threads

    def solve(self, view: HandView, events: list[Event], ranges: NDArray[np.float64], deadline: float) -> SolvedStreet:
        """Solves the rest of the hand from the start of the street of ``view``.

        :param ranges: (2, 1326) by position, which is the solver's player: position 0 is OOP.
        :raises HedgehogError: if the tree or the ranges cannot be solved.
        """
        started = time.monotonic()
        street = view.situation.street
        stack = view.situation.stack
        street_start = events[0].situation.max_spent if events else view.situation.max_spent
        line = _street_tokens(events, street_start, stack)
        tree = self._choose_tree(street, 2 * street_start, stack - street_start, line)
        solver = PostflopSolver(
            tree, view.board_on(street), list(ranges.astype(np.float32)), threads=self._threads, storage="f32"
        )
        iterations = self._iterations(tree, street)
        solver.run(iterations, deadline=min(deadline, started + self._think_ms / 1000))
        logger.debug(
            "hand %d: live solution, street %d, %d betting lines, %d iterations in %.0f ms",
            view.hand_id,
            street,
            tree.num_nodes,
            solver.iterations,
            1000 * (time.monotonic() - started),
        )
        return SolvedStreet(solver, tree, street_start, stack)

    def _iterations(self, tree: BettingTree, street: int) -> int:
        cost_ms = _elements(tree, street) * NANOSECONDS_PER_ELEMENT / self._threads / 1e6
        return max(1, min(MAX_ITERATIONS, int(0.8 * self._think_ms / cost_ms)))

    def _choose_tree(self, street: int, pot: int, stack: int, line: list[str]) -> BettingTree:
        for menu in _MENUS[street]:
            sizes = tuple(StreetSizes(parse_bet_sizes(text), parse_bet_sizes(text)) for text in menu)
            config = TreeConfig(
                street=street,
                pot=pot,
                stack=stack,
                sizes=sizes,
                add_allin_threshold=ADD_ALLIN,
                force_allin_threshold=FORCE_ALLIN,
            )
            tree = build_postflop_tree(config, [line] if line else ())
            if self._iterations(tree, street) >= TARGET_ITERATIONS:
                break
        return tree


def _elements(tree: BettingTree, street: int) -> int:
    """Counts (action x hand) elements of a live tree over all boards, all combos in both ranges."""
    total = 0
    for later in range(street, RIVER + 1):
        boards = 48 if later > street else 1
        decisions = (tree.kind == NodeKind.DECISION) & (tree.street == later)
        total += boards * int(tree.num_children[decisions].sum())
    return total * TURN_COMBOS
