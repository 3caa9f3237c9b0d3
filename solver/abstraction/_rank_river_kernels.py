"""Passes over a turn whose rivers are played by groups of hands (:mod:`hedgehog.solver.abstraction.rank_rivers`).

The turn is that of :mod:`hedgehog.solver.cfr.kernels._board_kernels`. Below it, a line that goes on carries the weight
of single hands, one vector of lines per hand (``lines``). A river adds them up by group, plays its betting lines on
groups as a board of merged cards does, and leaves the values of its groups in ``out``. The turn then adds up, for each
of its hands, the values of the hand's groups on all rivers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hedgehog.runtime.jit import lean_njit
from hedgehog.solver.abstraction.rank_rivers import RankRivers
from hedgehog.solver.cfr.array_types import Floats
from hedgehog.solver.cfr.kernels._block_kernels import (
    evaluate_block,
    fold_tile,
    forward_block,
    showdown_tile,
    update_block,
)
from hedgehog.solver.cfr.kernels._board_kernels import (
    BEST_RESPONSE,
    UPDATE,
    Pass,
    Passes,
    backward_level,
    forward_level,
    pass_of,
    terminals,
)
from hedgehog.solver.cfr.kernels._game_kernels import Program, Programs
from hedgehog.solver.cfr.kernels._simd_kernels import (
    LANES,
    fma,
    keep_out_of_line,
    load,
    splat_at,
    store,
    transpose,
    transpose_from,
    zeros,
)
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

FORWARD, RIVERS, BACKWARD = 0, 1, 2
NUM_PHASES = 3
"""Phases of a pass, which threads share task by task (:mod:`hedgehog.solver.cfr.kernels._team_kernels`).

``FORWARD`` walks the blocks of the turn down, ``RIVERS`` plays the classes of rivers, then the terminal lines of the
turn, and ``BACKWARD`` adds up the rivers and walks the blocks of the turn up."""


class RiverScratch(NamedTuple):
    """Buffers of passes. ``width`` is the number of lines that go on to the river, rounded up to whole vectors."""

    lines: Floats
    """(16 * blocks * width): the opponent's weight of every hand on each line that goes on."""
    out: Floats
    """(rivers, (groups + 1) * width): values of the groups at the lines that enter, with a row of zeros at the end."""
    entering: Floats
    """(threads, padded groups * width): the opponent's mean weight of every group on each line that enters."""
    tiles: Floats
    """(threads, tiles * (groups + 1) * 16): terminal lines, first as reach, then as own values."""
    sums: Floats
    """(threads, card classes * 16): opponent reach by class of cards."""
    ties: Floats
    """(threads, groups * 16): values of one run of ties."""
    child_values: Floats
    """(16 * blocks * lines): values of the turn's hands at the lines that go on, ``[block][line][16]``."""
    weight: float
    """Probability of each river card."""


@lean_njit
def width_of(num_lines: int) -> int:
    """Returns a number of lines rounded up to whole vectors."""
    return (num_lines + LANES - 1) // LANES * LANES


@lean_njit
def spread_lines(run: Pass, scratch: RiverScratch, num_lines: int, first_block: int, last_block: int) -> None:
    """Turns the exits of the turn from ``[block][line][16 hands]`` into one vector of lines per hand."""
    keep_out_of_line()
    width = width_of(num_lines)
    exits, lines = run.scratch.entry[-1], scratch.lines
    for block in range(first_block, last_block):
        for lane in range(LANES):
            at = (block * LANES + lane) * width
            origin = block * num_lines * LANES + lane
            for line in range(num_lines):
                lines[at + line] = exits[origin + line * LANES]


@lean_njit
def gather_groups(rivers: RankRivers, scratch: RiverScratch, own: int, board: int, num_lines: int, thread: int) -> None:
    """Fills ``entering`` with the mean weight of the opponent's hands in every group of a river."""
    keep_out_of_line()
    width = width_of(num_lines)
    entering, lines = scratch.entering[thread], scratch.lines
    group, copies, share = rivers.group[1 - own][board], rivers.copies[1 - own][board], rivers.share[board]
    num_groups = rivers.num_groups[board]
    blocks = rivers.first_block[board + 1] - rivers.first_block[board]
    for i in range(0, (blocks * LANES) * width, LANES):
        store(entering, i, zeros())
    for hand in range(group.size):
        if group[hand] < num_groups:
            times = splat_at(copies, hand)
            at, origin = group[hand] * width, hand * width
            for line in range(0, width, LANES):
                store(entering, at + line, fma(load(lines, origin + line), times, load(entering, at + line)))
    for number in range(num_groups):
        mean = splat_at(share, number)
        for i in range(number * width, (number + 1) * width, LANES):
            store(entering, i, load(entering, i) * mean)


