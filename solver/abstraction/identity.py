"""Identity tests: the groups of hands that have the same value on all boards to come, in three senses.

``global``: the histograms of values over all boards to come are equal. ``hier``: the histograms per class of turn cards
are equal as a multiset; it differs from ``global`` on the flop only. ``river``: the values are equal on every board
that both hands miss, and the histograms of the other boards are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.solver.abstraction import _grouping_kernels as kernels
from hedgehog.solver.abstraction.board_classes import Boards
from hedgehog.solver.abstraction.hand_values import HandValues, Measure

Test = Literal["river", "hier", "global"]
TESTS: Final[tuple[Test, ...]] = ("river", "hier", "global")


class Groups(NamedTuple):
    """A partition of hands into groups, each of which shares a strategy."""

    number_of: NDArray[np.int32]
    """(hands,) group of every hand, numbered by the first hand of each group; -1 for hands that are blocked."""
    num_groups: int
    """Number of groups."""


def group_hands(values: HandValues, boards: Sequence[Boards], measure: Measure, test: Test) -> Groups:
    """Returns the groups of hands on some completed boards.

    :param values: values of the hands, on these boards among others.
    :param boards: the boards; ``hier`` makes one histogram per entry.
    """
    mixed = values.mixed[measure]
    rows = [values.rows(some) for some in boards]
    every = np.concatenate(rows)
    live = np.empty(len(values.hands), dtype=np.bool_)
    kernels.live_kernel(live, mixed, every)
    keys = np.zeros(len(values.hands), dtype=np.uint64)
    if test == "hier":
        starts = np.cumsum([0, *(len(some) for some in rows)]).astype(np.int64)
        kernels.nested_histograms_kernel(keys, mixed, every, starts)
    else:
        kernels.histograms_kernel(keys, mixed, every)
    number_of = np.empty(len(values.hands), dtype=np.int32)
    count = kernels.split_kernel(number_of, keys, live, mixed, every, test == "river")
    return Groups(number_of, int(count))
