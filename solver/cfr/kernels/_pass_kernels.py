"""Passes of counterfactual regret minimisation over a whole game: phases of tasks that threads share.

One pass updates one player. :mod:`hedgehog.solver.cfr.kernels._board_kernels` does the work on a board, and
:mod:`hedgehog.solver.cfr.kernels._team_kernels` lets threads take tasks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgehog.runtime.jit import lean_njit
from hedgehog.solver.cfr.array_types import Floats
from hedgehog.solver.cfr.kernels._block_kernels import impose_rows
from hedgehog.solver.cfr.kernels._board_kernels import (
    LEARN,
    TREMBLE,
    UPDATE,
    Pass,
    Passes,
    backward_level,
    final_board,
    forward_level,
    middle_board,
    own_reach_level,
    pass_of,
    terminals,
)
from hedgehog.solver.cfr.kernels._chance_kernels import add_board, add_groups, clear_sums, even_twins, merge_swaps
from hedgehog.solver.cfr.kernels._game_kernels import Program, Programs
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
from hedgehog.solver.cfr.kernels._tremble_kernels import mark_locked

FORWARD, BOARDS, SUM, BACKWARD = 0, 1, 2, 3
NUM_PHASES = 4
"""Phases of a pass, which threads share task by task (:mod:`hedgehog.solver.cfr.kernels._team_kernels`).

``FORWARD`` walks the blocks of the root board down. ``BOARDS`` runs the boards below it, group by group, then the
terminal lines of the root board. ``SUM`` adds up the values of the groups, and ``BACKWARD`` walks the blocks of the
root board up."""


@lean_njit
def num_tasks(run: Pass, root: Program, phase: int) -> int:
    """Returns the number of independent tasks of a phase."""
    count: int = run.sides.own_hands.size // LANES
    if phase == FORWARD:
        own = count if run.mode == LEARN and run.rule.weighted else 0
        count = run.sides.opp_hands.size // LANES + own
    elif phase == BOARDS:
        count = run.scratch.groups.shape[0] + root.line_reach.size // LANES
    elif phase == SUM and run.boards.level_start.size == 2:
        count = 0
    return count


@lean_njit
def run_tasks(run: Pass, discounts: Floats, programs: Programs, phase: int, first: int, last: int, thread: int) -> None:
    """Runs the tasks ``first .. last - 1`` of a phase on one thread."""
    keep_out_of_line()
    boards, sides, scratch = run.boards, run.sides, run.scratch
    root, second, third = programs
    board = boards.level_start[0]
    sums = scratch.sum[-1]
    if phase == FORWARD:
        count = sides.opp_hands.size // LANES
        forward_level(run, root, board, thread, min(first, count), min(last, count))
        if last > count:
            own_reach_level(run, root, board, thread, max(first, count) - count, last - count)
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
                    final_board(run, discounts, second, child, out, thread)
                else:
                    middle_board(run, discounts, second, third, child, out, thread)
                add_board(group, sides, second.num_roots, boards, child, out, board, blocks)
        terminals(
            boards, sides, root, board, scratch.tiles[0], board, scratch.sums[thread], scratch.ties[thread],
            max(first, count) - count, max(last, count) - count
        )  # fmt: skip
    elif phase == SUM:
        for block in range(first, last):
            add_groups(sums, scratch.groups, sides, second.num_roots, block)
    else:
        if boards.level_start.size > 2:
            merge_swaps(sums, sides, second.num_roots, boards.weight[0], first, last)
        backward_level(run, discounts, root, board, sums, scratch.root, thread, first, last)


@lean_njit(nogil=True)
def run_passes(passes: Passes, schedule: Floats, first: int, last: int, num_threads: int) -> None:
    """Runs passes ``first .. last - 1`` of a game; pass ``2 * t + p`` updates player ``p`` in iteration ``t``.

    The values of the updated player's hands at the root are left in ``scratch.root``. Locked rows are restored after
    every pass, so that the pass itself knows nothing of locks. Threads in :func:`assist` share the work; without any,
    this one does all of it.

    :param schedule: float32 (iterations, 5): one row of ``discounts`` per iteration, the first for pass ``first``.
    :param num_threads: number of threads that have scratch. With 1, nothing is shared.
    """
    thread: Any = np.int64(0)
    team = passes.scratch.team
    for index in range(first, last):
        own = index & 1
        discounts = schedule[(index >> 1) - (first >> 1)]
        run = pass_of(passes, own)
        root = passes.programs[own][0]
        # A loop, so that the phase is no literal: numba would compile the phases one by one.
        for phase in range(NUM_PHASES):
            count = num_tasks(run, root, phase)
            task: Any = np.int64(0)
            end = count
            number = index * NUM_PHASES + phase + 1
            if num_threads > 1:
                open_phase(team, number)
            while True:
                if num_threads > 1:
                    found, owner, place = take_task(team, thread, number, count)
                    if not found:
                        break
                    task = share_start(team, owner, count) + place
                    end = task + 1
                run_tasks(run, discounts, passes.programs[own], phase, task, end, thread)
                if num_threads == 1:
                    break
                finish_task(team)
            if num_threads > 1:
                wait_for_tasks(team, count)
        if passes.mode in (UPDATE, LEARN, TREMBLE):
            board, locks = passes.boards.level_start[0], passes.locks[own]
            even_twins(run.sides, root, board, board, run.regret, run.average, run.rule.base)
            impose_rows(locks.rows, locks.wanted, locks.probabilities, run.regret, run.average)
            if passes.mode == TREMBLE:
                even_twins(run.sides, root, board, board, run.losses, run.losses, run.losses)
                mark_locked(locks.rows, locks.wanted, locks.probabilities, run.losses)


@lean_njit(nogil=True)
def assist(passes: Passes, schedule: Floats, first: int, last: int, num_threads: int, thread: int) -> None:
    """Takes tasks of the passes that another thread runs with the same arguments, until that thread says it is over.

    :param thread: number of this thread, from 1 to ``num_threads - 1``.
    """
    team = passes.scratch.team
    while not is_over(team):
        opened = open_number(team)
        own = ((opened - 1) // NUM_PHASES) & 1
        phase = (opened - 1) % NUM_PHASES
        number: Any = np.int64(0)
        owner: Any = np.int64(0)
        place: Any = np.int64(0)
        if opened:
            count = num_tasks(pass_of(passes, own), passes.programs[own][0], phase)
            number, owner, place = take_task(team, thread, opened, count)
        if not number:
            wait_for_phase(team, thread, opened)
            continue
        index, phase = (number - 1) // NUM_PHASES, (number - 1) % NUM_PHASES
        own = index & 1
        run = pass_of(passes, own)
        count = num_tasks(run, passes.programs[own][0], phase)
        task = share_start(team, owner, count) + place
        if task < share_start(team, owner + 1, count):
            discounts = schedule[(index >> 1) - (first >> 1)]
            run_tasks(run, discounts, passes.programs[own], phase, task, task + 1, thread)
            finish_task(team)
