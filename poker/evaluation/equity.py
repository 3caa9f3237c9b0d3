"""Exact all-in equity of ranges, on every street, by enumeration of all run-outs.

On a river board the hands are sorted by rank once and swept once. This gives every hand's equity against the whole
range of the opponent in O(hands) with exact card removal. A flop takes 1,176 such boards. Before the flop one board for
each of 134,459 suit classes stands for all 2,598,960 boards, and the suits of the opponent's range are relabelled.
The wins of hand classes are kept in ``poker/tables/class_wins.npy``; ``python -m hedgehog.poker.evaluation.equity``
counts them and writes the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask
from hedgehog.poker.evaluation._equity_kernels import class_wins_kernel, preflop_equity_kernel, runout_equity_kernel
from hedgehog.poker.evaluation.evaluator import checked_cards, evaluator_tables
from hedgehog.poker.evaluation.matchups import MATCHUP_BOARDS, matchup_scores
from hedgehog.poker.hand_classes import HAND_CLASS, NUM_HAND_CLASSES
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, board_classes, frozen, permute_combos
from hedgehog.poker.streets import BOARD_CARDS
from hedgehog.runtime.errors import CardError, InputError, RangeError
from hedgehog.runtime.files import replacing
from hedgehog.runtime.npy_files import map_npy

__all__ = [
    "ClassOutcomes",
    "Equity",
    "class_equities",
    "class_outcomes",
    "class_pairs",
    "count_class_wins",
    "equity_vector",
    "range_equity",
]


class Equity(NamedTuple):
    """The shares of an all-in that one side wins, ties and loses; the three numbers add up to 1."""

    win: float
    tie: float
    lose: float

    @property
    def equity(self) -> float:
        """The share of the pot that this side gets on average: wins plus half of the ties."""
        return self.win + self.tie / 2


class _Outcomes(NamedTuple):
    """The weight of the opponent's hands per combo of ours, summed over boards: float64 arrays of shape (1326,).

    A combo beats the hands in ``below``, beats or ties the hands in ``upto``, and can meet the hands in ``possible``.
    """

    below: NDArray[np.float64]
    upto: NDArray[np.float64]
    possible: NDArray[np.float64]


def equity_vector(opponent: ArrayLike, board: Sequence[int] = ()) -> NDArray[np.float64]:
    """Returns the all-in equity of every combo against a range, from 0 to 1.

    :param opponent: the opponent's range, non-negative weights of shape (1326,).
    :param board: card ids of the board, none or three to five.
    :returns: float64 array of shape (1326,), ties counted half; NaN where the combo holds a board card, and where every
        hand of the opponent shares a card with it.
    :raises CardError: if the board is not 0 or 3 to 5 different cards.
    """
    outcomes = _outcomes(_checked_range(opponent), _checked_board(board), np.ones(NUM_COMBOS, dtype=np.bool_))
    equity = np.full(NUM_COMBOS, np.nan)
    np.divide(outcomes.below + outcomes.upto, 2 * outcomes.possible, out=equity, where=outcomes.possible > 0)
    return equity


def range_equity(own: ArrayLike, opponent: ArrayLike, board: Sequence[int] = ()) -> Equity:
    """Returns the all-in equity of one range against another.

    Every pair of hands without a common card counts with the product of their weights.

    :param own: the range whose equity is returned, non-negative weights of shape (1326,).
    :param opponent: the opponent's range, non-negative weights of shape (1326,).
    :param board: card ids of the board, none or three to five.
    :raises CardError: if the board is not 0 or 3 to 5 different cards.
    :raises RangeError: if no two hands of the ranges can be dealt together on the board.
    """
    own_weights, opponent_weights = _checked_range(own), _checked_range(opponent)
    cards = _checked_board(board)
    # Fewer relabelled ranges are less work, and the equity of one side gives the other's.
    swap = not cards and len(_relabelled(own_weights)[0]) < len(_relabelled(opponent_weights)[0])
    if swap:
        own_weights, opponent_weights = opponent_weights, own_weights
    outcomes = _outcomes(opponent_weights, cards, own_weights > 0)
    below, upto, possible = (float(own_weights @ part) for part in outcomes)
    if possible <= 0:
        raise RangeError("no two hands of the ranges can be dealt together on this board")
    win, tie, lose = below / possible, (upto - below) / possible, (possible - upto) / possible
    return Equity(lose, tie, win) if swap else Equity(win, tie, lose)


class ClassOutcomes(NamedTuple):
    """How often every hand class wins against every hand class, all-in before the flop. Arrays are read-only."""

    wins: NDArray[np.int64]
    """int64 (169, 169): wins of the row's class against the column's, over pairs of combos and boards."""
    pairs: NDArray[np.int64]
    """int64 (169, 169): number of pairs of combos without a common card."""


@cache
def class_pairs() -> NDArray[np.int64]:
    """Returns the number of pairs of combos without a common card for every two hand classes.

    :returns: read-only int64 array of shape (169, 169). :mod:`hedgehog.poker.hand_classes` numbers the classes.
    """
    shared = (COMBO_CARDS[:, None, :, None] == COMBO_CARDS[None, :, None, :]).any(axis=(2, 3))
    member = _members().astype(np.float64)
    return frozen((member.T @ ~shared @ member).astype(np.int64))


@cache
def class_outcomes() -> ClassOutcomes:
    """Returns how often every hand class wins, all-in before the flop, from a table.

    :mod:`hedgehog.poker.hand_classes` numbers the classes. A pair of combos has
    :data:`hedgehog.poker.evaluation.matchups.MATCHUP_BOARDS` boards, and what neither class wins is tied.

    :raises InputError: if the table is damaged.
    """
    wins = np.asarray(map_npy(_wins_file()))
    if wins.shape != (NUM_HAND_CLASSES, NUM_HAND_CLASSES) or wins.dtype != np.int32:
        raise InputError("is not the table of wins of hand classes", source=str(_wins_file()))
    return ClassOutcomes(frozen(wins.astype(np.int64)), class_pairs())


def count_class_wins() -> NDArray[np.int32]:
    """Returns the wins of :func:`class_outcomes`, counted anew over all boards in about 5 seconds: (169, 169)."""
    classes = board_classes(5)
    counts = np.zeros((NUM_HAND_CLASSES, 176), dtype=np.int32)
    hands = np.arange(NUM_COMBOS, dtype=np.int16)
    class_wins_kernel(
        counts, classes.representatives, classes.multiplicities, hands, HAND_CLASS, COMBO_CARDS, evaluator_tables()
    )
    return counts[:, :NUM_HAND_CLASSES].copy()


def _wins_file() -> Path:
    return Path(str(resources.files("hedgehog.poker"))) / "tables" / "class_wins.npy"


@cache
def class_equities() -> NDArray[np.float64]:
    """Returns the preflop all-in equity of every hand class against every hand class, from the table of matchups.

    :returns: read-only float64 array of shape (169, 169). Element (a, b) is the equity of class a against class b,
        averaged over pairs of combos without a common card, ties counted half. Elements (a, b) and (b, a) add up to 1.
    :raises InputError: if the table of matchups is damaged.
    """
    member = _members()
    # All combos of a class have the same score against another class; ``scores`` has that of the first combo.
    scores = member.sum(axis=0)[:, None] * (matchup_scores().astype(np.int64) @ member)
    boards = MATCHUP_BOARDS * class_pairs()
    return frozen(0.5 + (scores - boards) / (2 * boards))


def _members() -> NDArray[np.int64]:
    """Returns (1326, 169): 1 where the combo belongs to the hand class."""
    member: NDArray[np.bool_] = HAND_CLASS[:, None] == np.arange(NUM_HAND_CLASSES)
    return member.astype(np.int64)


def _outcomes(opponent: NDArray[np.float64], board: Sequence[int], own_support: NDArray[np.bool_]) -> _Outcomes:
    """Sums over all run-outs, for the combos in ``own_support`` at least."""
    taking_part = own_support | (opponent > 0)
    if board:
        hands = np.flatnonzero(taking_part & combo_mask(board)).astype(np.int16)
        outcomes = _Outcomes(*np.zeros((3, NUM_COMBOS)))
        cards = np.array(board, dtype=np.uint8)
        runout_equity_kernel(*outcomes, cards, hands, opponent, COMBO_CARDS, evaluator_tables())
        return outcomes

    variants, variant_of = _relabelled(opponent)
    relabelled_support = taking_part[COMBO_PERMUTATIONS].any(axis=0)
    hands = np.flatnonzero(relabelled_support).astype(np.int16)
    classes = board_classes(5)
    sums = np.zeros((3, len(variants), NUM_COMBOS))
    preflop_equity_kernel(
        sums[0],
        sums[1],
        sums[2],
        classes.representatives,
        classes.multiplicities,
        hands,
        variants,
        COMBO_CARDS,
        evaluator_tables(),
    )
    # Hand h against the range on the boards relabelled back is the relabelled hand against the relabelled range.
    rows = np.arange(len(COMBO_PERMUTATIONS))[:, np.newaxis]
    return _Outcomes(*(part[variant_of][rows, COMBO_PERMUTATIONS].mean(axis=0) for part in sums))


def _relabelled(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Returns the different ranges made by relabelling suits, (V, 1326), and which of them each permutation makes."""
    moved = np.stack([permute_combos(weights, permutation) for permutation in range(len(COMBO_PERMUTATIONS))])
    variants, variant_of = np.unique(moved, axis=0, return_inverse=True)
    return np.ascontiguousarray(variants), variant_of.ravel()


def _checked_range(weights: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (NUM_COMBOS,):
        raise ValueError(f"expected weights of shape ({NUM_COMBOS},), got {values.shape}")
    if not ((values >= 0) & np.isfinite(values)).all():
        raise RangeError("range weights must be finite and not negative")
    return values


def _checked_board(board: Sequence[int]) -> list[int]:
    if len(board) not in BOARD_CARDS:
        raise CardError(f"expected a board of no, three, four or five cards, got {len(board)}")
    cards: list[int] = checked_cards(board).tolist()
    return cards


if __name__ == "__main__":
    with replacing(_wins_file(), make_folder=True) as file:
        np.save(file, count_class_wins())
