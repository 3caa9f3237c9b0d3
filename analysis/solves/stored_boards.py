"""Finds the stored strategy of a player for every board and hand that can be dealt.

A solve stores only one of several boards that differ by the names of suits or by interchangeable (merged) cards.
:class:`~hedgehog.solver.cfr.strategy_table.StrategyTable` lists the stored boards. Which stored board another board
corresponds to is worked out here from the definition, independently of the solver. First for the turn and then for the
river, the dealt card is replaced by a stored card with which it is merged. If there is none, two suits are swapped
first. A swap is allowed if it changes neither the cards already on the board, nor a range, nor a lock. Merged cards
need no swap, because the hands that hold them share their strategies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.solves._simulation_kernels import Seat
from hedgehog.poker.cards import NUM_CARDS, NUM_COMBOS, combo_mask, format_card
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, SUIT_PERMUTATIONS, permute_cards
from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.strategy_table import StrategyTable

# The permutations that swap two suits and leave the others: two suits move.
_SWAPS = [index for index, row in enumerate(SUIT_PERMUTATIONS) if np.count_nonzero(row != np.arange(4)) == 2]


def make_seat(table: StrategyTable, board: Sequence[int], ranges: Sequence[NDArray[np.float32]]) -> Seat:
    """Returns the strategy of a player in the form that the simulation kernels need.

    :param table: the stored strategy.
    :param board: card ids of the board at the root of the solve.
    :param ranges: float32[1326] weights of the combos of both players at the root.
    :raises SpotError: if a board that can be dealt corresponds to none that is stored.
    """
    root = [int(card) for card in board]
    stored = [[tuple(row) for row in boards.tolist()] for boards in table.boards]
    finder = _Finder(root, ranges, table)
    turn_board, turn_permutation = np.zeros(NUM_CARDS, np.int32), np.zeros(NUM_CARDS, np.uint8)
    river_board, river_permutation = np.zeros((NUM_CARDS,) * 2, np.int32), np.zeros((NUM_CARDS,) * 2, np.uint8)
    turns = {root[3]: 0} if len(root) > 3 else {cards[3]: index for index, cards in enumerate(stored[1])}
    rivers: dict[int, dict[int, int]] = {turn: {} for turn in turns}
    for index, cards in enumerate(stored[-1]):
        rivers[cards[3]][cards[4]] = index

    for turn in _next_cards(root, 4):
        swap, like_turn = finder.find(turn, root[:3], turns)
        turn_board[turn], turn_permutation[turn] = turns[like_turn], swap
        for river in _next_cards([*root[:3], turn, *root[4:]], 5):
            like_river = permute_cards([river], swap)[0]
            second, found = finder.find(like_river, [*root[:3], like_turn], rivers[like_turn])
            river_board[turn, river] = rivers[like_turn][found]
            river_permutation[turn, river] = _compose(swap, second)

    hands = np.full(NUM_COMBOS, -1, dtype=np.int16)
    hands[table.combos] = table.hands
    return Seat(
        weights=table.weights,
        first=table.first,
        board_stride=table.board_stride,
        block_stride=table.block_stride,
        halves=_half_values() if table.weights.dtype == np.uint16 else None,
        turn_board=turn_board,
        turn_permutation=turn_permutation,
        river_board=river_board,
        river_permutation=river_permutation,
        hand_of=hands[COMBO_PERMUTATIONS],
    )


class _Finder:
    """Finds the stored card to which a dealt card corresponds."""

    def __init__(self, root: list[int], ranges: Sequence[NDArray[np.float32]], table: StrategyTable) -> None:
        self.root = root
        self.classes = table.card_classes.tolist()
        live = [np.where(combo_mask(root), weights, 0) for weights in ranges]
        self.swaps = [
            swap
            for swap in _SWAPS
            if table.swappable[SUIT_PERMUTATIONS[swap], np.arange(4)].all()
            and all(np.array_equal(weights, weights[COMBO_PERMUTATIONS[swap]]) for weights in live)
        ]

    def find(self, card: int, before: list[int], solved: dict[int, Any]) -> tuple[int, int]:
        """Returns a permutation of suits (0: none) and the card of ``solved`` to which ``card`` then corresponds."""
        swaps = [
            swap
            for swap in self.swaps
            if all(set(permute_cards(cards, swap)) == set(cards) for cards in (self.root, before))
        ]
        for swap in (0, *swaps):
            (like,) = permute_cards([card], swap)
            for found in solved:
                if found == like or self.classes[found] == self.classes[like] >= 0:
                    return swap, found
        raise SpotError(f"the solve holds no board that corresponds to one with the card {format_card(card)}")


def _next_cards(board: list[int], size: int) -> list[int]:
    """Returns the possible cards at place ``size`` of a board: the card that it has there, or all cards left."""
    return board[size - 1 : size] or [card for card in range(NUM_CARDS) if card not in board]


def _compose(first: int, second: int) -> int:
    """Returns the permutation of suits that applies the first permutation and then the second."""
    suits = SUIT_PERMUTATIONS[second][SUIT_PERMUTATIONS[first]]
    return int(np.flatnonzero((suits == SUIT_PERMUTATIONS).all(axis=1))[0])


def _half_values() -> NDArray[np.float32]:
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
