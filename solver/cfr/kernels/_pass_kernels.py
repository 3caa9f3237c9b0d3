"""Passes of counterfactual regret minimisation over a whole game: phases of tasks that threads share.

One pass updates one player. :mod:`hedgehog.solver.cfr.kernels._board_kernels` does the work on a board, and
:mod:`hedgehog.solver.cfr.kernels._team_kernels` lets threads take tasks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgehog.runtime.jit import lean_njit
from hedgehog.solver.cfr.array_types import Floats, Stored
from hedgehog.solver.cfr.kernels._block_kernels import impose_rows
from hedgehog.solver.cfr.kernels._board_kernels import (
    LEARN,
    UPDATE,
    backward_level,
    final_board,
    forward_level,
    middle_board,
    own_reach_level,
    terminals,
)
from hedgehog.solver.cfr.kernels._chance_kernels import add_board, add_groups, clear_sums, even_twins, merge_swaps
from hedgehog.solver.cfr.kernels._game_kernels import Boards, Locks, Program, Programs, Scratch, Sides
from hedgehog.solver.cfr.kernels._general_kernels import Rule
from hedgehog.solver.cfr.kernels._simd_kernels import LANES, keep_out_of_line
from hedgehog.solver.cfr.kernels._team_kernels import (
    finish_task,
    is_over,
    open_number,
    open_phase,
    share_start,
    take_task,
    wait_for_phase,
    wait_for_tasks,
)

FORWARD, BOARDS, SUM, BACKWARD = 0, 1, 2, 3
NUM_PHASES = 4
"""Phases of a pass, which threads share task by task (:mod:`hedgehog.solver.cfr.kernels._team_kernels`).