@lean_njit
def play_river(
    run: Pass,
    rivers: RankRivers,
    scratch: RiverScratch,
    discounts: Floats,
    program: Program,
    own: int,
    board: int,
    thread: int,
) -> None:
    """Runs one pass over one class of rivers and leaves the values of its groups in ``out``."""
    keep_out_of_line()
    num_lines = program.num_roots
    width = width_of(num_lines)
    gather_groups(rivers, scratch, own, board, num_lines, thread)
    entering, tiles, out = scratch.entering[thread], scratch.tiles[thread], scratch.out[board]
    reach, values = run.scratch.reach[thread], run.scratch.values[thread]
    positions = run.scratch.positions[thread]
    num_groups, first_block = rivers.num_groups[board], rivers.first_block[board]
    blocks = rivers.first_block[board + 1] - first_block
    tile_size = (rivers.share.shape[1] + 1) * LANES
    num_reached = program.line_reach.size // LANES
    num_tiles = program.line_value.size // LANES
    for block in range(blocks):
        for lane in range(LANES):
            origin = (block * LANES + lane) * width
            for line in range(num_lines):
                reach[line * LANES + lane] = entering[origin + line]
            positions[lane] = min(block * LANES + lane, num_groups) * LANES
        base = program.opp_base + (first_block + block) * program.opp_stride
        forward_block(reach, run.opp_strategy, program.forward, base, program.opp_stride)
        for tile in range(num_reached):
            transpose(tiles, tile * tile_size, positions, 0, reach, program.line_reach, tile * LANES)
    river_terminals(rivers, scratch, program, board, thread)
    for block in range(blocks):
        for lane in range(LANES):
            positions[lane] = min(block * LANES + lane, num_groups) * LANES
        for tile in range(num_tiles):
            transpose_from(values, program.line_value, tile * LANES, tiles, tile * tile_size, positions, 0)
        base = program.own_base + (first_block + block) * program.own_stride
        if run.mode == UPDATE:
            update_block(
                values, run.regret, run.average, program.backward, base, program.own_stride, discounts[0], discounts[1],
                discounts[2], int(discounts[3])
            )  # fmt: skip
        else:
            evaluate_block(
                values, run.average, run.regret, program.backward, base, program.own_stride, run.mode == BEST_RESPONSE,
                False
            )  # fmt: skip
        for lane in range(min(LANES, num_groups - block * LANES)):
            at = (block * LANES + lane) * width
            for line in range(num_lines):
                out[at + line] = values[line * LANES + lane]
    for i in range(num_groups * width, (num_groups + 1) * width, LANES):
        store(out, i, zeros())


@lean_njit
def river_terminals(rivers: RankRivers, scratch: RiverScratch, program: Program, board: int, thread: int) -> None:
    """Turns the opponent's reach of terminal lines into own values on one river, tile by tile and in place."""
    keep_out_of_line()
    tiles, sums, ties = scratch.tiles[thread], scratch.sums[thread], scratch.ties[thread]
    cards, counts, tie_ends = rivers.cards[board], rivers.counts[board], rivers.tie_ends[board]
    num_groups = rivers.num_groups[board]
    tile_size = (rivers.share.shape[1] + 1) * LANES
    num_reached = program.line_reach.size // LANES
    num_filled = program.line_value.size // LANES - num_reached
    for tile in range(num_reached):
        factors = tile * 4 * LANES
        fold, fold_factors = -1, 0
        if tile < num_filled:
            fold, fold_factors = (num_reached + tile) * tile_size, (num_reached + tile) * 4 * LANES
        if tile < program.num_showdown_tiles:
            showdown_tile(
                tiles, tile * tile_size, sums, ties, cards, counts, tie_ends, rivers.num_ties[board], num_groups,
                program.factors, factors, fold, fold_factors
            )  # fmt: skip
        else:
            fold_tile(tiles, tile * tile_size, sums, cards, counts, num_groups, program.factors, factors)


