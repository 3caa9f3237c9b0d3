"""What the hands of one player win on the rivers of a turn that is solved above groups, line by line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.cfr.array_types import Floats


@dataclass(frozen=True, slots=True, eq=False)
class RankRiverValues:
    """Values of one player's hands at the start of every river, if both players follow the averages of the turn.

    Hands of a group have the same value (:mod:`hedgehog.solver.abstraction.rank_rivers`).
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
