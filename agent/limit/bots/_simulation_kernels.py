"""Kernels of the player ``mcsim``: likelihoods of opponents' hands, and its share of the pot by simulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables, rank7_kernel
from hedgehog.runtime._random_kernels import random_below, random_unit
from hedgehog.runtime.jit import njit

MOST_TRIES = 100
"""Draws of an opponent's hand that share a card before the sample goes without weights."""


@njit
def percentiles_kernel(out: NDArray[np.float64], equities: NDArray[np.float64]) -> None:
    """Writes for every combo the share of the combos with a smaller equity.

    :param out: (1326,) output; 0 for blocked combos.
    :param equities: (1326,) equities, NaN for blocked combos.
    """
    order = np.argsort(equities)  # NaN comes last
    free = 0
    for combo in range(len(equities)):
        free += not np.isnan(equities[combo])
    out[:] = 0.0
    below = 0
    for place in range(free):
        if place > 0 and equities[order[place]] > equities[order[place - 1]]:
            below = place
        out[order[place]] = below / free


@njit
def weigh_kernel(
    weights: NDArray[np.float64], percentiles: NDArray[np.float64], raised: bool, fold_share: float, raise_share: float
) -> None:
    """Multiplies the weights of an opponent's hands by the likelihood of an action.

    :param weights: (1326,) weights, changed in place.
    :param percentiles: (1326,) by :func:`percentiles_kernel`.
    :param raised: whether the opponent raised; else it called or checked.
    :param fold_share: how often it folds on this street.
    :param raise_share: how often it raises.
    """
    raises_from = 1.0 - raise_share
    for combo in range(len(weights)):
        place = percentiles[combo]
        if raised:
            weights[combo] *= 1.0 if place >= raises_from else 0.15
        else:
            weights[combo] *= 1.0 if fold_share <= place < raises_from else 0.4


@njit
def pot_share_kernel(
    weights: NDArray[np.float64],
    hole_cards: NDArray[np.uint8],
    board: NDArray[np.uint8],
    num_board: int,
    samples: int,
    rng_state: NDArray[np.uint64],
    combo_cards: NDArray[np.uint8],
    tables: EvaluatorTables,
) -> float:
    """Returns the mean share of the pot that a hand wins at the showdown, over sampled hands and run-outs.

    :param weights: (opponents, 1326) weights of the opponents' hands; 0 for combos that share a card with the board or
        with the own hand.
    :param hole_cards: (2,) card ids.
    :param board: (5,) card ids of ``num_board`` board cards, and free places that are overwritten.
    :param samples: number of samples.
    :param rng_state: (1,) state of the random numbers.
    :param combo_cards: (1326, 2) cards of the combos.
    :param tables: the look-up tables of the evaluator.
    """
    opponents = len(weights)
    cumulative = np.empty(weights.shape)
    for opponent in range(opponents):
        total = 0.0
        for combo in range(1326):
            total += weights[opponent, combo]
            cumulative[opponent, combo] = total
    hand = np.empty(7, dtype=np.uint8)
    theirs = np.empty((opponents, 2), dtype=np.uint8)
    won = 0.0
    for _ in range(samples):
        dead = np.int64(0)
        for i in range(num_board):
            dead |= np.int64(1) << np.int64(board[i])
        for i in range(2):
            dead |= np.int64(1) << np.int64(hole_cards[i])
        for opponent in range(opponents):
            total = cumulative[opponent, 1325]
            for attempt in range(10 * MOST_TRIES):
                if attempt < MOST_TRIES and total > 0.0:
                    combo = np.searchsorted(cumulative[opponent], random_unit(rng_state) * total, side="right")
                    combo = min(combo, 1325)
                else:
                    combo = random_below(1326, rng_state)
                held = np.int64(1) << np.int64(combo_cards[combo, 0]) | np.int64(1) << np.int64(combo_cards[combo, 1])
                if dead & held == 0:
                    dead |= held
                    theirs[opponent] = combo_cards[combo]
                    break
        for place in range(num_board, 5):
            while True:
                card = random_below(52, rng_state)
                if dead >> np.int64(card) & 1 == 0:
                    break
            dead |= np.int64(1) << np.int64(card)
            board[place] = card
        hand[:5] = board
        hand[5:] = hole_cards
        own = rank7_kernel(hand, tables)
        sharing = 1.0
        for opponent in range(opponents):
            hand[5:] = theirs[opponent]
            other = rank7_kernel(hand, tables)
            if other > own:
                sharing = 0.0
                break
            if other == own:
                sharing += 1.0
        if sharing > 0.0:
            won += 1.0 / sharing
    return won / samples
