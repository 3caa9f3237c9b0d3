"""AIVAT: the value of a hand without the luck that the deck and a known strategy account for.

Source: Burch, Schmid, Moravcik, Morrill and Bowling, AIVAT: A New Variance Reduction Technique for Agent Evaluation in
Imperfect Information Games (AAAI 2018). Two things are done to the result of a hand:

* A player whose strategy is known is scored with the average over all hands it could hold, weighted with the
  probability that it would have played the public actions with them. The other player's actions depend on its own
  cards and on public events only, so they cancel from these weights. If both strategies are known, the average is over
  all pairs of hands.
* At every event whose probabilities are known (cards dealt, actions of players with known strategies) the luck is
  removed: ``E[v(next state)] - v(next state taken)`` is added, where v is the value function, averaged over the hands
  that the known player could hold.

Every added term has mean 0 given what went before, whatever the value function v is, as long as v was fixed before the
hands were played. A good v makes the terms cancel the luck; no v makes the result wrong on average.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import InputError

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


Total = Callable[[Array, Array], Array]
"""Sums a value over all pairs of hands, times the weights of both: weights of player 0 and 1 -> the sum.

The value may be an array, whose entries are then corrected one by one."""


class PairAverage:
    """Computes the AIVAT value of one hand for player 0, averaged over the hands that both players could hold.

    The methods are called in the order of the events of the hand. Given the public events, the probability of a pair of
    hands is proportional to the product of their weights, if the two can be dealt together. A value is what player 0
    wins, as a :data:`Total`. A player whose strategy is not known is revealed before its first action.
    """

    def __init__(self, weights: tuple[Array, Array], pairs: Callable[[Array, Array], float]) -> None:
        """Begins a hand.

        :param weights: for each player (H,) the weights of its hands: 1.0 for every hand that may be dealt.
        :param pairs: sums, over all pairs of hands that can be dealt together, the products of their weights.
        """
        self.weights = list(weights)
        """For each player (H,) the weights of the hands, given all events so far."""
        self.correction: Array = np.zeros(())
        """Sum of the corrections for all events so far."""
        self._pairs = pairs

    def mean(self, total: Total) -> Array:
        """Returns the mean of a value over all pairs of hands, given all events so far."""
        return total(*self.weights) / self._pairs(*self.weights)

    def deal(self, expected: Array, possible: NDArray[np.bool_], values: Total) -> None:
        """Corrects for public cards. With given hands, all cards that they leave possible are equally likely.

        :param expected: mean, over all pairs of hands and over the cards that could be dealt, of the value after them.
        :param possible: (H,) False for hands that hold a card dealt now.
        :param values: value after the cards that were dealt.
        """
        for player in (0, 1):
            self._condition(player, possible)
        self.correction = self.correction + expected - self.mean(values)

    def action(self, player: int, probabilities: Array, values: Sequence[Total], taken: int) -> None:
        """Corrects for an action of a known strategy, and updates the weights of the player's hands.

        :param player: 0 or 1.
        :param probabilities: (actions, H) probability of each action with every hand of the player.
        :param values: value after each action.
        :param taken: index of the action that was taken.
        :raises InputError: if the strategy takes this action with no possible hand.
        """
        pairs = self._pairs(*self.weights)
        expected: Array = np.zeros(())
        for row, total in zip(probabilities, values, strict=True):
            weights = list(self.weights)
            weights[player] = weights[player] * row
            if weights[player].any():
                expected = expected + total(*weights) / pairs
        self._condition(player, probabilities[taken])
        self.correction = self.correction + expected - self.mean(values[taken])

    def reveal(self, player: int, own: int, values: Total) -> None:
        """Goes on with the hand that a player holds, because the probabilities of its next action are unknown.

        The luck of holding this hand, and not another one, is removed. The action itself is not corrected. All terms
        still have mean 0, so the result stays right on average; only its spread grows.

        :param player: 0 or 1.
        :param own: index of the hand that the player holds.
        :param values: value before the action.
        """
        before = self.mean(values)
        self.weights[player] = np.zeros_like(self.weights[player])
        self.weights[player][own] = 1.0
        self.correction = self.correction + before - self.mean(values)

    def value(self, results: Total) -> Array:
        """Returns the AIVAT value of the hand.

        :param results: what player 0 wins at the end of the hand.
        """
        return self.mean(results) + self.correction

    def _condition(self, player: int, likelihood: NDArray[np.generic]) -> None:
        weights = self.weights[player] * np.asarray(likelihood, dtype=np.float64)
        most = float(weights.max())
        if most <= 0:
            raise InputError("the strategy given would not have played this hand with any cards")
        self.weights[player] = weights / most
