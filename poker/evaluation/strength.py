"""Hand strength against a random opponent: the immediate, six-card, seven-card and effective hand rank, all exact.

A hand rank is the share of the opponent's possible hands that a hand beats, ties counted half (Billings and Kan, A tool
for the direct assessment of poker decisions, ICGA Journal 2006).

====  =================================================================================================================
IHR   immediate hand rank: on the board as it is. Before the flop two cards are a pair or two ranks, and suits do not
      matter.
6cHR  six-card hand rank: the mean of IHR over all next cards; on the flop only.
7cHR  seven-card hand rank: the mean of IHR over all boards of five cards that can come. It is the equity against a
      random hand.
EHR   effective hand rank: the larger of IHR and 7cHR.
====  =================================================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, combo_index
from hedgehog.poker.evaluation import _strength_kernels as kernels
from hedgehog.poker.evaluation.evaluator import checked_cards, evaluator_tables
from hedgehog.poker.evaluation.matchups import class_strengths
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.streets import BOARD_CARDS
from hedgehog.runtime.errors import CardError

__all__ = ["BoardStrengths", "HandStrength", "board_strengths", "hand_strength"]


class HandStrength(NamedTuple):
    """The hand ranks of one hand on one board, shares from 0 to 1."""

    ihr: float
    six_card: float
    """NaN unless the board is a flop."""
    seven_card: float

    @property
    def ehr(self) -> float:
        """The effective hand rank (EHR): the larger one of the hand rank now and that at the showdown."""
        return max(self.ihr, self.seven_card)


class BoardStrengths(NamedTuple):
    """The hand ranks of all combos on one board: float64 of shape (1326,), NaN for combos that hold a board card."""

    ihr: NDArray[np.float64]
    six_card: NDArray[np.float64]
    """NaN unless the board is a flop."""
    seven_card: NDArray[np.float64]

    @property
    def ehr(self) -> NDArray[np.float64]:
        """The effective hand ranks (EHR): for each combo the larger one of the rank now and that at the showdown."""
        return np.maximum(self.ihr, self.seven_card)


def hand_strength(hole_cards: Sequence[int], board: Sequence[int] = ()) -> HandStrength:
    """Returns the hand ranks of one hand.

    :param hole_cards: two card ids.
    :param board: card ids of the board, none or three to five.
    :raises CardError: if there are other numbers of cards, a card is repeated, or a number is not a card id.
    """
    hand, cards = _checked_cards(hole_cards, board)
    if len(hand) != 2:
        raise CardError(f"expected two hole cards, got {len(hand)}")
    ranks = np.empty(2)
    left, known = np.empty(14, dtype=np.int64), np.empty((2, 13, 13), dtype=np.int64)
    preflop = float(class_strengths()[HAND_CLASS[combo_index(int(hand[0]), int(hand[1]))]])
    kernels.hand_strength_kernel(ranks, hand, cards, len(board), preflop, left, known, evaluator_tables())
    six_card = np.nan
    if len(board) == 3:
        six_card = kernels.next_card_kernel(hand, cards, 3, left, evaluator_tables()) / (47 * 2070)
    return HandStrength(float(ranks[0]), six_card, float(ranks[1]))


def board_strengths(board: Sequence[int] = ()) -> BoardStrengths:
    """Returns the hand ranks of all 1,326 combos on a board.

    :param board: card ids of the board, none or three to five.
    :raises CardError: if the board is not none or three to five different card ids.
    """
    _, cards = _checked_cards((), board)
    ranks = np.empty((len(COMBO_CARDS), 3))
    of_combos = class_strengths()[HAND_CLASS]
    kernels.board_strengths_kernel(ranks, cards, len(board), of_combos, COMBO_CARDS, evaluator_tables())
    return BoardStrengths(ranks[:, 0], ranks[:, 1], ranks[:, 2])


def _checked_cards(hole_cards: Sequence[int], board: Sequence[int]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Returns the hand, and the board with free places up to five cards."""
    if len(board) not in BOARD_CARDS:
        raise CardError(f"expected a board of no, three, four or five cards, got {len(board)}")
    cards = checked_cards([*hole_cards, *board])
    places = np.zeros(5, dtype=np.uint8)
    places[: len(board)] = cards[len(hole_cards) :]
    return cards[: len(hole_cards)], places
