"""The kernel of all-in equity at a table of three: what each player wins on average if nobody bets any more."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables, rank7_kernel
from hedgehog.poker.evaluation._strength_kernels import dead_cards
from hedgehog.runtime.jit import njit

PLAYERS: Final = 3
GROUPS: Final = 1 << PLAYERS
"""Sets of players, as bit masks."""


@njit
def share_kernel(
    shares: NDArray[np.float64],
    hole_cards: NDArray[np.uint8],
    board: NDArray[np.uint8],
    random_boards: NDArray[np.uint8],
    tables: EvaluatorTables,
) -> None:
    """Writes the share of the pot of every player among every set of players.

    The cards of players who are not in a set are dead: they were dealt and do not come.

    :param shares: (8, 3) output: row m has the players whose bits are set in m; 0 for the others.
    :param hole_cards: (3, 2) card ids.
    :param board: (0, 3, 4 or 5) card ids of the board.
    :param random_boards: (N, 5) boards whose mean is taken if there is no board yet; else unused.
    :param tables: the look-up tables of the evaluator.
    """
    shares[:] = 0.0
    for player in range(PLAYERS):
        shares[1 << player, player] = 1.0
    hands = np.empty((PLAYERS, 7), dtype=np.uint8)
    dead = dead_cards(board, board[:0])
    for player in range(PLAYERS):
        dead |= dead_cards(hole_cards[player], board[:0])
        for i in range(2):
            hands[player, i] = hole_cards[player, i]
        for i in range(len(board)):
            hands[player, 2 + i] = board[i]
    count = 0
    if len(board) == 0:
        for number in range(len(random_boards)):
            for player in range(PLAYERS):
                for i in range(5):
                    hands[player, 2 + i] = random_boards[number, i]
            _add_showdown(shares, hands, tables)
            count += 1
    else:
        # If the turn or river card is known, the loop over it runs once and sets no card.
        for turn in range(52 if len(board) == 3 else 1):
            if len(board) == 3:
                if dead >> turn & 1:
                    continue
                hands[:, 5] = turn
            for river in range(turn if len(board) == 3 else 52 if len(board) == 4 else 1):
                if len(board) < 5:
                    if dead >> river & 1:
                        continue
                    hands[:, 6] = river
                _add_showdown(shares, hands, tables)
                count += 1
    for group in range(GROUPS):
        if group & (group - 1):
            for player in range(PLAYERS):
                shares[group, player] /= count


@njit
def _add_showdown(shares: NDArray[np.float64], hands: NDArray[np.uint8], tables: EvaluatorTables) -> None:
    """Adds what every player wins at a showdown among every set of two or three players."""
    ranks = np.empty(PLAYERS, dtype=np.int64)
    for player in range(PLAYERS):
        ranks[player] = rank7_kernel(hands[player], tables)
    for group in range(GROUPS):
        if group & (group - 1) == 0:
            continue
        best, winners = np.int64(0), 0
        for player in range(PLAYERS):
            if group >> player & 1:
                if ranks[player] > best:
                    best, winners = ranks[player], 1
                elif ranks[player] == best:
                    winners += 1
        for player in range(PLAYERS):
            if group >> player & 1 and ranks[player] == best:
                shares[group, player] += 1.0 / winners
