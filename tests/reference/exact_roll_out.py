"""Roll-out equity over all cards that can still come, for comparison with random boards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.judging import _roll_out_kernels as kernels
from hedgehog.analysis.judging._betting_kernels import Betting
from hedgehog.analysis.judging.hands import playing_cards, work_space
from hedgehog.poker.evaluation.evaluator import evaluator_tables


def roll_out(
    hole_cards: Sequence[Sequence[int]] | NDArray[np.uint8],
    board: Sequence[int],
    invested: Sequence[float],
    first: Sequence[int] | NDArray[np.int64],
    betting: Betting,
) -> NDArray[np.float64]:
    """Returns the roll-out equity of A for several amounts in the pot: exact, over all cards that can still come.

    The betting rounds after the last card of the board are played by the baseline. Before the flop this takes about a
    minute.

    :param hole_cards: two card ids of A and of B.
    :param board: card ids of none, three or four board cards.
    :param invested: amounts that each player may have put in, in small bets.
    :param first: (4,) the player, 0 for A and 1 for B, who acts first on each street.
    :param betting: the betting structure and the policies.
    """
    cards = playing_cards(hole_cards)
    chips, order = np.asarray(invested, dtype=np.float64), np.asarray(first, dtype=np.int64)
    values = np.zeros(len(chips))
    places = np.zeros(5, dtype=np.uint8)
    places[: len(board)] = board
    work, tables = work_space(), evaluator_tables()
    if len(board) == 0:
        kernels.roll_out_preflop(values, chips, cards, order, betting, work, tables)
    elif len(board) == 3:
        kernels.roll_out_flop(values, chips, cards, places, order, betting, work, tables)
    else:
        kernels.turn_strengths(work, cards, places, tables)
        kernels.roll_out_turn(values, chips, cards, places, order, betting, work.on_river[:, 0], tables)
    return values
