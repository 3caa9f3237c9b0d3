"""AIVAT: what a hand was worth with the luck taken out that a known strategy and the deck account for.

Burch, Schmid, Moravcik, Morrill and Bowling, AIVAT: A New Variance Reduction Technique for Agent Evaluation in
Imperfect Information Games (AAAI 2018). Two things are done to the result of a hand:

* The player whose strategy is known is scored with the average over all hands it could hold, weighted with the
  probability that it would have played the public actions with them. The other player's actions depend on its own
  cards and on public events only, so they cancel from these weights.
* At every event whose probabilities are known (cards dealt, actions of players with known strategies) the value that
  came out is replaced by its average: ``E[v(next state)] - v(next state taken)`` is added, v averaged over the same
  hands.

Every added term has mean 0 given what went before, whatever the value function v is, as long as v was fixed before the
hands were played. A good v makes the terms cancel the luck; no v makes the result wrong on average.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from runtime.errors import InputError

Array = NDArray[np.float64]


class HandAverage:
    """The AIVAT value of one hand, from the side of a player whose strategy is known.

    The methods are called in the order of the events of the hand. The opponent's cards are known, so *state* means
    public events and those cards. Values are what the known player wins, in any unit, an array over its H possible
    hands; hands that cannot be dealt any more have weight 0 and any finite value. Actions of an unknown opponent need
    no call: they change neither the weights nor the corrections.
    """

    def __init__(self, weights: Array) -> None:
        """:param weights: (H,) probability of every hand of the known player, given the opponent's cards."""
        self.weights = weights / weights.sum()
        """(H,) probability of every hand given all that was called so far."""
        self.correction = 0.0
        """Sum of the corrections so far."""

    def deal_opponent(self, expected: float, values: Array) -> None:
        """Corrects for the opponent's cards.

        :param expected: average of ``weights @ values`` over all hands the opponent may be dealt.
        :param values: (H,) after the deal that came.
        """
        self.correction += expected - float(self.weights @ values)

    def deal(self, expected: Array, possible: NDArray[np.bool_], values: Array) -> None:
        """Corrects for public cards, all of which were equally likely to be dealt to any hand they leave possible.

        :param expected: (H,) average value over the cards that may come, with every own hand.
        :param possible: (H,) False for hands that hold a card dealt now.
        :param values: (H,) after the cards that came.
        """
        before = float(self.weights @ expected)
        self._condition(possible)
        self.correction += before - float(self.weights @ values)

    def own_action(self, probabilities: Array, values: Array, taken: int) -> None:
        """Corrects for an action of the known player, and learns from it which hands it may hold.

        :param probabilities: (actions, H) the known strategy.
        :param values: (actions, H) after each action.
        :param taken: index of the action that was taken.
        :raises InputError: if the strategy takes this action with no possible hand.
        """
        before = float(((probabilities * values).sum(axis=0)) @ self.weights)
        self._condition(probabilities[taken])
        self.correction += before - float(self.weights @ values[taken])

    def opponent_action(self, probabilities: Array, values: Array, taken: int) -> None:
        """Corrects for an action of the opponent, if its strategy is known as well.

        :param probabilities: (actions,) with the opponent's cards.
        :param values: (actions, H) after each action.
        """
        averages = values @ self.weights
        self.correction += float(probabilities @ averages) - float(averages[taken])

    def value(self, results: Array) -> float:
        """Returns the AIVAT value of the hand.

        :param results: (H,) what the known player wins with every hand.
        """
        return float(self.weights @ results) + self.correction

    def _condition(self, likelihood: NDArray[np.generic]) -> None:
        weights = self.weights * likelihood
        total = float(weights.sum())
        if total <= 0:
            raise InputError("the strategy given would not have played this hand with any cards")
        self.weights = weights / total
