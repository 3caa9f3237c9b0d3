"""Passes over a public tree whose decisions are made per group of hands, while reach and values are kept per hand.

One pass updates one player (*own*) against the strategy of the other (*opp*), board by board as in
:mod:`hedgehog.solver.cfr.kernels._board_kernels`, whose terminals and chance nodes it shares. Within a board it goes
decision by decision over all hands, because what a group does depends on all its hands. Layouts (one letter = one
vector of 16 float32)::

    regret, average   [level][board][row][groups]      row = one action of one decision of that player
    reach, values     [block][slot][16 hands]          scratch for the forest of one board
    tiles, entry      as in :mod:`hedgehog.solver.cfr.kernels._board_kernels`
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.jit import njit, prange
from hedgehog.solver.abstraction._gather_kernels import gather, scatter_add
from hedgehog.solver.abstraction._rule_kernels import choose_rows, hedge_rows, learn_rows, match_rows
from hedgehog.solver.cfr.array_types import Floats, Ints
from hedgehog.solver.cfr.kernels._board_kernels import board_level, exit_row, terminals
from hedgehog.solver.cfr.kernels._chance_kernels import add_board, clear_sums, merge_swaps
from hedgehog.solver.cfr.kernels._game_kernels import Boards, Program, Programs, Sides
from hedgehog.solver.cfr.kernels._general_kernels import Rule
from hedgehog.solver.cfr.kernels._simd_kernels import (
    LANES,
    add_to_word,
    fma,
    keep_out_of_line,
    load,
    maximum,
    peek,
    store,
    transpose,
    transpose_from,
    zeros,
)

LEARN, AVERAGE, BEST_RESPONSE, GROUP_RESPONSE = 0, 1, 2, 3
"""Modes of a pass.

``LEARN`` is an update. ``AVERAGE`` computes the values of the own average strategy, ``BEST_RESPONSE`` those of the best
response in the real game, and ``GROUP_RESPONSE`` those of a greedy response that gives one action to all hands of a
group: from the end of the game to its start, each group takes the action with the largest total of its hands."""


class Partition(NamedTuple):
    """The groups of one player's hands on every board. Boards are numbered level by level."""

    group_of: NDArray[np.int32]
    """(boards, 16 * blocks): the group of every hand; 0 for hands that the board blocks and for padding."""
    weight: NDArray[np.float32]
    """(boards, 16 * blocks): the range weight of every hand, 0 for hands that the board blocks and for padding."""
    width: NDArray[np.int64]
    """(boards): number of groups, rounded up to whole vectors."""
    start: NDArray[np.int64]
    """(boards): where the rows of a board start in the player's regrets and averages."""
    twin: NDArray[np.int32]
    """Empty, or (boards above the last level, largest width): the lowest of the groups that the suit swaps of the
    boards below turn into each other."""


class GroupScratch(NamedTuple):
    """Buffers of a pass. The last row of each is for the root board."""

    reach: Floats
    """(threads + 1, blocks * slots * 16): the opponent's reach on one board."""
    own_reach: Floats
    """(threads + 1, 2 * blocks * slots * 16): own reach on one board of the last level and on one above it."""
    values: Floats
    """(threads + 1, blocks * slots * 16): own values on one board."""
    tiles: Floats
    """(threads + 1, tiles of all levels): terminal lines."""
    sums: Floats
    ties: Floats
    chances: Floats
    """(threads + 1, actions * width): the strategy of one decision."""
    totals: Floats
    """(threads + 1, actions * width): values of the actions of one decision, summed over the hands of each group."""
    mass: Floats
    """(threads + 1, width): own reach at one decision, summed over the hands of each group."""
    entry: Floats
    """(threads + 1, exits * 16 * blocks): opponent reach at the exits of a board."""
    own_entry: Floats
    """(threads + 1, exits * 16 * blocks): own reach at the exits of a board."""
    result: Floats
    """(threads + 1, root values of one board of the last level)."""
    sum: Floats
    """(threads + 1, (1 + swaps) * root values): accumulators of a chance node."""
    child: Floats
    """(boards below the root, root values of one board)."""
    root: Floats
    """(16 * own blocks): value of every hand at the root."""
    positions: NDArray[np.int32]
    """(threads + 1, 16)."""
    ticket: NDArray[np.int64]
    tile_start: NDArray[np.int64]
    """(levels): where a level's tiles start in ``tiles``."""


class GroupPass(NamedTuple):
    """What a pass works with on every board: it updates one player, *own*, against the other, *opp*."""

    mode: int
    discounts: Floats
    """(5): as for :func:`hedgehog.solver.cfr.kernels._general_kernels.learn_block`."""
    rule: Rule
    boards: Boards
    sides: Sides
    own: Partition
    opp: Partition
    opp_strategy: Floats
    regret: Floats
    """Of the updated player, as ``average``."""
    average: Floats
    scratch: GroupScratch