@lean_njit
def add_rivers(
    run: Pass, rivers: RankRivers, scratch: RiverScratch, own: int, num_lines: int, first_block: int, last_block: int
) -> None:
    """Adds up the values of the turn's hands over all rivers, in some blocks."""
    keep_out_of_line()
    width = width_of(num_lines)
    group, copies = rivers.group[own], rivers.copies[own]
    for block in range(first_block, last_block):
        for lane in range(LANES):
            hand = block * LANES + lane
            to = block * num_lines * LANES + lane
            for first in range(0, width, LANES):
                total = zeros()
                for board in range(group.shape[0]):
                    at = group[board, hand] * width + first
                    total = fma(load(scratch.out[board], at), splat_at(copies[board], hand), total)
                store(scratch.lines, hand * width + first, total)
            # Nobody reads the weights in ``lines`` any more.
            for line in range(num_lines):
                scratch.child_values[to + line * LANES] = scratch.lines[hand * width + line] * scratch.weight


@lean_njit
def num_tasks(run: Pass, rivers: RankRivers, root: Program, phase: int) -> int:
    """Returns the number of independent tasks of a phase."""
    count: int = run.sides.own_hands.size // LANES
    if phase == FORWARD:
        count = run.sides.opp_hands.size // LANES
    elif phase == RIVERS:
        count = rivers.num_groups.size + root.line_reach.size // LANES
    return count


@lean_njit
def run_tasks(
    run: Pass,
    rivers: RankRivers,
    scratch: RiverScratch,
    discounts: Floats,
    programs: Programs,
    own: int,
    phase: int,
    first: int,
    last: int,
    thread: int,
) -> None:
    """Runs the tasks ``first .. last - 1`` of a phase on one thread."""
    keep_out_of_line()
    boards, sides = run.boards, run.sides
    root, second, _ = programs
    board = boards.level_start[0]
    if phase == FORWARD:
        forward_level(run, root, board, thread, first, last)
        spread_lines(run, scratch, second.num_roots, first, last)
    elif phase == RIVERS:
        count = rivers.num_groups.size
        for river in range(first, min(last, count)):
            play_river(run, rivers, scratch, discounts, second, own, river, thread)
        terminals(
            boards, sides, root, board, run.scratch.tiles[0], board, run.scratch.sums[thread], run.scratch.ties[thread],
            max(first, count) - count, max(last, count) - count
        )  # fmt: skip
    else:
        add_rivers(run, rivers, scratch, own, second.num_roots, first, last)
        backward_level(run, discounts, root, board, scratch.child_values, run.scratch.root, thread, first, last)


@lean_njit(nogil=True)
def run_river_passes(
    passes: Passes,
    rivers: RankRivers,
    scratch: RiverScratch,
    schedule: Floats,
    first: int,
    last: int,
    num_threads: int,
) -> None:
    """Runs passes as :func:`hedgehog.solver.cfr.kernels._pass_kernels.run_passes` does, with the rivers of groups.

    :param schedule: float32 (iterations, 5): one row of discounts per iteration, the first for pass ``first``.
    :param num_threads: number of threads that have scratch. With 1, nothing is shared.
    """
    thread: Any = np.int64(0)
    team = passes.scratch.team
    for index in range(first, last):
        own = index & 1
        discounts = schedule[(index >> 1) - (first >> 1)]
        run = pass_of(passes, own)
        root = passes.programs[own][0]
        for phase in range(NUM_PHASES):
            count = num_tasks(run, rivers, root, phase)
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
                run_tasks(run, rivers, scratch, discounts, passes.programs[own], own, phase, task, end, thread)
                if num_threads == 1:
                    break
                finish_task(team)
            if num_threads > 1:
                wait_for_tasks(team, count)


@lean_njit(nogil=True)
def assist_rivers(
    passes: Passes,
    rivers: RankRivers,
    scratch: RiverScratch,
    schedule: Floats,
    first: int,
    last: int,
    num_threads: int,
    thread: int,
) -> None:
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
            count = num_tasks(pass_of(passes, own), rivers, passes.programs[own][0], phase)
            number, owner, place = take_task(team, thread, opened, count)
        if not number:
            wait_for_phase(team, thread, opened)
            continue
        index, phase = (number - 1) // NUM_PHASES, (number - 1) % NUM_PHASES
        own = index & 1
        run = pass_of(passes, own)
        count = num_tasks(run, rivers, passes.programs[own][0], phase)
        task = share_start(team, owner, count) + place
        if task < share_start(team, owner + 1, count):
            discounts = schedule[(index >> 1) - (first >> 1)]
            run_tasks(run, rivers, scratch, discounts, passes.programs[own], own, phase, task, task + 1, thread)
            finish_task(team)
