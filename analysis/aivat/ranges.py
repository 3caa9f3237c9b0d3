"""The ranges of both players on a board: equities of all pairs of hands, and what follows from them for a value.

A state is described by nine *features* for the player to act. They follow from the weights of both players' hands and
from equities, those of a showdown after random cards. Let e be the equity of a hand of the player to act against the
range of the other player:

0. 1;
1. the edge, 2 E - 1, where E is the mean of e;
2. the square of the edge;
3. the spread, four times the variance of e;
4. the spread of the equities of the other player's hands;
5. the edge times the spread, and 6. the edge times the other spread;
7. the mean of max(0, 2 e - 1). If there is a bet to be answered, the mean of max(-1, p (2 e - 1)), where p is what each
   player has in the pot after a call, divided by what the player to act has in it now. As a multiple of the latter, so
   much does a player win who calls with the right hands if nobody bets again;
8. the mean of max(0, 2 e - 1) over the other player's hands.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.aivat import _range_kernels as kernels
from hedgehog.analysis.aivat.definition import Array
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask
from hedgehog.poker.evaluation.equity import class_equities
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.poker.hand_classes import HAND_CLASS

NUM_FEATURES: Final = kernels.NUM_RANGE_FEATURES
EDGE: Final = 1
"""Number of the feature that is linear in the equity."""
CALLS: Final = 7
"""Number of the feature that values a call with the right hands."""
_RUNOUTS: Final = {3: (1176, 990), 4: (48, 44), 5: (1, 1)}
"""Cards on the board -> number of run-outs, and of those that block neither of two given hands."""
_WIDTH: Final = 1280
"""Hands of a row of counts, filled up so that the vector unit has no remainder: 1,176 at most are in use."""


class Range:
    """The weights of one player's hands on a board, with what the other player needs to know of them."""

    def __init__(self, weights: Array, wins: Callable[[Array], Array]) -> None:
        """Computes the sums.

        :param weights: (1326,) weight of every combo, 0 where the board blocks it.
        :param wins: gives (1326,) the sum of the weights that a combo of the other player can meet, times its equity.
        """
        self.met = np.empty(NUM_COMBOS)
        """(1326,) sum of the weights that a combo of the other player can meet."""
        kernels.met_kernel(self.met, weights, COMBO_CARDS)
        self.wins = wins(weights)
        """(1326,) the same sum, times the equity of the other player's combo."""


class RangeBoard:
    """The equities of all pairs of hands while the board is dealt; before the flop, those of their hand classes."""

    def __init__(self) -> None:
        """Begins a hand."""
        self._runouts: _Runouts | None = None
        self._wins = _preflop_wins
        self._ranges: dict[bytes, Range] = {}

    def deal(self, board: tuple[int, ...]) -> None:
        """Deals the next street.

        :param board: card ids of the whole board, 3, 4 or 5.
        """
        self._ranges.clear()
        self._runouts = _runouts_of(board)
        self._wins = self._runouts.wins

    def pairs(self, first: Array, second: Array) -> float:
        """Returns the sum, over all pairs of hands without a common card, of the products of their weights."""
        return float(first @ self._range(second).met)

    def edge(self, first: Array, second: Array) -> float:
        """Returns the sum of the same products times 2 e - 1, where e is the equity of the first hand."""
        found = self._range(second)
        return float(first @ (2 * found.wins - found.met))

    def features(self, own: Array, other: Array, price: float = 0.0) -> tuple[float, Array]:
        """Returns the sum of the weights of all pairs, and the features (9,) for the player to act.

        :param own: (1326,) weights of the player to act.
        :param other: (1326,) weights of the other player.
        :param price: chips that each player has in the pot after a call, divided by those of the player to act; 0 if
            there is no bet to be answered.
        """
        features = np.empty(NUM_FEATURES)
        mine, theirs = self._range(own), self._range(other)
        mass = kernels.features_kernel(features, own, theirs.met, theirs.wins, other, mine.met, mine.wins, price)
        return mass, features

    def next_card_features(self, own: Array, other: Array) -> Array:
        """Returns the features (9,) after the next card, turn or river, averaged over the card.

        :param own: (1326,) weights of the player to act after the card.
        :param other: (1326,) weights of the other player.
        """
        assert self._runouts is not None, "the flop has been dealt"
        board, hands, classes, cards, _ = self._runouts
        features, known = np.empty(NUM_FEATURES), len(board)
        kernels.next_card_features_kernel(features, known, classes, cards, own, other, hands, COMBO_CARDS)
        return features

    def _range(self, weights: Array) -> Range:
        key = weights.tobytes()
        if key not in self._ranges:
            self._ranges[key] = Range(weights, self._wins)
        return self._ranges[key]