@njit
def walk_down(
    reach: Floats,
    base: int,
    size: int,
    forward: Ints,
    num_roots: int,
    partition: Partition,
    board: int,
    strategy: Floats,
    chances: Floats,
    entry: Floats,
) -> None:
    """Fills the reach of one player's lines on one board.

    :param reach: receives ``[block][slot][16]`` from ``base`` on; each block takes ``size`` elements.
    :param forward: the walk of this player's decisions, ``Program.forward``.
    :param entry: reach of the lines that enter the level, ``[block][line][16]``.
    """
    keep_out_of_line()
    group_of = partition.group_of[board]
    num_blocks = group_of.size // LANES
    width = partition.width[board]
    start = partition.start[board]
    for block in range(num_blocks):
        for r in range(num_roots):
            store(reach, base + block * size + r * LANES, load(entry, (block * num_roots + r) * LANES))
    for i in range(0, forward.size, 4):
        here = base + peek(forward, i)
        out = base + peek(forward, i + 1)
        num_actions = peek(forward, i + 2)
        match_rows(chances, strategy, start + peek(forward, i + 3) // LANES * width, width, num_actions)
        for block in range(num_blocks):
            arriving = load(reach, here + block * size)
            for a in range(num_actions):
                chance = gather(chances, a * width, group_of, block * LANES)
                store(reach, out + block * size + a * LANES, arriving * chance)


@njit
def read_exits(exits: Floats, reach: Floats, base: int, size: int, slots: Ints, num_blocks: int) -> None:
    """Copies the reach of the lines that leave the level to ``exits``, ``[block][exit][16]``."""
    for block in range(num_blocks):
        for e in range(slots.size):
            store(exits, (block * slots.size + e) * LANES, load(reach, base + block * size + peek(slots, e)))


@njit
def own_reach_start(run: GroupPass, level: int) -> int:
    """Returns where own reach on a board of a level starts in ``scratch.own_reach``."""
    return run.scratch.own_reach.shape[1] // 2 if level < run.boards.level_start.size - 2 else 0


@njit
def board_down(run: GroupPass, program: Program, board: int, thread: int) -> None:
    """Carries reach down one board: to the exits of ``thread``, and the opponent's to terminal lines as own values."""
    keep_out_of_line()
    boards, sides, scratch = run.boards, run.sides, run.scratch
    reach, tiles, positions = scratch.reach[thread], scratch.tiles[thread], scratch.positions[thread]
    level = board_level(boards, board)
    num_blocks = sides.opp_hands.size // LANES
    size = reach.size // num_blocks // LANES * LANES
    first: Any = np.int64(0)  # no literal: numba would compile the called functions once more
    entry = sides.root_reach if level == 0 else scratch.entry[exit_row(level - 1, thread)]
    walk_down(
        reach, first, size, program.forward, program.num_roots, run.opp, board, run.opp_strategy,
        scratch.chances[thread], entry
    )  # fmt: skip
    read_exits(scratch.entry[thread], reach, first, size, program.exit_reach, num_blocks)
    tile_size = boards.position.shape[1] * LANES
    num_tiles = program.line_reach.size // LANES
    position = boards.position[board]
    base = scratch.tile_start[level]
    for block in range(num_blocks):
        for lane in range(LANES):
            positions[lane] = peek(position, peek(sides.opp_hands, block * LANES + lane))
        of_block = reach[block * size : (block + 1) * size]
        for t in range(num_tiles):
            transpose(tiles, base + t * tile_size, positions, 0, of_block, program.line_reach, t * LANES)
    terminals(
        boards, sides, program, board, tiles, base, scratch.sums[thread], scratch.ties[thread], first, num_tiles
    )  # fmt: skip
    if run.mode == LEARN and run.rule.weighted:
        own_reach = scratch.own_reach[thread]
        num_blocks = sides.own_hands.size // LANES
        size = own_reach.size // 2 // num_blocks // LANES * LANES
        first = own_reach_start(run, level)
        entry = run.rule.own_root if level == 0 else scratch.own_entry[exit_row(level - 1, thread)]
        walk_down(
            own_reach, first, size, program.own_forward, program.num_roots, run.own, board, run.regret,
            scratch.chances[thread], entry
        )  # fmt: skip
        read_exits(scratch.own_entry[thread], own_reach, first, size, program.own_exit_reach, num_blocks)


@njit
def board_up(run: GroupPass, program: Program, board: int, child_values: Floats, out: Floats, thread: int) -> None:
    """Carries own values up one board to ``out``, the values of its first lines; learns on the way.

    :param child_values: value of every exit, ``[block][exit][16]``.
    """
    keep_out_of_line()
    mode, discounts, rule, own, scratch = run.mode, run.discounts, run.rule, run.own, run.scratch
    values, tiles, positions = scratch.values[thread], scratch.tiles[thread], scratch.positions[thread]
    chances, totals, mass = scratch.chances[thread], scratch.totals[thread], scratch.mass[thread]
    own_reach = scratch.own_reach[thread]
    level = board_level(run.boards, board)
    reach_base = own_reach_start(run, level)
    group_of, weight = own.group_of[board], own.weight[board]
    num_blocks = run.sides.own_hands.size // LANES
    size = values.size // num_blocks // LANES * LANES
    reach_size = own_reach.size // 2 // num_blocks // LANES * LANES
    width, start = own.width[board], own.start[board]
    tile_size = run.boards.position.shape[1] * LANES
    num_tiles = program.line_value.size // LANES
    num_exits = program.exit_value.size
    position = run.boards.position[board]
    for block in range(num_blocks):
        for lane in range(LANES):
            positions[lane] = peek(position, peek(run.sides.own_hands, block * LANES + lane))
        of_block = values[block * size : (block + 1) * size]
        tile = scratch.tile_start[level]
        for t in range(num_tiles):
            transpose_from(of_block, program.line_value, t * LANES, tiles, tile + t * tile_size, positions, 0)
        for e in range(num_exits):
            store(of_block, peek(program.exit_value, e), load(child_values, (block * num_exits + e) * LANES))
    backward = program.backward
    walk = program.own_forward.size
    for i in range(0, backward.size, 5):
        here = peek(backward, i + 1)
        child = peek(backward, i + 2)
        num_actions = peek(backward, i + 3)
        if peek(backward, i) == 0:
            for block in range(num_blocks):
                value = zeros()
                for a in range(num_actions):
                    value = value + load(values, block * size + child + a * LANES)
                store(values, block * size + here, value)
            continue
        walk -= 4
        if mode == BEST_RESPONSE:
            for block in range(num_blocks):
                value = load(values, block * size + child)
                for a in range(1, num_actions):
                    value = maximum(value, load(values, block * size + child + a * LANES))
                store(values, block * size + here, value)
            continue
        row = start + peek(backward, i + 4) // LANES * width
        if mode == AVERAGE:
            match_rows(chances, run.average, row, width, num_actions)
        else:
            for k in range(0, num_actions * width, LANES):
                store(totals, k, zeros())
            for block in range(num_blocks):
                times = load(weight, block * LANES)
                for a in range(num_actions):
                    worth = times * load(values, block * size + child + a * LANES)
                    scatter_add(totals, a * width, group_of, block * LANES, worth)
            if mode == GROUP_RESPONSE:
                choose_rows(chances, totals, width, num_actions)
            elif rule.greedy:
                hedge_rows(chances, run.regret, row, width, num_actions, totals, discounts, rule.per_action)
            else:
                if rule.weighted:
                    for k in range(0, width, LANES):
                        store(mass, k, zeros())
                    arriving = reach_base + peek(program.own_forward, walk)
                    for block in range(num_blocks):
                        worth = load(weight, block * LANES) * load(own_reach, arriving + block * reach_size)
                        scatter_add(mass, 0, group_of, block * LANES, worth)
                learn_rows(chances, run.regret, run.average, rule, row, width, num_actions, totals, mass, discounts)
        for block in range(num_blocks):
            value = zeros()
            for a in range(num_actions):
                chance = gather(chances, a * width, group_of, block * LANES)
                value = fma(chance, load(values, block * size + child + a * LANES), value)
            store(values, block * size + here, value)
    for block in range(num_blocks):
        for r in range(program.num_roots):
            store(out, (block * program.num_roots + r) * LANES, load(values, block * size + r * LANES))
    if mode == LEARN and level < run.boards.level_start.size - 2:
        even_groups(program, own, board, run.regret, run.average, rule.base)


@njit
def even_groups(program: Program, own: Partition, board: int, regret: Floats, average: Floats, base: Floats) -> None:
    """Gives groups that the suit swaps below a board turn into each other the rows of the first of them.

    The rows differ by rounding only, as in :func:`hedgehog.solver.cfr.kernels._chance_kernels.even_twins`.
    """
    if own.twin.size == 0:
        return
    width, start = own.width[board], own.start[board]
    rows = program.own_stride // LANES
    for group in range(width):
        first = own.twin[board, group]
        if first != group:
            for row in range(rows):
                at = start + row * width
                regret[at + group] = regret[at + first]
                average[at + group] = average[at + first]
                base[at + group] = base[at + first]


@njit
def last_board(run: GroupPass, program: Program, board: int, out: Floats, thread: int) -> None:
    """Runs one pass over one board of the last level, which has no exits."""
    keep_out_of_line()
    board_down(run, program, board, thread)
    board_up(run, program, board, run.scratch.values[thread], out, thread)


@njit
def middle_board(run: GroupPass, program: Program, below: Program, board: int, out: Floats, thread: int) -> None:
    """Runs one pass over one board of the middle level of three and over all boards of the last level below it."""
    keep_out_of_line()
    beginning: Any = np.int64(0)
    boards, sides, scratch = run.boards, run.sides, run.scratch
    board_down(run, program, board, thread)
    sums, result = scratch.sum[thread], scratch.result[thread]
    clear_sums(sums, sides, below.num_roots, beginning, sides.own_hands.size // LANES)
    for child in range(boards.children[board], boards.children[board + 1]):
        last_board(run, below, child, result, thread)
        add_board(sums, sides, below.num_roots, boards, child, result, beginning, sides.own_hands.size // LANES)
    merge_swaps(sums, sides, below.num_roots, boards.weight[1], beginning, sides.own_hands.size // LANES)
    board_up(run, program, board, sums, out, thread)


@njit(parallel=True)
def run_children(
    mode: int,
    discounts: Floats,
    rule: Rule,
    boards: Boards,
    sides: Sides,
    own: Partition,
    opp: Partition,
    opp_strategy: Floats,
    regret: Floats,
    average: Floats,
    scratch: GroupScratch,
    second: Program,
    third: Program,
    num_threads: int,
) -> None:
    """Runs one pass over the boards below the root, shared among the threads.

    The fields of :class:`GroupPass` come one by one: numba takes no tuples of tuples into a parallel loop.
    """
    scratch.ticket[0] = 0
    for index in prange(num_threads):
        thread: Any = np.int64(index)
        run = GroupPass(mode, discounts, rule, boards, sides, own, opp, opp_strategy, regret, average, scratch)
        start = boards.children[0]
        count = boards.children[1] - start
        task = add_to_word(scratch.ticket, 0, 1)
        while task < count:
            board, out = start + task, scratch.child[task]
            if boards.level_start.size == 3:
                last_board(run, second, board, out, thread)
            else:
                middle_board(run, second, third, board, out, thread)
            task = add_to_word(scratch.ticket, 0, 1)


@njit(nogil=True)
def run_passes(
    mode: int,
    schedule: Floats,
    rules: tuple[Rule, Rule],
    boards: Boards,
    sides: tuple[Sides, Sides],
    programs: tuple[Programs, Programs],
    partitions: tuple[Partition, Partition],
    opp_strategy: tuple[Floats, Floats],
    regret: tuple[Floats, Floats],
    average: tuple[Floats, Floats],
    scratch: GroupScratch,
    first: int,
    last: int,
    num_threads: int,
) -> None:
    """Runs passes ``first .. last - 1``; pass ``2 * t + p`` updates player ``p`` in iteration ``t``.

    The values of the updated player's hands at the root are left in ``scratch.root``.

    :param schedule: float32 (iterations, 5): one row of ``discounts`` per iteration, the first for pass ``first``.
    :param opp_strategy: per player the array of its strategy while the other is updated.
    """
    beginning: Any = np.int64(0)
    for index in range(first, last):
        own = index & 1
        opponent = 1 - own
        discounts = schedule[(index >> 1) - (first >> 1)]
        side, rule = sides[own], rules[own]
        run = GroupPass(
            mode, discounts, rule, boards, side, partitions[own], partitions[opponent], opp_strategy[opponent],
            regret[own], average[own], scratch
        )  # fmt: skip
        root, second, third = programs[own]
        board: Any = boards.level_start[0]
        if boards.level_start.size == 2:
            last_board(run, root, board, scratch.root, num_threads)
            continue
        board_down(run, root, board, num_threads)
        run_children(
            mode, discounts, rule, boards, side, partitions[own], partitions[opponent], opp_strategy[opponent],
            regret[own], average[own], scratch, second, third, num_threads
        )  # fmt: skip
        sums = scratch.sum[num_threads]
        clear_sums(sums, side, second.num_roots, beginning, side.own_hands.size // LANES)
        start = boards.children[0]
        for child in range(start, boards.children[1]):
            add_board(
                sums, side, second.num_roots, boards, child, scratch.child[child - start], beginning,
                side.own_hands.size // LANES
            )  # fmt: skip
        merge_swaps(sums, side, second.num_roots, boards.weight[0], beginning, side.own_hands.size // LANES)
        board_up(run, root, board, sums, scratch.root, num_threads)
