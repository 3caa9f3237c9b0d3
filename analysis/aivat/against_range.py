"""The value function of single hands, summed over a range of the other player.

:mod:`hedgehog.analysis.aivat.values` estimates what a state is worth with one hand against one other. The estimate is a
polynomial in the strengths of both hands and linear in the equity. So the sum over all hands of a range follows from
six sums over the range, for all own hands at once.
"""

from __future__ import annotations

import numpy as np

from hedgehog.analysis.aivat import _kernels as kernels
from hedgehog.analysis.aivat.definition import Array
from hedgehog.analysis.aivat.ranges import BoardEquities
from hedgehog.analysis.aivat.values import EQUITY_FEATURE, NUM_FEATURES, ValuedState, board_strength, shipped_values

_DEGREES = 3
"""Powers 0, 1 and 2 of the strength of a hand."""


class AgainstRange:
    """Estimates what states on one board are worth with every hand against a range."""

    def __init__(self, board: tuple[int, ...]) -> None:
        """Prepares a board.

        :param board: card ids, three to five.
        """
        self._strength = board_strength(board)
        self.equities = BoardEquities(board)

    def values(self, spot: ValuedState, position: int, weights: Array) -> Array:
        """Returns (1326,): for every combo, the sum over a range of weights times the estimated value in chips.

        Sums leave out the combos that share a card with the own one. Combos that hold a card of the board have any
        value.

        :param spot: the state.
        :param position: position of the player whose hands are valued.
        :param weights: (1326,) weights of the other player's combos, 0 where the board blocks them.
        """
        own, acts = self._strength, spot.actor == position
        found = [self.equities.against(weights * own**degree) for degree in range(_DEGREES)]
        met, wins = [one.met for one in found], [one.wins for one in found]
        if not acts:  # the features are those of the player to act, whose equity is the rest
            wins = [m - w for m, w in zip(met, wins, strict=True)]
        row = shipped_values().coefficients[spot.row]
        total = np.zeros(len(own))
        # The order of the features: 1, strength of the player to act, of the other, both squares, the product; then
        # the same times the equity (kernels.features_kernel).
        powers = ((0, 0), (1, 0), (0, 1), (2, 0), (0, 2), (1, 1))
        assert len(powers) == EQUITY_FEATURE == NUM_FEATURES // 2 == kernels.NUM_FEATURES // 2
        for number, (actor, other) in enumerate(powers):
            mine, theirs = (actor, other) if acts else (other, actor)
            sums = row[number] * met[theirs] + row[EQUITY_FEATURE + number] * wins[theirs]
            total += own**mine * sums
        bound = spot.bound * met[0]
        return np.asarray((spot.scale if acts else -spot.scale) * np.clip(total, -bound, bound))
