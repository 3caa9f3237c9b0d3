"""Counterfactual regret minimisation, innermost loops: one block of sixteen hands, one tile of sixteen lines.

:mod:`hedgehog.solver.cfr.kernels._board_kernels` describes the memory layouts. Every offset counts float32 elements. A
vector has 16 of them.
"""

from __future__ import annotations

from typing import Any

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
    splat_at,
    store,
    store_dithered,
    unroll_here,
    where_positive,
    zeros,
)

Positions = NDArray[np.int64]
Vec = Any  # sixteen float32 lanes


@lean_njit
def forward_block(reach: Floats, strategy: Stored, forward: Ints, base: int, ahead: int) -> None:
    """Fills the ``reach`` slots of one block from regret matching on the rows at ``strategy[base]``.

    Two and three actions, nearly all decisions of a betting tree, stay in registers.

    :param ahead: distance in elements to the same row of the next block, which is fetched in advance.
    """
    for i in range(0, forward.size, 4):
        here = load(reach, peek(forward, i))
        out = peek(forward, i + 1)
        num_actions = peek(forward, i + 2)
        row = base + peek(forward, i + 3)
        if num_actions == 2:
            prefetch(strategy, row + ahead)
            prefetch(strategy, row + LANES + ahead)
            first = positive(load(strategy, row))
            second = positive(load(strategy, row + LANES))
            total = first + second
            scale = where_positive(total, here / total, zeros())
            rest = where_positive(total, zeros(), here * splat(np.float32(1 / 2)))
            store(reach, out, fma(first, scale, rest))
            store(reach, out + LANES, fma(second, scale, rest))
        elif num_actions == 3:
            prefetch(strategy, row + ahead)
            prefetch(strategy, row + LANES + ahead)
            prefetch(strategy, row + 2 * LANES + ahead)
            first = positive(load(strategy, row))
            second = positive(load(strategy, row + LANES))
            third = positive(load(strategy, row + 2 * LANES))
            total = first + second + third
            scale = where_positive(total, here / total, zeros())
            rest = where_positive(total, zeros(), here * splat(np.float32(1 / 3)))
            store(reach, out, fma(first, scale, rest))
            store(reach, out + LANES, fma(second, scale, rest))
            store(reach, out + 2 * LANES, fma(third, scale, rest))
        else:
            total = zeros()
            for a in range(num_actions):
                prefetch(strategy, row + a * LANES + ahead)
                total = total + positive(load(strategy, row + a * LANES))
            scale = where_positive(total, here / total, zeros())
            rest = where_positive(total, zeros(), here * splat(np.float32(1) / np.float32(num_actions)))
            for a in range(num_actions):
                store(reach, out + a * LANES, fma(positive(load(strategy, row + a * LANES)), scale, rest))


@lean_njit
def update_decision(
    values: Floats,
    regret: Stored,
    average: Stored,
    child: int,
    row: int,
    ahead: int,
    grow: Vec,
    shrink: Vec,
    keep: Vec,
    num_actions: int,
    iteration: int,
) -> Vec:
    """Returns the value of one own decision for sixteen hands, after updating their regrets and average strategy."""
    unroll_here()
    total = zeros()
    for a in range(num_actions):
        prefetch(regret, row + a * LANES + ahead)
        prefetch(average, row + a * LANES + ahead)
        total = total + positive(load(regret, row + a * LANES))
    scale = where_positive(total, splat(np.float32(1)) / total, zeros())
    rest = where_positive(total, zeros(), splat(np.float32(1) / np.float32(num_actions)))
    value = zeros()
    for a in range(num_actions):
        chance = fma(positive(load(regret, row + a * LANES)), scale, rest)
        value = fma(chance, load(values, child + a * LANES), value)
    for a in range(num_actions):
        at = row + a * LANES
        word = dither_word(at, iteration)
        old = load(regret, at)
        chance = fma(positive(old), scale, rest)
        store_dithered(average, at, fma(load(average, at), keep, chance), word)
        gain = load(values, child + a * LANES) - value
        store_dithered(regret, at, fma(old, where_positive(old, grow, shrink), gain), word >> 10)
    return value


