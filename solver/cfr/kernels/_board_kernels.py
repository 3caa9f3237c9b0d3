"""Counterfactual regret minimisation over a public tree of betting lines and boards: the compiled part.

A game has one to three *levels* (streets); every level has *boards*, and on every board the same forest of betting
lines, described by a :class:`~hedgehog.solver.cfr.kernels._game_kernels.Program`. Hands are handled sixteen at a time
(``block``). One pass updates one player (*own*) against the current strategy of the other (*opp*)::

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

from typing import Any, NamedTuple

import numpy as np

from hedgehog.runtime.jit import lean_njit
from hedgehog.solver.cfr.array_types import Floats, Stored
from hedgehog.solver.cfr.kernels._block_kernels import (
    evaluate_block,
    fold_tile,
    forward_block,
    showdown_tile,
    update_block,
)
from hedgehog.solver.cfr.kernels._chance_kernels import add_board, clear_sums, even_twins, merge_swaps
from hedgehog.solver.cfr.kernels._game_kernels import Boards, Locks, Program, Programs, Scratch, Sides
from hedgehog.solver.cfr.kernels._general_kernels import Rule, hedge_block, learn_block
from hedgehog.solver.cfr.kernels._simd_kernels import (
    LANES,
    keep_out_of_line,
    load,
    peek,
    store,
    transpose,
    transpose_from,
    zeros,
)
from hedgehog.solver.cfr.kernels._tremble_kernels import Trembles, forward_trembling_block, note_losses

UPDATE, BEST_RESPONSE, AVERAGE, NOTED_BEST_RESPONSE, LEARN, TREMBLE = 0, 1, 2, 3, 4, 5
"""Modes of a pass.

