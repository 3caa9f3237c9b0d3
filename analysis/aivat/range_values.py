"""AIVAT of hands whose players are both known: averages over the hands of both, and values of ranges.

The value function estimates what a state is worth, given the ranges with which both players have come to it. It is
linear in the features of the two ranges (:mod:`hedgehog.analysis.aivat.ranges`). The coefficients depend on the row of
the state, as for single hands (:mod:`hedgehog.analysis.aivat.values`): its street, its kind, the stacks left, and the
size of the bet to be answered. They were chosen once for the smallest spread of AIVAT values
(:mod:`hedgehog.analysis.aivat.fit_ranges`) and are shipped. A finished hand is not estimated; it has its real result.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from hedgehog.analysis.aivat.definition import Array, PairAverage, Total
from hedgehog.analysis.aivat.ranges import EDGE, NUM_FEATURES, RangeBoard
from hedgehog.analysis.aivat.replay import LoggedDecision
from hedgehog.analysis.aivat.suits import verify_suit_symmetry
from hedgehog.analysis.aivat.values import NUM_ROWS, ValuedState, dealt_flop, shipped_coefficients, spot_of
from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.poker.cards import NUM_COMBOS, combo_index, combo_mask
from hedgehog.poker.state import HandState

TABLE_FILE: Final = Path(__file__).parent / "range_values.json"
_NUM_VALUES: Final = NUM_ROWS * NUM_FEATURES


@cache
def shipped_range_values() -> Array:
    """Returns the coefficients of the shipped value function, (rows, 9)."""
    return shipped_coefficients(TABLE_FILE)


class HandComponents(NamedTuple):
    """The AIVAT value of a hand for position 0 as a linear function of the value function."""

    finished: float
    """The value by finished states alone, in chips: the mean result, and corrections for actions that end the hand."""
    corrections: Array
    """(rows, 9) the corrections by unfinished states, in chips for each unit of a coefficient."""

    def value(self, coefficients: Array) -> float:
        """Returns the AIVAT value in chips.

        :param coefficients: (rows, 9) the value function.
        """
        return self.finished + float(np.vdot(self.corrections, coefficients))


class _RangeSpot(NamedTuple):
    """A state of a hand, as far as the value function needs it."""

    row: int
    actor: int
    unit: float
    """Chips of the unit of the values: what the player to act has in the pot."""
    price: float
    """Chips in the pot of each player after a call, in units; 0 if there is no bet to be answered."""

    @staticmethod
    def of(spot: ValuedState, price: float = 0.0) -> _RangeSpot:
        return _RangeSpot(spot.row, spot.actor, spot.scale / (price or 1.0), price)


def _range_spot_of(state: HandState, street: int) -> _RangeSpot:
    spot = spot_of(state, street)
    own = state.spent[spot.actor]
    facing = state.round == street and state.can_fold() and own > 0
    return _RangeSpot.of(spot, state.max_spent / own if facing else 0.0)


def hand_components(hand: LoggedHand, decisions: Sequence[LoggedDecision]) -> HandComponents:
    """Returns the AIVAT value of a hand, for any value function.

    :param hand: the finished hand.
    :param decisions: its decisions. A player whose strategy is missing at one of them is revealed there.
    :raises InputError: if a player tells suits apart before the flop.
    """
    scorer = RangeScorer(hand.board, hand.hole_cards)
    for decision in decisions:
        scorer.add(decision)
    return scorer.components(scorer.result(hand.state))


class RangeScorer:
    """Scores one hand, event by event. Values are arrays (1 + rows * 9,): chips, and the weight of every coefficient.

    They are those of position 0.
    """

    def __init__(self, board: tuple[int, ...], hole_cards: Sequence[Sequence[int]] = ((), ())) -> None:
        """Begins a hand.

        :param board: card ids of all board cards of the hand; cards that are not dealt in it may be missing.
        :param hole_cards: the cards of each position, of which a player whose strategy is not known is revealed.
        """
        self._cards = board
        self._hole_cards = hole_cards
        self._board = RangeBoard()
        self._average = PairAverage((np.ones(NUM_COMBOS), np.ones(NUM_COMBOS)), self._board.pairs)
        self._revealed: set[int] = set()
        self._street = 0

    def weights(self, position: int) -> Array:
        """Returns (1326,): how likely a player holds each combo, given all events so far; the largest is 1."""
        return self._average.weights[position]

    def enter(self, state: HandState) -> None:
        """Deals the cards of the street on which a state is, if this has not been done yet."""
        if state.round > self._street:
            self._street = state.round
            self._deal(state)

    def add(self, decision: LoggedDecision) -> None:
        """Scores a decision. Decisions are added in their order.

        :raises InputError: if the strategy takes this action with no possible hand.
        """
        average = self._average
        self.enter(decision.before)
        street = self._street
        if decision.options is not None:
            after = [self._after(child, street) for child in decision.after]
            average.action(decision.position, decision.options.probabilities, after, decision.taken)
        elif decision.position not in self._revealed:
            own = self._hole_cards[decision.position]
            average.reveal(decision.position, combo_index(own[0], own[1]), self._after(decision.before, street))
            self._revealed.add(decision.position)

    def result(self, end: HandState) -> Total:
        """Returns what the end of the hand is worth with every pair of hands.

        :raises InputError: if a player tells suits apart before the flop, and the hand ends there.
        """
        if end.is_showdown and self._street == 0:
            self._verify_suits()
        return self._after(end, self._street)

    def mean(self, result: Total) -> float:
        """Returns the mean result over all pairs of hands in chips, with the luck of all events left in."""
        return float(self._average.mean(result)[0])

    def components(self, result: Total) -> HandComponents:
        """Returns the AIVAT value of the hand, for any value function.

        :param result: what the hand is worth from here on, with every pair of hands.
        """
        found = self._average.value(result)
        return HandComponents(float(found[0]), found[1:].reshape(NUM_ROWS, NUM_FEATURES))

    def _deal(self, state: HandState) -> None:
        """Corrects for the cards of the street on which ``state`` is."""
        board, average, street = self._board, self._average, state.round
        dealt = self._cards[: state.gamedef.board_cards_by(street)]
        if street == 1:
            # The value is linear in the equity, and the equity before the flop is its mean over all flops. So the mean
            # value follows without dealing them.
            self._verify_suits()
            value = self._estimate(_RangeSpot.of(dealt_flop(state)), linear=True)
            expected = average.mean(value)
        else:
            spot = _RangeSpot.of(spot_of(state, street))
            value = self._estimate(spot)
            expected = _linear(spot, board.next_card_features(*_by_actor(spot.actor, *average.weights)))
        possible = combo_mask(dealt)
        board.deal(dealt, possible & (average.weights[0] + average.weights[1] > 0))
        average.deal(expected, possible, value)

    def _after(self, state: HandState, street: int) -> Total:
        """Returns the value of a state that was reached by an action on ``street``."""
        if not state.finished:
            return self._estimate(_range_spot_of(state, street))
        lost = float(min(state.spent))
        if state.is_showdown:
            return lambda first, second: chips_alone(lost * self._board.edge(first, second))
        won = -lost if state.folded[0] else lost
        return lambda first, second: chips_alone(won * self._board.pairs(first, second))

    def _estimate(self, spot: _RangeSpot, *, linear: bool = False) -> Total:
        """Returns the estimated value of an unfinished hand.

        :param linear: leave out the features that are not linear in the equities.
        """

        def total(first: Array, second: Array) -> Array:
            mass, features = self._board.features(*_by_actor(spot.actor, first, second), spot.price)
            if linear:
                features[EDGE + 1 :] = 0.0
            return mass * _linear(spot, features)

        return total

    def _verify_suits(self) -> None:
        for player, weights in enumerate(self._average.weights):
            if player not in self._revealed:
                verify_suit_symmetry(weights)


def _by_actor(actor: int, first: Array, second: Array) -> tuple[Array, Array]:
    return (first, second) if actor == 0 else (second, first)


def _linear(spot: _RangeSpot, features: Array) -> Array:
    value = np.zeros(1 + _NUM_VALUES)
    start = 1 + spot.row * NUM_FEATURES
    value[start : start + NUM_FEATURES] = (spot.unit if spot.actor == 0 else -spot.unit) * features
    return value


def chips_alone(chips: float) -> Array:
    """Returns a value of :class:`RangeScorer` that is known in chips."""
    value = np.zeros(1 + _NUM_VALUES)
    value[0] = chips
    return value
