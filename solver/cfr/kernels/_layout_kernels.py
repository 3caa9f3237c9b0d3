"""Writing the rows of one decision to the regrets or averages of a solver."""

from __future__ import annotations

import numpy as np

from hedgehog.runtime.jit import lean_njit
from hedgehog.solver.cfr.array_types import Floats, Stored
from hedgehog.solver.cfr.kernels._simd_kernels import LANES, load, splat, store


@lean_njit
def write_rows(
    stored: Stored,
    rows: Floats,
    base: int,
    num_rows: int,
    first_row: int,
    num_actions: int,
    num_boards: int,
    num_blocks: int,
    scale: float,
) -> None:
    """Writes one decision of one player on all boards of a level.

    :param stored: flat in the order of :class:`~hedgehog.solver.cfr.layout.Layout`.
    :param rows: float32, flat: ``[action][board][block][16 hands]``.
    :param base: first element of the level in ``stored``.
    :param num_rows: rows of the player on a board of the level.
    :param first_row: the first of them that belongs to the decision.
    :param scale: factor of the numbers.
    """
    factor = splat(np.float32(scale))
    for board in range(num_boards):
        for block in range(num_blocks):
            at = base + ((board * num_blocks + block) * num_rows + first_row) * LANES
            for action in range(num_actions):
                origin = ((action * num_boards + board) * num_blocks + block) * LANES
                store(stored, at + action * LANES, load(rows, origin) * factor)
