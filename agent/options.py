"""The answer of a player at a decision: every legal action that it considers, and how likely each hand takes it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.state import Action


class Options(NamedTuple):
    """A mixed strategy at a real decision."""

    actions: list[Action]
    """Legal actions, each once."""
    probabilities: NDArray[np.float64]
    """(actions, 1326): probability of every action for every combo.

    The column of a combo that shares no card with the board sums to one."""