@lean_njit
def update_block(
    values: Floats,
    regret: Stored,
    average: Stored,
    backward: Ints,
    base: int,
    ahead: int,
    positive_factor: float,
    negative_factor: float,
    average_factor: float,
    iteration: int,
) -> None:
    """Carries the ``values`` of one block up to its roots and updates its regrets and average strategy.

    :param iteration: number of the iteration; with the address it decides how half floats are rounded.
    """
    grow = splat(positive_factor)
    shrink = splat(negative_factor)
    keep = splat(average_factor)
    for i in range(0, backward.size, 5):
        child = peek(backward, i + 2)
        num_actions = peek(backward, i + 3)
        if peek(backward, i) == 0:
            value = load(values, child)
            for a in range(1, num_actions):
                value = value + load(values, child + a * LANES)
            store(values, peek(backward, i + 1), value)
            continue
        row = base + peek(backward, i + 4)
        if num_actions == 2:
            value = update_decision(values, regret, average, child, row, ahead, grow, shrink, keep, 2, iteration)
        elif num_actions == 3:
            value = update_decision(values, regret, average, child, row, ahead, grow, shrink, keep, 3, iteration)
        elif num_actions == 4:
            value = update_decision(values, regret, average, child, row, ahead, grow, shrink, keep, 4, iteration)
        elif num_actions == 5:
            value = update_decision(values, regret, average, child, row, ahead, grow, shrink, keep, 5, iteration)
        else:
            value = update_decision(
                values, regret, average, child, row, ahead, grow, shrink, keep, num_actions, iteration
            )
        store(values, peek(backward, i + 1), value)


@lean_njit
def lock_weight(average: Stored) -> float:
    """Returns the sum over the actions that the average of a locked hand has.

    It is a power of two, so that division gives back the locked probabilities exactly. The averages of free hands must
    sum to at most three quarters of it, which tells the two apart. Half floats hold at most 65504: the sums of free
    hands stay below 24576 for 24000 iterations of equal weight, for 98000 of ``dcfr`` and for 147000 of ``gamma5``.
    """
    return 2.0**15 if average.itemsize == 2 else 2.0**60


@lean_njit
def impose_rows(rows: Positions, wanted: Positions, probabilities: Floats, regret: Stored, average: Stored) -> None:
    """Writes the strategies of locked hands into the regrets and the averages.

    The probabilities serve as regrets: regret matching turns them back into the same probabilities.
    :class:`hedgehog.solver.cfr.kernels._game_kernels.Locks` describes ``rows``, ``wanted`` and ``probabilities``.
    """
    one = splat(np.float32(1))
    weight = splat(lock_weight(average))
    for i in range(rows.size):
        at = rows[i]
        probability = load(probabilities, wanted[i])
        locked = probability + one
        store(regret, at, where_positive(locked, probability, load(regret, at)))
        store(average, at, where_positive(locked, probability * weight, load(average, at)))


@lean_njit
def evaluate_block(
    values: Floats,
    average: Stored,
    choice: Stored,
    backward: Ints,
    base: int,
    ahead: int,
    best: bool,
    noted: bool,
) -> None:
    """Carries the ``values`` of one block up to its roots without changing any strategy.

    An own decision takes the maximum over its actions (``best``) or their mean under the average strategy. A best
    response cannot change locked hands (at decisions of kind 2), which keep their average strategy.

    :param choice: written only if both ``best`` and ``noted``: free hands get 1 at the best actions and 0 at the
        others, locked hands get their average.
    """
    threshold = splat(0.75 * lock_weight(average))
    one = splat(np.float32(1))
    for i in range(0, backward.size, 5):
        kind = peek(backward, i)
        first = peek(backward, i + 2)
        num_actions = peek(backward, i + 3)
        value = zeros()
        if kind == 0:
            for a in range(num_actions):
                value = value + load(values, first + a * LANES)
        elif best and kind == 1:
            value = load(values, first)
            for a in range(1, num_actions):
                value = maximum(value, load(values, first + a * LANES))
            if noted:
                row = base + peek(backward, i + 4)
                for a in range(num_actions):
                    short = value - load(values, first + a * LANES)
                    store(choice, row + a * LANES, where_positive(short, zeros(), one))
        else:
            row = base + peek(backward, i + 4)
            total = zeros()
            plain = zeros()
            for a in range(num_actions):
                prefetch(average, row + a * LANES + ahead)
                here = load(average, row + a * LANES)
                total = total + here
                value = fma(here, load(values, first + a * LANES), value)
                plain = plain + load(values, first + a * LANES)
            value = where_positive(total, value / total, plain * splat(np.float32(1.0 / num_actions)))
            if best:
                free = load(values, first)
                for a in range(1, num_actions):
                    free = maximum(free, load(values, first + a * LANES))
                if noted:
                    for a in range(num_actions):
                        short = free - load(values, first + a * LANES)
                        chosen = where_positive(short, zeros(), one)
                        locked = load(average, row + a * LANES)
                        store(choice, row + a * LANES, where_positive(total - threshold, locked, chosen))
                value = where_positive(total - threshold, value, free)
        store(values, peek(backward, i + 1), value)


