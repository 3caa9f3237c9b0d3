"""The limit on folds: on turn and river no more of the range folds to a bet than stops a bluff from winning at once.

Hands of one bucket have similar chances on their own boards. But on some boards the whole range is weak, and most of it
lies in buckets that fold, so that a bettor wins with any two cards. A bluff that risks ``b`` chips to win ``p`` loses
nothing if ``b / (p + b)`` of the range folds, and wins if more does. Where the packs fold more than that, the best of
the folding hands call instead. Before the turn the packs decide alone: flop packs know the board. What the limit gains
is in docs/at-the-table.md.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.agent.strategy.hand_view import HandView
from hedgehog.agent.strategy.shadow import Situation
from hedgehog.poker.cards import combo_mask
from hedgehog.poker.evaluation.equity import equity_vector
from hedgehog.poker.streets import TURN


class Folds(StrEnum):
    """Which hands fold to bets on turn and river from packs alone."""

    LIMITED = "limited"
    """Those that the packs fold, without the best ones if the whole range would fold too often."""
    PACKS = "packs"
    """Those that the packs fold."""


DEFAULT_FOLDS: Final = Folds.LIMITED


def has_limit(situation: Situation) -> bool:
    """Tells whether the folds of a decision have a limit: it faces a bet or raise on turn or river."""
    return situation.street >= TURN and situation.facing_bet


def most_folds(view: HandView) -> float:
    """Returns the share of a range that may fold to the last bet or raise before a bluff with any hand wins at once.

    :param view: a decision at which the player to act faces a bet or raise.
    """
    now, before = view.situation, view.events[-1].situation
    return (now.max_spent - before.own_spent) / (now.max_spent + now.own_spent)


def folds_within(
    folds: NDArray[np.float64], reach: NDArray[np.float64], board: tuple[int, ...], most: float
) -> NDArray[np.float64]:
    """Returns (1326,) how often each hand folds if no more than the share ``most`` of a range may.

    Of the hands that would fold, those with the highest equity against a random hand call first; hands of equal equity
    call equally often.

    :param folds: (1326,) how often each hand would fold.
    :param reach: (1326,) weights of the range; 0 for hands that the board blocks.
    :param board: card ids of the board, four or five.
    """
    folding = reach * folds
    excess = folding.sum() - most * reach.sum()
    if excess <= 0:
        return folds
    groups = _groups(board)
    masses = np.bincount(groups, weights=folding)
    left = excess - (np.cumsum(masses) - masses)
    calling = np.where(masses > 0, np.clip(left / np.where(masses > 0, masses, 1.0), 0.0, 1.0), left > 0)
    found: NDArray[np.float64] = folds * (1 - calling[groups])
    return found


@lru_cache(maxsize=64)
def _groups(board: tuple[int, ...]) -> NDArray[np.int64]:
    """Returns (1326,) the group of every hand: hands of equal equity are one, those with the highest are group 0."""
    equity = np.nan_to_num(equity_vector(combo_mask(board), board), nan=-1.0)
    return np.unique(-equity.round(9), return_inverse=True)[1]
