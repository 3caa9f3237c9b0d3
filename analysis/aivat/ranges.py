"""The ranges of both players on a board: equities of all pairs of hands, and what follows from them for a value.

A state is described by nine *features* for the player to act. They follow from the weights of both players' hands and
from equities, those of a showdown after random cards; on flops, after a sample of them. Let e be the equity of a hand
of the player to act against the range of the other player:

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
from typing import Final

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
SAMPLE_SHARES: Final = 2
"""Tenths of the run-outs of a flop that count for its equities (:func:`.._range_kernels.runouts_kernel`).

A value may be any function of what is known, as long as its mean over the next cards is right. That of these equities
over all flops is the equity before the flop, exactly, as with all run-outs. So AIVAT stays right on average, and its
spread hardly grows."""
_RUNOUTS: Final = {3: (1176, 990), 4: (48, 44), 5: (1, 1)}
"""Cards on the board -> number of run-outs, and of those that block neither of two given hands."""
_LANES: Final = 64
"""Rows of hands are filled up to a multiple of so many, so that the vector unit has no remainder."""


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
        self._ranges: dict[bytes, Range] = {}

    def deal(self, board: tuple[int, ...], possible: NDArray[np.bool_]) -> None:
        """Deals the next street.

        :param board: card ids of the whole board, 3, 4 or 5.
        :param possible: (1326,) combos that a player may hold; False for those that the board blocks.
        """
        self._ranges.clear()
        self._runouts = _Runouts(board, np.flatnonzero(possible).astype(np.int16))

    def pairs(self, first: Array, second: Array) -> float:
        """Returns the sum, over all pairs of hands without a common card, of the products of their weights."""
        return float(first @ self._range(second).met)

    def edge(self, first: Array, second: Array) -> float:
        """Returns the sum of the same products times 2 e - 1, where e is the equity of the first hand.

        Unlike those of features, these equities are of all run-outs, so that they are what a showdown is worth.
        """
        wins = _preflop_wins(second) if self._runouts is None else self._runouts.exact_wins(second)
        return float(first @ (2 * wins - self._range(second).met))

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
        return self._runouts.next_card_features(own, other)

    def _range(self, weights: Array) -> Range:
        key = weights.tobytes()
        if key not in self._ranges:
            self._ranges[key] = Range(weights, _preflop_wins if self._runouts is None else self._runouts.wins)
        return self._ranges[key]


class _Runouts:
    """A board of three to five cards with its run-outs, and the strengths of some hands on them."""

    def __init__(self, board: tuple[int, ...], hands: NDArray[np.int16], shares: int = SAMPLE_SHARES) -> None:
        """Lists the run-outs, and on flops finds the equities of all pairs of hands over the sample.

        :param board: card ids of the board.
        :param hands: (H,) combos that a player may hold. The others have weight 0 in every range from here on.
        :param shares: tenths of the run-outs of a flop that are in the sample.
        """
        self.board, self._hands = board, hands
        count, self._possible = _RUNOUTS[len(board)]
        width = -(-len(hands) // _LANES) * _LANES
        self._cards = np.empty((count, 2), dtype=np.uint8)
        sample = kernels.runouts_kernel(self._cards, np.array(board, dtype=np.uint8), shares)
        self._classes = np.empty((count, width), dtype=np.int8)
        self._ranked = 0
        classes = self._rank(sample)
        self._edges: NDArray[np.int16] | None = None
        self._sampled = self._possible * shares / 10
        if len(board) == 3:  # with few run-outs the sum over them is faster than all pairs of hands
            self._edges = np.empty((len(hands), width), dtype=np.int16)
            kernels.edges_kernel(self._edges, classes, COMBO_CARDS[hands])

    def wins(self, weights: Array) -> Array:
        """Returns (1326,) the sum of the weights of a range that a combo can meet, times the combo's equity."""
        if self._edges is None:
            return self.exact_wins(weights)
        sums = np.empty(self._edges.shape[1], dtype=np.float32)
        kernels.edge_sums_kernel(sums, weights[self._hands].astype(np.float32), self._edges)
        wins = np.empty(NUM_COMBOS)
        kernels.met_kernel(wins, weights, COMBO_CARDS)
        wins[self._hands] += sums[: len(self._hands)] / self._sampled
        return wins / 2

    def exact_wins(self, weights: Array) -> Array:
        """Returns the same from all run-outs."""
        wins = np.empty(NUM_COMBOS)
        kernels.runout_wins_kernel(wins, self._rank(), weights, self._hands, COMBO_CARDS, self._possible)
        return wins

    def next_card_features(self, own: Array, other: Array) -> Array:
        """Returns the features (9,) after the next card, averaged over the card."""
        features, known, classes = np.empty(NUM_FEATURES), len(self.board), self._rank()
        kernels.next_card_features_kernel(features, known, classes, self._cards, own, other, self._hands, COMBO_CARDS)
        return features

    def _rank(self, count: int | None = None) -> NDArray[np.int8]:
        """Returns (count, W) the classes of the hands on the first or on all run-outs."""
        if count is None:
            count = len(self._cards)
        if self._ranked < count:
            board, rows = np.array(self.board, dtype=np.uint8), slice(self._ranked, count)
            kernels.runout_classes_kernel(
                self._classes[rows], self._cards[rows], board, self._hands, evaluator_tables()
            )
            self._ranked = count
        return self._classes[:count]


