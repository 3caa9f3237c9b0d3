"""The strategy of Hedgehog's player with live re-solving: packs preflop, solutions made at the table after it.

A street is solved at the player's first decision on it, from the start of the street and with both ranges there. Later
decisions on the street use the same solution. Only a bet that is not in its tree leads to another solve, with this bet
in the tree; it starts where the solver says (:meth:`LiveSolver.root`). Both ranges are updated by Bayes' rule, action
by action, with the strategy of the finest layer that covered each action.

The strategy is a function of betting, board and position. A question about any hand can be asked at any time, and the
hand is then replayed from its start. Ranges and solved streets that several questions need are kept.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Final, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.agent.strategy.explanation import Explanation, Translation
from hedgehog.agent.strategy.hand_view import Event, HandView
from hedgehog.agent.strategy.pack_strategy import PURIFY_BELOW, PackStrategy, purified
from hedgehog.agent.strategy.shadow import Situation
from hedgehog.agent.strategy.think_time import SolveTime, ThinkTime, TimePerDecision
from hedgehog.poker.cards import NUM_COMBOS, combo_mask
from hedgehog.poker.state import Action
from hedgehog.poker.streets import FLOP, RIVER, TURN
from hedgehog.runtime.errors import HedgehogError

logger = logging.getLogger(__name__)

OPPONENT_FLOOR: Final = 0.02
"""Share of the average likelihood that is added to every combo of the opponent, whose strategy is not exactly ours."""
OPPONENT_TREMBLE: Final = 0.001
"""Probability with which the opponent takes any action by a tremble, as Bayes' rule sees it.

After an action that a solution hardly ever takes, what is left of the likelihoods is noise of the first iterations, the
more so the longer the solve took. A solution that was learnt against trembles (:meth:`LiveStreet.tremble`) says which
hands lose least by such an action. Elsewhere it is added for every combo, so that the action tells next to nothing."""
OWN_FLOOR: Final = 0.002
"""Share of the average likelihood that is added to every combo of our own range, because of quantisation errors."""
LIVE: Final = "live"
KEPT_RANGES: Final = 256
KEPT_STREETS: Final = 64

T = TypeVar("T")


class Promise(NamedTuple):
    """What a solve promises the opponent's hands on a river."""

    values: NDArray[np.float64]
    """(1326,): what each combo of the opponent wins, in chips relative to half the pot, times the weight of the combos
    of the player."""
    weights: NDArray[np.float64]
    """(1326,): the weights of the player's combos in ``values``."""
    entering: NDArray[np.float64]
    """(1326,): the opponent's range at the root of the first such solve, whose hands may have left its strategies."""


class LiveStreet(Protocol):
    """A solution of one street, exact for the betting it was made for."""

    @property
    def iterations(self) -> int:
        """Number of iterations of the solver."""
        ...

    def options(self, events: list[Event], situation: Situation) -> Options | None:
        """Returns the legal actions and their probabilities after ``events``, or None if the solution lacks the line.

        :param events: the actions of this street so far.
        :param situation: what the rules allow after them.
        """
        ...

    def action_evs(self, events: list[Event], situation: Situation) -> dict[Action, NDArray[np.float32]]:
        """Returns (1326,) chips by action: what each is worth from the decision after ``events`` on; empty if unknown.

        :param events: the actions of this street so far.
        :param situation: what the rules allow after them.
        """
        ...

    def likelihood(self, events: list[Event]) -> NDArray[np.float64] | None:
        """Returns (1326,): the probability of the last of ``events`` for every combo of the player who took it.

        :param events: the actions of this street so far, at least one.
        :returns: None if the solution lacks this line.
        """
        ...

    def tremble(self, events: list[Event]) -> NDArray[np.float64] | None:
        """Returns (1326,): how likely the last of ``events`` was by a tremble, for every combo of its player.

        :param events: the actions of this street so far, at least one.
        :returns: None if the solution lacks this line, or was made without trembles of this player.
        """
        ...

    def promise(self, events: list[Event], card: int) -> Promise | None:
        """Returns what the opponent of the player for whom the street was solved wins on a river.

        :param events: all actions of the turn, or those of the river up to an action of the player.
        :param card: id of the river card.
        :returns: None if the solution lacks this line, or knows no values of rivers.
        """
        ...


