"""Kernels of roll-out equity: the baseline plays the streets to come on every card, or on given boards.

Player 0 is the player whose result is judged (A), player 1 the opponent (B). Chips are float64 in units of the small
bet, or of the big blind in no-limit games. Values are those of player 0; the values of player 1 are their negatives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.judging._betting_kernels import (
    MAX_LINE,
    NOBODY,
    Betting,
    all_in_score_kernel,
    copy_into,
    play_baseline,
    settle,
)
from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables, rank7_kernel
from hedgehog.poker.evaluation._strength_kernels import beaten_kernel, dead_cards, hand_strength_kernel, score
from hedgehog.runtime.jit import njit


class Strengths(NamedTuple):
    """Work space of one thread for hand strengths."""

    left: NDArray[np.int64]
    """(14,)"""
    known: NDArray[np.int64]
    """(2, 13, 13)"""
    on_river: NDArray[np.int64]
    """(2, 52, 52) hands that each player beats, by turn and river card."""


@njit
def roll_out_turn(
    values: NDArray[np.float64],
    invested: NDArray[np.float64],
    cards: NDArray[np.uint8],
    board: NDArray[np.uint8],
    first: NDArray[np.int64],
    betting: Betting,
    on_river: NDArray[np.int64],
    tables: EvaluatorTables,
) -> None:
    """Adds for every amount in ``invested`` the mean result over the rivers, played by the baseline policies.

    :param values: (P,) output, added to: chips that player 0 wins.
    :param invested: (P,) chips that each player has put in; negative amounts are left out.
    :param cards: (2, 7) hole cards of each player and five free places, which are overwritten.
    :param board: (5,) four board cards and a free place, which is not used.
    :param first: (4,) the player who acts first on each street.
    :param betting: the betting structure and the policies.
    :param on_river: (2, 52) opponents' hands that each player beats on each river, as
        :func:`hedgehog.poker.evaluation._strength_kernels.beaten_kernel` counts them.
    :param tables: the look-up tables of the evaluator.
    """
    line = np.empty(MAX_LINE, dtype=np.int8)
    chips = np.empty(2)
    strengths = np.empty((2, 2))
    own, other = cards[0], cards[1]
    dead = dead_cards(own[:2], other[:2]) | dead_cards(own[:0], board[:4])
    for i in range(4):
        own[2 + i] = board[i]
        other[2 + i] = board[i]
    for river in range(52):
        if dead >> river & 1:
            continue
        own[6] = river
        other[6] = river
        share = score(np.int64(rank7_kernel(own, tables)), np.int64(rank7_kernel(other, tables))) / 2
        for player in range(2):
            strengths[player, :] = on_river[player, river] / 1980
        for i in range(len(invested)):
            if invested[i] >= 0:
                chips[:] = invested[i]
                folder = play_baseline(line, chips, strengths, 3, first[3], betting)
                values[i] += settle(chips, folder, share) / 44


@njit
def roll_out_flop(
    values: NDArray[np.float64],
    invested: NDArray[np.float64],
    cards: NDArray[np.uint8],
    board: NDArray[np.uint8],
    first: NDArray[np.int64],
    betting: Betting,
    work: Strengths,
    tables: EvaluatorTables,
) -> None:
    """Adds for every amount in ``invested`` the mean result over all turns and rivers, played by the baseline policies.

    :param values: (P,) output, added to: chips that player 0 wins.
    :param invested: (P,) chips that each player has put in; negative amounts are left out.
    :param cards: (2, 7) hole cards of each player and five free places, which are overwritten.
    :param board: (5,) three board cards and two free places, which are overwritten.
    :param first: (4,) the player who acts first on each street.
    :param betting: the betting structure and the policies.
    :param work: work space.
    :param tables: the look-up tables of the evaluator.
    """
    for player in range(2):
        dead = dead_cards(cards[player, :2], board[:3])
        for turn in range(1, 52):
            if dead >> turn & 1:
                continue
            board[3] = turn
            for river in range(turn):
                if dead >> river & 1 == 0:
                    board[4] = river
                    beaten = beaten_kernel(cards[player, :2], board, work.left, tables)
                    work.on_river[player, turn, river] = beaten
                    work.on_river[player, river, turn] = beaten

    line = np.empty(MAX_LINE, dtype=np.int8)
    chips = np.empty(2)
    strengths = np.empty((2, 2))
    after = np.empty(len(invested))
    of_turn = np.zeros(len(invested))
    of_flop = dead_cards(cards[0, :2], cards[1, :2]) | dead_cards(cards[0, :0], board[:3])
    for turn in range(52):
        if of_flop >> turn & 1:
            continue
        board[3] = turn
        for player in range(2):
            dead = dead_cards(cards[player, :2], board[:4])
            total = np.int64(0)
            for river in range(52):
                if dead >> river & 1 == 0:
                    total += work.on_river[player, turn, river]
            strengths[player, 0] = beaten_kernel(cards[player, :2], board[:4], work.left, tables) / 2070
            strengths[player, 1] = total / (46 * 1980)
        of_turn[:] = 0.0
        for i in range(len(invested)):
            after[i] = -1.0
            if invested[i] >= 0:
                chips[:] = invested[i]
                folder = play_baseline(line, chips, strengths, 2, first[2], betting)
                if folder == NOBODY:
                    after[i] = chips[0]
                else:
                    of_turn[i] = settle(chips, folder, 0.0)
        roll_out_turn(of_turn, after, cards, board, first, betting, work.on_river[:, turn], tables)
        for i in range(len(invested)):
            if invested[i] >= 0:
                values[i] += of_turn[i] / 45


@njit
def play_flop(
    values: NDArray[np.float64],
    invested: NDArray[np.float64],
    cards: NDArray[np.uint8],
    board: NDArray[np.uint8],
    first: NDArray[np.int64],
    betting: Betting,
    work: Strengths,
    tables: EvaluatorTables,
) -> NDArray[np.float64]:
    """Plays the flop by the baseline policies; returns (P,) the chips each player has put in then, -1 after a fold.

    :param values: (P,) output: chips that player 0 wins if somebody folds, else 0.
    :param invested: (P,) chips that each player has put in before the flop.
    :param board: (5,) three board cards and two free places, which are overwritten.
    """
    line = np.empty(MAX_LINE, dtype=np.int8)
    chips = np.empty(2)
    strengths = np.empty((2, 2))
    after = np.full(len(invested), -1.0)
    for player in range(2):
        hand = cards[player, :2]
        hand_strength_kernel(strengths[player], hand, board, 3, 0.0, work.left, work.known, tables)
    for i in range(len(invested)):
        values[i] = 0.0
        chips[:] = invested[i]
        folder = play_baseline(line, chips, strengths, 1, first[1], betting)
        if folder == NOBODY:
            after[i] = chips[0]
        else:
            values[i] = settle(chips, folder, 0.0)
    return after


@njit
def play_boards(
    values: NDArray[np.float64],
    invested: NDArray[np.float64],
    cards: NDArray[np.uint8],
    boards: NDArray[np.uint8],
    first: NDArray[np.int64],
    betting: Betting,
    work: Strengths,
    tables: EvaluatorTables,
) -> None:
    """Plays a hand from the flop on by the baseline policies, once for every board.

    :param values: (N, P) output: chips that player 0 wins.
    :param invested: (P,) chips that each player has put in before the flop.
    :param cards: (2, 7) hole cards of each player and five free places, which are overwritten.
    :param boards: (N, 5) boards.
    :param first: (4,) the player who acts first on each street.
    :param betting: the betting structure and the policies.
    :param work: work space.
    :param tables: the look-up tables of the evaluator.
    """
    line = np.empty(MAX_LINE, dtype=np.int8)
    chips = np.empty(2)
    strengths = np.empty((2, 2, 2))
    board = np.empty(5, dtype=np.uint8)
    for n in range(len(boards)):
        copy_into(board, boards[n])
        after = play_flop(values[n], invested, cards, board, first, betting, work, tables)
        copy_into(board, boards[n])
        for player in range(2):
            hand = cards[player, :2]
            hand_strength_kernel(strengths[0, player], hand, board, 4, 0.0, work.left, work.known, tables)
        copy_into(board, boards[n])
        for player in range(2):
            hand = cards[player, :2]
            hand_strength_kernel(strengths[1, player], hand, board, 5, 0.0, work.left, work.known, tables)
        share = all_in_score_kernel(cards[0], cards[1], board, 5, tables) / 2
        for i in range(len(invested)):
            if after[i] < 0:
                continue
            chips[:] = after[i]
            folder = NOBODY
            for later in range(2):
                if folder == NOBODY:
                    folder = play_baseline(line, chips, strengths[later], 2 + later, first[2 + later], betting)
            values[n, i] = settle(chips, folder, share)


@njit
def turn_strengths(
    work: Strengths, cards: NDArray[np.uint8], board: NDArray[np.uint8], tables: EvaluatorTables
) -> None:
    """Counts for every river the opponents' hands that each player beats, into ``work.on_river[:, 0]``."""
    for player in range(2):
        dead = dead_cards(cards[player, :2], board[:4])
        for river in range(52):
            if dead >> river & 1 == 0:
                board[4] = river
                beaten = beaten_kernel(cards[player, :2], board, work.left, tables)
                work.on_river[player, 0, river] = beaten
