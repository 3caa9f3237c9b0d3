"""Counterfactual regret minimisation, innermost loops of every algorithm but the default DCFR.

:func:`hedgehog.solver.cfr.kernels._block_kernels.update_block` is the tuned kernel of the default. The functions here
walk the forest in the same way and take the rule of the update as an argument.
:mod:`hedgehog.solver.cfr.kernels._board_kernels` describes the memory layouts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.jit import lean_njit
from hedgehog.solver.cfr.array_types import Floats, Ints, Stored
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


class Rule(NamedTuple):
    """How one player's regrets and averages are updated by an algorithm other than the default. Flags are 0 or 1."""

    base: NDArray[Any]
    """The regrets that each pass adds to, shaped like ``regret``, which the current strategy is matched to. Most
    algorithms use one array for both."""
    own_reach: NDArray[np.float32]
    """(threads, slots * 16): own reach in the forest of one block. Empty if averages are not weighted by it."""
    own_entry: NDArray[np.float32]
    """(threads + 1, exits * 16 * blocks): own reach at the exits of a middle level; the last row holds the root
    level's."""
    own_root: NDArray[np.float32]
    """(16 * own blocks): own reach at the root."""
    weighted: int
    """1 weights the strategies in the average by own reach."""
    average_new: int
    """1 averages the updated strategies instead of the strategies that were played."""
    floor: int
    """1 replaces negative regrets by zero."""
    predict: float
    """Share of the last pass's gain that predicts the next one: the strategy is matched to the regrets with it added.
    0 predicts nothing."""
    return_new: int
    """1 passes up the values of the updated strategy instead of the strategy that was played."""
    greedy: int
    """1 runs counterfactual greedy hedging: ``regret`` holds the strategy itself, and there is no average."""
    per_action: int
    """With ``greedy``, 1 divides the constant by the number of actions."""


@lean_njit
def learn_block(
    values: Floats,
    regret: Stored,
    average: Stored,
    rule: Rule,
    backward: Ints,
    own_forward: Ints,
    reach: Floats,
    base: int,
    ahead: int,
    discounts: Floats,
) -> None:
    """Carries the ``values`` of one block up to its roots and updates its regrets and average strategy.

    :param own_forward: the walk of the own decisions, ``Program.own_forward``.
    :param reach: own reach after every own action; read only if averages are weighted by it.
    :param discounts: float32 (5): factors of positive regrets, negative regrets and the average; the iteration; the
        factor of the regrets in a prediction.
    """
    grow = splat(discounts[0])
    shrink = splat(discounts[1])
    keep = splat(discounts[2])
    ahead_factor = splat(discounts[4])
    predicted = splat(np.float32(rule.predict))
    one = splat(np.float32(1))
    # ``own_forward`` lists the own decisions in the opposite order.
    walk = own_forward.size
    for i in range(0, backward.size, 5):
        child = peek(backward, i + 2)
        num_actions = peek(backward, i + 3)
        value = zeros()
        if peek(backward, i) == 0:
            for a in range(num_actions):
                value = value + load(values, child + a * LANES)
            store(values, peek(backward, i + 1), value)
            continue
        walk -= 4
        row = base + peek(backward, i + 4)
        total = zeros()
        for a in range(num_actions):
            prefetch(regret, row + a * LANES + ahead)
            prefetch(average, row + a * LANES + ahead)
            total = total + positive(load(regret, row + a * LANES))
        scale = where_positive(total, one / total, zeros())
        rest = where_positive(total, zeros(), splat(np.float32(1) / np.float32(num_actions)))
        for a in range(num_actions):
            chance = fma(positive(load(regret, row + a * LANES)), scale, rest)
            value = fma(chance, load(values, child + a * LANES), value)
        new_total = zeros()
        for a in range(num_actions):
            at = row + a * LANES
            chance = fma(positive(load(regret, at)), scale, rest)
            gain = load(values, child + a * LANES) - value
            old = load(rule.base, at)
            new = fma(old, where_positive(old, grow, shrink), gain)
            if rule.floor:
                new = positive(new)
            store(rule.base, at, new)
            if rule.predict:
                store(regret, at, fma(new, ahead_factor, gain * predicted))
            if rule.weighted:
                chance = load(reach, peek(own_forward, walk + 1) + a * LANES)
            if not rule.average_new:
                store(average, at, fma(load(average, at), keep, chance))
            new_total = new_total + positive(new)
        if rule.return_new or rule.average_new:
            scale = where_positive(new_total, one / new_total, zeros())
            rest = where_positive(new_total, zeros(), splat(np.float32(1) / np.float32(num_actions)))
            new_value = zeros()
            for a in range(num_actions):
                at = row + a * LANES
                chance = fma(positive(load(rule.base, at)), scale, rest)
                new_value = fma(chance, load(values, child + a * LANES), new_value)
                if rule.average_new:
                    store(average, at, fma(load(average, at), keep, chance))
            if rule.return_new:
                value = new_value
        store(values, peek(backward, i + 1), value)


@lean_njit
def hedge_block(
    values: Floats,
    weights: Stored,
    backward: Ints,
    base: int,
    ahead: int,
    kept: float,
    loss: float,
    visits: float,
    iteration: int,
    per_action: int,
) -> None:
    """Carries the ``values`` of one block up to its roots by the old strategy, then moves it towards the best actions.

    The weights are probabilities times the number of visits so far. Every action but the best loses ``loss``, and the
    best gets the rest. Probabilities would not do: rounding errors would keep some of them above zero, and whether the
    opponent's reach is exactly zero matters. Of several best actions the last one counts, which is the highest bet.

    :param kept: 0 forgets the old weights first, 1 keeps them.
    :param visits: number of visits, this one included.
    :param iteration: number of the iteration; with the address it decides how half floats are rounded.
    :param per_action: 1 divides ``loss`` by the number of actions.
    """
    keep = splat(kept)
    one = splat(np.float32(1))
    every = splat(np.float32(visits))
    for i in range(0, backward.size, 5):
        child = peek(backward, i + 2)
        num_actions = peek(backward, i + 3)
        value = zeros()
        if peek(backward, i) == 0:
            for a in range(num_actions):
                value = value + load(values, child + a * LANES)
            store(values, peek(backward, i + 1), value)
            continue
        row = base + peek(backward, i + 4)
        lost = splat(np.float32(loss / num_actions)) if per_action else splat(np.float32(loss))
        top = load(values, child)
        total = zeros()
        for a in range(num_actions):
            prefetch(weights, row + a * LANES + ahead)
            here = load(values, child + a * LANES)
            old = load(weights, row + a * LANES)
            total = total + old
            value = fma(old, here, value)
            top = maximum(top, here)
        store(values, peek(backward, i + 1), value / total)
        others = zeros()
        # 1 until the best action has been met.
        pending = one
        for back in range(num_actions):
            a = num_actions - 1 - back
            best = where_positive(top - load(values, child + a * LANES), zeros(), pending)
            pending = pending - best
            new = positive(load(weights, row + a * LANES) * keep - lost)
            new = where_positive(best, zeros(), new)
            others = others + new
            # A negative weight, which no other action has, marks the best action.
            at = row + a * LANES
            store_dithered(weights, at, where_positive(best, zeros() - one, new), dither_word(at, iteration))
        for a in range(num_actions):
            new = load(weights, row + a * LANES)
            at = row + a * LANES
            word = dither_word(at, iteration) >> 10
            store_dithered(weights, at, where_positive(zeros() - new, every - others, new), word)
