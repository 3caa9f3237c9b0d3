"""Mixes the rows of a strategy that is followed with some probability with those of a strategy that learns.

A player draws a lot once per hand, hidden from the opponent: with some probability it follows a fixed *model*, else its
*free* strategy. What the opponent meets at a decision is the mixture of both, weighted by how often each of them gets
there. The other kernels take rows of any scale as a strategy, so the sums of both reaches are stored as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgehog.runtime.jit import njit
from hedgehog.solver.cfr.array_types import Floats
from hedgehog.solver.cfr.kernels._game_kernels import Boards, Program, Programs
from hedgehog.solver.cfr.kernels._simd_kernels import LANES


@njit
def split_reach(reach: Floats, lane: int, here: int, out: int, num_actions: int, rows: Floats, row: int) -> None:
    """Writes the reach of one hand after each action of a decision.

    :param reach: float32 (slots * 16): reach of one block of hands.
    :param lane: number of the hand in its block.
    :param here: first element of the decision's slot.
    :param out: first element of the slot after the first action.
    :param rows: weights of the actions; negative ones count 0, and without a positive one all count alike.
    :param row: first element of the first action's row.
    """
    total = np.float32(0)
    for action in range(num_actions):
        total += max(rows[row + action * LANES + lane], np.float32(0))
    for action in range(num_actions):
        chance = np.float32(1) / np.float32(num_actions)
        if total > 0:
            chance = max(rows[row + action * LANES + lane], np.float32(0)) / total
        reach[out + action * LANES + lane] = reach[here + lane] * chance


@njit
def mix_board(
    mixed: Floats,
    entry: Floats,
    exits: Floats,
    reach: Floats,
    model: Floats,
    free: Floats,
    program: Program,
    slot: int,
    num_blocks: int,
) -> None:
    """Mixes all rows of one board.

    :param entry: float32 (2, blocks * entering lines * 16): reach of model and free strategy.
    :param exits: float32 (2, blocks * exits * 16): receives the reach of the lines that go on to the next level.
    :param reach: float32 (2, slots * 16) of scratch.
    :param slot: number of the board on its level.
    :param num_blocks: number of 16-hand blocks of the player.
    """
    num_exits = program.exit_reach.size
    for block in range(num_blocks):
        for i in range(program.num_roots * LANES):
            for part in range(2):
                reach[part, i] = entry[part, block * program.num_roots * LANES + i]
        base = program.opp_base + (slot * num_blocks + block) * program.opp_stride
        for i in range(0, program.forward.size, 4):
            here, out = program.forward[i], program.forward[i + 1]
            num_actions, row = program.forward[i + 2], base + program.forward[i + 3]
            for lane in range(LANES):
                split_reach(reach[0], lane, here, out, num_actions, model, row)
                split_reach(reach[1], lane, here, out, num_actions, free, row)
            for at in range(num_actions * LANES):
                mixed[row + at] = reach[0, out + at] + reach[1, out + at]
        for number in range(num_exits):
            for lane in range(LANES):
                for part in range(2):
                    exits[part, (block * num_exits + number) * LANES + lane] = reach[
                        part, program.exit_reach[number] + lane
                    ]


@njit(nogil=True)
def mix_strategies(
    mixed: Floats,
    root_exits: Floats,
    exits: Floats,
    reach: Floats,
    entry: Floats,
    model: Floats,
    free: Floats,
    boards: Boards,
    programs: Programs,
    num_blocks: int,
) -> None:
    """Fills the rows of all boards with the reach of model and free strategy after each action.

    :param mixed: receives the rows, flat in the order of :class:`~hedgehog.solver.cfr.layout.Layout`, as ``model`` and
        ``free``.
    :param root_exits: float32 (2, blocks * exits of the first level * 16) of scratch.
    :param exits: float32 (2, blocks * exits of the second level * 16) of scratch.
    :param reach: float32 (2, reach slots * 16) of scratch.
    :param entry: float32 (2, blocks * 16): probability of following the model, and of playing freely.
    :param programs: the programs with which the *other* player is updated.
    :param num_blocks: number of 16-hand blocks of the player whose strategies these are.
    """
    root, second, third = programs
    levels = boards.level_start.size - 1
    first: Any = np.int64(0)
    mix_board(mixed, entry, root_exits, reach, model, free, root, first, num_blocks)
    if levels == 1:
        return
    for board in range(boards.children[0], boards.children[1]):
        slot = board - boards.level_start[1]
        mix_board(mixed, root_exits, exits, reach, model, free, second, slot, num_blocks)
        if levels > 2:
            for below in range(boards.children[board], boards.children[board + 1]):
                slot = below - boards.level_start[2]
                mix_board(mixed, exits, exits, reach, model, free, third, slot, num_blocks)
