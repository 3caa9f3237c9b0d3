"""The updates of the CFR family and of counterfactual greedy hedging on the rows of one decision, group by group.

A row has one number per group of hands, padded to whole vectors. ``totals`` has the values of the actions summed over
the hands of each group, times their weights.
"""

from __future__ import annotations

import numpy as np

from hedgehog.runtime.jit import njit
from hedgehog.solver.cfr.array_types import Floats
from hedgehog.solver.cfr.kernels._general_kernels import Rule
from hedgehog.solver.cfr.kernels._simd_kernels import (
    LANES,
    fma,
    load,
    maximum,
    positive,
    splat,
    store,
    where_positive,
    zeros,
)


@njit
def match_rows(chances: Floats, weights: Floats, at: int, width: int, num_actions: int) -> None:
    """Writes probabilities in proportion to the positive weights at ``weights[at]``, uniform ones where none is."""
    share = splat(np.float32(1) / np.float32(num_actions))
    for g in range(0, width, LANES):
        total = zeros()
        for a in range(num_actions):
            total = total + positive(load(weights, at + a * width + g))
        for a in range(num_actions):
            # A division, so that an action with all the weight has exactly the probability 1: CGH compares values that
            # are often equal, and the product with 1 / total would make them differ.
            chance = positive(load(weights, at + a * width + g)) / total
            store(chances, a * width + g, where_positive(total, chance, share))


@njit
def choose_rows(chances: Floats, totals: Floats, width: int, num_actions: int) -> None:
    """Writes 1 for the best action of every group and 0 for the others; of equal actions the last one is best."""
    one = splat(np.float32(1))
    for g in range(0, width, LANES):
        top = load(totals, g)
        for a in range(1, num_actions):
            top = maximum(top, load(totals, a * width + g))
        pending = one
        for back in range(num_actions):
            a = num_actions - 1 - back
            best = where_positive(top - load(totals, a * width + g), zeros(), pending)
            pending = pending - best
            store(chances, a * width + g, best)


@njit
def learn_rows(
    chances: Floats,
    regret: Floats,
    average: Floats,
    rule: Rule,
    at: int,
    width: int,
    num_actions: int,
    totals: Floats,
    mass: Floats,
    discounts: Floats,
) -> None:
    """Updates regrets and averages, and writes the strategy whose values go up the tree.

    :param chances: (actions * width) receives the strategy.
    :param at: first element of the decision in ``regret``, ``average`` and ``rule.base``.
    :param mass: (width) own reach of each group, read only if averages are weighted by it.
    :param discounts: float32 (5): factors of positive regrets, negative regrets and the average; the iteration; the
        factor of the regrets in a prediction.
    """
    grow, shrink, keep = splat(discounts[0]), splat(discounts[1]), splat(discounts[2])
    ahead, predicted = splat(discounts[4]), splat(np.float32(rule.predict))
    one = splat(np.float32(1))
    share = splat(np.float32(1) / np.float32(num_actions))
    match_rows(chances, regret, at, width, num_actions)
    for g in range(0, width, LANES):
        value = zeros()
        for a in range(num_actions):
            value = fma(load(chances, a * width + g), load(totals, a * width + g), value)
        every = load(mass, g) if rule.weighted else one
        new_total = zeros()
        for a in range(num_actions):
            row = at + a * width + g
            gain = load(totals, a * width + g) - value
            old = load(rule.base, row)
            new = fma(old, where_positive(old, grow, shrink), gain)
            if rule.floor:
                new = positive(new)
            store(rule.base, row, new)
            if rule.predict:
                store(regret, row, fma(new, ahead, gain * predicted))
            if not rule.average_new:
                chance = load(chances, a * width + g) * every
                store(average, row, fma(load(average, row), keep, chance))
            new_total = new_total + positive(new)
        if rule.return_new or rule.average_new:
            scale = where_positive(new_total, one / new_total, zeros())
            rest = where_positive(new_total, zeros(), share)
            for a in range(num_actions):
                row = at + a * width + g
                chance = fma(positive(load(rule.base, row)), scale, rest)
                if rule.average_new:
                    store(average, row, fma(load(average, row), keep, chance))
                if rule.return_new:
                    store(chances, a * width + g, chance)


@njit
def hedge_rows(
    chances: Floats,
    weights: Floats,
    at: int,
    width: int,
    num_actions: int,
    totals: Floats,
    discounts: Floats,
    per_action: int,
) -> None:
    """Writes the old strategy, then moves the stored one towards the best action of each group.

    :func:`hedgehog.solver.cfr.kernels._general_kernels.hedge_block` describes the weights and the rule.
    """
    keep = splat(discounts[0])
    loss = np.float32(discounts[1])
    lost = splat(loss / np.float32(num_actions)) if per_action else splat(loss)
    every = splat(discounts[2])
    one = splat(np.float32(1))
    match_rows(chances, weights, at, width, num_actions)
    for g in range(0, width, LANES):
        top = load(totals, g)
        for a in range(1, num_actions):
            top = maximum(top, load(totals, a * width + g))
        others = zeros()
        pending = one
        for back in range(num_actions):
            a = num_actions - 1 - back
            row = at + a * width + g
            best = where_positive(top - load(totals, a * width + g), zeros(), pending)
            pending = pending - best
            new = positive(load(weights, row) * keep - lost)
            new = where_positive(best, zeros(), new)
            others = others + new
            # A negative weight, which no other action has, marks the best action.
            store(weights, row, where_positive(best, zeros() - one, new))
        for a in range(num_actions):
            row = at + a * width + g
            new = load(weights, row)
            store(weights, row, where_positive(zeros() - new, every - others, new))
