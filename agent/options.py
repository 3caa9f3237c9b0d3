"""The answer of a player at a decision: every legal action that it considers, and how likely each hand takes it."""

from __future__ import annotations

from collections.abc import Iterable
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

    def row(self, action: Action) -> NDArray[np.float64] | None:
        """Returns (1326,): the probability of an action for every combo; None if it is not among the actions."""
        return self.probabilities[self.actions.index(action)] if action in self.actions else None


def merged_options(actions: Iterable[Action], rows: Iterable[NDArray[np.float64]]) -> Options:
    """Returns the strategy in which the rows of equal actions are added up.

    :param actions: legal actions, of which some may be equal.
    :param rows: (1326,) probabilities of each for every combo.
    """
    merged: dict[Action, NDArray[np.float64]] = {}
    for action, row in zip(actions, rows, strict=True):
        merged[action] = merged[action] + row if action in merged else row
    return Options(list(merged), np.stack(list(merged.values())))
