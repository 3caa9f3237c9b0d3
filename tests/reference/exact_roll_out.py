"""Roll-out equity over all cards that can still come, for comparison with random boards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.judging import _roll_out_kernels as kernels
from hedgehog.analysis.judging._betting_kernels import Betting
from hedgehog.analysis.judging.hands import playing_cards, work_space
from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables
from hedgehog.poker.evaluation._strength_kernels import dead_cards
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.runtime.jit import njit


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
        roll_out_preflop(values, chips, cards, order, betting, work, tables)
    elif len(board) == 3:
        kernels.roll_out_flop(values, chips, cards, places, order, betting, work, tables)
    else:
        kernels.turn_strengths(work, cards, places, tables)
        kernels.roll_out_turn(values, chips, cards, places, order, betting, work.on_river[:, 0], tables)
    return values


@njit
def roll_out_preflop(
    values: NDArray[np.float64],
    invested: NDArray[np.float64],
    cards: NDArray[np.uint8],
    first: NDArray[np.int64],
    betting: Betting,
    work: kernels.Strengths,
    tables: EvaluatorTables,
) -> None:
    """Adds for every amount in ``invested`` the mean result over all 17,296 flops and what follows.

    :param values: (P,) output, added to: chips that player 0 wins.
    :param invested: (P,) chips that each player has put in before the flop.
    :param cards: (2, 7) hole cards of each player and five free places, which are overwritten.
    :param first: (4,) the player who acts first on each street.
    :param betting: the betting structure and the policies.
    :param work: work space.
    :param tables: the look-up tables of the evaluator.
    """
    board = np.empty(5, dtype=np.uint8)
    dead = dead_cards(cards[0, :2], cards[1, :2])
    of_flop = np.empty(len(invested))
    for low in range(50):
        for middle in range(low + 1, 51):
            for high in range(middle + 1, 52):
                if dead >> low & 1 or dead >> middle & 1 or dead >> high & 1:
                    continue
                board[0] = low
                board[1] = middle
                board[2] = high
                after = kernels.play_flop(of_flop, invested, cards, board, first, betting, work, tables)
                kernels.roll_out_flop(of_flop, after, cards, board, first, betting, work, tables)
                for i in range(len(values)):
                    values[i] += of_flop[i] / 17296
