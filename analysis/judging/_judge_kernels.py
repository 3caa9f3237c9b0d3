"""Kernels of hand judging: all-in equity, the baseline betting of DIVAT, open-card betting of EVAT, and roll-outs.

Player 0 is the player whose result is judged (A), player 1 the opponent (B). Chips are float64 in units of the small
bet, or of the big blind in no-limit games. Values are those of player 0; the values of player 1 are their negatives.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poker._evaluator_kernels import EvaluatorTables, rank7_kernel
from poker._strength_kernels import (
    beaten_kernel,
    dead_cards,
    hand_strength_kernel,
    score,
)
from runtime.jit import njit

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


class Strengths(NamedTuple):
    """Work space of one thread for hand strengths."""

    left: NDArray[np.int64]
    """(14,)"""
    known: NDArray[np.int64]
    """(2, 13, 13)"""
    on_river: NDArray[np.int64]
    """(2, 52, 52) hands that each player beats, by turn and river card."""


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
    # facing[level, player]: value when the player faces the bet number `level`, and what he does.
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
        :func:`poker._strength_kernels.beaten_kernel` counts them.
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
def roll_out_preflop(
    values: NDArray[np.float64],
    invested: NDArray[np.float64],
    cards: NDArray[np.uint8],
    first: NDArray[np.int64],
    betting: Betting,
    work: Strengths,
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
                after = play_flop(of_flop, invested, cards, board, first, betting, work, tables)
                roll_out_flop(of_flop, after, cards, board, first, betting, work, tables)
                for i in range(len(values)):
                    values[i] += of_flop[i] / 17296


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
