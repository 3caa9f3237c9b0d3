"""One hand as our player lives it: both ranges, the place on each strategy's tree, and the next decision.

Layers, finest first: live solution (turn and river), flop pack (flop), blueprint (everything). The blueprint is
followed through the whole hand, so that an answer exists whenever a finer layer has none. Both ranges are updated by
Bayes' rule, street by street, with the strategy of the finest layer that covered each action.
"""

from __future__ import annotations

import logging
import random
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from agent.hand_view import Event, HandView
from agent.shadow import Options, Shadows, StrategySource, follow, observe, options
from agent.sources import BlueprintSource, FlopPacks, FlopPackSource
from poker.cards import NUM_COMBOS, combo_mask
from poker.errors import HedgehogError
from poker.state import CALL

logger = logging.getLogger(__name__)

OPPONENT_FLOOR: Final = 0.02
"""Share of the average likelihood added to every combo of the opponent: he does not play our strategy exactly."""
OWN_FLOOR: Final = 0.002
"""The same for our own range, covering quantisation."""
FLOP: Final = 1
TURN: Final = 2

BLUEPRINT: Final = "blueprint"
FLOP_PACK: Final = "pack"
LIVE: Final = "live"
FALLBACK: Final = "fallback"


class LiveStreet(Protocol):
    """A solution of the current street, exact for the betting it was made for."""

    def options(self, events: list[Event], view: HandView) -> Options | None:
        """Returns our real actions after ``events`` of this street, or None if the solution lacks the line."""
        ...

    def likelihood(self, events: list[Event]) -> NDArray[np.float64] | None:
        """Returns (1326,): the probability of the last of ``events`` for every combo of its actor."""
        ...


class LiveSolver(Protocol):
    """Solves the rest of the hand from the start of the current street."""

    def solve(self, view: HandView, events: list[Event], ranges: NDArray[np.float64], deadline: float) -> LiveStreet:
        """Solves for at most until ``deadline`` (:func:`time.monotonic`).

        :param ranges: (2, 1326) by position, at the start of the street.
        """
        ...


class Decision(NamedTuple):
    """The mixed strategy of one decision."""

    layer: str
    options: Options


class _Pending(NamedTuple):
    """The decision just taken, until it shows up in the betting."""

    decision: Decision
    chosen: int