@lean_njit
def add_reach(sums: Floats, cards: Ints, counts: Floats | None, k: int, here: Vec, total: Vec) -> Vec:
    """Adds the opponent's reach of the hand at position ``k`` to the sums by card and returns the new ``total``.

    :param counts: three numbers per position: how many hands it stands for, and how many of these hold a given card
        of its first and of its second class. None without merged cards, which numba knows when it compiles.
    """
    first = peek(cards, 2 * k)
    second = peek(cards, 2 * k + 1)
    if counts is None:
        store(sums, first, load(sums, first) + here)
        store(sums, second, load(sums, second) + here)
        return total + here
    store(sums, first, fma(here, splat_at(counts, 3 * k + 1), load(sums, first)))
    store(sums, second, fma(here, splat_at(counts, 3 * k + 2), load(sums, second)))
    return fma(here, splat_at(counts, 3 * k), total)


@lean_njit
def fold_tile(
    tiles: Floats, tile: int, sums: Floats, cards: Ints, counts: Floats | None, num_live: int, factors: Floats, at: int
) -> None:
    """Turns opponent reach into own values in place on a tile of folds.

    The value of a hand is proportional to the total reach of the opponent's hands that share no card with it.
    """
    total = zeros()
    for c in range(0, sums.size, LANES):
        store(sums, c, zeros())
    for k in range(num_live):
        total = add_reach(sums, cards, counts, k, load(tiles, tile + k * LANES), total)
    every = load(factors, at + 2 * LANES)
    for k in range(num_live):
        here = load(tiles, tile + k * LANES)
        others = total - load(sums, peek(cards, 2 * k)) - load(sums, peek(cards, 2 * k + 1))
        # The identical combo was subtracted twice.
        store(tiles, tile + k * LANES, every * (others + here))
    store(tiles, tile + num_live * LANES, zeros())


@lean_njit
def showdown_tile(
    tiles: Floats,
    tile: int,
    sums: Floats,
    ties: Floats,
    cards: Ints,
    counts: Floats | None,
    tie_ends: Ints,
    num_ties: int,
    num_live: int,
    factors: Floats,
    at: int,
    fold: int,
    fold_at: int,
) -> None:
    """Turns opponent reach into own values in place on a tile of showdowns, in one ascending pass over the hands.

    The value of a hand is ``factors . (W, E, A, S)``. W is the reach of weaker opponent hands, E of weaker or equal
    ones, A of all, each without the hands that share a card with this hand. S is the reach of the same combo.

    :param fold: tile of folds that the opponent reaches with the same hands, or -1. It is filled with own values, too.
    :param fold_at: offset of the factors of the folds.
    """
    weaker = load(factors, at)
    equal = load(factors, at + LANES)
    every = load(factors, at + 2 * LANES)
    same = load(factors, at + 3 * LANES)
    total = zeros()
    for c in range(0, sums.size, LANES):
        store(sums, c, zeros())
    start = 0
    for g in range(num_ties):
        end = peek(tie_ends, g)
        for k in range(start, end):
            below = total - load(sums, peek(cards, 2 * k)) - load(sums, peek(cards, 2 * k + 1))
            store(ties, (k - start) * LANES, weaker * below)
        for k in range(start, end):
            total = add_reach(sums, cards, counts, k, load(tiles, tile + k * LANES), total)
        if fold >= 0:
            for k in range(start, end):
                store(tiles, fold + k * LANES, load(tiles, tile + k * LANES))
        for k in range(start, end):
            below = total - load(sums, peek(cards, 2 * k)) - load(sums, peek(cards, 2 * k + 1))
            here = load(tiles, tile + k * LANES)
            store(tiles, tile + k * LANES, fma(equal, below, fma(same, here, load(ties, (k - start) * LANES))))
        start = end
    if fold < 0:
        for k in range(num_live):
            others = total - load(sums, peek(cards, 2 * k)) - load(sums, peek(cards, 2 * k + 1))
            store(tiles, tile + k * LANES, fma(every, others, load(tiles, tile + k * LANES)))
    else:
        folded = load(factors, fold_at + 2 * LANES)
        for k in range(num_live):
            others = total - load(sums, peek(cards, 2 * k)) - load(sums, peek(cards, 2 * k + 1))
            store(tiles, tile + k * LANES, fma(every, others, load(tiles, tile + k * LANES)))
            # As in a tile of folds, the identical combo was subtracted twice.
            store(tiles, fold + k * LANES, folded * (others + load(tiles, fold + k * LANES)))
        store(tiles, fold + num_live * LANES, zeros())
    store(tiles, tile + num_live * LANES, zeros())