``FORWARD`` walks the blocks of the root board down. ``BOARDS`` runs the boards below it, group by group, then the
terminal lines of the root board. ``SUM`` adds up the values of the groups, and ``BACKWARD`` walks the blocks of the
root board up."""


@lean_njit
def num_tasks(phase: int, mode: int, rule: Rule, boards: Boards, sides: Sides, root: Program, scratch: Scratch) -> int:
    """Returns the number of independent tasks of a phase."""
    count: int = sides.own_hands.size // LANES
    if phase == FORWARD:
        own = count if mode == LEARN and rule.weighted else 0
        count = sides.opp_hands.size // LANES + own
    elif phase == BOARDS:
        count = scratch.groups.shape[0] + root.line_reach.size // LANES
    elif phase == SUM and boards.level_start.size == 2:
        count = 0
    return count


@lean_njit
def run_tasks(
    phase: int,
    first: int,
    last: int,
    thread: int,
    mode: int,
    discounts: Floats,
    rule: Rule,
    boards: Boards,
    sides: Sides,
    root: Program,
    second: Program,
    third: Program,
    opp_strategy: Stored,
    regret: Stored,
    average: Stored,
    scratch: Scratch,
    num_threads: int,
) -> None:
    """Runs the tasks ``first .. last - 1`` of a phase on one thread."""
    keep_out_of_line()
    tiles = scratch.tiles[0]
    board = boards.level_start[0]
    exits = scratch.entry[num_threads]
    own_exits = rule.own_entry[num_threads]
    own_reach = rule.own_reach[thread]
    sums = scratch.sum[num_threads]
    if phase == FORWARD:
        count = sides.opp_hands.size // LANES
        forward_level(
            boards, sides, root, board, board, opp_strategy, sides.root_reach, exits, scratch.reach[thread], tiles,
            board, scratch.positions[thread], min(first, count), min(last, count)
        )  # fmt: skip
        if last > count:
            blocks = sides.own_hands.size // LANES
            own_reach_level(
                root, board, blocks, regret, rule.own_root, own_exits, own_reach, max(first, count) - count,
                last - count
            )  # fmt: skip
    elif phase == BOARDS:
        blocks = sides.own_hands.size // LANES
        start, end = boards.children[0], boards.children[1]
        count = scratch.groups.shape[0]
        size = -(-(end - start) // max(count, 1))
        out = scratch.out[thread]
        for task in range(first, min(last, count)):
            group = scratch.groups[task]
            clear_sums(group, sides, second.num_roots, board, blocks)
            for child in range(start + task * size, min(start + (task + 1) * size, end)):
                if boards.level_start.size == 3:
                    final_board(
                        mode, discounts, rule, boards, sides, second, child, child - start, opp_strategy, regret,
                        average, exits, own_exits, out, scratch, thread, scratch.tile_start[1]
                    )  # fmt: skip
                else:
                    middle_board(
                        mode, discounts, rule, boards, sides, second, third, child, opp_strategy, regret, average, out,
                        scratch, thread, exits, own_exits
                    )  # fmt: skip
                add_board(group, sides, second.num_roots, boards, child, out, board, blocks)
        terminals(
            boards, sides, root, board, tiles, board, scratch.sums[thread], scratch.ties[thread],
            max(first, count) - count, max(last, count) - count
        )  # fmt: skip
    elif phase == SUM:
        for block in range(first, last):
            add_groups(sums, scratch.groups, sides, second.num_roots, block)
    else:
        if boards.level_start.size > 2:
            merge_swaps(sums, sides, second.num_roots, boards.weight[0], first, last)
        backward_level(
            mode, discounts, rule, boards, sides, root, board, board, regret, average, sums, scratch.root,
            scratch.kept, scratch.values[thread], tiles, board, scratch.positions[thread], rule.own_root, own_reach,
            first, last
        )  # fmt: skip


@lean_njit(nogil=True)
def run_passes(
    mode: int,
    schedule: Floats,
    rules: tuple[Rule, Rule],
    boards: Boards,
    sides: tuple[Sides, Sides],
    programs: tuple[Programs, Programs],
    opp_strategy: tuple[Stored, Stored],
    regret: tuple[Stored, Stored],
    average: tuple[Stored, Stored],
    locks: tuple[Locks, Locks],
    scratch: Scratch,
    first: int,
    last: int,
    num_threads: int,
) -> None:
    """Runs passes ``first .. last - 1`` of a game; pass ``2 * t + p`` updates player ``p`` in iteration ``t``.

    The values of the updated player's hands at the root are left in ``scratch.root``. Locked rows are restored after
    every pass, so that the pass itself knows nothing of locks. Threads in :func:`assist` share the work; without any,
    this one does all of it.

    :param schedule: float32 (iterations, 5): one row of ``discounts`` per iteration, the first for pass ``first``.
    :param opp_strategy: per player the array of his strategy while the other is updated: regrets for an update,
        averages for an evaluation.
    :param num_threads: number of threads that have scratch. With 1, nothing is shared.
    """
    thread: Any = np.int64(0)
    for index in range(first, last):
        own = index & 1
        opponent = 1 - own
        discounts = schedule[(index >> 1) - (first >> 1)]
        side = sides[own]
        root, second, third = programs[own]
        # A loop, so that the phase is no literal: numba would compile the phases one by one.
        for phase in range(NUM_PHASES):
            count = num_tasks(phase, mode, rules[own], boards, side, root, scratch)
            task: Any = np.int64(0)
            end = count
            number = index * NUM_PHASES + phase + 1
            if num_threads > 1:
                open_phase(scratch.team, number)
            while True:
                if num_threads > 1:
                    found, owner, place = take_task(scratch.team, thread, number, count)
                    if not found:
                        break
                    task = share_start(scratch.team, owner, count) + place
                    end = task + 1
                run_tasks(
                    phase, task, end, thread, mode, discounts, rules[own], boards, side, root, second, third,
                    opp_strategy[opponent], regret[own], average[own], scratch, num_threads
                )  # fmt: skip
                if num_threads == 1:
                    break
                finish_task(scratch.team)
            if num_threads > 1:
                wait_for_tasks(scratch.team, count)
        if mode in (UPDATE, LEARN):
            board = boards.level_start[0]
            even_twins(side, root, board, board, regret[own], average[own], rules[own].base)
            impose_rows(locks[own].rows, locks[own].wanted, locks[own].probabilities, regret[own], average[own])


@lean_njit(nogil=True)
def assist(
    mode: int,
    schedule: Floats,
    rules: tuple[Rule, Rule],
    boards: Boards,
    sides: tuple[Sides, Sides],
    programs: tuple[Programs, Programs],
    opp_strategy: tuple[Stored, Stored],
    regret: tuple[Stored, Stored],
    average: tuple[Stored, Stored],
    locks: tuple[Locks, Locks],
    scratch: Scratch,
    first: int,
    last: int,
    num_threads: int,
    thread: int,
) -> None:
    """Takes tasks of the passes that another thread runs with the same arguments, until that thread says it is over.

    :param thread: number of this thread, from 1 to ``num_threads - 1``.
    """
    while not is_over(scratch.team):
        opened = open_number(scratch.team)
        own = ((opened - 1) // NUM_PHASES) & 1
        phase = (opened - 1) % NUM_PHASES
        number: Any = np.int64(0)
        owner: Any = np.int64(0)
        place: Any = np.int64(0)
        if opened:
            count = num_tasks(phase, mode, rules[own], boards, sides[own], programs[own][0], scratch)
            number, owner, place = take_task(scratch.team, thread, opened, count)
        if not number:
            wait_for_phase(scratch.team, thread, opened)
            continue
        index, phase = (number - 1) // NUM_PHASES, (number - 1) % NUM_PHASES
        own = index & 1
        opponent = 1 - own
        root, second, third = programs[own]
        count = num_tasks(phase, mode, rules[own], boards, sides[own], root, scratch)
        task = share_start(scratch.team, owner, count) + place
        if task < share_start(scratch.team, owner + 1, count):
            run_tasks(
                phase, task, task + 1, thread, mode, schedule[(index >> 1) - (first >> 1)], rules[own], boards,
                sides[own], root, second, third, opp_strategy[opponent], regret[own], average[own], scratch,
                num_threads
            )  # fmt: skip
            finish_task(scratch.team)
