"""One player's strategies on every board of a solve, as the plain arrays they are stored in.

Code that plays, measures or converts a solved spot reads whole strategies here, instead of asking
:class:`~hedgehog.solver.postflop.solver.PostflopSolver` node by node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class StrategyTable:
    """The weights of one player's actions at all its decisions. ``N`` is the number of nodes of the betting tree.

    At a decision the weight of action ``a`` for hand ``h`` on board ``b`` of the node's street is element
    ``first[node] + b * board_stride[node] + (h // 16) * block_stride[node] + 16 * a + h % 16`` of :attr:`weights`.
    Negative weights count as 0. An action's probability is its weight divided by the sum of the weights of all actions
    at the decision. Where all weights are 0, every action is equally likely.
    """

    weights: NDArray[Any]
    """(elements,) float32, uint8, or uint16 that holds the bits of half floats. The array is shared with the solver,
    so further iterations change it."""
    first: NDArray[np.int64]
    """(N,) first element of each decision of this player, -1 at other nodes."""
    board_stride: NDArray[np.int64]
    """(N,) elements from one board of the node's street to the next."""
    block_stride: NDArray[np.int64]
    """(N,) elements from sixteen hands to the next sixteen."""
    combos: NDArray[np.int64]
    """Combos that the player can hold, ascending."""
    hands: NDArray[np.int64]
    """The hand of each entry of :attr:`combos`. Combos that differ in interchangeable cards only may share a hand."""
    card_classes: NDArray[np.int32]
    """(52,) class of each card, -1 for cards on the board of the root. Cards of one class are interchangeable."""
    boards: tuple[NDArray[np.uint8], ...]
    """Per street from the root's on, (boards, cards): the boards that are solved, each beginning with the board of
    the root. Every other board is solved as one of these: as the one with cards of the same classes, or as the one
    that swapping two suits gives, first on the turn, then on the river. A swap may change neither the board before the
    card nor a range nor a lock."""
    swappable: NDArray[np.bool_]
    """(4, 4) the pairs of suits that the locks of the solve allow to be swapped."""
