"""Solves one street of a real hand, with the real bets in the tree, and says what the player's actions were worth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count, takewhile
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.strategy.hand_view import HandView
from hedgehog.agent.strategy.live import ALGORITHM, menu_tree, street_tokens
from hedgehog.analysis.grading.options import NO_RAKE, Pass
from hedgehog.poker.cards import combo_mask
from hedgehog.poker.streets import FLOP
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.cfr.programs import Rake
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.responses.decisions import ComboDecision, StreetDecisions
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import parse_action
from hedgehog.strategies.betting_tree import BettingTree

_STORAGE: Final[dict[int, Storage]] = {FLOP: "f16"}
"""Precision of solves by street; a flop of deep stacks takes gigabytes."""
LEAST_WEIGHT: Final = 1e-6
"""Least weight of the player's own hands: none is impossible."""


@dataclass(frozen=True, slots=True)
class Street:
    """A street of a real hand as its solve needs it."""

    view: HandView
    """The last decision of the street, or any later one."""
    number: int
    """0 preflop .. 3 river."""
    tokens: tuple[str, ...]
    """All actions of the street."""
    actors: tuple[int, ...]
    """Position of the player of each action."""
    start: int
    """Chips that each player had put in when the street began."""
    stack: int
    """Chips that each player can put in over the whole hand."""
    ranges: NDArray[np.float64]
    """(2, 1326) weights by position at the start of the street."""
    rake: Rake = NO_RAKE
    """What the house takes from the pot; its cap is in chips."""

    @property
    def pot(self) -> int:
        """Chips in the pot when the street began."""
        return 2 * self.start


@dataclass(frozen=True, slots=True)
class SolvedStreet:
    """The worth of the player's actions on a street. Chips are counted from the start of the street."""

    values: StreetDecisions
    nodes: tuple[int, ...]
    """The node before each action of the street, and the one after the last."""
    decisions: dict[int, tuple[ComboDecision, float]]
    """By number of the action: the player's decision, and the loss of the action after half the iterations."""
    tree: BettingTree
    pct_pot: float
    """Exploitability that was reached, in percent of the pot."""
    solver: PostflopSolver
    history: dict[int, dict[int, float]]
    """By iterations at which the solve was looked at, the loss of each action of the player by its number."""
    way: Pass

    def taken(self, number: int) -> int:
        """Returns which of a decision's actions was taken."""
        return self.nodes[number + 1] - int(self.tree.first_child[self.nodes[number]])


def check_points(most: int) -> list[int]:
    """Returns the numbers of iterations at which a solve is looked at: 20, 30, 40, 60, 80, 120 and so on.

    Half of each number from 40 on is among them, too.
    """
    powers = takewhile(lambda number: number <= most, (20 * 2**exponent for exponent in count()))
    return [number for power in powers for number in (power, power * 3 // 2) if number <= most]


def solve_street(
    street: Street, way: Pass, position: int, combo: int, before: SolvedStreet | None = None
) -> SolvedStreet:
    """Solves a street from its start, with all its real bets in the tree.

    The numbers of iterations at which the solve may end are fixed, so the same street has the same result.

    :param position: the player who is graded.
    :param combo: his cards.
    :param before: a coarser solve of the street, which goes on if it has the same bet sizes.
    :raises SpotError: if a bet is none that the tree can hold, or the ranges cannot be dealt together.
    """
    if before is not None and before.way.sizes == way.sizes:
        solver, history = before.solver, before.history
    else:
        solver, history = street_solver(street, way, position), {}
    tree = solver.tree
    nodes = nodes_of(tree, street.tokens)
    own = [number for number, actor in enumerate(street.actors) if actor == position]
    values, pct_pot = StreetDecisions(solver, position), math.inf
    for iterations in check_points(way.most_iterations):
        if iterations <= solver.iterations:
            continue
        solver.run(iterations - solver.iterations)
        pct_pot = solver.exploitability().pct_pot
        values = StreetDecisions(solver, position)
        history[iterations] = {
            number: float(values.at(nodes[number], combo).losses[_child(tree, nodes, number)]) for number in own
        }
        if pct_pot <= way.target_pct:
            break
    half = history.get(solver.iterations // 2, {})
    decisions = {number: (values.at(nodes[number], combo), half.get(number, math.nan)) for number in own}
    return SolvedStreet(values, nodes, decisions, tree, float(pct_pot), solver, history, way)


def street_solver(street: Street, way: Pass, position: int) -> PostflopSolver:
    """Returns a solver of a street from its start, with all its real bets in the tree, that has run no iterations.

    :param position: the player who is graded, of whose hands none is impossible.
    :raises SpotError: if a bet is none that the tree can hold, or the ranges cannot be dealt together.
    :raises ResourceError: if there is too little memory for a flop.
    """
    tree = menu_tree(street.number, way.sizes, street.pot, street.stack - street.start, street.tokens)
    board = street.view.board_on(street.number)
    ranges = street.ranges.astype(np.float32)
    ranges[position] = np.where(combo_mask(board), np.maximum(ranges[position], np.float32(LEAST_WEIGHT)), 0)
    spot = prepare_tree(tree, board, list(ranges), rake=(street.rake.rate, street.rake.cap))
    return PostflopSolver(spot, threads=1, algorithm=ALGORITHM, storage=_STORAGE.get(street.number, "f32"))


def nodes_of(tree: BettingTree, tokens: tuple[str, ...]) -> tuple[int, ...]:
    """Returns the root and the node after each action, where a card is dealt before the card.

    :raises SpotError: if the tree lacks an action.
    """
    nodes = [0]
    for token in tokens:
        kind, amount = parse_action(token)
        children = [int(child) for child in tree.children(nodes[-1])]
        fits = [c for c in children if tree.action[c] == kind and (amount == 0 or tree.amount[c] == amount)]
        if not fits:
            raise SpotError(f"no action {token!r} in the tree")
        nodes.append(fits[0])
    return tuple(nodes)


def street_of(view: HandView, number: int, ranges: NDArray[np.float64], rake: Rake = NO_RAKE) -> Street:
    """Returns a street of a hand.

    :param view: a decision after the street, or the end of the hand, with all its actions.
    :param ranges: (2, 1326) weights by position at the start of the street.
    :param rake: what the house takes, with the cap in chips.
    """
    events = view.events_on(number)
    first = events[0].situation
    stack, start = first.stack, first.max_spent
    tokens = tuple(street_tokens(events, start, stack))
    actors = tuple(event.situation.position for event in events)
    return Street(view, number, tokens, actors, start, stack, ranges, rake)


def _child(tree: BettingTree, nodes: tuple[int, ...], number: int) -> int:
    return nodes[number + 1] - int(tree.first_child[nodes[number]])
