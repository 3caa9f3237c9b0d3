"""Solves one street of a real hand, with the real bets in the tree, and says what the player's actions were worth."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count, takewhile
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.strategy.hand_view import HandView
from hedgehog.agent.strategy.live import menu_tree
from hedgehog.agent.strategy.solved_street import street_tokens
from hedgehog.analysis.endgame.judge import ALGORITHM
from hedgehog.analysis.grading.options import ACCUSED, BEST, FINE, LEAST_SHARE, NO_RAKE, Pass, verdict_of
from hedgehog.poker.cards import combo_mask
from hedgehog.poker.streets import FLOP, TURN
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.abstraction.rank_river_solver import RankRiverSolver
from hedgehog.solver.cfr.memory import Storage
from hedgehog.solver.cfr.programs import Rake
from hedgehog.solver.postflop.prepared import prepare_tree
from hedgehog.solver.postflop.responses.decisions import ComboDecision, StreetDecisions
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.tree import parse_action
from hedgehog.strategies.betting_tree import BettingTree

_STORAGE: Final[dict[int, Storage]] = {FLOP: "f16"}
"""Precision of solves by street; a flop of deep stacks takes gigabytes."""
GROUPED_ITERATIONS: Final = 120
"""So many iterations of a turn play rivers by groups of hands. After more of them, what groups get wrong is all that is
left to learn on boards with flushes."""
SETTLED_BY: Final = 2.0
"""A verdict is settled if it bears so many times the last changes of the loss."""
KNOWN_LOSS: Final = 0.25
"""An accusation settles, too, if the loss is off by no more than this part of what other actions' losses may change by,
whatever the accusation is called."""
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
    big_blind: int
    ranges: NDArray[np.float64]
    """(2, 1326) weights by position at the start of the street."""
    rake: Rake = NO_RAKE
    """What the house takes from the pot; its cap is in chips."""

    @property
    def pot(self) -> int:
        """Chips in the pot when the street began."""
        return 2 * self.start


History = dict[int, dict[int, NDArray[np.float64]]]
"""By iterations at which a solve was looked at, and by the number of a decision: the losses of all its actions."""


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
    solver: StreetSolver
    history: History
    way: Pass

    def taken(self, number: int) -> int:
        """Returns which of a decision's actions was taken."""
        return self.nodes[number + 1] - int(self.tree.first_child[self.nodes[number]])


class OutOfTimeError(Exception):
    """A solve would take longer than it may."""


class StreetSolver:
    """Solves a street of a real hand from its start, with all its real bets in the tree.

    The first iterations of a turn without rake play its rivers by groups of hands, which takes a quarter of the time
    (:mod:`hedgehog.solver.abstraction.rank_river_solver`). Every look at the solve is at single hands.

    :param position: the player who is graded, of whose hands none is impossible.
    :raises SpotError: if a bet is none that the tree can hold, or the ranges cannot be dealt together.
    :raises ResourceError: if there is too little memory for a flop.
    """

    def __init__(self, street: Street, way: Pass, position: int) -> None:
        tree = menu_tree(street.number, way.sizes, street.pot, street.stack - street.start, street.tokens)
        board = street.view.board_on(street.number)
        ranges = street.ranges.astype(np.float32)
        ranges[position] = np.where(combo_mask(board), np.maximum(ranges[position], np.float32(LEAST_WEIGHT)), 0)
        grouped = street.number == TURN and street.rake.of(tree.root_pot) == 0
        spot = prepare_tree(
            tree,
            board,
            list(ranges),
            rake=(street.rake.rate, street.rake.cap),
            isomorphism=not grouped,
            merge_cards=not grouped,
        )
        storage = _STORAGE.get(street.number, "f32")
        self.single = PostflopSolver(spot, threads=1, algorithm=ALGORITHM, storage=storage)
        """The solve with single hands, as it was looked at last."""
        self._groups = RankRiverSolver(spot, threads=1, algorithm=ALGORITHM) if grouped else None

    @property
    def iterations(self) -> int:
        """Number of iterations run so far."""
        return self.single.iterations

    def run_to(self, iterations: int, deadline: float | None = None) -> None:
        """Runs until there have been so many iterations.

        :param deadline: value of ``time.monotonic()`` by which they must be done; None: any time.
        :raises OutOfTimeError: if they are not; the solve is of no use then.
        """
        if self._groups is not None:
            goes_on = iterations > GROUPED_ITERATIONS
            wanted = min(iterations, GROUPED_ITERATIONS) - self._groups.iterations
            if self._groups.run(wanted, deadline) < wanted:
                raise OutOfTimeError
            self._groups.fill(self.single, averages_only=not goes_on)
            if goes_on:
                self._groups = None
        wanted = iterations - self.single.iterations
        if wanted > 0 and self.single.run(wanted, deadline) < wanted:
            raise OutOfTimeError

    def pct_pot(self) -> float:
        """Returns the exploitability in percent of the pot."""
        return float(self.single.exploitability().pct_pot)