class HandTracker:
    """Follows one hand; a new one is made for every hand."""

    def __init__(
        self, hand_id: int, blueprint: BlueprintSource, flop_packs: FlopPacks, draws: random.Random | None = None
    ) -> None:
        """:param draws: randomises the translation of off-tree sizes; None mixes both neighbours."""
        self.hand_id = hand_id
        self.ranges = np.ones((2, NUM_COMBOS))
        """(2, 1326) ranges by position at the start of the current street, largest weight 1."""
        self._blueprint = blueprint
        self._flop_packs = flop_packs
        self._draws = draws
        self._position = -1
        self._street = 0
        self._num_processed = 0
        self._shadows: Shadows = [(0, 1.0)]
        self._flop: FlopPackSource | None = None
        self._flop_shadows: Shadows = []
        self._live: LiveStreet | None = None
        self._events: list[Event] = []  # of this street
        self._rows: list[NDArray[np.float64]] = []  # likelihood of each event by pack or blueprint
        self._own_rows: dict[int, NDArray[np.float64]] = {}  # event -> what we really mixed when we acted
        self._pending: _Pending | None = None

    def decide(self, view: HandView, live_solver: LiveSolver | None, deadline: float) -> Decision:
        """Returns the mixed strategy with which we act now, from the finest layer that has one."""
        self._catch_up(view)
        board = view.board_on(self._street)
        if self._street >= TURN and live_solver is not None:
            found = self._solve_live(view, live_solver, deadline)
            if found is not None and found.probabilities[:, view.combo].sum() > 0:
                return Decision(LIVE, found)
        if self._flop is not None and self._flop_shadows:
            return Decision(FLOP_PACK, options(self._flop, self._flop_shadows, board, view.situation))
        if not self._shadows:
            self._shadows = self._blueprint.nearest.shadows(view.situation)
            logger.debug("hand %d: off the blueprint tree, went on at its nearest decision", self.hand_id)
        if self._shadows:
            return Decision(BLUEPRINT, options(self._blueprint, self._shadows, board, view.situation))
        return Decision(FALLBACK, Options([CALL], np.ones((1, NUM_COMBOS)), [[]]))

    def acted(self, decision: Decision, chosen: int) -> None:
        """Takes note of the action we chose: an index into the decision's actions."""
        self._pending = _Pending(decision, chosen)

    def _solve_live(self, view: HandView, solver: LiveSolver, deadline: float) -> Options | None:
        if self._live is not None:
            found = self._live.options(self._events, view)
            if found is not None:
                return found
        try:
            self._live = solver.solve(view, self._events, self.ranges, deadline)
        except HedgehogError as error:
            logger.warning("hand %d: no live solution: %s", self.hand_id, error)
            return None
        return self._live.options(self._events, view)

    def _catch_up(self, view: HandView) -> None:
        self._position = view.position
        for event in view.events[self._num_processed :]:
            self._process(view, event)
            self._num_processed += 1
        if view.situation.street != self._street:
            self._start_street(view, view.situation.street)

    def _process(self, view: HandView, event: Event) -> None:
        if event.situation.street != self._street:
            self._start_street(view, event.situation.street)
        pending: _Pending | None = None
        if event.situation.position == self._position:
            pending, self._pending = self._pending, None
            if pending is not None and pending.decision.options.actions[pending.chosen] != event.action:
                logger.warning("hand %d: our action was changed to %s", self.hand_id, event.action)
                pending = None
        board = view.board_on(self._street)
        draw = self._draws.random() if self._draws is not None else None
        row, self._shadows = self._follow(self._blueprint, self._shadows, BLUEPRINT, event, board, pending, view, draw)
        if self._flop is not None:
            flop_row, self._flop_shadows = self._follow(
                self._flop, self._flop_shadows, FLOP_PACK, event, board, pending, view, draw
            )
            row = flop_row if flop_row is not None else row
        self._events.append(event)
        self._rows.append(row if row is not None else np.ones(NUM_COMBOS))
        if pending is not None:
            self._own_rows[len(self._events) - 1] = pending.decision.options.probabilities[pending.chosen]

    def _follow(
        self,
        source: StrategySource,
        shadows: Shadows,
        layer: str,
        event: Event,
        board: tuple[int, ...],
        pending: _Pending | None,
        view: HandView,
        draw: float | None,
    ) -> tuple[NDArray[np.float64] | None, Shadows]:
        """Moves the shadows of one layer along an action and returns how likely the action was for every combo."""
        situation = event.situation
        seen = observe(source, shadows, event.action, situation, board, self.ranges[situation.position], draw)
        if seen is None:
            return None, []
        children = seen.children
        if pending is not None and pending.decision.layer == layer:
            # We know which abstract actions we meant; no need to translate our own bet back.
            parts = pending.decision.options.sources[pending.chosen]
            children = [(child, float(share[view.combo])) for child, share in parts]
        return seen.likelihood, follow(source.tree, children, new_street=event.closes_street)

    def _start_street(self, view: HandView, street: int) -> None:
        self._update_ranges()
        board = view.board_on(street)
        self.ranges *= combo_mask(board)
        self._street = street
        self._live = None
        self._events, self._rows, self._own_rows = [], [], {}
        self._flop, self._flop_shadows = None, []
        if street == FLOP and self._shadows:
            node = max(self._shadows, key=lambda item: item[1])[0]
            self._flop = self._flop_packs.find(node, board)
            self._flop_shadows = [(0, 1.0)] if self._flop is not None else []

    def _update_ranges(self) -> None:
        """Multiplies into both ranges what the actions of the street that has ended said."""
        for i, event in enumerate(self._events):
            position = event.situation.position
            row = self._own_rows.get(i)
            if row is None and self._live is not None:
                row = self._live.likelihood(self._events[: i + 1])
            if row is None:
                row = self._rows[i]
            current = self.ranges[position]
            mass = float(current.sum())
            average = float(current @ row) / mass if mass > 0 else 0.0
            if average <= 0:
                continue  # the model says this cannot happen: it says nothing about the cards
            floor = OWN_FLOOR if position == self._position else OPPONENT_FLOOR
            current *= row + floor * average
            current /= current.max()
