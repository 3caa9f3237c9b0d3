"""One player's strategies on every board of a solve, as the plain arrays they are stored in.

What plays, measures or converts a solved spot reads it here, without going through the queries of
:class:`~solver.postflop.solver.PostflopSolver` node by node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class StrategyTable:
    """The weights of one player's actions; ``N`` nodes of the betting tree, ``H`` hands, ``L`` streets.

    At a decision the weight of action ``a`` for hand ``h`` on board ``b`` of the node's street is element
    ``first[node] + b * board_stride[node] + (h // 16) * block_stride[node] + 16 * a + h % 16`` of :attr:`weights`.
    An action's probability is its weight, negative ones counted as 0, divided by the sum of those of all actions;
    where all are 0, every action is equally likely.
    """

    weights: NDArray[Any]
    """(elements,) float32, uint8, or uint16 that holds the bits of half floats. Shared with the solver: further
    iterations change it."""
    first: NDArray[np.int64]
    """(N,) first element of a decision of this player, -1 at other nodes."""
    board_stride: NDArray[np.int64]
    """(N,) elements from one board of the node's street to the next."""
    block_stride: NDArray[np.int64]
    """(N,) elements from sixteen hands to the next sixteen."""
    combos: NDArray[np.int64]
    """Combos that the player can hold, ascending."""
    hands: NDArray[np.int64]
    """The hand of each of them; combos that differ in interchangeable cards only may share one."""
    card_classes: NDArray[np.int32]
    """(52,) class of each card: cards of one class are interchangeable; -1 on the board of the root."""
    boards: tuple[NDArray[np.uint8], ...]
    """Per street from the root's on, (boards, cards): the boards that are solved, each beginning with the board of
    the root. Others are solved as one of these with cards of the same classes; or with two suits swapped, on the turn,
    then on the river, where the swap changes neither the board before the card nor a range, nor a lock."""
    swappable: NDArray[np.bool_]
    """(4, 4) the pairs of suits that the locks of the solve allow to be swapped."""
