"""Iterations in which one player chooses at the root, hand by hand, between the game and alternative payoffs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgehog.runtime.jit import lean_njit
from hedgehog.solver.cfr.array_types import Floats
from hedgehog.solver.cfr.kernels._board_kernels import Passes
from hedgehog.solver.cfr.kernels._pass_kernels import run_passes


class GadgetArrays(NamedTuple):
    """The choice at the root (:class:`hedgehog.solver.cfr.gadget.Gadget`); every array is float32 (hands of the
    chooser,)."""

    certain: Floats
    """Weight with which each hand enters without a choice."""
    choosing: Floats
    """Weight with which each hand has the choice."""
    payoffs: Floats
    """Alternative payoff of each hand, in the unit of the values at the root."""
    enter: Floats
    """Regrets for entering."""
    stay: Floats
    """Regrets for the alternative payoff."""
    entering: Floats
    """Probability with which each hand that has the choice enters in the next pass."""


@lean_njit
def choose_entries(gadget: GadgetArrays, discounts: Floats, values: Floats, reach: Floats) -> None:
    """Updates the regrets of both choices with the values of entering, and the reach with which the hands enter.

    :param discounts: factors of positive and of negative regrets, as for all other decisions.
    :param values: float32 (hands,): values of entering, in the unit of the payoffs.
    :param reach: receives the weights of the hands that enter; it is padded to whole blocks.
    """
    for hand in range(gadget.payoffs.size):
        gain = values[hand] - gadget.payoffs[hand]
        share = gadget.entering[hand]
        enter, stay = gadget.enter[hand], gadget.stay[hand]
        enter = enter * (discounts[0] if enter > 0 else discounts[1]) + (np.float32(1) - share) * gain
        stay = stay * (discounts[0] if stay > 0 else discounts[1]) - share * gain
        gadget.enter[hand], gadget.stay[hand] = enter, stay
        total = max(enter, np.float32(0)) + max(stay, np.float32(0))
        # Without regret for either choice, a hand enters.
        share = max(enter, np.float32(0)) / total if total > 0 else np.float32(1)
        gadget.entering[hand] = share
        reach[hand] = gadget.certain[hand] + share * gadget.choosing[hand]


@lean_njit(nogil=True)
def run_gadget_passes(
    passes: Passes,
    schedule: Floats,
    first: int,
    last: int,
    num_threads: int,
    chooser: int,
    gadget: GadgetArrays,
    row: Floats,
) -> None:
    """Runs passes as :func:`~hedgehog.solver.cfr.kernels._pass_kernels.run_passes` does; after its own
    passes, one player chooses.

    :param chooser: the player who chooses; the reach of its hands at the root is changed.
    :param row: float32 (1, 5) of scratch.
    """
    for index in range(first, last):
        for column in range(schedule.shape[1]):
            row[0, column] = schedule[(index >> 1) - (first >> 1), column]
        run_passes(passes, row, index, index + 1, num_threads)
        if index & 1 == chooser:
            choose_entries(gadget, row[0], passes.scratch.root, passes.sides[1 - chooser].root_reach)
