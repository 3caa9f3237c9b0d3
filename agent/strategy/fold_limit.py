"""The limit on folds: no more of the range folds to a bet on the river than stops a bluff with any hand from winning.

Hands of one bucket have similar chances on their own boards. But on some boards the whole range is weak, and most of it
lies in buckets that fold, so that a bettor wins with any two cards. On the river nothing is to come after a call: a
bluff that risks ``b`` chips to win ``p`` loses nothing if ``b / (p + b)`` of the range folds, and wins if more does.
Where the packs fold more than that, the best of the folding hands call instead. What the limit gains is in
docs/at-the-table.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.strategy.shadow import Situation
from hedgehog.poker.evaluation.evaluator import NUM_RANK_CLASSES, rank_combos
from hedgehog.poker.streets import RIVER


def has_limit(situation: Situation) -> bool:
    """Tells whether the folds of a decision have a limit: it faces a bet or raise on the river."""
    return situation.street == RIVER and situation.facing_bet


def most_folds(situation: Situation, spent_before: int) -> float:
    """Returns the share of a range that may fold to a bet or raise before a bluff with any hand wins at once.

    :param situation: what the rules allow the player who faces the bet or raise.
    :param spent_before: chips that the bettor had put in before it, as a total over the hand.
    """
    return (situation.max_spent - spent_before) / (situation.max_spent + situation.own_spent)


def folds_within(
    folds: NDArray[np.float64], reach: NDArray[np.float64], board: tuple[int, ...], most: float
) -> NDArray[np.float64]:
    """Returns (1326,) how often each hand folds if no more than the share ``most`` of a range may.

    Of the hands that would fold, those of the best rank call first; hands of equal rank call equally often.

    :param folds: (1326,) how often each hand would fold.
    :param reach: (1326,) weights of the range; 0 for hands that the board blocks.
    :param board: card ids of the five cards of the board.
    """
    folding = reach * folds
    excess = folding.sum() - most * reach.sum()
    if excess <= 0:
        return folds
    ranks = NUM_RANK_CLASSES - np.maximum(rank_combos(board), 0)
    masses = np.bincount(ranks, weights=folding, minlength=NUM_RANK_CLASSES + 1)
    left = excess - (np.cumsum(masses) - masses)
    calling = np.where(masses > 0, np.clip(left / np.where(masses > 0, masses, 1.0), 0.0, 1.0), left > 0)
    found: NDArray[np.float64] = folds * (1 - calling[ranks])
    return found
