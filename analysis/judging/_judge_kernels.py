"""The kernel that judges batches of hands.

Player 0 is the player whose result is judged (A), player 1 the opponent (B). Chips are float64 in units of the small
bet, or of the big blind in no-limit games. Values are those of player 0; the values of player 1 are their negatives.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.judging._betting_kernels import (
    NO_ACTION,
    NOBODY,
    Betting,
    all_in_score_kernel,
    copy_into,
    play_baseline,
    play_open,
    settle,
)
from hedgehog.analysis.judging._roll_out_kernels import Strengths, roll_out_flop, roll_out_turn, turn_strengths
from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables
from hedgehog.poker.evaluation._strength_kernels import hand_strength_kernel
from hedgehog.runtime.jit import njit

# The columns of the values of a street.
AIE: Final = 0
LFAT: Final = 1
BEFORE: Final = 2
ACTUAL: Final = 3
BASELINE: Final = 4
OPEN: Final = 5
ACTUAL_ROE: Final = 6
BASELINE_ROE: Final = 7
NUM_VALUES: Final = 8


class Hands(NamedTuple):
    """A batch of N hands, as :func:`judge_kernel` takes it."""

    cards: NDArray[np.uint8]
    """(N, 2, 2) hole cards of each player."""
    boards: NDArray[np.uint8]
    """(N, 5) board cards; those that were not dealt are 0."""
    preflop: NDArray[np.float64]
    """(N, 3) all-in equity of player 0 before the flop, and the equity of each player against a random hand."""
    num_streets: NDArray[np.int64]
    """(N,) number of streets that were dealt."""
    acted: NDArray[np.bool_]
    """(N, 4) whether somebody acted on the street."""
    invested: NDArray[np.float64]
    """(N, 5, 2) chips that each player had put in at the start of each street and, last, at the end of the hand. The
    end of a street is the start of the next."""
    folder: NDArray[np.int64]
    """(N,) the player who has folded, or -1."""
    first: NDArray[np.int64]
    """(N, 4) the player who acts first on each street."""


class Judged(NamedTuple):
    """What :func:`judge_kernel` says about a batch of N hands."""

    values: NDArray[np.float64]
    """(N, 4, NUM_VALUES) the values of every street; NaN for streets that were not dealt, and where there is none."""
    strengths: NDArray[np.float64]
    """(N, 4, 2, 2) immediate and seven-card hand rank of each player; NaN for streets that were not dealt."""
    lines: NDArray[np.int8]
    """(N, 4, 2, MAX_LINE) the actions of the baseline and of open-card play."""
    folders: NDArray[np.int64]
    """(N, 4) the player who folds in the baseline, or -1."""


BOARD_CARDS: Final = np.array([0, 3, 4, 5])


@njit
def judge_kernel(
    judged: Judged,
    hands: Hands,
    betting: Betting,
    work: Strengths,
    limit: bool,
    roll_out: bool,
    tables: EvaluatorTables,
) -> None:
    """Judges a batch of hands.

    :param judged: output.
    :param hands: the hands.
    :param betting: the betting structure and the policies.
    :param work: work space.
    :param limit: compute baseline and open-card play, which are for limit games.
    :param roll_out: also compute roll-out equities after the flop, turn and river.
    :param tables: the look-up tables of the evaluator.
    """
    cards = np.empty((2, 7), dtype=np.uint8)
    board = np.empty(5, dtype=np.uint8)
    chips = np.empty(2)
    rolled = np.empty(2)
    afters = np.empty(2)
    judged.values[:] = np.nan
    judged.strengths[:] = np.nan
    judged.lines[:] = NO_ACTION
    judged.folders[:] = NOBODY
    for n in range(len(hands.num_streets)):
        aie = 0.5
        last = hands.num_streets[n] - 1
        for player in range(2):
            copy_into(cards[player, :2], hands.cards[n, player])
        for street in range(last + 1):
            values = judged.values[n, street]
            strengths = judged.strengths[n, street]
            num_board = BOARD_CARDS[street]
            for player in range(2):
                copy_into(board, hands.boards[n])
                preflop = hands.preflop[n, 1 + player]
                hand = cards[player, :2]
                hand_strength_kernel(strengths[player], hand, board, num_board, preflop, work.left, work.known, tables)
            copy_into(board, hands.boards[n])
            before = aie
            if street == 0:
                aie = hands.preflop[n, 0]
            else:
                boards = 990 if street == 1 else 44 if street == 2 else 1
                aie = all_in_score_kernel(cards[0], cards[1], board, num_board, tables) / (2 * boards)
            start, end = hands.invested[n, street], hands.invested[n, street + 1]
            # Before the flop the pot counts as one big blind of each player.
            pot = max(start[0], start[1]) if street == 0 else min(start[0], start[1])
            values[AIE] = aie
            values[LFAT] = 2 * pot * (aie - before)
            values[BEFORE] = pot * (2 * aie - 1)
            folder = hands.folder[n] if street == last else NOBODY
            values[ACTUAL] = settle(end, folder, aie)
            if not limit:
                continue
            if not hands.acted[n, street]:
                values[BASELINE] = values[ACTUAL]
                values[OPEN] = values[ACTUAL]
                values[ACTUAL_ROE] = values[ACTUAL]
                values[BASELINE_ROE] = values[ACTUAL]
                continue
            first = hands.first[n]
            copy_into(chips, start)
            values[OPEN] = play_open(judged.lines[n, street, 1], chips, aie, street, first[street], betting)
            baseline_folder = play_baseline(
                judged.lines[n, street, 0], chips, strengths, street, first[street], betting
            )
            judged.folders[n, street] = baseline_folder
            values[BASELINE] = settle(chips, baseline_folder, aie)
            if not roll_out or street == 0:
                continue
            rolled[:] = 0.0
            afters[0] = -1.0 if folder != NOBODY else min(end[0], end[1])
            afters[1] = -1.0 if baseline_folder != NOBODY else chips[0]
            if street == 1 and max(afters[0], afters[1]) >= 0:
                roll_out_flop(rolled, afters, cards, board, first, betting, work, tables)
            elif street == 2 and max(afters[0], afters[1]) >= 0:
                turn_strengths(work, cards, board, tables)
                roll_out_turn(rolled, afters, cards, board, first, betting, work.on_river[:, 0], tables)
            if folder != NOBODY or street == 3:
                rolled[0] = values[ACTUAL]
            if baseline_folder != NOBODY or street == 3:
                rolled[1] = values[BASELINE]
            values[ACTUAL_ROE] = rolled[0]
            values[BASELINE_ROE] = rolled[1]
