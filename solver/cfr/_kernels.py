"""Counterfactual regret minimisation over a public tree of betting lines and boards: the compiled part.

A game has one to three *levels* (streets); every level has *boards*, and on every board the same forest of betting
lines, described by a :class:`~solver.cfr._game_kernels.Program`. Hands are handled sixteen at a time (``block``). One
pass updates one player (*own*) against the current strategy of the other (*opp*)::

    forward    per block of opponent hands: walks the betting forest down, opponent's reach of every line
    terminals  per tile of 16 lines: turns reach into own counterfactual values, in place, SIMD over lines
    backward   per block of own hands: walks the forest up, updates values, regrets and average strategy

Layouts (one letter = one 64-byte vector of 16 float32)::

    regret, average   [level][board][block][row][16 hands]     row = one action of one decision of that player
    reach, values     [slot][16 hands]                         scratch for the forest of one block, stays in L1/L2
    tiles             [tile][position][16 lines]               position = rank of the hand in strength order
    entry, exit       [block][line][16 hands]                  what goes from one level to the next

The 16x16 transposition between ``[line][16 hands]`` and ``[hand][16 lines]`` scatters its rows: a hand's vector can be
written to any tile position, so the tiles are sorted by strength and terminals read them front to back.
Positions end with one *trash* row for hands the board blocks; it reads as zero once the terminals are done.

Chance weights are applied where the values of the next level are added up. Cards that are interchangeable by
a suit swap are dealt once: values go into one accumulator per swap, and the accumulator's hands are permuted
when they are added up. All sums run in a fixed order: results do not depend on the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from runtime.jit import lean_njit
from solver.cfr._block_kernels import (
    evaluate_block,
    fold_tile,
    forward_block,
    impose_rows,
    showdown_tile,
    update_block,
)
from solver.cfr._game_kernels import Boards, Locks, Program, Programs, Scratch, Sides
from solver.cfr._general_kernels import Rule, hedge_block, learn_block
from solver.cfr._simd_kernels import (
    LANES,
    keep_out_of_line,
    load,
    peek,
    splat,
    store,
    transpose,
    transpose_from,
    zeros,
)
from solver.cfr._team_kernels import (
    finish_task,
    is_over,
    open_number,
    open_phase,
    share_start,
    take_task,
    wait_for_phase,
    wait_for_tasks,
)

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Stored = NDArray[Any]  # float32, or uint16 that holds half floats
UPDATE, BEST_RESPONSE, AVERAGE, NOTED_BEST_RESPONSE, LEARN = 0, 1, 2, 3, 4
"""Modes of a pass.

