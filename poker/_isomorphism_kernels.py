"""Kernels of suit isomorphism: the index of a set of cards, and the orbits of all boards under suit relabelling."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.jit import njit


class BoardClasses(NamedTuple):
    """All boards of ``k`` cards, as sets, grouped into classes that differ only by a relabelling of suits."""

    class_of: NDArray[np.int32]
    """(C(52, k),) class of every board, at the index :func:`board_index_kernel` gives."""
    permutation_of: NDArray[np.uint8]
    """(C(52, k),) the suit permutation 0..23 that maps every board onto the representative of its class."""
    representatives: NDArray[np.uint8]
    """(num_classes, k) the representative of every class, cards descending."""
    multiplicities: NDArray[np.int32]
    """(num_classes,) number of boards in every class."""


@njit
def board_index_kernel(cards: NDArray[np.uint8], binomials: NDArray[np.int32]) -> int:
    """Returns the index 0..C(52, k)-1 of a set of k different cards.

    :param cards: (k,) card ids in any order.
    :param binomials: (53, 6) ``binomials[n, k]`` = n over k.
    """
    index = 0
    for i in range(len(cards)):
        not_above = 0
        for j in range(len(cards)):
            not_above += cards[j] <= cards[i]
        index += binomials[cards[i], not_above]
    return index


@njit
def group_boards_kernel(
    class_of: NDArray[np.int32],
    permutation_of: NDArray[np.uint8],
    representatives: NDArray[np.uint8],
    multiplicities: NDArray[np.int32],
    permutations: NDArray[np.uint8],
    inverses: NDArray[np.uint8],
    binomials: NDArray[np.int32],
) -> int:
    """Groups all boards of k cards into classes under relabelling of suits; returns the number of classes.

    Classes are numbered by their highest boards, in descending order. The highest board of a class is its
    representative.

    :param class_of: (C(52, k),) output, all -1 at the start: the class of every board.
    :param permutation_of: (C(52, k),) output: the suit permutation that maps every board onto the representative.
    :param representatives: (M, k) output: the representative of every class, cards descending.
    :param multiplicities: (M,) output: number of boards in every class.
    :param permutations: (24, 4) the new suit by permutation and old suit.
    :param inverses: (24,) the inverse of every permutation.
    :param binomials: (53, 6) binomial coefficients.
    """
    num_cards = representatives.shape[1]
    found = 0
    board = np.arange(51, 51 - num_cards, -1).astype(np.uint8)
    image = np.empty(num_cards, dtype=np.uint8)
    for index in range(len(class_of) - 1, -1, -1):
        if class_of[index] < 0:
            members = 0
            for permutation in range(len(permutations)):
                for i in range(num_cards):
                    image[i] = (board[i] & ~np.uint8(3)) | permutations[permutation, board[i] & 3]
                image_index = board_index_kernel(image, binomials)
                if class_of[image_index] < 0:
                    class_of[image_index] = found
                    permutation_of[image_index] = inverses[permutation]
                    members += 1
            representatives[found] = board
            multiplicities[found] = members
            found += 1
        # The next lower set: lower the last card that can be lowered, put the ones after it right below.
        place = num_cards - 1
        while place >= 0 and board[place] == num_cards - 1 - place:
            place -= 1
        if place >= 0:
            board[place] -= 1
            for i in range(place + 1, num_cards):
                board[i] = board[i - 1] - 1
    return found