class LiveSolver(Protocol):
    """Solves the rest of the hand from the start of the current street or a later decision on it."""

    def covers(self, view: HandView) -> bool:
        """Tells whether the solver solves the street of a decision if there is time; else the packs answer."""
        ...

    def root(self, view: HandView) -> HandView:
        """Returns the decision on the current street from which it is solved; what was done before is taken as done."""
        ...

    def has_time(self, view: HandView, plan_ms: float) -> bool:
        """Returns False if a planned time is surely too short to solve the street of a decision.

        It is asked before the ranges are inferred, which may need solves of earlier decisions.

        :param view: a decision that the solver covers.
        :param plan_ms: milliseconds for which the solve would be planned.
        """
        ...

    def solve(
        self, view: HandView, ranges: NDArray[np.float64], allowed: SolveTime, promise: Promise | None = None
    ) -> LiveStreet | None:
        """Returns a solution of the current street, made by solving the rest of the hand from :meth:`root` on.

        :param view: the current decision.
        :param ranges: (2, 1326) weights by position at the root.
        :param allowed: the time for this solve.
        :param promise: what the solve before promises the opponent's hands on a river.
        :returns: None if there is too little time.
        :raises HedgehogError: if the rest of the hand cannot be solved.
        """
        ...


def range_after(
    before: NDArray[np.float64],
    row: NDArray[np.float64],
    *,
    own: bool,
    tremble: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Returns (1326,): a range after an action, by Bayes' rule with floors; the largest weight is 1.

    An action that cannot happen by the model tells nothing about the cards, unless it is known who takes it by a
    tremble.

    :param before: (1326,) weights before the action.
    :param row: (1326,) probability of the action with every combo.
    :param own: True for the range of the player who infers it, who knows the own strategy.
    :param tremble: (1326,) chance with which every combo of the opponent takes the action by a tremble; None:
        :data:`OPPONENT_TREMBLE` for all.
    """
    mass = float(before.sum())
    average = float(before @ row) / mass if mass > 0 else 0.0
    if average <= 0 and (own or tremble is None):
        return before
    added = OPPONENT_TREMBLE if tremble is None else tremble
    after = before * (row + (OWN_FLOOR * average if own else OPPONENT_FLOOR * average + added))
    largest = after.max()
    return np.asarray(after / largest) if largest > 0 else before


class _Kept(OrderedDict[Hashable, T]):
    """The values that were used last, by key."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def get_or_make(self, key: Hashable, make: Callable[[], T]) -> T:
        """Returns the value of ``key``, after making it if it is not kept."""
        if key not in self:
            self[key] = make()
            if len(self) > self._size:
                self.popitem(last=False)
        self.move_to_end(key)
        return self[key]


class LiveStrategy:
    """The strategy of Hedgehog's player with live re-solving."""

    def __init__(self, packs: PackStrategy, solvers: Sequence[LiveSolver] = (), think_ms: float = 0) -> None:
        """Makes a strategy.

        :param packs: the strategy where nothing is solved.
        :param solvers: solve streets. Of several that cover a decision the first one solves it; without any, the packs
            answer everywhere.
        :param think_ms: milliseconds that each decision of a hand has in answers to questions (:meth:`options`).
        """
        self._per_decision = TimePerDecision(think_ms)
        self._packs = packs
        self._solvers = solvers
        self._ranges: _Kept[NDArray[np.float64]] = _Kept(KEPT_RANGES)
        self._streets: _Kept[LiveStreet | None] = _Kept(KEPT_STREETS)

    def clear(self) -> None:
        """Forgets all ranges and solutions of earlier hands."""
        self._ranges.clear()
        self._streets.clear()

    def options(self, view: HandView, time: ThinkTime | None = None) -> tuple[str, Options]:
        """Returns the layer that decides and the mixed strategy of all combos.

        Actions of very low probability are removed (purification). Columns of blocked combos are zero.

        :param view: the decision.
        :param time: the time for all solves that are not kept; None: the full thinking time for each decision of the
            hand.
        """
        return self._options(view, time or self._per_decision)

    def ranges_now(self, view: HandView, position: int) -> NDArray[np.float64]:
        """Returns (2, 1326): both ranges by position at the decision ``view``, after all actions before it.

        :param view: the current decision.
        :param position: the player who infers the ranges; a player knows the own strategy better than the opponent's.
        """
        return self._find_ranges(view, position, view.situation.street, self._per_decision)

    def likelihood(self, view: HandView, number: int) -> NDArray[np.float64] | None:
        """Returns (1326,): how likely an action of the hand was with every combo of the player who took it, if it plays
        this strategy; None if that is not known.

        :param view: a decision after the action.
        :param number: the action, counted from the start of the hand.
        """
        return self._row(view, number, view.events[number].situation.position, self._per_decision)

    def action_evs(self, view: HandView) -> dict[Action, NDArray[np.float32]]:
        """Returns (1326,) chips by action at a decision that is solved live: what each is worth from there on.

        Empty where nothing is solved, or the solver keeps no values.
        """
        if view.situation.street < FLOP:
            return {}
        solution = self._solution(view, self._per_decision)
        if solution is None:
            return {}
        return solution.action_evs(view.events_on(view.situation.street), view.situation)

    def explain(self, view: HandView) -> Explanation:
        """Returns the strategy of all combos at a decision, and how it was arrived at.

        :param view: the decision.
        """
        layer, options = self._options(view, self._per_decision)
        ranges = self.ranges_now(view, view.situation.position)
        if layer == LIVE:
            solution = self._solution(view, self._per_decision)
            assert solution is not None
            translations = self._live_translations(view)
            return Explanation(
                layer, options, ranges, translations, (), 1.0, 1.0, None, solution.iterations, self._packs.depth
            )
        place = self._packs.place(view.betting, view.board)
        folding = place.line.folding
        return Explanation(
            layer=layer,
            options=options,
            ranges=ranges,
            translations=tuple(self._packs.translations(view)),
            lines=self._packs.abstract_lines(place),
            folds_kept=folding.kept if folding is not None else 1.0,
            folds_limited=self._packs.share_of_folds(view.betting, view.board),
            left_tree=place.line.left_tree,
            iterations=0,
            strategy_bb=self._packs.depth,
        )

    def _live_translations(self, view: HandView) -> tuple[Translation, ...]:
        """Returns the bets and raises on which the ranges depend and that no live solution has in its tree."""
        position = view.situation.position
        return tuple(
            self._packs.translation(view, number)
            for number, event in enumerate(view.events)
            if event.action.kind == "r"
            and event.situation.street < view.situation.street
            and self._live_row(view, number, position, self._per_decision) is None
        )

    def _options(self, view: HandView, time: ThinkTime, *, last: bool = True) -> tuple[str, Options]:
        street = view.situation.street
        if street >= FLOP:
            solution = self._solution(view, time, last=last)
            found = solution.options(view.events_on(street), view.situation) if solution is not None else None
            if found is not None:
                # Rare actions of many hands are a common action of the range, without which turns and rivers lose
                # (docs/notebook/2026-11-27-promises.md). On a flop, refined on few run-outs, they are mostly noise.
                rows = purified(found.probabilities, PURIFY_BELOW if street == FLOP else 0.0)
                return LIVE, Options(found.actions, rows * combo_mask(view.board))
        return self._packs.options(view.betting, view.board)

    def _solution(self, view: HandView, time: ThinkTime, *, last: bool = True) -> LiveStreet | None:
        """Returns the solution of the current street that the player to act goes by; None if it cannot be solved.

        :param last: True if no other decision waits for the solution.
        """
        return self._streets.get_or_make((view.betting, view.board), lambda: self._find_solution(view, time, last))

    def _find_solution(self, view: HandView, time: ThinkTime, last: bool) -> LiveStreet | None:
        if time.next_plan_ms(last=last) <= 0:
            return None
        solver = next((solver for solver in self._solvers if solver.covers(view)), None)
        if solver is None:
            return None
        situation = view.situation
        own = view.actions_of(situation.position, situation.street)
        if own:
            solution = self._solution(view.before(own[-1]), time, last=False)
            if solution is not None and solution.options(view.events_on(situation.street), situation) is not None:
                return solution
        if not solver.has_time(view, time.next_plan_ms(last=last)):
            return None
        try:
            ranges = self._find_ranges(solver.root(view), situation.position, situation.street, time)
            promise = self._promise(view, time)
            return solver.solve(view, ranges, time.take(last=last), promise)
        except HedgehogError as error:
            logger.warning("no live solution after %s: %s", view.betting, error)
            return None

    def _promise(self, view: HandView, time: ThinkTime) -> Promise | None:
        """Returns what the solve before promises the opponent's hands on a river; None if nothing is promised.

        That is the solve of the turn or, if the player has acted on the river, the one by which it did.
        """
        position = view.situation.position
        turn = [number for number, event in enumerate(view.events) if event.situation.street == TURN]
        before = view.actions_of(position, RIVER) or turn
        if view.situation.street != RIVER or not before:
            return None
        solution = self._answering(view, before[-1], position, time)
        return None if solution is None else solution.promise(_taken(view, before[-1]), view.board[-1])

    def _ranges_before(self, view: HandView, position: int, street: int, time: ThinkTime) -> NDArray[np.float64]:
        """Returns both ranges when ``street`` began, before its cards were dealt."""
        if street == 0:
            return np.ones((2, NUM_COMBOS))
        before = tuple((event.betting, event.action) for event in view.events if event.situation.street == street - 1)
        key = (position, before[-1], view.board_on(street - 1))
        return self._ranges.get_or_make(key, lambda: self._find_ranges(view, position, street - 1, time))

    def _find_ranges(self, view: HandView, position: int, street: int, time: ThinkTime) -> NDArray[np.float64]:
        """Returns both ranges after the actions of ``view`` on ``street``."""
        ranges = self._ranges_before(view, position, street, time) * combo_mask(view.board_on(street))
        for number, event in enumerate(view.events):
            if event.situation.street != street:
                continue
            row = self._row(view, number, position, time)
            if row is not None:
                current, own = ranges[event.situation.position], event.situation.position == position
                tremble = None if own else self._live_tremble(view, number, position, time)
                current[:] = range_after(current, row, own=own, tremble=tremble)
        return ranges

    def _row(self, view: HandView, number: int, position: int, time: ThinkTime) -> NDArray[np.float64] | None:
        """Returns (1326,): how likely an action was with every combo, as ``position`` sees it; None if unknown."""
        event = view.events[number]
        street = event.situation.street
        if event.situation.position == position:
            options = self._options(view.before(number), time, last=False)[1]
            if (own_row := options.row(event.action)) is not None:
                return own_row
        row = self._live_row(view, number, position, time)
        return row if row is not None else self._packs.likelihood(event.betting, view.board_on(street), event.action)

    def _live_row(self, view: HandView, number: int, position: int, time: ThinkTime) -> NDArray[np.float64] | None:
        """Returns (1326,): what the live solution of its street says about an action; None if there is none."""
        solution = self._answering(view, number, position, time)
        return None if solution is None else solution.likelihood(_taken(view, number))

    def _live_tremble(self, view: HandView, number: int, position: int, time: ThinkTime) -> NDArray[np.float64] | None:
        """Returns (1326,): how likely an action was by a tremble; None if no live solution says it."""
        solution = self._answering(view, number, position, time)
        return None if solution is None else solution.tremble(_taken(view, number))

    def _answering(self, view: HandView, number: int, position: int, time: ThinkTime) -> LiveStreet | None:
        """Returns the solution with which ``position`` answered an action on its street; None if there is none."""
        street = view.events[number].situation.street
        if street < FLOP:
            return None
        own = view.actions_of(position, street)
        if not own:
            return None
        # The player's next solution was made with this action in its tree. A later one may take it for certain.
        answered = next((later for later in own if later > number), own[-1])
        return self._solution(view.before(answered), time, last=False)


def _taken(view: HandView, number: int) -> list[Event]:
    """Returns the actions of a street up to and including one of them."""
    event = view.events[number]
    return [*view.before(number).events_on(event.situation.street), event]