class BoardEquities:
    """The equities of all pairs of hands on one board over all its run-outs, without a memory of ranges."""

    def __init__(self, board: tuple[int, ...]) -> None:
        """Prepares a board.

        :param board: card ids, three to five.
        """
        # A river is prepared in no time. If rivers were kept, they would displace the flops, which take longest.
        self._runouts = _kept_runouts(board) if len(board) < 5 else _all_runouts(board)

    def against(self, weights: Array) -> Range:
        """Returns what the hands of one player need to know of a range of the other player.

        :param weights: (1326,) weight of every combo, 0 where the board blocks it.
        """
        return Range(weights, self._runouts.wins)


@lru_cache(maxsize=4)
def _kept_runouts(board: tuple[int, ...]) -> _Runouts:
    return _all_runouts(board)


def _all_runouts(board: tuple[int, ...]) -> _Runouts:
    return _Runouts(board, np.flatnonzero(combo_mask(board)).astype(np.int16), shares=10)


def _preflop_wins(weights: Array) -> Array:
    by_class = weights[_FIRST_COMBO]
    if np.array_equal(weights, by_class[HAND_CLASS]):  # true of all strategies but of a player whose hand is known
        return np.asarray((by_class @ _class_wins())[HAND_CLASS])
    wins = np.empty(NUM_COMBOS, dtype=np.float32)
    kernels.wins_kernel(wins, weights.astype(np.float32), _preflop_equities())
    return wins.astype(np.float64)


_FIRST_COMBO: Final = np.unique(HAND_CLASS, return_index=True)[1]
"""(169,) a combo of every hand class."""


@cache
def _class_wins() -> Array:
    """Returns (169, 169) by the class of the other player and one's own: the sum, over the combos of the other class
    that a combo of one's own class can meet, of one's own equity."""
    equities = _preflop_equities()[:, _FIRST_COMBO].astype(np.float64)
    wins = np.zeros((len(_FIRST_COMBO), len(_FIRST_COMBO)))
    np.add.at(wins, HAND_CLASS, equities)
    return wins


@cache
def _preflop_equities() -> NDArray[np.float32]:
    """Returns (1326, 1326) the equity of the column's combo against the row's, that of their hand classes."""
    equities = class_equities().T[np.ix_(HAND_CLASS, HAND_CLASS)].astype(np.float32)
    shared = (COMBO_CARDS[:, None, :, None] == COMBO_CARDS[None, :, None, :]).any(axis=(2, 3))
    equities[shared] = 0.0
    return equities
