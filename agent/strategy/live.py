"""Live re-solving: the turn and the river are solved at the table with the true cards, pot, stacks and ranges.

A street is solved from its start, with both players' ranges as the betting so far implies them (unsafe re-solving). The
tree holds the real bets, including the opponent's sizes, so no bet is translated. The menu of further bets is the
richest one whose estimated cost leaves enough iterations in the time allowed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agent.strategy.hand_view import Event, HandView
from agent.strategy.shadow import Options, Situation
from agent.strategy.think_time import SolveTime
from poker.betsizes import parse_bet_sizes
from poker.state import CALL, FOLD, Action
from runtime.errors import SpotError
from solver.postflop.prepared import PreparedSpot, prepare_tree
from solver.postflop.solver import PostflopSolver
from solver.postflop.tree import StreetSizes, TreeConfig, build_postflop_tree, node_for_line
from strategies.betting_tree import ActionKind, BettingTree, NodeKind

logger = logging.getLogger(__name__)

ADD_ALLIN: Final = 1.5
FORCE_ALLIN: Final = 0.2
TARGET_ITERATIONS: Final = 60
"""A menu of bet sizes is affordable if this many iterations fit into the time allowed."""
LEAST_ITERATIONS: Final = 30
"""Fewest planned iterations for which a street is solved.

With fewer, the strategy of the packs is better: a turn solved for one iteration loses several times as much to
``hedgehog lbr`` as the packs do."""
MAX_ITERATIONS: Final = 1000
BETS_BEFORE_BARE_TREES: Final = 3
"""At the third solve from one root, the menus that are too costly there are found once and then left out.

A player at the table hardly ever comes to a third one. Local best response asks about dozens of bets from one root."""
SHARE_OF_TIME: Final = 0.8
"""Share of the time allowed that is planned for iterations; the rest is for the tree, the cards and a busy machine."""
NANOSECONDS_PER_ELEMENT: Final = 2.3
NANOSECONDS_PER_ITERATION: Final = 30_000
"""Planned time of one iteration, the fixed part; the planned time per (action, hand) element and thread is added.

