"""What the solver kernels must know about the cards, as plain arrays.

A :class:`CardGame` has one to three levels (streets). Nothing in it is poker: hands are rows with two removal
cards (two hands exclude each other if they share one), boards are rows of strengths. Kuhn poker is one level with
one board; Leduc is two levels with six boards on the second; a flop game is three levels.

A hand may stand for several hands that differ only in interchangeable cards (:mod:`hedgehog.solver.postflop.merging`).
Its removal cards are then classes of cards, and every level says how many hands it stands for on each board
(:class:`Copies`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.cfr.kernels._game_kernels import Boards, Sides
from hedgehog.solver.cfr.kernels._simd_kernels import LANES

BLOCKED = -1
"""Strength of a hand that shares a card with the board."""


@dataclass(frozen=True, slots=True)
class Copies:
    """How many hands and cards each hand and board of one street stands for where cards are merged."""

    hands: NDArray[np.float32]
    """(boards, hands): how many hands that miss the board each hand stands for."""
    with_card: NDArray[np.float32]
    """(boards, hands, 2): how many of these hands hold a given card of the first and of the second removal class. If
    both classes are the same, each number counts half of the hands."""
    cards: NDArray[np.float32]
    """(boards, hands): how many of the cards that the board's last card stands for miss each hand."""


@dataclass(frozen=True, slots=True)
class CardLevel:
    """The boards of one street."""

    strengths: NDArray[np.int32]
    """(boards, hands): strength of every hand, :data:`BLOCKED` where it shares a card with the board. Strengths are
    compared on the last level only; earlier levels may hold 0 for every live hand."""
    parent: NDArray[np.int32]
    """(boards,): number of the board of the previous level that each board follows, ascending. Empty on the first
    level, which has one board."""
    weight: float
    """Probability of each card that leads to this level, given the board before it and two hands that miss it. Not
    used on the first level."""
    swaps: tuple[tuple[int, ...], ...]
    """Per board the swaps (rows of :attr:`CardGame.swaps`) that turn it into one more board each."""
    copies: Copies | None = None
    """None if every hand and every board stands for itself. Either all levels have copies or none has."""


