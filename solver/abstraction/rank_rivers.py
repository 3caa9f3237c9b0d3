"""Rivers below a turn on which suits are forgotten that can make no flush.

On a river, hands differ in what they beat and in what they block. Where no flush is possible, suits make neither: hands
of the same two ranks are equal but for the cards that they hold. Where a flush is possible, only its suit counts. So
the hands of a river fall into *groups*, and the rivers of a turn into *classes*: cards of one rank whose suit makes no
flush are one river. A turn has 13 to 26 classes of rivers with 60 to 250 groups, in place of 48 rivers with 1,081
hands.

On the turn itself suits that can make no flush are forgotten by :func:`forget_suits`, which leaves 169 to 690 hands.

What is lost is that the hands of a group come to a river with different weights: a missed flush draw is a bluff that
other hands of its ranks are not. Every hand of a group is taken to have their mean weight. Blockers count by card of
each rank and kind of suit, as with merged cards (:mod:`hedgehog.solver.postflop.merging`). Where a flush is possible,
what single hands win without bets on the river takes the place of what their groups win without bets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS
from hedgehog.poker.streets import TURN
from hedgehog.solver.abstraction._rank_river_kernels import NUM_CARD_CLASSES, NUM_RANKS, RankRivers
from hedgehog.solver.cfr.array_types import Floats
from hedgehog.solver.cfr.card_game import CardGame, Copies
from hedgehog.solver.cfr.kernels._simd_kernels import LANES
from hedgehog.solver.postflop.prepared import PreparedSpot

_FLUSH: Final = 3
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class RankRiverValues:
    """What one player's hands win from the start of every river on, if both players follow the averages of the turn.

    Hands of a group have the same value.
    """

    values: Floats
    """float32 (classes, groups + 1, lines): chips won or lost relative to half the pot at the root, times the weight of
    the opponent's hands. The last group of each class is for hands without one."""
    groups: NDArray[np.int32]
    """int32 (classes, 1326): group of each combo."""
    reaches: Floats
    """float32 (lines, 1326): the weights with which the opponent's combos come to the river."""
    line_of: Mapping[int, int]
    """Line by the first node of its river."""
    class_of: Mapping[int, int]
    """Class by the river's card."""

    def at(self, node: int, card: int) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Returns (1326,) and (1326,): the values of the player's combos on a river and the weights of the opponent's.

        :param node: the first node of the river; None is returned if no river begins there.
        :param card: id of the river card.
        """
        line = self.line_of.get(node)
        if line is None:
            return None
        number = self.class_of[card]
        values = self.values[number, self.groups[number], line]
        return values.astype(np.float64), self.reaches[line].astype(np.float64)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SuitlessSpot(PreparedSpot):
    """A turn on which one hand stands for all combos that differ in suits which make no flush.

    Two such cards of one suit are another hand than two of different suits, as ranges treat them differently from the
    deal on. The combos of a hand have their mean weight and a common strategy.
    """

    single: PreparedSpot
    """The turn with a hand for every combo."""


def forget_suits(spot: PreparedSpot) -> SuitlessSpot:
    """Returns a turn whose hands forget suits that make no flush.

    :param spot: a turn without merged cards and without suit isomorphism.
    """
    spot = single_hands(spot)
    hand_of, cards, copies = _suitless_hands(spot)
    hands, places, weights = [], [], []
    for player in (0, 1):
        combos = spot.combos[player]
        held, place = np.unique(hand_of[combos], return_inverse=True)
        mean = np.bincount(place, spot.ranges[player][combos]) / copies.hands[0, held]
        hands.append(held.astype(np.int32))
        places.append(place)
        weights.append(np.maximum(mean, np.finfo(np.float32).tiny).astype(np.float32))
    turn, river = spot.game.levels
    live = np.zeros((1, len(cards)), dtype=np.int32)
    none = Copies(copies.hands[:0], copies.with_card[:0], copies.cards[:0])
    game = CardGame(
        cards=cards,
        hands=(hands[0], hands[1]),
        weights=(weights[0], weights[1]),
        levels=(
            replace(turn, strengths=live, copies=copies),
            replace(river, strengths=live[:0], parent=river.parent[:0], swaps=(), copies=none),
        ),
        swaps=live[:0],
    )
    given = {field.name: getattr(spot, field.name) for field in fields(spot)}
    return SuitlessSpot(**given | {"game": game, "hands": (places[0], places[1])}, single=spot)


def _suitless_hands(spot: PreparedSpot) -> tuple[NDArray[np.int64], NDArray[np.int32], Copies]:
    """Returns (1326,) the hand of each combo, -1 for those that belong to none, (hands, 2) the classes of the cards of
    each hand, and how many combos it stands for."""
    suit = np.arange(NUM_CARDS) & 3
    flush = np.bincount([card & 3 for card in spot.board], minlength=4) + 1 >= _FLUSH
    # Cards of one rank are one class, except in the suits of possible flushes.
    class_of = (np.arange(NUM_CARDS) >> 2) + NUM_RANKS * np.where(flush[suit], suit + 1, 0)
    left = np.ones(NUM_CARDS, dtype=np.bool_)
    left[list(spot.board)] = False
    size = np.bincount(class_of, left, 5 * NUM_RANKS)
    held, suits = np.sort(class_of[COMBO_CARDS], axis=1), suit[COMBO_CARDS]
    suited = (suits[:, 0] == suits[:, 1]) & ~flush[suits[:, 0]]
    key = 2 * (len(size) * held[:, 0] + held[:, 1]) + suited
    live = left[COMBO_CARDS].all(axis=1) & np.isin(key, key[np.concatenate(spot.combos)])
    keys, place, number = np.unique(key[live], return_inverse=True, return_counts=True)
    hand_of = np.full(len(COMBO_CARDS), -1)
    hand_of[live] = place
    cards = np.stack(np.divmod(keys // 2, len(size)), axis=1)
    copies = Copies(
        hands=number[None].astype(np.float32),
        # Of two cards of one class, each counts half of the combos that hold a given one.
        with_card=(number[:, None] / size[cards])[None].astype(np.float32),
        cards=np.ones((1, len(keys)), dtype=np.float32),
    )
    return hand_of, cards.astype(np.int32), copies


def single_hands(spot: PreparedSpot) -> PreparedSpot:
    """Returns a turn with a hand for every combo.

    :param spot: such a turn without merged cards and without suit isomorphism, or what :func:`forget_suits` made of it.
    """
    found = spot.single if isinstance(spot, SuitlessSpot) else spot
    assert found.street == TURN
    assert not found.cards.merged
    assert not len(found.game.swaps)
    return found


class _River(NamedTuple):
    """One class of rivers."""

    group: NDArray[np.int64]
    """(1326,): group of each combo, the number of groups if it cannot be held."""
    copies: NDArray[np.int64]
    """(1326,)."""
    cards: NDArray[np.int64]
    """(groups, 2): classes of cards."""
    counts: NDArray[np.float64]
    """(groups, 3)."""
    all_copies: NDArray[np.int64]
    """(groups,): copies of all combos of the group."""
    tie_ends: NDArray[np.int64]


def rank_rivers(spot: PreparedSpot) -> RankRivers:
    """Returns the classes of rivers of a turn and their groups of hands.

    :param spot: a turn without merged cards and without suit isomorphism, whose game deals all 48 rivers, or what
        :func:`forget_suits` made of one.
    """
    strength_of = _strengths(single_hands(spot))
    rivers = [_river(spot.board, cards, strength_of[cards[0]]) for cards in river_classes(spot.board)]
    group, copies, spread = zip(*(_hands_on(spot, player, rivers) for player in (0, 1)), strict=True)
    most = max(len(river.cards) for river in rivers)
    sizes = np.array([len(river.cards) for river in rivers])
    return RankRivers(
        group=group,
        copies=copies,
        spread=spread,
        first_block=np.concatenate([[0], np.cumsum(-(-sizes // LANES))]).astype(np.int64),
        num_groups=sizes.astype(np.int64),
        share=_stack([1 / river.all_copies for river in rivers], most, np.float32),
        cards=_stack([LANES * river.cards.reshape(-1) for river in rivers], 2 * most, np.int16),
        counts=_stack([river.counts.reshape(-1) for river in rivers], 3 * most, np.float32),
        tie_ends=_stack([river.tie_ends for river in rivers], most, np.int16),
        num_ties=np.array([len(river.tie_ends) for river in rivers], dtype=np.int64),
    )


def _strengths(spot: PreparedSpot) -> dict[int, NDArray[np.int64]]:
    """Returns by river card (1326,): the strength of each combo, -1 for those that are in no range or blocked."""
    number = np.full(len(COMBO_CARDS), -1)
    for player in (0, 1):
        number[spot.combos[player]] = spot.game.hands[player][spot.hands[player]]
    found = {}
    for card, row in zip(spot.cards.runouts.rivers.tolist(), spot.game.levels[1].strengths, strict=True):
        found[card] = np.where(number >= 0, row[number], -1).astype(np.int64)
    return found


def river_classes(board: tuple[int, ...]) -> list[list[int]]:
    """Returns the river cards of each class, in ascending order.

    :param board: the four cards of a turn.
    """
    left = [card for card in range(NUM_CARDS) if card not in board]
    suits = [card & 3 for card in board]
    by_class: dict[tuple[int, int], list[int]] = {}
    for card in left:
        suit = card & 3
        by_class.setdefault((card >> 2, suit if suits.count(suit) + 1 >= _FLUSH else -1), []).append(card)
    return [by_class[key] for key in sorted(by_class)]


def class_by_card(board: tuple[int, ...]) -> dict[int, int]:
    """Returns by river card the number of its class in :func:`river_classes`.

    :param board: the four cards of a turn.
    """
    return {card: number for number, cards in enumerate(river_classes(board)) for card in cards}


def _river(board: tuple[int, ...], rivers: list[int], strength: NDArray[np.int64]) -> _River:
    """Returns one class of rivers.

    :param board: the four cards of the turn.
    :param rivers: the cards of the class.
    :param strength: (1326,): strength of each combo on the board with the first card of the class, -1 for unknown ones.
    """
    suits = [card & 3 for card in (*board, rivers[0])]
    flush = next((suit for suit in range(4) if suits.count(suit) >= _FLUSH), -1)
    deck = np.arange(NUM_CARDS)
    class_of = (deck >> 2) + NUM_RANKS * ((deck & 3) == flush)
    left = np.ones(NUM_CARDS, dtype=np.int64)
    left[list(board)] = 0
    # Cards of each class that are left once a card of the river's class is dealt.
    size = np.bincount(class_of, left, NUM_CARD_CLASSES)
    for card in rivers:
        size[class_of[card]] -= 1 / len(rivers)
    held = np.sort(class_of[COMBO_CARDS], axis=1)
    in_class = np.zeros(NUM_CARDS, dtype=np.int64)
    in_class[rivers] = 1
    copies = np.where(left[COMBO_CARDS].all(axis=1), len(rivers) - in_class[COMBO_CARDS].sum(axis=1), 0)
    key = NUM_CARD_CLASSES * held[:, 0] + held[:, 1]
    known = (strength >= 0) & (copies > 0)
    keys, first = np.unique(key[known], return_index=True)
    strengths = strength[known][first]
    order = np.lexsort((keys, strengths))
    keys, strengths = keys[order], strengths[order]
    place = np.full(NUM_CARD_CLASSES**2, len(keys))
    place[keys] = np.arange(len(keys))
    group = np.where(copies > 0, place[key], len(keys))
    all_copies = np.bincount(group, copies, len(keys) + 1)[:-1]
    cards = np.stack([keys // NUM_CARD_CLASSES, keys % NUM_CARD_CLASSES], axis=1)
    combos = all_copies / len(rivers)
    # Two cards of one class: each number counts half of the hands that hold a given one.
    counts = np.column_stack([combos, combos / size[cards[:, 0]], combos / size[cards[:, 1]]])
    tie_ends = np.flatnonzero(np.append(strengths[1:] != strengths[:-1], True)) + 1
    return _River(group, copies, cards, counts, all_copies.astype(np.int64), tie_ends)


def _hands_on(
    spot: PreparedSpot, player: int, rivers: Sequence[_River]
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
    """Returns ``group``, ``copies`` and ``spread`` of :class:`RankRivers` for a player's hands on the rivers."""
    combos, hands = spot.combos[player], spot.hands[player]
    weights = spot.ranges[player][combos].astype(np.float64)
    padded = spot.game.num_blocks(player) * LANES
    total = np.bincount(hands, weights, padded)
    each = np.zeros(padded)
    each[: len(spot.game.hands[player])] = spot.game.weights[player]
    group = np.empty((len(rivers), padded), dtype=np.int32)
    copies, spread = np.zeros((2, len(rivers), padded), dtype=np.float32)
    for number, river in enumerate(rivers):
        group[number] = len(river.cards)
        live = river.copies[combos] > 0
        group[number][hands[live]] = river.group[combos[live]]
        dealt = np.bincount(hands, weights * river.copies[combos], padded)
        np.divide(dealt, total, out=copies[number], where=total > 0, casting="same_kind")
        np.divide(dealt, each, out=spread[number], where=each > 0, casting="same_kind")
    return group, copies, spread


def _stack(rows: Sequence[NDArray[Any]], width: int, dtype: type[T]) -> NDArray[T]:
    """Returns rows of different lengths as one array, with zeros at their ends."""
    found: NDArray[T] = np.zeros((len(rows), width), dtype=dtype)
    for row, values in zip(found, rows, strict=True):
        row[: len(values)] = values
    return found