These figures fix the number of iterations, so that a decision does not depend on how busy the machine is, unless the
deadline stops the solver."""

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
    for _, situation, action in events:
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
    """The strategies of one street from a live solution, without the strategies of later streets."""

    tree: BettingTree
    strategies: dict[int, NDArray[np.float32]]
    """float32 (actions, 1326) per decision node of the street."""
    street_start: int
    """Chips each player had put in when the street began."""
    stack: int
    """Chips that each player can put in over the whole hand."""
    iterations: int
    """Number of iterations of the solver."""

    def _node(self, events: list[Event]) -> int | None:
        try:
            return node_for_line(self.tree, _street_tokens(events, self.street_start, self.stack))
        except SpotError:
            return None

    def options(self, events: list[Event], situation: Situation) -> Options | None:
        """Returns the legal actions and their probabilities after ``events``, or None if the tree lacks this line.

        :param events: the actions of this street so far.
        :param situation: what the rules allow after them.
        """
        node = self._node(events)
        if node is None or self.tree.kind[node] != NodeKind.DECISION:
            return None
        strategy = self.strategies[node].astype(np.float64)
        actions: list[Action] = []
        rows: list[NDArray[np.float64]] = []
        for i, child in enumerate(self.tree.children(node)):
            action = self._real_action(child, situation)
            if action in actions:
                rows[actions.index(action)] += strategy[i]
            else:
                actions.append(action)
                rows.append(strategy[i])
        return Options(actions, np.stack(rows))

    def _real_action(self, child: int, situation: Situation) -> Action:
        kind = int(self.tree.action[child])
        limits = situation.raise_range
        if kind == ActionKind.FOLD:
            return FOLD
        if kind in (ActionKind.CHECK, ActionKind.CALL) or limits is None:
            return CALL
        total = int(self.tree.amount[child]) + self.street_start
        return Action("r", min(max(total, limits[0]), limits[1]))

    def likelihood(self, events: list[Event]) -> NDArray[np.float64] | None:
        """Returns (1326,): the probability of the last of ``events`` for every combo of the player who took it.

        :param events: the actions of this street so far, at least one.
        :returns: None if the tree lacks this line.
        """
        node = self._node(events[:-1])
        if node is None or self.tree.kind[node] != NodeKind.DECISION:
            return None
        token = _street_tokens(events[-1:], self.street_start, self.stack)[0]
        kind = {"F": ActionKind.FOLD, "X": ActionKind.CHECK, "C": ActionKind.CALL}.get(token)
        for i, child in enumerate(self.tree.children(node)):
            same_bet = kind is None and int(self.tree.amount[child]) == int(token[1:] or 0)
            if (kind is not None and self.tree.action[child] == kind) or same_bet:
                row: NDArray[np.float64] = self.strategies[node][i].astype(np.float64)
                return row
        return None


class PostflopLiveSolver:
    """Solves turns and rivers at the table."""

    def __init__(self, threads: int, least_iterations: int = LEAST_ITERATIONS) -> None:
        """Makes a live solver.

        :param threads: number of solver threads.
        :param least_iterations: fewest planned iterations for which a street is solved.
        """
        self._least_iterations = least_iterations
        self._threads = threads
        # Root and planned time of the last solve, the number of solves from it, and the first menu to try there.
        self._root: tuple[tuple[int, ...], int, int, float, bytes] | None = None
        self._questions = 0
        self._first_menu = 0

    def solve(self, view: HandView, ranges: NDArray[np.float64], allowed: SolveTime) -> SolvedStreet | None:
        """Returns a solution of the current street, made by solving the rest of the hand from the start of the street.

        :param view: the current decision.
        :param ranges: (2, 1326) weights by position at the start of the street; position 0 is OOP.
        :param allowed: the time for this solve.
        :returns: None if the time is too short for enough iterations.
        :raises HedgehogError: if the tree or the ranges cannot be solved.
        """
        started = time.monotonic()
        situation = view.situation
        street, stack = situation.street, situation.stack
        board = view.board_on(street)
        events = view.events_on(street)
        street_start = events[0].situation.max_spent if events else situation.max_spent
        line = _street_tokens(events, street_start, stack)
        spot = self._choose_spot(
            board, ranges.astype(np.float32), 2 * street_start, stack - street_start, line, allowed.plan_ms
        )
        iterations = self.iterations(spot, allowed.plan_ms)
        if iterations < self._least_iterations:
            return None
        solver = PostflopSolver(spot, threads=self._threads)
        solver.run(iterations, deadline=min(allowed.deadline, started + allowed.plan_ms / 1000))
        logger.debug(
            "live solution after %s: %d betting lines, %d iterations in %.0f ms",
            view.betting,
            spot.tree.num_nodes,
            solver.iterations,
            1000 * (time.monotonic() - started),
        )
        if 2 * solver.iterations < self._least_iterations:  # the deadline stopped the solver
            return None
        tree = spot.tree
        decisions = np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.street == street)).tolist()
        strategies = {node: solver.node_strategy(node) for node in decisions}
        return SolvedStreet(tree, strategies, street_start, stack, solver.iterations)

    def iterations(self, spot: PreparedSpot, plan_ms: float) -> int:
        """Returns the number of iterations that are planned for a spot, from its size and the planned time."""
        cost_ns = sum(spot.layout.sizes) * NANOSECONDS_PER_ELEMENT / self._threads + NANOSECONDS_PER_ITERATION
        return max(1, min(MAX_ITERATIONS, int(SHARE_OF_TIME * plan_ms * 1e6 / cost_ns)))

    def _choose_spot(
        self, board: Sequence[int], ranges: NDArray[np.float32], pot: int, stack: int, line: list[str], plan_ms: float
    ) -> PreparedSpot:
        """Returns the spot with the richest menu that leaves enough iterations, or else with the last one."""
        street = len(board) - 2
        root = (tuple(board), pot, stack, plan_ms, ranges.tobytes())
        if root != self._root:
            self._root, self._questions, self._first_menu = root, 0, 0
        self._questions += 1
        spot: PreparedSpot | None = None
        if self._questions == BETS_BEFORE_BARE_TREES:
            self._first_menu = self._menu_without_bets(board, ranges, pot, stack, plan_ms)
        for menu in _MENUS[street][self._first_menu :]:
            tree = build_postflop_tree(_tree_config(street, pot, stack, menu), [line] if line else ())
            # The cards are the same for every menu.
            spot = prepare_tree(tree, board, list(ranges)) if spot is None else spot.with_tree(tree)
            if self.iterations(spot, plan_ms) >= TARGET_ITERATIONS:
                break
        assert spot is not None
        return spot

    def _menu_without_bets(
        self, board: Sequence[int], ranges: NDArray[np.float32], pot: int, stack: int, plan_ms: float
    ) -> int:
        """Returns the number of the first menu that is affordable without any real bet; the last one if none is.

        A real bet only adds to a tree. So a richer menu is not affordable with a real bet either.
        """
        street = len(board) - 2
        spot: PreparedSpot | None = None
        for number, menu in enumerate(_MENUS[street]):
            tree = build_postflop_tree(_tree_config(street, pot, stack, menu))
            spot = prepare_tree(tree, board, list(ranges)) if spot is None else spot.with_tree(tree)
            if self.iterations(spot, plan_ms) >= TARGET_ITERATIONS:
                return number
        return len(_MENUS[street]) - 1


def _tree_config(street: int, pot: int, stack: int, menu: Sequence[str]) -> TreeConfig:
    return TreeConfig(
        street=street,
        pot=pot,
        stack=stack,
        sizes=tuple(StreetSizes(parse_bet_sizes(text), parse_bet_sizes(text)) for text in menu),
        add_allin_threshold=ADD_ALLIN,
        force_allin_threshold=FORCE_ALLIN,
    )