``UPDATE`` is an update of DCFR, ``LEARN`` an update by a :class:`~hedgehog.solver.cfr.kernels._general_kernels.Rule`.
``TREMBLE`` is an update of DCFR against an opponent who trembles.
``BEST_RESPONSE`` and ``AVERAGE`` compute the values of the own best response and of the own strategy against the
strategies in ``average``. ``NOTED_BEST_RESPONSE`` also writes 1 for its actions and 0 for the others into the array
that is passed as own ``regret``, which the other two evaluations neither read nor write."""


class Passes(NamedTuple):
    """What passes over a game work with. Pairs have one element per player."""

    mode: int
    rules: tuple[Rule, Rule]
    boards: Boards
    sides: tuple[Sides, Sides]
    programs: tuple[Programs, Programs]
    opp_strategy: tuple[Stored, Stored]
    """Per player the array of its strategy while the other is updated: regrets for an update, averages for an
    evaluation."""
    regret: tuple[Stored, Stored]
    average: tuple[Stored, Stored]
    locks: tuple[Locks, Locks]
    trembles: Trembles
    scratch: Scratch


class Pass(NamedTuple):
    """What a pass works with on every board: it updates one player, *own*, against the other, *opp*."""

    mode: int
    rule: Rule
    boards: Boards
    sides: Sides
    opp_strategy: Stored
    regret: Stored
    """Of the updated player, as ``average``."""
    average: Stored
    losses: Stored
    """Of the updated player (:class:`~hedgehog.solver.cfr.kernels._tremble_kernels.Trembles`)."""
    opp_losses: Stored
    share: float
    coldness: float
    scratch: Scratch


@lean_njit
def pass_of(passes: Passes, own: int) -> Pass:
    """Returns what a pass works with that updates player ``own``.

    Only functions that count no references may call it (:func:`hedgehog.runtime.jit.lean_njit`): it counts none for the
    arrays that it returns.
    """
    return Pass(
        passes.mode, passes.rules[own], passes.boards, passes.sides[own], passes.opp_strategy[1 - own],
        passes.regret[own], passes.average[own], passes.trembles.losses[own], passes.trembles.losses[1 - own],
        passes.trembles.share, passes.trembles.coldness, passes.scratch
    )  # fmt: skip


@lean_njit
def board_level(boards: Boards, board: int) -> int:
    """Returns the level of a board."""
    level: Any = np.int64(0)
    while board >= boards.level_start[level + 1]:
        level += 1
    return level  # type: ignore[no-any-return]


@lean_njit
def exit_row(level: int, thread: int) -> int:
    """Returns the row of ``Scratch.entry`` and ``Rule.own_entry`` for the exits of a board: the last for the root."""
    return -1 if level == 0 else thread


@lean_njit
def tile_row(level: int, thread: int) -> int:
    """Returns the row of ``Scratch.tiles`` for a board: all threads share that of the root board."""
    return 0 if level == 0 else thread


@lean_njit
def forward_level(run: Pass, program: Program, board: int, thread: int, first_block: int, last_block: int) -> None:
    """Walks the opponent's blocks down the forest of one board and leaves its reach in tiles and exits."""
    keep_out_of_line()
    boards, sides, scratch = run.boards, run.sides, run.scratch
    level = board_level(boards, board)
    reach, positions, tiles = scratch.reach[thread], scratch.positions[thread], scratch.tiles[tile_row(level, thread)]
    entry = sides.root_reach if level == 0 else scratch.entry[exit_row(level - 1, thread)]
    exits = scratch.entry[exit_row(level, thread)]
    slot, tile_base = board - boards.level_start[level], scratch.tile_start[level]
    tile_size = boards.position.shape[1] * LANES
    num_tiles = program.line_reach.size // LANES
    num_blocks = sides.opp_hands.size // LANES
    num_exits = program.exit_reach.size
    position = boards.position[board]
    for block in range(first_block, last_block):
        for r in range(program.num_roots):
            store(reach, r * LANES, load(entry, (block * program.num_roots + r) * LANES))
        base = program.opp_base + (slot * num_blocks + block) * program.opp_stride
        if run.mode == TREMBLE:
            forward_trembling_block(
                reach, run.opp_strategy, run.opp_losses, program.forward, base, program.opp_stride, run.share
            )
        else:
            forward_block(reach, run.opp_strategy, program.forward, base, program.opp_stride)
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

    Tiles count without the folds that the first tiles of showdowns fill
    (:class:`~hedgehog.solver.cfr.kernels._game_kernels.Program`).
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
def own_reach_level(run: Pass, program: Program, board: int, thread: int, first_block: int, last_block: int) -> None:
    """Walks the own blocks down the forest of one board and leaves own reach in the exits."""
    keep_out_of_line()
    level = board_level(run.boards, board)
    reach, exits = run.rule.own_reach[thread], run.rule.own_entry[exit_row(level, thread)]
    num_exits = program.own_exit_reach.size
    for block in range(first_block, last_block):
        own_reach_block(run, program, board, level, thread, block)
        for e in range(num_exits):
            store(exits, (block * num_exits + e) * LANES, load(reach, peek(program.own_exit_reach, e)))


@lean_njit
def own_reach_block(run: Pass, program: Program, board: int, level: int, thread: int, block: int) -> None:
    """Fills the own reach of one block on one board."""
    rule = run.rule
    reach, entry = rule.own_reach[thread], rule.own_root if level == 0 else rule.own_entry[exit_row(level - 1, thread)]
    slot, num_blocks = board - run.boards.level_start[level], run.sides.own_hands.size // LANES
    for r in range(program.num_roots):
        store(reach, r * LANES, load(entry, (block * program.num_roots + r) * LANES))
    base = program.own_base + (slot * num_blocks + block) * program.own_stride
    forward_block(reach, run.regret, program.own_forward, base, program.own_stride)