``UPDATE`` is an update of DCFR, ``LEARN`` an update by a :class:`~solver.cfr._general_kernels.Rule`. ``BEST_RESPONSE``
and ``AVERAGE`` compute the values of the own best response and of the own strategy against the strategies in
``average``. ``NOTED_BEST_RESPONSE`` also writes 1 for its actions and 0 for the others into the array that is passed as
own ``regret``, which the other two evaluations neither read nor write."""


@lean_njit
def forward_level(
    boards: Boards,
    sides: Sides,
    program: Program,
    board: int,
    slot: int,
    strategy: Stored,
    entry: Floats,
    exits: Floats,
    reach: Floats,
    tiles: Floats,
    tile_base: int,
    positions: Ints,
    first_block: int,
    last_block: int,
) -> None:
    """Walks the opponent's blocks down the forest of one board and leaves his reach in tiles and ``exits``.

    :param slot: number of the board on its level.
    :param entry: reach of the lines that enter the level, ``[block][line][16]``.
    """
    keep_out_of_line()
    tile_size = boards.position.shape[1] * LANES
    num_tiles = program.line_reach.size // LANES
    num_blocks = sides.opp_hands.size // LANES
    num_exits = program.exit_reach.size
    position = boards.position[board]
    for block in range(first_block, last_block):
        for r in range(program.num_roots):
            store(reach, r * LANES, load(entry, (block * program.num_roots + r) * LANES))
        base = program.opp_base + (slot * num_blocks + block) * program.opp_stride
        forward_block(reach, strategy, program.forward, base, program.opp_stride)
        for e in range(num_exits):
            store(exits, (block * num_exits + e) * LANES, load(reach, peek(program.exit_reach, e)))
        for lane in range(LANES):
            positions[lane] = peek(position, peek(sides.opp_hands, block * LANES + lane))
        for t in range(num_tiles):
            transpose(tiles, tile_base + t * tile_size, positions, 0, reach, program.line_reach, t * LANES)


@lean_njit
def terminals(
    boards: Boards,
    sides: Sides,
    program: Program,
    board: int,
    tiles: Floats,
    tile_base: int,
    sums: Floats,
    ties: Floats,
    first_tile: int,
    last_tile: int,
) -> None:
    """Turns the opponent's reach of terminal lines into own values on one board, tile by tile and in place.

    Tiles count without the folds that the first tiles of showdowns fill (:class:`~solver.cfr._game_kernels.Program`).
    """
    keep_out_of_line()
    tile_size = boards.position.shape[1] * LANES
    num_reached = program.line_reach.size // LANES
    num_filled = program.line_value.size // LANES - num_reached
    num_live = boards.num_live[board]
    cards = boards.cards[board]
    tie_ends = boards.tie_ends[board]
    position = boards.position[board]
    for t in range(first_tile, last_tile):
        tile = tile_base + t * tile_size
        for h in range(sides.absent.size):
            store(tiles, tile + position[sides.absent[h]], zeros())
        factors = t * 4 * LANES
        fold, fold_factors = -1, 0
        if t < num_filled:
            fold, fold_factors = tile_base + (num_reached + t) * tile_size, (num_reached + t) * 4 * LANES
        if boards.counts.size:
            counts = boards.counts[board]
            if t < program.num_showdown_tiles:
                showdown_tile(
                    tiles, tile, sums, ties, cards, counts, tie_ends, boards.num_ties[board], num_live,
                    program.factors, factors, fold, fold_factors
                )  # fmt: skip
            else:
                fold_tile(tiles, tile, sums, cards, counts, num_live, program.factors, factors)
        elif t < program.num_showdown_tiles:
            showdown_tile(
                tiles, tile, sums, ties, cards, None, tie_ends, boards.num_ties[board], num_live, program.factors,
                factors, fold, fold_factors
            )  # fmt: skip
        else:
            fold_tile(tiles, tile, sums, cards, None, num_live, program.factors, factors)


@lean_njit
def own_reach_level(
    program: Program,
    slot: int,
    num_blocks: int,
    strategy: Stored,
    entry: Floats,
    exits: Floats,
    reach: Floats,
    first_block: int,
    last_block: int,
) -> None:
    """Walks the own blocks down the forest of one board and leaves own reach in ``exits``, ``[block][exit][16]``."""
    keep_out_of_line()
    num_exits = program.own_exit_reach.size
    for block in range(first_block, last_block):
        own_reach_block(program, slot, num_blocks, strategy, entry, reach, block)
        for e in range(num_exits):
            store(exits, (block * num_exits + e) * LANES, load(reach, peek(program.own_exit_reach, e)))


@lean_njit
def own_reach_block(
    program: Program, slot: int, num_blocks: int, strategy: Stored, entry: Floats, reach: Floats, block: int
) -> None:
    """Fills the own ``reach`` of one block from the reach of the lines that enter the level, ``entry``."""
    for r in range(program.num_roots):
        store(reach, r * LANES, load(entry, (block * program.num_roots + r) * LANES))
    base = program.own_base + (slot * num_blocks + block) * program.own_stride
    forward_block(reach, strategy, program.own_forward, base, program.own_stride)


@lean_njit
def backward_level(
    mode: int,
    discounts: Floats,
    rule: Rule,
    boards: Boards,
    sides: Sides,
    program: Program,
    board: int,
    slot: int,
    regret: Stored,
    average: Stored,
    child_values: Floats,
    out: Floats,
    kept: Floats,
    values: Floats,
    tiles: Floats,
    tile_base: int,
    positions: Ints,
    own_entry: Floats,
    own_reach: Floats,
    first_block: int,
    last_block: int,
) -> None:
    """Walks the own blocks up the forest of one board; writes the values of its roots to ``out``.

    :param child_values: value of every exit, ``[block][exit][16]``.
    :param own_entry: own reach of the lines that enter the level, ``[block][line][16]``; read only if the rule weights
        averages by it.
    :param kept: if not empty, receives all value slots, ``[block][slot][16]``.
    :param discounts: float32 (5): factors of positive regrets, negative regrets and the average; the iteration; the
        factor of the regrets in a prediction.
    """
    keep_out_of_line()
    tile_size = boards.position.shape[1] * LANES
    num_tiles = program.line_value.size // LANES
    num_blocks = sides.own_hands.size // LANES
    num_exits = program.exit_value.size
    position = boards.position[board]
    for block in range(first_block, last_block):
        for lane in range(LANES):
            positions[lane] = peek(position, peek(sides.own_hands, block * LANES + lane))
        for t in range(num_tiles):
            transpose_from(values, program.line_value, t * LANES, tiles, tile_base + t * tile_size, positions, 0)
        for e in range(num_exits):
            store(values, peek(program.exit_value, e), load(child_values, (block * num_exits + e) * LANES))
        base = program.own_base + (slot * num_blocks + block) * program.own_stride
        if mode == UPDATE:
            update_block(
                values,
                regret,
                average,
                program.backward,
                base,
                program.own_stride,
                discounts[0],
                discounts[1],
                discounts[2],
                int(discounts[3]),
            )
        elif mode == LEARN and rule.greedy:
            hedge_block(
                values, regret, program.backward, base, program.own_stride, discounts[0], discounts[1], discounts[2],
                int(discounts[3]), rule.per_action
            )  # fmt: skip
        elif mode == LEARN:
            if rule.weighted:
                own_reach_block(program, slot, num_blocks, regret, own_entry, own_reach, block)
            learn_block(
                values, regret, average, rule, program.backward, program.own_forward, own_reach, base,
                program.own_stride, discounts
            )  # fmt: skip
        else:
            noted = mode == NOTED_BEST_RESPONSE
            evaluate_block(
                values,
                average,
                regret,
                program.backward,
                base,
                program.own_stride,
                noted or mode == BEST_RESPONSE,
                noted,
            )
        for r in range(program.num_roots):
            store(out, (block * program.num_roots + r) * LANES, load(values, r * LANES))
        if kept.size:
            size = kept.size // num_blocks
            for i in range(0, size, LANES):
                store(kept, block * size + i, load(values, i))


@lean_njit
def clear_sums(sums: Floats, sides: Sides, num_lines: int, first_block: int, last_block: int) -> None:
    """Zeroes the accumulators of a chance node: one for all cards and one per suit swap, each ``[block][line][16]``."""
    size = sides.own_hands.size * num_lines
    for accumulator in range(1 + sides.own_swaps.shape[0]):
        start = accumulator * size
        for i in range(start + first_block * num_lines * LANES, start + last_block * num_lines * LANES, LANES):
            store(sums, i, zeros())


@lean_njit
def add_board(
    sums: Floats,
    sides: Sides,
    num_lines: int,
    boards: Boards,
    board: int,
    result: Floats,
    first_block: int,
    last_block: int,
) -> None:
    """Adds the root values of one board to the accumulators of the chance node above it.

    :param result: root values, ``[block][line][16]``. With merged cards they are multiplied in place by the number of
        cards that the board's last card stands for.
    """
    keep_out_of_line()
    size = sides.own_hands.size * num_lines
    first, last = first_block * num_lines * LANES, last_block * num_lines * LANES
    if sides.own_copies.size:
        copies = sides.own_copies[board]
        for hand in range(first_block * LANES, last_block * LANES, LANES):
            times = load(copies, hand)
            for i in range(hand * num_lines, (hand + LANES) * num_lines, LANES):
                store(result, i, load(result, i) * times)
    for i in range(first, last, LANES):
        store(sums, i, load(sums, i) + load(result, i))
    for s in range(boards.swap_start[board], boards.swap_start[board + 1]):
        base = (1 + boards.swaps[s]) * size
        for i in range(first, last, LANES):
            store(sums, base + i, load(sums, base + i) + load(result, i))


@lean_njit
def merge_swaps(sums: Floats, sides: Sides, num_lines: int, weight: float, first_block: int, last_block: int) -> None:
    """Adds the accumulators of the suit swaps to the first one, hands permuted, then applies the chance weight.

    Blocks may be merged one by one once all boards are added to all blocks.
    """
    keep_out_of_line()
    size = sides.own_hands.size * num_lines
    for swap in range(sides.own_swaps.shape[0]):
        base = (1 + swap) * size
        for hand in range(first_block * LANES, last_block * LANES):
            twin = sides.own_swaps[swap, hand]
            to = (hand >> 4) * num_lines * LANES + (hand & 15)
            origin = base + (twin >> 4) * num_lines * LANES + (twin & 15)
            for line in range(num_lines):
                sums[to + line * LANES] += sums[origin + line * LANES]
    for i in range(first_block * num_lines * LANES, last_block * num_lines * LANES, LANES):
        store(sums, i, load(sums, i) * splat(weight))


@lean_njit
def even_twins(
    sides: Sides, program: Program, board: int, slot: int, regret: Stored, average: Stored, base: Stored
) -> None:
    """Gives hands that the suit swaps below a board turn into each other the rows of the first of them.

    The rows differ by rounding only. Boards that differ by a swap are dealt once, which is right only while the swap
    does not change the reach that enters them. Otherwise the two players would play different games, and the
    difference would grow.
    """
    keep_out_of_line()
    if sides.own_first.size == 0:
        return
    stride = program.own_stride
    start = program.own_base + slot * (sides.own_hands.size // LANES) * stride
    for hand in range(sides.own_hands.size):
        first = sides.own_first[board, hand]
        if first != hand:
            to = start + (hand >> 4) * stride + (hand & 15)
            origin = start + (first >> 4) * stride + (first & 15)
            for row in range(0, stride, LANES):
                regret[to + row] = regret[origin + row]
                average[to + row] = average[origin + row]
                base[to + row] = base[origin + row]


@lean_njit
def final_board(
    mode: int,
    discounts: Floats,
    rule: Rule,
    boards: Boards,
    sides: Sides,
    program: Program,
    board: int,
    slot: int,
    opp_strategy: Stored,
    regret: Stored,
    average: Stored,
    entry: Floats,
    own_entry: Floats,
    out: Floats,
    scratch: Scratch,
    thread: int,
    tile_base: int,
) -> None:
    """Runs one pass over one board of the last level."""
    keep_out_of_line()
    first: Any = np.int64(0)
    reach = scratch.reach[thread]
    values = scratch.values[thread]
    tiles = scratch.tiles[thread]
    positions = scratch.positions[thread]
    last = sides.opp_hands.size // LANES
    forward_level(
        boards, sides, program, board, slot, opp_strategy, entry, reach, reach, tiles, tile_base, positions, first, last
    )
    last = program.line_reach.size // LANES
    terminals(boards, sides, program, board, tiles, tile_base, scratch.sums[thread], scratch.ties[thread], first, last)
    last = sides.own_hands.size // LANES
    backward_level(
        mode, discounts, rule, boards, sides, program, board, slot, regret, average, values, out, scratch.nothing,
        values, tiles, tile_base, positions, own_entry, rule.own_reach[thread], first, last
    )  # fmt: skip


@lean_njit
def middle_board(
    mode: int,
    discounts: Floats,
    rule: Rule,
    boards: Boards,
    sides: Sides,
    program: Program,
    below: Program,
    board: int,
    opp_strategy: Stored,
    regret: Stored,
    average: Stored,
    out: Floats,
    scratch: Scratch,
    thread: int,
    root_entry: Floats,
    own_root_entry: Floats,
) -> None:
    """Runs one pass over one board of the middle level of three and over all boards of the last level below it."""
    keep_out_of_line()
    first: Any = np.int64(0)
    reach = scratch.reach[thread]
    values = scratch.values[thread]
    tiles = scratch.tiles[thread]
    positions = scratch.positions[thread]
    exits = scratch.entry[thread]
    sums = scratch.sum[thread]
    result = scratch.result[thread]
    slot = board - boards.level_start[1]
    tile_base = scratch.tile_start[1]
    last = sides.opp_hands.size // LANES
    forward_level(
        boards, sides, program, board, slot, opp_strategy, root_entry, exits, reach, tiles, tile_base, positions,
        first, last
    )  # fmt: skip
    own_reach = rule.own_reach[thread]
    own_exits = rule.own_entry[thread]
    if mode == LEARN and rule.weighted:
        last = sides.own_hands.size // LANES
        own_reach_level(program, slot, last, regret, own_root_entry, own_exits, own_reach, first, last)
    last = sides.own_hands.size // LANES
    clear_sums(sums, sides, below.num_roots, first, last)
    for child in range(boards.children[board], boards.children[board + 1]):
        final_board(
            mode, discounts, rule, boards, sides, below, child, child - boards.level_start[2], opp_strategy, regret,
            average, exits, own_exits, result, scratch, thread, scratch.tile_start[2]
        )  # fmt: skip
        add_board(sums, sides, below.num_roots, boards, child, result, first, last)
    merge_swaps(sums, sides, below.num_roots, boards.weight[1], first, last)
    last = program.line_reach.size // LANES
    terminals(boards, sides, program, board, tiles, tile_base, scratch.sums[thread], scratch.ties[thread], first, last)
    last = sides.own_hands.size // LANES
    backward_level(
        mode, discounts, rule, boards, sides, program, board, slot, regret, average, sums, out, scratch.nothing,
        values, tiles, tile_base, positions, own_root_entry, own_reach, first, last
    )  # fmt: skip
    if mode in (UPDATE, LEARN):
        even_twins(sides, program, board, slot, regret, average, rule.base)


@lean_njit
def add_groups(sums: Floats, groups: Floats, sides: Sides, num_lines: int, block: int) -> None:
    """Fills all accumulators of a chance node, in one block of hands, with the sums of those of groups of boards.

    :param groups: (groups, accumulators * blocks * lines * 16): the accumulators of every group.
    """
    size = sides.own_hands.size * num_lines
    for accumulator in range(1 + sides.own_swaps.shape[0]):
        start = accumulator * size + block * num_lines * LANES
        for i in range(start, start + num_lines * LANES, LANES):
            total = load(groups[0], i)
            for group in range(1, groups.shape[0]):
                total = total + load(groups[group], i)
            store(sums, i, total)


FORWARD, BOARDS, SUM, BACKWARD = 0, 1, 2, 3
NUM_PHASES = 4
"""Phases of a pass, which threads share task by task (:mod:`solver.cfr._team_kernels`).

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