class _Runouts(NamedTuple):
    """A board of three to five cards with all its run-outs."""

    board: tuple[int, ...]
    """Card ids of the board."""
    hands: NDArray[np.int16]
    """(H,) combos that the board does not block."""
    classes: NDArray[np.int8]
    """(B, W) class of the strength of every hand on every river board."""
    cards: NDArray[np.uint8]
    """(B, 2) the last two cards of these boards."""
    equities: NDArray[np.float32] | None
    """(1326, 1326) on flops, the equity of the column's combo against the row's; 0 where they share a card."""

    def wins(self, weights: Array) -> Array:
        """Returns (1326,) the sum of the weights of a range that a combo can meet, times the combo's equity."""
        if self.equities is not None:
            return _wins(weights, self.equities)
        wins = np.empty(NUM_COMBOS)
        possible = _RUNOUTS[len(self.board)][1]
        kernels.runout_wins_kernel(wins, self.classes, weights, self.hands, COMBO_CARDS, possible)
        return wins


class BoardEquities:
    """The equities of all pairs of hands on one board, without a memory of the ranges that were asked about."""

    def __init__(self, board: tuple[int, ...]) -> None:
        """Prepares a board.

        :param board: card ids, three to five.
        """
        # A river is prepared in no time. If rivers were kept, they would displace the flops, which take longest.
        self._runouts = _runouts_of(board) if len(board) < len(_RUNOUTS) + 2 else _make_runouts(board)

    def against(self, weights: Array) -> Range:
        """Returns what the hands of one player need to know of a range of the other player.

        :param weights: (1326,) weight of every combo, 0 where the board blocks it.
        """
        return Range(weights, self._runouts.wins)


@lru_cache(maxsize=4)
def _runouts_of(board: tuple[int, ...]) -> _Runouts:
    return _make_runouts(board)


def _make_runouts(board: tuple[int, ...]) -> _Runouts:
    hands = np.flatnonzero(combo_mask(board)).astype(np.int16)
    runouts, possible = _RUNOUTS[len(board)]
    classes = np.empty((runouts, _WIDTH), dtype=np.int8)
    cards = np.empty((runouts, 2), dtype=np.uint8)
    kernels.runout_classes_kernel(classes, cards, np.array(board, dtype=np.uint8), hands, evaluator_tables())
    equities = None
    if len(board) == 3:  # with few run-outs the sum over them is faster than all pairs of hands
        beats = np.empty((len(hands), _WIDTH), dtype=np.int16)
        kernels.beats_kernel(beats, classes)
        equities = np.zeros((NUM_COMBOS, NUM_COMBOS), dtype=np.float32)
        kernels.equities_kernel(equities, beats, hands, COMBO_CARDS, possible)
    return _Runouts(board, hands, classes, cards, equities)


def _wins(weights: Array, equities: NDArray[np.float32]) -> Array:
    """Returns (1326,) the sum of weights times the equity, against each of these combos, of every combo."""
    wins = np.empty(NUM_COMBOS, dtype=np.float32)
    kernels.wins_kernel(wins, weights.astype(np.float32), equities)
    return wins.astype(np.float64)


def _preflop_wins(weights: Array) -> Array:
    return _wins(weights, _preflop_equities())


@cache
def _preflop_equities() -> NDArray[np.float32]:
    """Returns (1326, 1326) the equity of the column's combo against the row's, that of their hand classes."""
    equities = class_equities().T[np.ix_(HAND_CLASS, HAND_CLASS)].astype(np.float32)
    shared = (COMBO_CARDS[:, None, :, None] == COMBO_CARDS[None, :, None, :]).any(axis=(2, 3))
    equities[shared] = 0.0
    return equities