@dataclass(frozen=True, slots=True)
class CardGame:
    """The cards of a game of two players: hands, weights, boards, and which of them exclude each other."""

    cards: NDArray[np.int32]
    """(hands, 2): the two removal cards of every hand that either player may hold. The second removal card of a hand
    with one card is a number that no other hand has."""
    hands: tuple[NDArray[np.int32], NDArray[np.int32]]
    """Per player the hands it may hold, as rows of :attr:`cards`."""
    weights: tuple[NDArray[np.float32], NDArray[np.float32]]
    """Per player the weight of each hand of :attr:`hands`. A merged hand has the weight of one of the hands that it
    stands for."""
    levels: tuple[CardLevel, ...]
    swaps: NDArray[np.int32]
    """(swaps, hands): the hand that each hand becomes by a suit swap. No swap may change either player's weights."""

    @property
    def num_hands(self) -> int:
        """Number of hands that either player may hold."""
        return len(self.cards)

    def total_weights(self, player: int) -> NDArray[np.float64]:
        """Returns float64[hands of ``player``]: each hand's weight times the number of hands it stands for."""
        weights = self.weights[player].astype(np.float64)
        copies = self.levels[0].copies
        return weights if copies is None else weights * copies.hands[0, self.hands[player]]

    def num_blocks(self, player: int) -> int:
        """Returns the number of 16-hand blocks of a player."""
        return -(-len(self.hands[player]) // LANES)

    def num_boards(self, level: int) -> int:
        """Returns the number of boards that are dealt on a level, without their twins by suit swaps."""
        return len(self.levels[level].strengths)


def padded_hands(game: CardGame, player: int) -> NDArray[np.int32]:
    """Returns int32: a player's hands, padded to whole blocks of 16 with the number of hands of the game."""
    padded = np.full(game.num_blocks(player) * LANES, game.num_hands, dtype=np.int32)
    padded[: len(game.hands[player])] = game.hands[player]
    return padded


def boards_bytes(game: CardGame) -> int:
    """Returns the size in bytes of the arrays of :func:`make_boards`."""
    boards, hands = sum(len(level.strengths) for level in game.levels), game.num_hands
    copies = 3 * hands if game.levels[0].copies is not None else 0
    swaps = sum(len(swap) for level in game.levels for swap in level.swaps)
    per_board = 2 * ((hands + 1) + 2 * hands + hands) + 4 * (copies + 2)  # position, cards, ties; counts, two numbers
    return (
        boards * per_board + 2 * 8 * (boards + 1) + 4 * swaps + 4 * (len(game.levels) - 1) + 8 * (len(game.levels) + 1)
    )


def make_boards(game: CardGame) -> Boards:
    """Returns the boards of a game as the kernels read them, with the hands of every board sorted by strength.

    :raises ValueError: if the game has more hands or removal cards than 16 bits can number.
    """
    strengths = np.concatenate([level.strengths for level in game.levels])
    num_boards, num_hands = strengths.shape
    if LANES * max(num_hands, int(game.cards.max())) > np.iinfo(np.int16).max:
        raise ValueError(f"a game of {num_hands:,} hands: the tables of a board hold at most 2,047")
    # 16-bit keys sort by radix; blocked hands go to the end.
    keys = np.where(strengths < 0, np.uint16(0xFFFF), strengths.astype(np.uint16))
    order = np.argsort(keys, axis=1, kind="stable")
    num_live = np.count_nonzero(strengths >= 0, axis=1).astype(np.int32)
    rank = np.arange(num_hands, dtype=np.int16)
    position = np.empty((num_boards, num_hands + 1), dtype=np.int16)
    np.put_along_axis(position, order, np.broadcast_to(rank, order.shape), axis=1)
    position[:, -1] = num_live
    np.minimum(position, num_live[:, None], out=position)
    position *= LANES

    cards = (game.cards.astype(np.int16) * np.int16(LANES))[order].reshape(num_boards, 2 * num_hands)
    sorted_keys = np.take_along_axis(keys, order, axis=1)
    is_end = np.empty((num_boards, num_hands), dtype=np.bool_)
    is_end[:, :-1] = sorted_keys[:, 1:] != sorted_keys[:, :-1]
    is_end[:, -1] = True
    is_end &= rank[None, :] < num_live[:, None]
    num_ties = np.count_nonzero(is_end, axis=1).astype(np.int32)
    tie_ends = np.zeros((num_boards, num_hands), dtype=np.int16)
    board_of_end, end = np.nonzero(is_end)
    tie_ends[board_of_end, np.arange(len(end)) - np.repeat(np.cumsum(num_ties) - num_ties, num_ties)] = end + 1

    level_start = np.cumsum([0, *(len(level.strengths) for level in game.levels)]).astype(np.int64)
    children = np.full(num_boards + 1, num_boards, dtype=np.int64)
    for depth, level in enumerate(game.levels[1:]):
        above = np.arange(level_start[depth], level_start[depth + 1])
        children[above] = level_start[depth + 1] + np.searchsorted(level.parent, np.arange(len(above)))
    swaps = [swap for level in game.levels for swap in level.swaps]
    return Boards(
        position=position,
        cards=cards,
        counts=_counts_in_order(game, order),
        tie_ends=tie_ends,
        num_ties=num_ties,
        num_live=num_live,
        children=children,
        swap_start=np.cumsum([0, *(len(swap) for swap in swaps)]).astype(np.int64),
        swaps=np.array([index for swap in swaps for index in swap], dtype=np.int32),
        weight=np.array([level.weight for level in game.levels[1:]], dtype=np.float32),
        level_start=level_start,
    )


def _counts_in_order(game: CardGame, order: NDArray[np.intp]) -> NDArray[np.float32]:
    """Returns ``Boards.counts``; ``order`` is (boards, hands), the hands of every board by strength."""
    found = [level.copies for level in game.levels if level.copies is not None]
    if not found:
        return np.zeros((0, 0), dtype=np.float32)
    hands = np.concatenate([copies.hands for copies in found])
    counts = np.concatenate([hands[:, :, None], np.concatenate([copies.with_card for copies in found])], axis=2)
    return np.take_along_axis(counts, order[:, :, None], axis=1).reshape(len(order), -1)


def make_sides(game: CardGame, player: int) -> Sides:
    """Returns both players' hands as the kernels read them when ``player`` is updated."""
    opponent = 1 - player
    own = padded_hands(game, player)
    root_reach = np.zeros(game.num_blocks(opponent) * LANES, dtype=np.float32)
    root_reach[: len(game.weights[opponent])] = game.weights[opponent]
    slot_of_hand = np.full(game.num_hands + 1, -1, dtype=np.int32)
    slot_of_hand[game.hands[player]] = np.arange(len(game.hands[player]))
    swaps = np.tile(np.arange(len(own), dtype=np.int32), (len(game.swaps), 1))
    if len(game.swaps):
        swaps[:, : len(game.hands[player])] = slot_of_hand[game.swaps[:, game.hands[player]]]
    found = [level.copies.cards for level in game.levels if level.copies is not None]
    own_copies = np.zeros((0, 0), dtype=np.float32)
    if found:
        # Padding reads the copies of the last hand; its values are zero.
        own_copies = np.take(np.concatenate(found), np.minimum(own, game.num_hands - 1), axis=1)
    return Sides(
        own_hands=own,
        opp_hands=padded_hands(game, opponent),
        absent=np.setdiff1d(game.hands[player], game.hands[opponent]).astype(np.int32),
        own_swaps=swaps,
        own_copies=own_copies,
        own_first=_first_twins(game, swaps),
        root_reach=root_reach,
    )


def _first_twins(game: CardGame, swaps: NDArray[np.int32]) -> NDArray[np.int32]:
    """Returns ``Sides.own_first``; ``swaps`` is (swaps, own hands), as in ``Sides``."""
    boards = sum(len(level.strengths) for level in game.levels[:-1])
    if not len(game.swaps) or not boards:
        return np.zeros((0, 0), dtype=np.int32)
    first = np.tile(np.arange(swaps.shape[1], dtype=np.int32), (boards, 1))
    start = 0
    for above, level in pairwise(game.levels):
        used: dict[int, set[int]] = {}
        for parent, twins in zip(level.parent.tolist(), level.swaps, strict=True):
            used.setdefault(parent, set()).update(twins)
        for parent, indices in used.items():
            row = first[start + parent]
            # The swaps generate a group; a hand's orbit has the same smallest hand from wherever it is reached.
            while True:
                smaller = np.minimum.reduce([row, *(row[swaps[index]] for index in indices)])
                if np.array_equal(smaller, row):
                    break
                row[:] = smaller
        start += len(above.strengths)
    return first
