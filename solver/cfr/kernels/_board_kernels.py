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

from typing import Any

import numpy as np

from hedgehog.runtime.jit import lean_njit
from hedgehog.solver.cfr.array_types import Floats, Ints, Stored
from hedgehog.solver.cfr.kernels._block_kernels import (
    evaluate_block,
    fold_tile,
    forward_block,
    showdown_tile,
    update_block,
)
from hedgehog.solver.cfr.kernels._chance_kernels import add_board, clear_sums, even_twins, merge_swaps
from hedgehog.solver.cfr.kernels._game_kernels import Boards, Program, Scratch, Sides
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

UPDATE, BEST_RESPONSE, AVERAGE, NOTED_BEST_RESPONSE, LEARN = 0, 1, 2, 3, 4
"""Modes of a pass.

``UPDATE`` is an update of DCFR, ``LEARN`` an update by a :class:`~hedgehog.solver.cfr.kernels._general_kernels.Rule`.
``BEST_RESPONSE`` and ``AVERAGE`` compute the values of the own best response and of the own strategy against the
strategies in ``average``. ``NOTED_BEST_RESPONSE`` also writes 1 for its actions and 0 for the others into the array
that is passed as own ``regret``, which the other two evaluations neither read nor write."""


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
