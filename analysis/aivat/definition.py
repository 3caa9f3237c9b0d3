"""AIVAT: the value of a hand without the luck that the deck and a known strategy account for.

Source: Burch, Schmid, Moravcik, Morrill and Bowling, AIVAT: A New Variance Reduction Technique for Agent Evaluation in
Imperfect Information Games (AAAI 2018). Two things are done to the result of a hand:

* The player whose strategy is known is scored with the average over all hands it could hold, weighted with the
  probability that it would have played the public actions with them. The other player's actions depend on its own
  cards and on public events only, so they cancel from these weights.
* At every event whose probabilities are known (cards dealt, actions of players with known strategies) the luck is
  removed: ``E[v(next state)] - v(next state taken)`` is added, where v is the value function, averaged over the hands
  that the known player could hold.

Every added term has mean 0 given what went before, whatever the value function v is, as long as v was fixed before the
hands were played. A good v makes the terms cancel the luck; no v makes the result wrong on average.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from runtime.errors import InputError

Array = NDArray[np.float64]


class HandAverage:
    """Computes the AIVAT value of one hand, from the side of a player whose strategy is known.

    The methods are called in the order of the events of the hand. The opponent's cards are known, so *state* means
    public events and those cards. A value is what the known player wins, in any unit. Values are arrays over its H
    possible hands. Hands that cannot be dealt any more have weight 0 and any finite value. Actions of an unknown
    opponent need no call, because they change neither the weights nor the corrections.
    """

    def __init__(self, weights: Array) -> None:
        """:param weights: (H,) probability of every hand of the known player, given the opponent's cards."""
        self.weights = weights / weights.sum()
        """(H,) probability of every hand of the known player, given all events so far."""
        self.correction = 0.0
        """Sum of the corrections for all events so far."""

    def deal_opponent(self, expected: float, values: Array) -> None:
        """Corrects for the opponent's cards.

        :param expected: average of ``weights @ values`` over all hands the opponent may be dealt.
        :param values: (H,) value with every own hand after the deal that happened.
        """
        self.correction += expected - float(self.weights @ values)

    def deal(self, expected: Array, possible: NDArray[np.bool_], values: Array) -> None:
        """Corrects for public cards. With a given hand, all cards that it leaves possible are equally likely.

        :param expected: (H,) average value, with every own hand, over the cards that could be dealt.
        :param possible: (H,) False for hands that hold a card dealt now.
        :param values: (H,) value with every own hand after the cards that were dealt.
        """
        before = float(self.weights @ expected)
        self._condition(possible)
        self.correction += before - float(self.weights @ values)

    def own_action(self, probabilities: Array, values: Array, taken: int) -> None:
        """Corrects for an action of the known player, and updates the probabilities of its hands.

        :param probabilities: (actions, H) probability of each action with every own hand.
        :param values: (actions, H) value after each action with every own hand.
        :param taken: index of the action that was taken.
        :raises InputError: if the strategy takes this action with no possible hand.
        """
        before = float(((probabilities * values).sum(axis=0)) @ self.weights)
        self._condition(probabilities[taken])
        self.correction += before - float(self.weights @ values[taken])

    def opponent_action(self, probabilities: Array, values: Array, taken: int) -> None:
        """Corrects for an action of the opponent, if its strategy is known as well.

        :param probabilities: (actions,) probability of each action with the opponent's cards.
        :param values: (actions, H) value after each action with every own hand.
        :param taken: index of the action that was taken.
        """
        averages = values @ self.weights
        self.correction += float(probabilities @ averages) - float(averages[taken])

    def reveal(self, own: int, values: Array) -> None:
        """Goes on with the hand that the player holds, because the probabilities of its next action are unknown.

        The luck of holding this hand, and not another one, is removed. The action itself is not corrected. All terms
        still have mean 0, so the result stays right on average; only its spread grows.

        :param own: index of the hand that the player holds.
        :param values: (H,) value with every own hand before the action.
        """
        self.correction += float(self.weights @ values) - float(values[own])
        self.weights = np.zeros_like(self.weights)
        self.weights[own] = 1.0

    def value(self, results: Array) -> float:
        """Returns the AIVAT value of the hand.

        :param results: (H,) what the known player wins at the end of the hand with every own hand.
        """
        return float(self.weights @ results) + self.correction

    def _condition(self, likelihood: NDArray[np.generic]) -> None:
        weights = self.weights * likelihood
        total = float(weights.sum())
        if total <= 0:
            raise InputError("the strategy given would not have played this hand with any cards")
        self.weights = weights / total
