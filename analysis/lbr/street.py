"""What every action of a responder is worth on one street, for all its hands at once.

The player under test is asked what it does after every line of the street that counts, with all its hands. Values go
back from the ends of the lines: the hand is over, or the next card is to be dealt. Where the player acts, the values of
its actions add up; where the responder acts, each of its hands takes the best one. A value is the sum, over the hands
that the player may hold, of their weight times the chips that the responder wins over the whole hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.options import Options
from hedgehog.analysis.aivat.ranges import BoardEquities
from hedgehog.poker.ranges import disjoint_weight
from hedgehog.poker.state import CALL, FOLD, Action, HandState
from hedgehog.poker.streets import RIVER

Array = NDArray[np.float64]
Ask = Callable[[HandState, tuple[int, ...]], Options]
"""Returns the strategy of the player to act in a state, on a board that may be imagined."""

LEAST_RAISED: Final = 0.02
"""Share of the player's range from which on later raises of the responder are weighed."""
LEAST_ASKED: Final = 0.002
"""Share of the player's range from which on it is asked in lines that are only estimated; with less it is taken to
call."""
_TIE: Final = 1e-9
"""Actions are equally good if they differ by less than this share of the pot. The first of equally good ones is taken,
where a call comes before the smallest raise, and a fold is last."""


@dataclass(slots=True)
class Place:
    """A state of the hand in the lines of a street."""

    state: HandState
    reach: Array
    """(1326,) weights of the player's hands."""
    own: bool = False
    """Whether the responder acts."""
    actions: list[Action] = field(default_factory=list)
    """The actions that lead on; none where the hand or the street is over."""
    children: list[Place] = field(default_factory=list)
    """The places after these actions."""
    answer: Options | None = None
    """The player's strategy, if it was asked for."""
    values: Array | None = None
    """(1326,) value for every hand of the responder."""

    def child(self, action: Action) -> Place:
        """Returns the place after an action, which must be one of :attr:`actions`."""
        return self.children[self.actions.index(action)]

    def action_values(self) -> Array:
        """Returns (actions, 1326): the value of each action for every hand; all places must have values."""
        return np.stack([child.solved() for child in self.children])

    def solved(self) -> Array:
        """Returns the values after those of all ends of lines have been set."""
        if self.values is None:
            values = self.action_values()
            self.values = values.max(axis=0) if self.own else values.sum(axis=0)
        return self.values

    def best(self) -> NDArray[np.int64]:
        """Returns (1326,): the number of the action that each hand of the responder takes."""
        values = self.action_values()
        tie = _TIE * sum(self.state.spent) * float(self.reach.sum())
        return np.asarray(np.argmax(values >= values.max(axis=0) - tie, axis=0))


class StreetLines:
    """The lines of one street that count for a responder."""

    def __init__(
        self,
        ask: Ask,
        position: int,
        board: tuple[int, ...],
        mass: float,
        equities: BoardEquities,
        *,
        exact: bool = False,
    ) -> None:
        """Prepares a walk.

        :param ask: asks the player under test.
        :param position: position of the responder.
        :param board: card ids of the board on this street, three to five.
        :param mass: sum of the player's weights where the walk begins.
        :param equities: of all pairs of hands on this board.
        :param exact: ask the player in all lines, however thin: the lines are a plan to be played.
        """
        self._least_asked = 0.0 if exact else LEAST_ASKED * mass
        self._ask = ask
        self._position = position
        self._board = board
        self._mass = mass
        self._equities = equities
        self._street = len(board) - 2
        self._sizes: dict[tuple[int, ...], set[int]] = {}
        self.ends: list[Place] = []
        """Where the next card is to be dealt; their values are missing."""

    def walk(self, state: HandState, reach: Array, totals: Sequence[int] = ()) -> Place:
        """Returns the place of a state, with all lines after it.

        The responder may always fold, check and call. Its bets are those that the player itself considers after the
        same bets: its solve has them in its tree.

        :param reach: (1326,) weights of the player's hands.
        :param totals: bets of the responder that are weighed besides if it is to act in this state.
        """
        place = Place(state, reach)
        if state.finished:
            place.values = self._worth(state, reach)
        elif state.round > self._street:
            self.ends.append(place)
        elif state.acting_position == self._position:
            self._respond(place, totals)
        else:
            self._answer(place)
        return place

    def _respond(self, place: Place, totals: Iterable[int]) -> None:
        place.own, state = True, place.state
        bets, limits = self._bets(state), state.raise_range()
        self._add(place, CALL, place.reach)
        if limits is not None and place.reach.sum() >= LEAST_RAISED * self._mass:
            considered = self._sizes.get(bets, set()) | set(totals)
            if not considered and self._street == RIVER:
                considered = {limits[1]}
            for total in sorted(considered):
                if limits[0] <= total <= limits[1]:
                    self._add(place, Action("r", total), place.reach)
        if state.can_fold():
            self._add(place, FOLD, place.reach)

    def _answer(self, place: Place) -> None:
        state, reach = place.state, place.reach
        if reach.sum() < self._least_asked:
            self._add(place, CALL, reach)
            return
        options = place.answer = self._ask(state, self._board)
        sizes = self._sizes.setdefault(self._bets(state), set())
        sizes.update(action.size for action in options.actions if action.kind == "r")
        for action, row in zip(options.actions, options.probabilities, strict=True):
            if (after := reach * row).any():
                self._add(place, action, after)

    def _add(self, place: Place, action: Action, reach: Array) -> None:
        place.actions.append(action)
        place.children.append(self.walk(place.state.after(action), reach))

    def _bets(self, state: HandState) -> tuple[int, ...]:
        return tuple(action.size for _, action in state.actions[self._street] if action.kind == "r")

    def _worth(self, state: HandState, reach: Array) -> Array:
        """Returns (1326,) the values where the hand is over; after an all-in, on average over the cards to come."""
        lost = float(min(state.spent))
        if state.num_folded:
            return disjoint_weight(reach) * (-lost if state.folded[self._position] else lost)
        found = self._equities.against(reach)
        return lost * (2 * found.wins - found.met)