@lean_njit
def backward_level(
    run: Pass,
    discounts: Floats,
    program: Program,
    board: int,
    child_values: Floats,
    out: Floats,
    thread: int,
    first_block: int,
    last_block: int,
) -> None:
    """Walks the own blocks up the forest of one board; writes the values of its roots to ``out``.

    At the root all values are also written to ``Scratch.kept``, unless it is empty.

    :param discounts: float32 (5): factors of positive regrets, negative regrets and the average; the iteration; the
        factor of the regrets in a prediction.
    :param child_values: value of every exit, ``[block][exit][16]``.
    """
    keep_out_of_line()
    mode, rule, boards, sides, scratch = run.mode, run.rule, run.boards, run.sides, run.scratch
    level = board_level(boards, board)
    values, positions, tiles = scratch.values[thread], scratch.positions[thread], scratch.tiles[tile_row(level, thread)]
    slot, tile_base = board - boards.level_start[level], scratch.tile_start[level]
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
        if mode in (UPDATE, TREMBLE):
            update_block(
                values, run.regret, run.average, program.backward, base, program.own_stride, discounts[0], discounts[1],
                discounts[2], int(discounts[3])
            )  # fmt: skip
            if mode == TREMBLE:
                note_losses(
                    values, run.losses, program.backward, base, program.first_weight, run.coldness, int(discounts[3])
                )
        elif mode == LEARN and rule.greedy:
            hedge_block(
                values, run.regret, program.backward, base, program.own_stride, discounts[0], discounts[1],
                discounts[2], int(discounts[3]), rule.per_action
            )  # fmt: skip
        elif mode == LEARN:
            if rule.weighted:
                own_reach_block(run, program, board, level, thread, block)
            learn_block(
                values, run.regret, run.average, rule, program.backward, program.own_forward, rule.own_reach[thread],
                base, program.own_stride, discounts
            )  # fmt: skip
        else:
            noted = mode == NOTED_BEST_RESPONSE
            evaluate_block(
                values, run.average, run.regret, program.backward, base, program.own_stride,
                noted or mode == BEST_RESPONSE, noted
            )  # fmt: skip
        for r in range(program.num_roots):
            store(out, (block * program.num_roots + r) * LANES, load(values, r * LANES))
        if level == 0 and scratch.kept.size:
            size = scratch.kept.size // num_blocks
            for i in range(0, size, LANES):
                store(scratch.kept, block * size + i, load(values, i))


@lean_njit
def final_board(run: Pass, discounts: Floats, program: Program, board: int, out: Floats, thread: int) -> None:
    """Runs one pass over one board of the last level."""
    keep_out_of_line()
    first: Any = np.int64(0)
    boards, sides, scratch = run.boards, run.sides, run.scratch
    forward_level(run, program, board, thread, first, sides.opp_hands.size // LANES)
    terminals(
        boards, sides, program, board, scratch.tiles[thread], scratch.tile_start[board_level(boards, board)],
        scratch.sums[thread], scratch.ties[thread], first, program.line_reach.size // LANES
    )  # fmt: skip
    # The last level has no exits, so no values of children are read.
    last = sides.own_hands.size // LANES
    backward_level(run, discounts, program, board, scratch.values[thread], out, thread, first, last)


@lean_njit
def middle_board(
    run: Pass, discounts: Floats, program: Program, below: Program, board: int, out: Floats, thread: int
) -> None:
    """Runs one pass over one board of the middle level of three and over all boards of the last level below it."""
    keep_out_of_line()
    first: Any = np.int64(0)
    boards, sides, scratch = run.boards, run.sides, run.scratch
    sums, result = scratch.sum[thread], scratch.result[thread]
    forward_level(run, program, board, thread, first, sides.opp_hands.size // LANES)
    last = sides.own_hands.size // LANES
    if run.mode == LEARN and run.rule.weighted:
        own_reach_level(run, program, board, thread, first, last)
    clear_sums(sums, sides, below.num_roots, first, last)
    for child in range(boards.children[board], boards.children[board + 1]):
        final_board(run, discounts, below, child, result, thread)
        add_board(sums, sides, below.num_roots, boards, child, result, first, last)
    merge_swaps(sums, sides, below.num_roots, boards.weight[1], first, last)
    terminals(
        boards, sides, program, board, scratch.tiles[thread], scratch.tile_start[1], scratch.sums[thread],
        scratch.ties[thread], first, program.line_reach.size // LANES
    )  # fmt: skip
    backward_level(run, discounts, program, board, sums, out, thread, first, last)
    if run.mode in (UPDATE, LEARN, TREMBLE):
        even_twins(sides, program, board, board - boards.level_start[1], run.regret, run.average, run.rule.base)
    if run.mode == TREMBLE:
        even_twins(sides, program, board, board - boards.level_start[1], run.losses, run.losses, run.losses)
