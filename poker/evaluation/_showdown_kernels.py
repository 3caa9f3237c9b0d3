"""Kernels of the showdown: hand ranks for any number of cards, and the division of side pots."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables, flush_code, rank_cards_kernel, rank_code
from hedgehog.runtime.jit import njit


@njit
def rank_hand_of_any_size(
    cards: NDArray[np.uint8], counts: NDArray[np.int8], suit_masks: NDArray[np.int64], tables: EvaluatorTables
) -> int:
    """Returns the rank of the best hand that cards make; the larger rank wins.

    Ranks order hands of equally many cards as the ranks of :func:`hedgehog.poker.evaluation.showdown.hand_rank` do.

    :param cards: (C,) different card ids.
    :param counts: (13,) work space.
    :param suit_masks: (4,) work space.
    :param tables: the look-up tables of the evaluator.
    """
    if 5 <= len(cards) <= 7:
        return int(np.int64(rank_cards_kernel(cards, tables)))
    counts[:] = 0
    suit_masks[:] = 0
    for card in cards:
        counts[card >> 2] += 1
        suit_masks[card & 3] |= 1 << np.int64(card >> 2)
    best = rank_code(counts)
    for mask in suit_masks:
        suited = 0
        for rank in range(13):
            suited += mask >> rank & 1
        if suited >= 5:
            best = max(best, flush_code(mask))
    return best


@njit
def pay_showdown(
    values: NDArray[np.float64],
    left: NDArray[np.int64],
    spent: NDArray[np.int64],
    folded: NDArray[np.bool_],
    ranks: NDArray[np.int64],
) -> bool:
    """Pays every side pot of a showdown, smallest first; returns False if there is no pot.

    The floating-point operations are those of :func:`hedgehog.poker.evaluation.showdown.payoffs`, so the results are
    equal to the last bit.

    :param values: (N,) output: chips won or lost per position.
    :param left: (N,) work space.
    :param spent: (N,) chips put in per position.
    :param folded: (N,) True for positions that have folded.
    :param ranks: (N,) hand ranks; lower than all others for positions that have folded.
    :returns: False if fewer than two positions have put in a chip, else True.
    """
    num_left = 0
    for p in range(len(spent)):
        values[p] = -spent[p] if folded[p] else 0.0
        left[p] = max(spent[p], 0)
        num_left += spent[p] > 0
    if num_left < 2:
        return False
    while num_left > 0:
        size = np.int64(0)
        best = np.int64(0)
        winners = 0
        for p in range(len(left)):
            if left[p] > 0:
                size = left[p] if size == 0 else min(size, left[p])
                if ranks[p] > best or winners == 0:
                    best = ranks[p]
                    winners = 1
                elif ranks[p] == best:
                    winners += 1
        in_pot = num_left
        for p in range(len(left)):
            if left[p] == 0:
                continue
            if not folded[p]:
                if ranks[p] == best:
                    values[p] += np.float64(size * (in_pot - winners)) / winners
                else:
                    values[p] -= size
            left[p] -= size
            num_left -= left[p] == 0
    return True
