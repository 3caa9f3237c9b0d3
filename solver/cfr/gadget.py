"""Alternative payoffs at the root: one player chooses, hand by hand, whether to enter the game.

A part of a larger game is solved again for one player, here *the solving player*. Each hand of the other player, the
*chooser*, may take its *alternative payoff* instead of entering. Let the alternative payoff of a hand be what its best
response wins against a strategy that the solving player already has. Then a solution lets no hand of the chooser win
more by entering than it wins against that strategy, so the whole strategy is no easier to exploit than before (Burch,
Johanson and Bowling 2014, Solving imperfect information games using decomposition). Any positive weights of the hands
keep this guarantee.

One percent of every hand enters without a choice (``LEAST_ENTRY``). By this the hands together can win more by at most
one percent of what other hands lose: the known strategy would otherwise be the better solution.

Or the hands that are expected all enter, and beside them others may choose. The solution is then one for the expected
hands, which does not pay for it with what hands win that nobody expects.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from hedgehog.solver.cfr.array_types import Floats
from hedgehog.solver.cfr.kernels._gadget_kernels import GadgetArrays

LEAST_ENTRY: Final = 0.01
"""Share of every hand that has no choice and enters.

Where no hand enters, the other player would learn nothing."""


class Gadget:
    """The choices of one player's hands, learnt by regret matching; at first every hand enters."""

    def __init__(self, player: int, weights: Floats, payoffs: Floats, others: Floats | None = None) -> None:
        """Makes the choices of a player before the first iteration.

        :param player: the chooser, 0 or 1.
        :param weights: (hands,) weight of each hand before the choice.
        :param payoffs: (hands,) alternative payoffs in the unit of the solver's values at the root.
        :param others: None: the hands of these weights choose. Else they all enter, and beside them hands of these
            weights, (hands,), have the choice.
        """
        self.player = player
        certain, choosing = LEAST_ENTRY * weights, (1 - LEAST_ENTRY) * weights
        if others is not None:
            certain, choosing = weights, others
        self.arrays = GadgetArrays(
            certain.astype(np.float32),
            choosing.astype(np.float32),
            payoffs.astype(np.float32),
            np.zeros(len(weights), dtype=np.float32),
            np.zeros(len(weights), dtype=np.float32),
            np.ones(len(weights), dtype=np.float32),
        )
        self.row = np.zeros((1, 5), dtype=np.float32)
        """Scratch of the kernel."""

    @property
    def reach(self) -> Floats:
        """float32 (hands,): the weights with which the hands enter in the next pass."""
        return self.arrays.certain + self.arrays.choosing * self.arrays.entering
