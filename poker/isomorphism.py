"""Suit isomorphism: boards that differ only by a relabelling of suits form one class.

A board is a *set* of cards. There are 1,755 classes of flops, 16,432 classes of boards of four cards, and 134,459
classes of boards of five. Every class has a representative, its highest board: ``Qs Js 2h`` represents all flops of
queen, jack and two in which the queen and the jack have the same suit and the two another one.

The permutation stored for a board maps **the board onto its representative**. So a hand ``h`` held on the real board
corresponds to ``COMBO_PERMUTATIONS[permutation, h]`` on the representative, and a table made for the representative
is read as ``table[COMBO_PERMUTATIONS[permutation]]`` to get it in the order of the real hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import permutations
from math import comb
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker._isomorphism_kernels import BoardClasses, board_index_kernel, group_boards_kernel
from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, format_cards, ordered_combo
from hedgehog.runtime.errors import CardError

__all__ = [
    "BINOMIALS",
    "COMBO_PERMUTATIONS",
    "INVERSE_PERMUTATIONS",
    "NUM_BOARD_CLASSES",
    "SUIT_PERMUTATIONS",
    "BoardClasses",
    "board_class",
    "board_classes",
    "board_index",
    "class_name",
    "flop_class",
    "flop_pattern",
    "flop_representative",
    "frozen",
    "permute_cards",
    "permute_combos",
]

NUM_BOARD_CLASSES: Final = {3: 1755, 4: 16_432, 5: 134_459}
"""Number of classes of boards under relabelling of suits, by number of board cards."""

T = TypeVar("T", bound=np.generic)


def frozen(array: NDArray[T]) -> NDArray[T]:
    """Returns an array after making it read-only, as every array that is shared by its users must be."""
    array.flags.writeable = False
    return array


SUIT_PERMUTATIONS: Final = frozen(np.array(list(permutations(range(4))), dtype=np.uint8))
"""uint8 array of shape (24, 4): the new suit for each permutation and old suit; permutation 0 changes nothing."""

INVERSE_PERMUTATIONS: Final = frozen(
    np.array(
        [np.flatnonzero((np.argsort(row) == SUIT_PERMUTATIONS).all(axis=1))[0] for row in SUIT_PERMUTATIONS],
        dtype=np.uint8,
    )
)
"""uint8 array of shape (24,): the permutation that undoes each permutation."""

BINOMIALS: Final = frozen(np.array([[comb(n, k) for k in range(6)] for n in range(53)], dtype=np.int32))
"""int32 array of shape (53, 6): ``BINOMIALS[n, k]`` = n over k."""


def _combo_permutations() -> NDArray[np.int16]:
    cards = (COMBO_CARDS & ~np.uint8(3)) | SUIT_PERMUTATIONS[:, COMBO_CARDS & 3]
    low, high = cards.min(axis=2).astype(np.int64), cards.max(axis=2).astype(np.int64)
    table: NDArray[np.int16] = ordered_combo(low, high).astype(np.int16)
    return table


COMBO_PERMUTATIONS: Final = frozen(_combo_permutations())
"""int16 array of shape (24, 1326): the combo that each combo becomes under each suit permutation."""


@cache
def board_classes(num_cards: int) -> BoardClasses:
    """Returns the classes of all boards of 3, 4 or 5 cards as read-only arrays, which are made once per process.

    The arrays ``class_of`` and ``permutation_of`` have the board with card ids ``cards`` at index
    ``board_index_kernel(cards, BINOMIALS)``.
    """
    num_boards = comb(NUM_CARDS, num_cards)
    num_classes = NUM_BOARD_CLASSES[num_cards]
    classes = BoardClasses(
        class_of=np.full(num_boards, -1, dtype=np.int32),
        permutation_of=np.zeros(num_boards, dtype=np.uint8),
        representatives=np.zeros((num_classes, num_cards), dtype=np.uint8),
        multiplicities=np.zeros(num_classes, dtype=np.int32),
    )
    group_boards_kernel(*classes, SUIT_PERMUTATIONS, INVERSE_PERMUTATIONS, BINOMIALS)
    for array in classes:
        frozen(array)
    return classes


def board_index(board: Sequence[int]) -> int:
    """Returns the index 0..C(52, k)-1 of a board of k cards among all sets of k cards; the order does not matter.

    :param board: 3 to 5 different card ids.
    :raises CardError: if the cards are not 3 to 5 different card ids.
    """
    cards = [int(card) for card in board]
    if not 3 <= len(cards) <= 5:
        raise CardError(f"expected a board of three to five cards, got {len(cards)}")
    if len(set(cards)) != len(cards) or not all(0 <= card < NUM_CARDS for card in cards):
        raise CardError(f"expected different card ids from 0 to {NUM_CARDS - 1}, got {cards}")
    return int(board_index_kernel(np.array(cards, dtype=np.uint8), BINOMIALS))


def board_class(board: Sequence[int]) -> tuple[int, int]:
    """Returns the class of a board and the suit permutation that maps the board onto the class's representative.

    :param board: 3, 4 or 5 different card ids in any order; the classes are those of ``board_classes(len(board))``.
    :returns: the class index and the permutation index 0..23 (a row of :data:`SUIT_PERMUTATIONS`).
    :raises CardError: if the cards are not 3 to 5 different card ids.
    """
    index = board_index(board)
    classes = board_classes(len(board))
    return int(classes.class_of[index]), int(classes.permutation_of[index])


def flop_class(flop: Sequence[int]) -> tuple[int, int]:
    """Returns the class 0..1754 of a flop and the suit permutation 0..23 that maps the flop onto the representative.

    :param flop: three different card ids in any order.
    :raises CardError: if the flop is not three different cards.
    """
    if len(flop) != 3:
        raise CardError(f"expected a flop of three cards, got {len(flop)}")
    return board_class(flop)


def flop_representative(class_index: int) -> tuple[int, int, int]:
    """Returns the representative of a flop class 0..1754 as three card ids, highest card first."""
    high, middle, low = board_classes(3).representatives[class_index].tolist()
    return high, middle, low


def class_name(num_cards: int, class_index: int) -> str:
    """Returns the representative of a board class as text, highest card first, for example ``Qs Js 2h``.

    :param num_cards: number of board cards, 3 to 5.
    :param class_index: number of the class, from 0.
    """
    return format_cards(board_classes(num_cards).representatives[class_index], " ")


def flop_pattern(flop: Sequence[int]) -> str:
    """Returns the name of the suit and rank pattern of a flop.

    :param flop: three different card ids.
    :returns: ``rainbow``, ``two-tone`` or ``monotone`` if the ranks differ, else ``paired rainbow``,
        ``paired two-tone`` or ``trips``.
    """
    num_ranks = len({card >> 2 for card in flop})
    if num_ranks == 1:
        return "trips"
    suits = {1: "monotone", 2: "two-tone", 3: "rainbow"}[len({card & 3 for card in flop})]
    return f"paired {suits}" if num_ranks == 2 else suits


def permute_cards(cards: Sequence[int], permutation: int) -> list[int]:
    """Returns card ids with their suits relabelled by a suit permutation 0..23, in the order given."""
    row = SUIT_PERMUTATIONS[permutation]
    return [int(card) & ~3 | int(row[int(card) & 3]) for card in cards]


def permute_combos(values: NDArray[Any], permutation: int) -> NDArray[Any]:
    """Returns values of combos in the order of the combos after a suit permutation.

    ``permute_combos(v, p)[..., COMBO_PERMUTATIONS[p, h]] == v[..., h]`` for every combo ``h``. With a board's
    permutation this turns values for the real hands into values for hands on the representative. The permutation
    ``INVERSE_PERMUTATIONS[p]`` turns them back.

    :param values: array of shape (..., 1326).
    :param permutation: suit permutation 0..23.
    """
    if values.shape[-1] != NUM_COMBOS:
        raise ValueError(f"expected values of shape (..., {NUM_COMBOS}), got {values.shape}")
    return np.asarray(values[..., COMBO_PERMUTATIONS[INVERSE_PERMUTATIONS[permutation]]])
