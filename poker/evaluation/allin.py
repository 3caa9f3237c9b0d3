"""All-in expectation: the average result, over all boards, of a hand whose betting ended before the last board card.

Replacing the result of such a hand by its expectation takes the luck of the last cards out of a match without bias. The
hole cards of all players are taken as known, because a log shows them. The hole cards of folded players cannot come on
the board either. The official ACPC tool ``all_in_expectation`` does the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from math import comb
from typing import Final

import numpy as np

from hedgehog.poker.acpc.handlog import LoggedHand
from hedgehog.poker.evaluation._allin_kernels import RankMultisets, preflop_rollout_kernel, rollout_kernel
from hedgehog.poker.evaluation._evaluator_kernels import RANK_KEYS
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.evaluation.showdown import payoffs
from hedgehog.poker.state import HandState
from hedgehog.runtime.errors import MatchError

# With more hands there are too many orders to count them apart.
_MAX_HANDS_BY_CLASS: Final = 4


def is_all_in(state: HandState) -> bool:
    """Returns True if a hand ended in a showdown although nobody acted in the last round."""
    return state.is_showdown and _last_round_of_actions(state) + 1 < state.gamedef.num_rounds


def num_known_board_cards(state: HandState) -> int:
    """Returns the number of board cards that were on the table at the last action of a hand."""
    return state.gamedef.board_cards_by(_last_round_of_actions(state))


def expected_payoffs(state: HandState, hole_cards: Sequence[Sequence[int]], board: Sequence[int]) -> list[float]:
    """Returns the chips won or lost per position, averaged over all boards if the hand is an all-in.

    The average is exact. If the hand is not an all-in (:func:`is_all_in`), the result is that of
    :func:`hedgehog.poker.evaluation.showdown.payoffs`.

    :param state: a finished hand.
    :param hole_cards: card ids of every position.
    :param board: card ids of the board; cards dealt after the last action of an all-in do not matter.
    :raises MatchError: if the hand ends in a showdown in which nobody has put in a chip.
    """
    if not is_all_in(state):
        return payoffs(state, hole_cards, board)
    game = state.gamedef
    if sum(spent > 0 for spent in state.spent) < 2:
        raise MatchError("nobody has put in a chip before the showdown: the game has no pot to play for")
    known_board = board[: num_known_board_cards(state)]
    missing = game.total_board_cards - len(known_board)
    seen = {card for hand in (*hole_cards, known_board) for card in hand}
    deck = np.array(sorted(set(game.deck()) - seen), dtype=np.uint8)
    totals = np.zeros(game.num_players)
    spent, folded = np.array(state.spent, dtype=np.int64), np.array(state.folded)
    holdem = (game.num_hole_cards, missing, len(deck)) == (2, 5, 52 - 2 * game.num_players)
    if holdem and game.num_players - state.num_folded <= _MAX_HANDS_BY_CLASS:
        hands = np.array(hole_cards, dtype=np.uint8)
        boards = preflop_rollout_kernel(totals, hands, spent, folded, evaluator_tables(), rank_multisets())
    else:
        hands = np.array([[*hole, *known_board, *[0] * missing] for hole in hole_cards], dtype=np.uint8)
        boards = rollout_kernel(totals, hands, deck, spent, folded, missing, evaluator_tables())
    assert boards == comb(len(deck), missing)
    return [float(total) / boards for total in totals]


def expected_values(hand: LoggedHand) -> list[float]:
    """Returns the chips won or lost per position in a hand from a log, averaged over all boards if it is an all-in."""
    return expected_payoffs(hand.state, hand.hole_cards, hand.board)


def rewrite_all_in(line: str, hand: LoggedHand) -> str:
    """Returns the line of a hand with the result of an all-in replaced by its expectation.

    In the line of a hand that was all-in before the last round the values become their expectation, with six decimals.
    Other lines stay as they are. The output is that of the official ACPC tool ``all_in_expectation``.

    :param line: the ``STATE:`` line of a log, without line end.
    :param hand: the hand of this line.
    """
    if not is_all_in(hand.state):
        return line
    values = "|".join(f"{value:f}" for value in expected_values(hand))
    fields = line.split(":", 5)
    return ":".join([*fields[:4], values, fields[5]])


def _last_round_of_actions(state: HandState) -> int:
    return max((index for index, actions in enumerate(state.actions) if actions), default=0)


@cache
def rank_multisets() -> RankMultisets:
    """Returns all multisets of up to five ranks, for ``preflop_rollout_kernel``."""
    rows = []
    starts = [0]
    for size in range(6):
        for ranks in itertools.combinations_with_replacement(range(13), size):
            counts = np.bincount(np.array(ranks, dtype=np.int64), minlength=13)
            if counts.max() <= 4:
                rows.append(counts)
        starts.append(len(rows))
    table = np.array(rows, dtype=np.int8)
    keys = (table.astype(np.uint64) * RANK_KEYS).sum(axis=1)
    return RankMultisets(table, keys, np.array(starts))
