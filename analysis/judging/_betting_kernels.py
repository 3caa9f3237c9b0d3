"""Kernels of one betting round: the baseline of DIVAT, betting with open cards, and pot equity at the end.

Player 0 is the player whose result is judged (A), player 1 the opponent (B). Chips are float64 in units of the small
bet, or of the big blind in no-limit games. Values are those of player 0; the values of player 1 are their negatives.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.evaluation._evaluator_kernels import EvaluatorTables, rank7_kernel
from hedgehog.poker.evaluation._strength_kernels import dead_cards, score
from hedgehog.runtime.jit import njit

# Actions of a line, in the order of the letters f k c b r.
FOLD: Final = 0
CHECK: Final = 1
CALL: Final = 2
BET: Final = 3
RAISE: Final = 4
NO_ACTION: Final = -1
MAX_LINE: Final = 12
"""Places for the actions of one betting round."""
NOBODY: Final = -1
MOST_BETS: Final = 4
"""Most bets in a betting round of the baseline and of open-card play, the big blind included."""
_SAME: Final = 1e-12
"""Difference below which two values count as equal."""


class Betting(NamedTuple):
    """The limit betting structure and the policies of the baseline, as kernels take them."""

    bets: NDArray[np.float64]
    """(4,) size of a bet or raise on every street."""
    max_raises: NDArray[np.int64]
    """(4,) largest number of bets and raises on every street; the blinds do not count."""
    cap: float
    """The smaller of the two stacks."""
    offsets: NDArray[np.float64]
    """(4,) what the baseline adds to the pot odds before it compares the seven-card hand rank with them."""
    make: NDArray[np.float64]
    """(4, 4) effective hand rank from which a hand is worth one to four bets."""
    preflop_level: int
    """Number of bets that the big blind counts as before the flop: 1 or 0."""


@njit
def copy_into(target: NDArray[np.generic], source: NDArray[np.generic]) -> None:
    """Copies the values of a one-dimensional array. Slice assignment takes numba seconds to compile."""
    for i in range(len(target)):
        target[i] = source[i]


@njit
def all_in_score_kernel(
    own: NDArray[np.uint8], other: NDArray[np.uint8], board: NDArray[np.uint8], num_board: int, tables: EvaluatorTables
) -> int:
    """Returns twice the boards that a hand wins plus those it ties; there are 990 after a flop, 44 after a turn.

    :param own: (7,) hole cards and five free places.
    :param other: (7,) the opponent's hole cards and five free places.
    :param board: (5,) board cards and free places.
    :param num_board: number of board cards: 3, 4 or 5.
    :param tables: the look-up tables of the evaluator.
    """
    dead = dead_cards(own[:2], other[:2]) | dead_cards(own[:0], board[:num_board])
    for i in range(num_board):
        own[2 + i] = board[i]
        other[2 + i] = board[i]
    total = 0
    # If the turn or river card is known, the loop over it runs once and sets no card.
    for turn in range(52 if num_board == 3 else 1):
        if num_board == 3:
            if dead >> turn & 1:
                continue
            own[5] = turn
            other[5] = turn
        for river in range(turn if num_board == 3 else 52 if num_board == 4 else 1):
            if num_board < 5:
                if dead >> river & 1:
                    continue
                own[6] = river
                other[6] = river
            total += score(np.int64(rank7_kernel(own, tables)), np.int64(rank7_kernel(other, tables)))
    return total


@njit
def worth_in_bets(strength: float, make: NDArray[np.float64]) -> int:
    """Returns how many bets the baseline puts in with an effective hand rank."""
    bets = 0
    for threshold in make:
        bets += int(threshold <= strength)
    return bets


@njit
def play_baseline(
    line: NDArray[np.int8],
    invested: NDArray[np.float64],
    strengths: NDArray[np.float64],
    street: int,
    first: int,
    betting: Betting,
) -> int:
    """Plays one betting round by the baseline policies; returns the player who folds, or -1.

    :param line: (MAX_LINE,) output: the actions, then -1.
    :param invested: (2,) chips that each player has put in; those of the round are added.
    :param strengths: (2, 2) immediate and seven-card hand rank of each player.
    :param street: number of the street.
    :param first: the player who acts first.
    :param betting: the betting structure and the policies.
    """
    line[:] = NO_ACTION
    if max(invested[0], invested[1]) >= betting.cap and invested[0] == invested[1]:
        return NOBODY
    level = betting.preflop_level if street == 0 else 0
    worth_first = worth_in_bets(max(strengths[first, 0], strengths[first, 1]), betting.make[street])
    worth_second = worth_in_bets(max(strengths[1 - first, 0], strengths[1 - first, 1]), betting.make[street])
    raises = 0
    actor = first
    for acted in range(MAX_LINE - 1):
        high = max(invested[0], invested[1])
        owed = high - invested[actor]
        worth = worth_first if actor == first else worth_second
        may_raise = raises < betting.max_raises[street] and level < MOST_BETS and high < betting.cap
        if may_raise and level < worth:
            line[acted] = BET if raises == 0 and street > 0 else RAISE
            invested[actor] = min(high + betting.bets[street], betting.cap)
            raises += 1
            level += 1
        elif owed > 0:
            if strengths[actor, 1] < owed / (invested[0] + invested[1]) + betting.offsets[street]:
                line[acted] = FOLD
                return actor
            line[acted] = CALL
            invested[actor] = high
            if acted > 0 or high >= betting.cap:
                return NOBODY
        else:
            line[acted] = CHECK
            if acted > 0:
                return NOBODY
        actor = 1 - actor
    return NOBODY


@njit
def play_open(
    line: NDArray[np.int8], invested: NDArray[np.float64], aie: float, street: int, first: int, betting: Betting
) -> float:
    """Returns the value of one betting round for player 0 if both players see all cards.

    The round is solved by backward induction. A fold costs what the player has put in, and the end of the round is
    worth the pot equity. Of equally good actions the more aggressive one is taken.

    :param line: (MAX_LINE,) output: the actions, then -1.
    :param invested: (2,) chips that each player has put in before the round.
    :param aie: all-in equity of player 0.
    :param street: number of the street.
    :param first: the player who acts first.
    :param betting: the betting structure.
    """
    line[:] = NO_ACTION
    edge = 2 * aie - 1
    start: float = max(invested[0], invested[1])
    opened = invested[first] < start
    if start >= betting.cap and not opened:
        return start * edge
    most = min(betting.max_raises[street], MOST_BETS - int(opened))
    highs = np.empty(MOST_BETS + 1)
    highs[0] = start
    last = 0
    while last < most and highs[last] < betting.cap:
        highs[last + 1] = min(highs[last] + betting.bets[street], betting.cap)
        last += 1
    # facing[level, player]: value when the player faces the bet number `level`, and what it does.
    facing = np.empty((MOST_BETS + 1, 2))
    answer = np.empty((MOST_BETS + 1, 2), dtype=np.int8)
    for level in range(last, 0, -1):
        for player in range(2):
            sign = 1.0 - 2.0 * player
            best = -np.inf
            if level < last:
                best = sign * facing[level + 1, 1 - player]
                answer[level, player] = RAISE
            if sign * highs[level] * edge > best + _SAME:
                best = sign * highs[level] * edge
                answer[level, player] = CALL
            if -highs[level - 1] > best + _SAME:
                best = -highs[level - 1]
                answer[level, player] = FOLD
            facing[level, player] = sign * best
    second = 1 - first
    sign = 1.0 - 2.0 * second
    # The second player after a check, or with the big blind's option after a call.
    after: float = start * edge
    second_bets = last > 0 and sign * facing[1, first] >= sign * after - _SAME
    if second_bets:
        after = facing[1, first]
    sign = -sign
    value: float = after
    action = CALL if opened else CHECK
    if last > 0 and sign * facing[1, second] >= sign * after - _SAME:
        value = facing[1, second]
        action = RAISE if opened else BET
    if opened and -invested[first] > sign * value + _SAME:
        line[0] = FOLD
        return float(-sign * invested[first])

    line[0] = action
    acted = 1
    actor = second
    level = 1
    if action == CALL and start >= betting.cap:
        return value
    if action in (CALL, CHECK):
        if not second_bets:
            line[1] = CHECK
            return value
        line[1] = RAISE if opened else BET
        acted = 2
        actor = first
    while True:
        line[acted] = answer[level, actor]
        if line[acted] != RAISE:
            return value
        acted += 1
        level += 1
        actor = 1 - actor


@njit
def settle(invested: NDArray[np.float64], folder: int, aie: float) -> float:
    """Returns the pot equity of player 0: AIE times the pot less the own chips; after a fold the folder's chips.

    Chips that the opponent cannot match come back and do not count.
    """
    if folder == 0:
        return float(-invested[0])
    if folder == 1:
        return float(invested[1])
    return float(min(invested[0], invested[1]) * (2 * aie - 1))
