"""Quantal trembles, innermost loops: an opponent who now and then takes any action, the cheap ones most often.

:mod:`hedgehog.solver.cfr.trembles` says what trembles are for. :mod:`hedgehog.solver.cfr.kernels._board_kernels`
describes the memory layouts. Every offset counts float32 elements. A vector has 16 of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hedgehog.runtime.jit import lean_njit
from hedgehog.solver.cfr.array_types import Floats, Ints, Stored
from hedgehog.solver.cfr.kernels._block_kernels import Positions
from hedgehog.solver.cfr.kernels._simd_kernels import (
    LANES,
    dither_word,
    fma,
    load,
    maximum,
    peek,
    positive,
    prefetch,
    splat,
    store,
    store_dithered,
    where_positive,
    zeros,
)

MOST_LOSS = np.float32(256)
"""Largest loss that is stored, in temperatures. The weight of an action in a tremble is ``(1 - loss / 256) ^ 256``."""
LEAST_REACH = np.float32(1e-18)
"""Reach below which a hand does not come. Regrets of smaller ones could not be divided by in single precision."""
_SQUARINGS = 8
"""2 to this power is 256."""
Vec = Any  # sixteen float32 lanes


class Trembles(NamedTuple):
    """The trembles of both players."""

    losses: tuple[Stored, Stored]
    """Per player what every action has cost every hand against its best one so far, in temperatures, shaped like
    ``regret``; -1 for locked hands, which do not tremble. Empty without trembles."""
    share: float
    """Probability of a tremble at a decision."""
    coldness: float
    """1 / temperature, in the unit of values."""


@lean_njit
def tremble_weight(loss: Vec, least: Vec) -> Vec:
    """Returns the weight of an action in a tremble: nearly ``exp(least - loss)``."""
    weight = positive(fma(least - loss, splat(np.float32(1) / MOST_LOSS), splat(np.float32(1))))
    for _ in range(_SQUARINGS):
        weight = weight * weight
    return weight


@lean_njit
def forward_trembling_block(
    reach: Floats, strategy: Stored, losses: Stored, forward: Ints, base: int, ahead: int, share: float
) -> None:
    """Fills the ``reach`` slots of one block from regret matching mixed with trembles.

    :param losses: as :class:`Trembles` has them, of the player whose strategy it is.
    :param ahead: distance in elements to the same row of the next block, which is fetched in advance.
    :param share: probability of a tremble.
    """
    least = splat(LEAST_REACH)
    for i in range(0, forward.size, 4):
        here = load(reach, peek(forward, i))
        out = peek(forward, i + 1)
        num_actions = peek(forward, i + 2)
        row = base + peek(forward, i + 3)
        total = zeros()
        first = load(losses, row)
        lowest = first
        for a in range(num_actions):
            prefetch(strategy, row + a * LANES + ahead)
            prefetch(losses, row + a * LANES + ahead)
            total = total + positive(load(strategy, row + a * LANES))
            lowest = zeros() - maximum(zeros() - lowest, zeros() - load(losses, row + a * LANES))
        weights = zeros()
        for a in range(num_actions):
            weight = tremble_weight(load(losses, row + a * LANES), lowest)
            store(reach, out + a * LANES, weight)
            weights = weights + weight
        # The loss of a locked hand is negative.
        trembling = where_positive(zeros() - first, zeros(), here * splat(np.float32(share)))
        steady = here - trembling
        trembling = trembling / weights
        scale = where_positive(total, steady / total, zeros())
        rest = where_positive(total, zeros(), steady * splat(np.float32(1) / np.float32(num_actions)))
        for a in range(num_actions):
            chosen = fma(positive(load(strategy, row + a * LANES)), scale, rest)
            mixed = fma(load(reach, out + a * LANES), trembling, chosen)
            store(reach, out + a * LANES, where_positive(mixed - least, mixed, zeros()))


@lean_njit
def note_losses(
    values: Floats, losses: Stored, backward: Ints, base: int, first_weight: int, coldness: float, iteration: int
) -> None:
    """Moves the losses of one block towards those of this pass. Iteration t, counted from 0, has the weight t + 1.

    :param values: values of all lines of the block, and behind them the weights of the opponent's hands that each hand
        can meet at each own decision.
    :param losses: as :class:`Trembles` has them, of the updated player.
    :param first_weight: offset of the weights in ``values``, ``Program.first_weight``.
    :param coldness: as :class:`Trembles` has it.
    :param iteration: number of the iteration; with the address it decides how half floats are rounded.
    """
    pace = splat(np.float32(2) / np.float32(iteration + 2))
    cold = splat(np.float32(coldness))
    most = splat(MOST_LOSS)
    decisions = 0
    for i in range(0, backward.size, 5):
        decisions += peek(backward, i) != 0
    at_weight = first_weight + decisions * LANES
    for i in range(0, backward.size, 5):
        if peek(backward, i) == 0:
            continue
        # ``backward`` has the decisions in the opposite order.
        at_weight -= LANES
        child = peek(backward, i + 2)
        num_actions = peek(backward, i + 3)
        row = base + peek(backward, i + 4)
        weight = load(values, at_weight)
        # A hand that meets no hand of the opponent learns nothing.
        factor = where_positive(weight, cold / weight, zeros())
        step = where_positive(weight, pace, zeros())
        best = load(values, child)
        for a in range(1, num_actions):
            best = maximum(best, load(values, child + a * LANES))
        for a in range(num_actions):
            at = row + a * LANES
            loss = (best - load(values, child + a * LANES)) * factor
            loss = most - positive(most - loss)
            old = load(losses, at)
            store_dithered(losses, at, fma(loss - old, step, old), dither_word(at, iteration) >> 20)


@lean_njit
def mark_locked(rows: Positions, wanted: Positions, probabilities: Floats, losses: Stored) -> None:
    """Writes -1 as the losses of locked hands. :class:`hedgehog.solver.cfr.kernels._game_kernels.Locks` describes the
    other arguments."""
    one = splat(np.float32(1))
    for i in range(rows.size):
        locked = load(probabilities, wanted[i]) + one
        store(losses, rows[i], where_positive(locked, zeros() - one, load(losses, rows[i])))
