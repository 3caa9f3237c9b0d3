"""Interchangeable cards: an exact reduction of a spot to fewer hands and fewer boards.

Two live cards are *interchangeable* if swapping these two alone changes no hand's strength on any board to come, no
weight of either range and no locked strategy. (Suit isomorphism, :mod:`hedgehog.solver.postflop.chance`, swaps whole
suits.) This is an equivalence, so the live cards fall into classes, and every permutation within the classes maps the
game to itself. CFR from a symmetric start stays symmetric: hands that such permutations map to each other keep the same
regrets and strategies, on boards that are mapped in the same way. So one hand is kept for each pair of classes, and one
card is dealt for each class. What changes is how often each hand and card counts. Let ``s(X)`` be the number of cards
of class X that the board leaves. For a hand of classes A and B,

* the hand stands for ``n = s(A) s(B)`` hands that miss the board, or for ``n = s(A) (s(A) - 1) / 2`` if A = B;
* ``n / s(A)`` of these hold a given card of class A (twice as many if A = B), which is what one card of the other
  player's hand blocks;
* a card of class C can be dealt in ``s(C)`` ways, less one for every card of class C in the hand.

Values and reach are always those of a single hand, so they equal the numbers of the unmerged game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, combo_mask
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.streets import BOARD_CARDS, RIVER
from hedgehog.solver.cfr.card_game import Copies
from hedgehog.solver.postflop.chance import Range, Runouts
from hedgehog.solver.postflop.locks import LockedNode

Classes = NDArray[np.int32]
"""int32[52]: class of each card, -1 on the root board; numbered from 0 by the lowest card of the class."""

_FLUSH_ON_BOARD = 3
# The kernels take longer per hand where hands are merged; fewer hands must make up for that.
_WORTHWHILE = 0.95


@dataclass(frozen=True, slots=True)
class MergedCards:
    """The hands that a solve keeps and the boards that it deals."""

    classes: Classes
    """Class of each card; every card has a class of its own if nothing is merged."""
    hand_of: NDArray[np.int32]
    """(1326,): hand of each combo that a player can hold, -1 for other combos."""
    hands: NDArray[np.int32]
    """(hands, 2): classes of the two cards of each hand, ascending."""
    runouts: Runouts
    """The turn and river cards dealt."""
    merged: bool
    """Whether a hand may stand for several combos."""


def merged_cards(
    runouts: Runouts, ranges: Sequence[Range], locks: Sequence[LockedNode] = (), *, enabled: bool = True
) -> MergedCards:
    """Returns the hands and boards of a spot with interchangeable cards merged where that saves time.

    :param runouts: the turn and river cards that are dealt without merging.
    :param ranges: float32[1326] weights of OOP and IP.
    :param locks: strategies that are given; cards that they treat differently are not merged.
    :param enabled: False merges nothing.
    """
    mask = combo_mask(runouts.board)
    combos = np.flatnonzero(mask & ((ranges[0] > 0) | (ranges[1] > 0)))
    live = np.delete(np.arange(NUM_CARDS), runouts.board)
    if enabled:
        classes = card_classes(runouts.board, ranges, locks)
        if classes.max() + 1 < len(live):
            hand_of, hands = _merge_hands(classes, combos)
            if len(hands) <= _WORTHWHILE * len(combos):
                return MergedCards(classes, hand_of, hands, _merge_runouts(runouts, classes), merged=True)
    classes = np.full(NUM_CARDS, -1, dtype=np.int32)
    classes[live] = np.arange(len(live))
    hand_of = np.full(NUM_COMBOS, -1, dtype=np.int32)
    hand_of[combos] = np.arange(len(combos))
    return MergedCards(classes, hand_of, classes[COMBO_CARDS[combos]], runouts, merged=False)


def card_classes(board: Sequence[int], ranges: Sequence[Range], locks: Sequence[LockedNode] = ()) -> Classes:
    """Returns int32[52]: the class of each card of a spot, -1 for cards on the board.

    On the river all interchangeable cards are found. On earlier streets, only cards of one rank are merged, in suits
    that can make no flush.

    :param board: three to five cards.
    :param ranges: float32[1326] weights of OOP and IP.
    :param locks: strategies that are given; a card that one of them names is interchangeable with no other.
    """
    mask = combo_mask(board)
    live = np.delete(np.arange(NUM_CARDS), board)
    weights = [np.where(mask, weights, 0) for weights in ranges]
    keys: list[NDArray[np.float32 | np.int32 | np.bool_]] = [*weights]
    if len(board) == BOARD_CARDS[RIVER]:
        held = (weights[0] > 0) | (weights[1] > 0)
        keys.insert(0, np.where(held, rank_combos(board), 0))
        same = np.ones((len(live), len(live)), dtype=np.bool_)
    else:
        suits = np.bincount([card & 3 for card in board], minlength=4)
        no_flush = (suits + BOARD_CARDS[RIVER] - len(board) < _FLUSH_ON_BOARD)[live & 3]
        same = (live[:, None] >> 2 == live >> 2) & no_flush[:, None] & no_flush
    keys += [key for lock in locks for key in (lock.hands, *lock.strategy)]
    named = np.isin(live, [card for lock in locks for card in lock.dealt if card is not None])
    same[named] = same[:, named] = False
    # Cards a and b are interchangeable if ax and bx are, for every third card x.
    third = _combo_table()[np.ix_(live, live)]
    first, second = np.nonzero(np.triu(same, 1))
    for key in keys:
        by_cards = key[third]
        differ = by_cards[first] != by_cards[second]
        pair = np.arange(len(first))
        differ[pair, first] = differ[pair, second] = False
        equal = ~differ.any(axis=1)
        first, second = first[equal], second[equal]
    same = np.eye(len(live), dtype=np.bool_)
    same[first, second] = same[second, first] = True
    lowest = same.argmax(axis=1)
    classes = np.full(NUM_CARDS, -1, dtype=np.int32)
    classes[live] = np.unique(lowest, return_inverse=True)[1]
    return classes


def _merge_hands(classes: Classes, combos: NDArray[np.integer]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Groups combos by the classes of their cards.

    :returns: int32[1326] the hand of each combo, -1 for combos not in ``combos``; and (hands, 2) its classes.
    """
    pairs = np.sort(classes[COMBO_CARDS[combos]], axis=1)
    keys, inverse = np.unique(pairs[:, 0] * NUM_CARDS + pairs[:, 1], return_inverse=True)
    hand_of = np.full(NUM_COMBOS, -1, dtype=np.int32)
    hand_of[combos] = inverse
    return hand_of, np.stack(np.divmod(keys, NUM_CARDS), axis=1).astype(np.int32)


