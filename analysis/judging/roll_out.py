"""Roll-out equity: what A wins on average if the baseline plays the streets to come."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.judging import _roll_out_kernels as kernels
from hedgehog.analysis.judging._betting_kernels import Betting
from hedgehog.analysis.judging.hands import playing_cards, work_space
from hedgehog.poker.evaluation.evaluator import evaluator_tables


def roll_out_boards(
    hole_cards: Sequence[Sequence[int]] | NDArray[np.uint8],
    invested: Sequence[float],
    first: Sequence[int] | NDArray[np.int64],
    betting: Betting,
    count: int,
    random: np.random.Generator,
) -> NDArray[np.float64]:
    """Plays a hand from the flop on by the baseline on random boards; returns what A wins, (boards, amounts).

    :param hole_cards: two card ids of A and of B.
    :param invested: amounts that each player may have put in before the flop, in small bets.
    :param first: (4,) the player, 0 for A and 1 for B, who acts first on each street.
    :param betting: the betting structure and the policies.
    :param count: number of boards.
    :param random: source of the boards.
    """
    cards = playing_cards(hole_cards)
    deck = np.setdiff1d(np.arange(52, dtype=np.uint8), cards[:, :2])
    boards = random.permuted(np.tile(deck, (count, 1)), axis=1)[:, :5].copy()
    values = np.empty((count, len(invested)))
    order = np.asarray(first, dtype=np.int64)
    kernels.play_boards(
        values, np.asarray(invested, dtype=np.float64), cards, boards, order, betting, work_space(), evaluator_tables()
    )
    return values
