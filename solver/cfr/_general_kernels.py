"""Counterfactual regret minimisation, innermost loops of every algorithm but the default DCFR.

:func:`solver.cfr._block_kernels.update_block` is the default, tuned; the functions here do the same walk with the rule
of the update as an argument. See :mod:`solver.cfr._kernels` for the layouts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from runtime.jit import njit
from solver.cfr._simd_kernels import (
    LANES,
    fma,
    load,
    maximum,
    peek,
    positive,
    prefetch,
    splat,
    store,
    where_positive,
    zeros,
)

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Stored = NDArray[Any]  # float32, or uint16 that holds half floats


class Rule(NamedTuple):
    """How one player learns where the default update does not do; flags are 0 or 1."""

    base: NDArray[Any]
    """As ``regret``, which the current strategy is matched to: the regrets that are added to. Often the same array."""
    own_reach: NDArray[np.float32]
    """(threads, slots * 16): own reach in the forest of one block. Empty if averages are not weighted by it."""
    own_entry: NDArray[np.float32]
    """(threads + 1, level-1 exits): own reach at the exits of a middle level; last row: of the root level."""
    own_root: NDArray[np.float32]
    """(16 * own blocks): own reach at the root."""
    weighted: int
    """Weigh the strategies in the average by own reach."""
    average_new: int
    """Average the new strategies instead of those that were played."""
    floor: int
    """Replace negative regrets by zero."""
    predict: int
    """Match the strategy to the regrets plus those of the pass before once more."""
    return_new: int
    """Pass up the values of the new strategy instead of the one that was played."""
    greedy: int
    """Counterfactual greedy hedging: ``regret`` is the strategy itself, and there is no average."""
    per_action: int
    """Of ``greedy``: divide the constant by the number of actions."""


@njit
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

    :param own_forward: walk of the own decisions, ``Program.forward`` of the opponent's program.
    :param reach: own reach after every own action, if averages are weighted by it.
    """
    grow = splat(discounts[0])
    shrink = splat(discounts[1])
    keep = splat(discounts[2])
    one = splat(np.float32(1))
    # Own decisions come in the opposite order there.
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
                store(regret, at, new + gain)
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


@njit
def hedge_block(
    values: Floats,
    weights: Stored,
    backward: Ints,
    base: int,
    ahead: int,
    kept: float,
    loss: float,
    visits: float,
    per_action: int,
) -> None:
    """Carries the ``values`` of one block up to its roots by the old strategy and moves it to the best actions.

    Weights are probabilities times the number of visits so far: every action but the best loses ``loss``, the best
    gets what is left. As probabilities, those that should come to exactly zero would end in rounding errors, and
    where the opponent's reach is zero or not decides. The last of several best actions counts: the highest bet.

    :param kept: 0 to forget the weights first, else 1.
    :param visits: this one included.
    :param per_action: divide ``loss`` by the number of actions.
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
            # The best action is marked by a weight that none has.
            store(weights, row + a * LANES, where_positive(best, zeros() - one, new))
        for a in range(num_actions):
            new = load(weights, row + a * LANES)
            store(weights, row + a * LANES, where_positive(zeros() - new, every - others, new))