def check_points(most: int, *, turn: bool = False) -> list[int]:
    """Returns the numbers of iterations at which a solve is looked at: 40, 60, 80, 120, 160 and so on.

    Half of each number from 80 on is among them, too, and a solve ends at no other. A turn is also looked at after 30,
    so that it may end at 60.
    """
    powers = takewhile(lambda number: number <= most, (40 * 2**exponent for exponent in count()))
    found = [number for power in powers for number in (power, power * 3 // 2) if number <= most]
    return [30, *found] if turn and found else found or [most]


def solve_street(
    street: Street,
    way: Pass,
    position: int,
    combo: int,
    before: SolvedStreet | None = None,
    deadline: float | None = None,
) -> SolvedStreet:
    """Solves a street from its start, with all its real bets in the tree.

    The numbers of iterations at which the solve may end are fixed, so the same street has the same result.

    :param position: the player who is graded.
    :param combo: the player's cards.
    :param before: a coarser solve of the street, which goes on if it has the same bet sizes.
    :param deadline: value of ``time.monotonic()`` by which it must be done; None: any time.
    :raises SpotError: if a bet is none that the tree can hold, or the ranges cannot be dealt together.
    :raises OutOfTimeError: if it is not done by the deadline.
    """
    history: History
    if before is not None and before.way.sizes == way.sizes:
        solver, history = before.solver, before.history
    else:
        solver, history = StreetSolver(street, way, position), {}
    tree = solver.single.tree
    nodes = nodes_of(tree, street.tokens)
    taken = {
        number: nodes[number + 1] - int(tree.first_child[nodes[number]])
        for number, actor in enumerate(street.actors)
        if actor == position
    }
    values, pct_pot = StreetDecisions(solver.single, position), math.inf
    for iterations in check_points(way.most_iterations, turn=street.number == TURN):
        if iterations <= solver.iterations:
            continue
        if deadline is not None and time.monotonic() > deadline:
            raise OutOfTimeError
        solver.run_to(iterations, deadline)
        values = StreetDecisions(solver.single, position)
        history[iterations] = {number: values.losses(nodes[number], combo) for number in taken}
        if iterations // 2 not in history:
            continue
        pct_pot = solver.pct_pot()
        if pct_pot <= way.target_pct or (
            pct_pot <= way.settled_pct
            and all(
                values.share(nodes[number], combo) < LEAST_SHARE  # it is not graded
                or is_settled(
                    {looked: losses[number] for looked, losses in history.items()},
                    action,
                    way,
                    tree.pot(nodes[number]),
                    street.big_blind,
                )
                for number, action in taken.items()
            )
        ):
            break
    half = history.get(solver.iterations // 2, {})
    decisions = {
        number: (values.at(nodes[number], combo), float(half[number][action]) if number in half else math.nan)
        for number, action in taken.items()
    }
    return SolvedStreet(values, nodes, decisions, tree, pct_pot, solver, history, way)


def is_settled(losses: Mapping[int, NDArray[np.float64]], taken: int, way: Pass, pot: float, big_blind: int) -> bool:
    """Tells whether an action would have the same verdict if its loss were off by twice what it has lately changed by.

    That is the larger of its last two changes while the iterations doubled. An accusation that stays one may change its
    name if the loss is known well. What the other actions are worth is shown then, and asked about in drills, so their
    losses must have settled, too.

    :param losses: by the number of iterations, the chips that each action of the decision loses.
    :param taken: which of the actions is meant.
    :param pot: chips in the pot before the action.
    """
    compared = [number for number in sorted(losses) if number // 2 in losses][-2:]
    if len(compared) < 2:
        return False
    changes = np.max([np.abs(losses[number] - losses[number // 2]) for number in compared], axis=0)
    loss, change, fixed = losses[compared[-1]][taken], SETTLED_BY * changes[taken], way.systematic_pct / 100 * pot
    ends = max(loss - change, 0.0), loss + change
    first, second = (verdict_of(each / big_blind, fixed / big_blind, pot / big_blind) for each in ends)
    if first not in ACCUSED or second not in ACCUSED:
        return first == second and first in (BEST, FINE)
    allowed = way.settled_values_pct / 100 * pot
    return bool((first == second or change <= KNOWN_LOSS * allowed) and changes.max() <= allowed)


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


def street_of(view: HandView, number: int, big_blind: int, ranges: NDArray[np.float64], rake: Rake = NO_RAKE) -> Street:
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
    return Street(view, number, tokens, actors, start, stack, big_blind, ranges, rake)