def _merge_runouts(runouts: Runouts, classes: Classes) -> Runouts:
    """Returns run-outs that deal one card of each class, chosen from those that ``runouts`` deals.

    A card that is not dealt is represented by the dealt card of its class. If no card of its class is dealt, a swap of
    suits leads from its class to the class of a dealt card.
    """
    turns, turn_of, turn_swap = _deal_classes(runouts.turns, runouts.turn_of, runouts.turn_swap, classes)
    rivers: list[NDArray[np.uint8]] = []
    river_of, river_swap = [], []
    first_river = [0]
    for turn in turns:
        start, end = runouts.first_river[turn : turn + 2]
        found, index_of, swap = _deal_classes(
            runouts.rivers[start:end],
            np.where(runouts.river_of[turn] >= 0, runouts.river_of[turn] - start, -1),
            runouts.river_swap[turn],
            classes,
        )
        rivers.append(runouts.rivers[start:end][found])
        river_of.append(np.where(index_of >= 0, index_of + first_river[-1], -1))
        river_swap.append(swap)
        first_river.append(first_river[-1] + len(found))
    stacked = np.stack(river_of).astype(np.int32)
    return replace(
        runouts,
        turns=runouts.turns[turns],
        turn_size=np.bincount(turn_of[turn_of >= 0], minlength=len(turns)).astype(np.int32),
        rivers=np.concatenate(rivers),
        river_size=np.bincount(stacked[stacked >= 0], minlength=first_river[-1]).astype(np.int32),
        first_river=np.array(first_river, dtype=np.int32),
        turn_of=turn_of,
        turn_swap=turn_swap,
        river_of=stacked,
        river_swap=np.stack(river_swap),
    )


def count_copies(cards: MergedCards, boards: Sequence[tuple[int, ...]]) -> Copies:
    """Returns how many hands and cards the merged hands and boards of one street stand for.

    :param boards: the boards of the street that are dealt.
    """
    classes = cards.classes
    first, second = cards.hands.T
    size = np.bincount(classes[classes >= 0])
    dealt = np.array([board[len(cards.runouts.board) :] for board in boards], dtype=np.intp).reshape(len(boards), -1)
    left = size - (classes[dealt][:, :, None] == np.arange(len(size))).sum(axis=1)
    of_first, of_second = left[:, first], left[:, second]
    one_class = first == second
    with_first = np.where(one_class, (of_first - 1) / 2, of_second)
    with_second = np.where(one_class, with_first, of_first)
    ways = np.ones((len(boards), len(cards.hands)))
    if dealt.size:
        last = classes[dealt[:, -1]]
        ways = left[np.arange(len(boards)), last, None] + 1.0 - (cards.hands == last[:, None, None]).sum(axis=2)
    return Copies(
        hands=(of_first * with_first).astype(np.float32),
        with_card=np.stack([with_first, with_second], axis=2).astype(np.float32),
        cards=ways.astype(np.float32),
    )


@cache
def _combo_table() -> NDArray[np.int32]:
    """Returns int32[52, 52]: the combo of two cards; 0 on the diagonal, where both are the same card."""
    table = np.zeros((NUM_CARDS, NUM_CARDS), dtype=np.int32)
    low, high = COMBO_CARDS.T
    table[low, high] = table[high, low] = np.arange(NUM_COMBOS)
    return table


def _deal_classes(
    cards: NDArray[np.uint8], index_of: NDArray[np.int32], swap: NDArray[np.uint8], classes: Classes
) -> tuple[list[int], NDArray[np.int32], NDArray[np.uint8]]:
    """Keeps one dealt card per class; returns the indices of those kept, and the new ``index_of`` and ``swap``."""
    kept: list[int] = []
    covered: dict[int, tuple[int, NDArray[np.uint8]]] = {}
    for position, card in enumerate(cards):
        if int(classes[card]) in covered:
            continue
        # The card itself comes first: it is the lowest of those it stands for.
        for twin in np.flatnonzero(index_of == position):
            covered.setdefault(int(classes[twin]), (len(kept), swap[twin]))
        kept.append(position)
    # A swap of suits maps classes to classes, and classes hold one rank: so every class is covered by now.
    new_index = np.full_like(index_of, -1)
    new_swap = np.zeros_like(swap)
    for card in np.flatnonzero(index_of >= 0):
        new_index[card], new_swap[card] = covered[int(classes[card])]
    return kept, new_index, new_swap
