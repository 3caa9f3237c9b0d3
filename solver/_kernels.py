"""Counterfactual regret minimisation over a public tree of betting lines and boards: the compiled part.

A game has one to three *levels* (streets); every level has *boards*, and on every board the same forest of betting
lines, described by a :class:`Program`. Hands are handled sixteen at a time (``block``). One pass updates one player
(*own*) against the current strategy of the other (*opp*)::

    forward    per block of opponent hands: walk the betting forest, opponent's reach of every line
    terminals  per tile of 16 lines: reach -> own counterfactual value, in place, SIMD over lines
    backward   per block of own hands: walk the forest upwards; values, regrets, average strategy

Layouts (one letter = one 64-byte vector of 16 float32)::

    regret, average   [level][board][block][row][16 hands]     row = one action of one decision of that player
    reach, values     [slot][16 hands]                         scratch for the forest of one block, stays in L1/L2
    tiles             [tile][position][16 lines]               position = rank of the hand in strength order
    entry, exit       [block][line][16 hands]                  what goes from one level to the next

The 16x16 transposition between ``[line][16 hands]`` and ``[hand][16 lines]`` happens in registers; a hand's vector
can be written to any tile position, so the tiles are sorted by strength and terminals read them front to back.
Positions end with one *trash* row for hands the board blocks; it reads as zero once the terminals are done.

Chance weights are applied where the values of the next level are added up. Cards that are interchangeable by
a suit swap are dealt once: values go into one accumulator per swap, and the accumulator's hands are permuted
when they are added up. All sums run in a fixed order: results do not depend on the number of threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from poker.jit import njit, prange
from solver._simd_kernels import (
    LANES,
    fma,
    keep_out_of_line,
    load,
    maximum,
    next_ticket,
    positive,
    prefetch,
    splat,
    store,
    transpose,
    transpose_from,
    where_positive,
    zeros,
)

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Stored = NDArray[Any]  # float32, or uint16 that holds half floats
Vec = Any  # sixteen float32 lanes

UPDATE, BEST_RESPONSE, AVERAGE = 0, 1, 2
"""Modes of a pass: learn; own best response to, or own value of, the strategies in ``average``."""


class Program(NamedTuple):
    """The betting forest of one level as seen by one updating player; every offset counts float32 elements.

    ``reach`` slots exist for the opponent's actions only (own actions leave his reach unchanged); ``values``
    slots exist for every line. Slots ``0 .. num_roots`` are the lines that enter the level.
    """

    forward: NDArray[np.int32]
    """(4 * opponent decisions): reach slot, first child's reach slot, number of actions, row offset."""
    backward: NDArray[np.int32]
    """(5 * decisions), children first: 1 if own, value slot, first child's value slot, number of actions, row."""
    exit_reach: NDArray[np.int32]
    """(exits): reach slots of the lines that go on to the next level."""
    exit_value: NDArray[np.int32]
    """(exits): their value slots."""
    line_reach: NDArray[np.int32]
    """(16 * tiles): reach slots of the terminal lines; showdown tiles first, padded to whole tiles."""
    line_value: NDArray[np.int32]
    """(16 * tiles): their value slots; padding goes to a slot nobody reads."""
    factors: NDArray[np.float32]
    """(64 * tiles): factors of (weaker, weaker or equal, all, same combo) opponent reach, 16 lines each."""
    num_showdown_tiles: int
    num_roots: int
    own_base: int
    """Where this level starts in the own ``regret`` and ``average``."""
    own_stride: int
    """Elements per block there."""
    opp_base: int
    opp_stride: int


class Boards(NamedTuple):
    """The boards of all levels, level by level; ``U`` = hands of either player."""

    position: NDArray[np.int32]
    """(boards, U + 1): 16 * position of each hand in a tile; blocked hands and the last column: the trash row."""
    cards: NDArray[np.int32]
    """(boards, 2 * U): 16 * the two removal cards of the hand at each position."""
    tie_ends: NDArray[np.int32]
    """(boards, U): end positions of the groups of equal strength, in order."""
    num_ties: NDArray[np.int32]
    """(boards): number of such groups."""
    num_live: NDArray[np.int32]
    """(boards): number of hands not blocked."""
    children: NDArray[np.int64]
    """(boards + 1): the next level's boards after board ``b`` are ``children[b] .. children[b + 1]``."""
    swap_start: NDArray[np.int64]
    """(boards + 1): ``swaps[swap_start[b] .. swap_start[b + 1]]`` are the suit swaps that make board b's twins."""
    swaps: NDArray[np.int32]
    weight: NDArray[np.float32]
    """(levels): chance weight of one board of the next level."""
    level_start: NDArray[np.int64]
    """(levels + 1): first board of each level."""


class Sides(NamedTuple):
    """The two players' hands as seen by one updating player."""

    own_hands: NDArray[np.int32]
    """(16 * own blocks): index into 0..U of every own hand; padding: U."""
    opp_hands: NDArray[np.int32]
    """(16 * opponent blocks): the same for the opponent."""
    absent: NDArray[np.int32]
    """Hands of the updating player only: their tile rows hold no reach."""
    own_swaps: NDArray[np.int32]
    """(swaps, 16 * own blocks): the own hand that each own hand becomes by a suit swap."""
    root_reach: NDArray[np.float32]
    """(16 * opponent blocks): his range weights."""


class Scratch(NamedTuple):
    """Buffers; the first index is the thread where there is one."""

    reach: NDArray[np.float32]
    """(threads, slots * 16)."""
    values: NDArray[np.float32]
    """(threads, slots * 16)."""
    tiles: NDArray[np.float32]
    """(threads, levels' tiles * (U + 1) * 16)."""
    sums: NDArray[np.float32]
    """(threads, (1 + removal cards) * 16): total reach, then reach by card."""
    ties: NDArray[np.float32]
    """(threads, U * 16): values of one group of ties."""
    entry: NDArray[np.float32]
    """(threads + 1, level-1 exits): reach at the exits of a middle level; last row: of the root level."""
    result: NDArray[np.float32]
    """(threads, root values of one river board)."""
    sum: NDArray[np.float32]
    """(threads + 1, (1 + swaps) * root values): accumulators of a chance node."""
    child: NDArray[np.float32]
    """(boards below the root, root values of one board)."""
    root: NDArray[np.float32]
    """(16 * own blocks): value of every hand at the root."""
    kept: NDArray[np.float32]
    """Empty, or (own blocks * slots of the root level * 16): receives all values of the root level."""
    nothing: NDArray[np.float32]
    """Empty."""
    positions: NDArray[np.int32]
    """(threads, 16): tile positions of the hands of one block."""
    ticket: NDArray[np.int64]
    """(1): next board to be taken by a thread."""
    tile_start: NDArray[np.int64]
    """(levels): where a level's tiles start in ``tiles``."""


Programs = tuple[Program, Program, Program]


@njit
def forward_block(reach: Floats, strategy: Stored, forward: Ints, base: int, ahead: int) -> None:
    """Fills the ``reach`` slots of one block from regret matching on the rows at ``strategy[base]``.

    Two and three actions, nearly all decisions of a betting tree, stay in registers.

    :param ahead: elements to the same row of the block that comes next, fetched in advance.
    """
    for i in range(0, forward.size, 4):
        here = load(reach, forward[i])
        out = forward[i + 1]
        num_actions = forward[i + 2]
        row = base + forward[i + 3]
        if num_actions == 2:
            prefetch(strategy, row + ahead)
            prefetch(strategy, row + LANES + ahead)
            first = positive(load(strategy, row))
            second = positive(load(strategy, row + LANES))
            total = first + second
            scale = where_positive(total, here / total, zeros())
            rest = where_positive(total, zeros(), here * splat(np.float32(1 / 2)))
            store(reach, out, fma(first, scale, rest))
            store(reach, out + LANES, fma(second, scale, rest))
        elif num_actions == 3:
            prefetch(strategy, row + ahead)
            prefetch(strategy, row + LANES + ahead)
            prefetch(strategy, row + 2 * LANES + ahead)
            first = positive(load(strategy, row))
            second = positive(load(strategy, row + LANES))
            third = positive(load(strategy, row + 2 * LANES))
            total = first + second + third
            scale = where_positive(total, here / total, zeros())
            rest = where_positive(total, zeros(), here * splat(np.float32(1 / 3)))
            store(reach, out, fma(first, scale, rest))
            store(reach, out + LANES, fma(second, scale, rest))
            store(reach, out + 2 * LANES, fma(third, scale, rest))
        else:
            total = zeros()
            for a in range(num_actions):
                prefetch(strategy, row + a * LANES + ahead)
                total = total + positive(load(strategy, row + a * LANES))
            scale = where_positive(total, here / total, zeros())
            rest = where_positive(total, zeros(), here * splat(np.float32(1) / np.float32(num_actions)))
            for a in range(num_actions):
                store(reach, out + a * LANES, fma(positive(load(strategy, row + a * LANES)), scale, rest))


@njit
def update_row(
    regret: Stored, average: Stored, at: int, old: Vec, probability: Vec, gain: Vec, grow: Vec, shrink: Vec, keep: Vec
) -> None:
    """Updates one action's regrets and average strategy for sixteen hands."""
    store(average, at, fma(load(average, at), keep, probability))
    store(regret, at, fma(old, where_positive(old, grow, shrink), gain))


@njit
def update_block(
    values: Floats,
    regret: Stored,
    average: Stored,
    backward: Ints,
    base: int,
    ahead: int,
    positive_factor: float,
    negative_factor: float,
    average_factor: float,
) -> None:
    """Carries the ``values`` of one block up to its roots and updates its regrets and average strategy."""
    grow = splat(positive_factor)
    shrink = splat(negative_factor)
    keep = splat(average_factor)
    one = splat(np.float32(1))
    for i in range(0, backward.size, 5):
        child = backward[i + 2]
        num_actions = backward[i + 3]
        if backward[i] == 0:
            value = load(values, child)
            for a in range(1, num_actions):
                value = value + load(values, child + a * LANES)
            store(values, backward[i + 1], value)
            continue
        row = base + backward[i + 4]
        for a in range(num_actions):
            prefetch(regret, row + a * LANES + ahead)
            prefetch(average, row + a * LANES + ahead)
        if num_actions == 2:
            old0 = load(regret, row)
            old1 = load(regret, row + LANES)
            value0 = load(values, child)
            value1 = load(values, child + LANES)
            total = positive(old0) + positive(old1)
            scale = where_positive(total, one / total, zeros())
            rest = where_positive(total, zeros(), splat(np.float32(1 / 2)))
            chance0 = fma(positive(old0), scale, rest)
            chance1 = fma(positive(old1), scale, rest)
            value = fma(chance0, value0, chance1 * value1)
            update_row(regret, average, row, old0, chance0, value0 - value, grow, shrink, keep)
            update_row(regret, average, row + LANES, old1, chance1, value1 - value, grow, shrink, keep)
        elif num_actions == 3:
            old0 = load(regret, row)
            old1 = load(regret, row + LANES)
            old2 = load(regret, row + 2 * LANES)
            value0 = load(values, child)
            value1 = load(values, child + LANES)
            value2 = load(values, child + 2 * LANES)
            total = positive(old0) + positive(old1) + positive(old2)
            scale = where_positive(total, one / total, zeros())
            rest = where_positive(total, zeros(), splat(np.float32(1 / 3)))
            chance0 = fma(positive(old0), scale, rest)
            chance1 = fma(positive(old1), scale, rest)
            chance2 = fma(positive(old2), scale, rest)
            value = fma(chance0, value0, fma(chance1, value1, chance2 * value2))
            update_row(regret, average, row, old0, chance0, value0 - value, grow, shrink, keep)
            update_row(regret, average, row + LANES, old1, chance1, value1 - value, grow, shrink, keep)
            update_row(regret, average, row + 2 * LANES, old2, chance2, value2 - value, grow, shrink, keep)
        else:
            total = zeros()
            for a in range(num_actions):
                total = total + positive(load(regret, row + a * LANES))
            scale = where_positive(total, one / total, zeros())
            rest = where_positive(total, zeros(), splat(np.float32(1) / np.float32(num_actions)))
            value = zeros()
            for a in range(num_actions):
                chance = fma(positive(load(regret, row + a * LANES)), scale, rest)
                value = fma(chance, load(values, child + a * LANES), value)
            for a in range(num_actions):
                old = load(regret, row + a * LANES)
                chance = fma(positive(old), scale, rest)
                gain = load(values, child + a * LANES) - value
                update_row(regret, average, row + a * LANES, old, chance, gain, grow, shrink, keep)
        store(values, backward[i + 1], value)


@njit
def evaluate_block(values: Floats, average: Stored, backward: Ints, base: int, best: bool) -> None:
    """Carries the ``values`` of one block up, own decisions by maximum (``best``) or by the average strategy."""
    for i in range(0, backward.size, 5):
        first = backward[i + 2]
        num_actions = backward[i + 3]
        value = zeros()
        if backward[i] == 0:
            for a in range(num_actions):
                value = value + load(values, first + a * LANES)
        elif best:
            value = load(values, first)
            for a in range(1, num_actions):
                value = maximum(value, load(values, first + a * LANES))
        else:
            row = base + backward[i + 4]
            total = zeros()
            plain = zeros()
            for a in range(num_actions):
                here = load(average, row + a * LANES)
                total = total + here
                value = fma(here, load(values, first + a * LANES), value)
                plain = plain + load(values, first + a * LANES)
            value = where_positive(total, value / total, plain * splat(np.float32(1.0 / num_actions)))
        store(values, backward[i + 1], value)


@njit
def fold_tile(tiles: Floats, tile: int, sums: Floats, cards: Ints, num_live: int, factors: Floats, at: int) -> None:
    """Turns opponent reach into own value on a tile of folds: reach of all hands that share no card with ours."""
    total = zeros()
    for c in range(0, sums.size, LANES):
        store(sums, c, zeros())
    for k in range(num_live):
        here = load(tiles, tile + k * LANES)
        first = cards[2 * k]
        second = cards[2 * k + 1]
        total = total + here
        store(sums, first, load(sums, first) + here)
        store(sums, second, load(sums, second) + here)
    every = load(factors, at + 2 * LANES)
    for k in range(num_live):
        here = load(tiles, tile + k * LANES)
        others = total - load(sums, cards[2 * k]) - load(sums, cards[2 * k + 1])
        # The identical combo was subtracted twice.
        store(tiles, tile + k * LANES, every * (others + here))
    store(tiles, tile + num_live * LANES, zeros())


@njit
def showdown_tile(
    tiles: Floats,
    tile: int,
    sums: Floats,
    ties: Floats,
    cards: Ints,
    tie_ends: Ints,
    num_ties: int,
    num_live: int,
    factors: Floats,
    at: int,
) -> None:
    """Turns opponent reach into own value on a tile of showdowns, in one ascending pass over the hands.

    With W, E, A the opponent's reach that is weaker, weaker or equal, and any, each without hands that share a
    card with ours, the value is ``factors . (W, E, A, reach of the same combo)``.
    """
    weaker = load(factors, at)
    equal = load(factors, at + LANES)
    every = load(factors, at + 2 * LANES)
    same = load(factors, at + 3 * LANES)
    total = zeros()
    for c in range(0, sums.size, LANES):
        store(sums, c, zeros())
    start = 0
    for g in range(num_ties):
        end = tie_ends[g]
        for k in range(start, end):
            below = total - load(sums, cards[2 * k]) - load(sums, cards[2 * k + 1])
            store(ties, (k - start) * LANES, weaker * below)
        for k in range(start, end):
            here = load(tiles, tile + k * LANES)
            first = cards[2 * k]
            second = cards[2 * k + 1]
            total = total + here
            store(sums, first, load(sums, first) + here)
            store(sums, second, load(sums, second) + here)
            store(ties, (k - start) * LANES, fma(same, here, load(ties, (k - start) * LANES)))
        for k in range(start, end):
            below = total - load(sums, cards[2 * k]) - load(sums, cards[2 * k + 1])
            store(tiles, tile + k * LANES, fma(equal, below, load(ties, (k - start) * LANES)))
        start = end
    for k in range(num_live):
        others = total - load(sums, cards[2 * k]) - load(sums, cards[2 * k + 1])
        store(tiles, tile + k * LANES, fma(every, others, load(tiles, tile + k * LANES)))
    store(tiles, tile + num_live * LANES, zeros())


@njit
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
    :param entry: reach of the lines that enter, ``[block][line][16]``.
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
            store(exits, (block * num_exits + e) * LANES, load(reach, program.exit_reach[e]))
        for lane in range(LANES):
            positions[lane] = position[sides.opp_hands[block * LANES + lane]]
        for t in range(num_tiles):
            transpose(tiles, tile_base + t * tile_size, positions, 0, reach, program.line_reach, t * LANES)


@njit
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
    """Evaluates tiles of terminal lines on one board, in place."""
    keep_out_of_line()
    tile_size = boards.position.shape[1] * LANES
    num_live = boards.num_live[board]
    cards = boards.cards[board]
    tie_ends = boards.tie_ends[board]
    position = boards.position[board]
    for t in range(first_tile, last_tile):
        tile = tile_base + t * tile_size
        for h in range(sides.absent.size):
            store(tiles, tile + position[sides.absent[h]], zeros())
        if t < program.num_showdown_tiles:
            showdown_tile(
                tiles,
                tile,
                sums,
                ties,
                cards,
                tie_ends,
                boards.num_ties[board],
                num_live,
                program.factors,
                t * 4 * LANES,
            )
        else:
            fold_tile(tiles, tile, sums, cards, num_live, program.factors, t * 4 * LANES)


@njit
def backward_level(
    mode: int,
    discounts: Floats,
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
    first_block: int,
    last_block: int,
) -> None:
    """Walks the own blocks up the forest of one board; writes the values of its roots to ``out``.

    :param child_values: value of every exit, ``[block][exit][16]``.
    :param kept: if not empty, receives all value slots, ``[block][slot][16]``.
    :param discounts: float32 (3): factors of positive regrets, negative regrets and the average.
    """
    keep_out_of_line()
    tile_size = boards.position.shape[1] * LANES
    num_tiles = program.line_reach.size // LANES
    num_blocks = sides.own_hands.size // LANES
    num_exits = program.exit_value.size
    position = boards.position[board]
    for block in range(first_block, last_block):
        for lane in range(LANES):
            positions[lane] = position[sides.own_hands[block * LANES + lane]]
        for t in range(num_tiles):
            transpose_from(values, program.line_value, t * LANES, tiles, tile_base + t * tile_size, positions, 0)
        for e in range(num_exits):
            store(values, program.exit_value[e], load(child_values, (block * num_exits + e) * LANES))
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
            )
        else:
            evaluate_block(values, average, program.backward, base, mode == BEST_RESPONSE)
        for r in range(program.num_roots):
            store(out, (block * program.num_roots + r) * LANES, load(values, r * LANES))
        if kept.size:
            size = kept.size // num_blocks
            for i in range(0, size, LANES):
                store(kept, block * size + i, load(values, i))


@njit
def add_board(sums: Floats, size: int, boards: Boards, board: int, result: Floats) -> None:
    """Adds the root values of one board to the accumulators of the chance node above it."""
    keep_out_of_line()
    for i in range(0, size, LANES):
        store(sums, i, load(sums, i) + load(result, i))
    for s in range(boards.swap_start[board], boards.swap_start[board + 1]):
        base = (1 + boards.swaps[s]) * size
        for i in range(0, size, LANES):
            store(sums, base + i, load(sums, base + i) + load(result, i))


@njit
def merge_swaps(sums: Floats, size: int, sides: Sides, num_lines: int, weight: float) -> None:
    """Adds the accumulators of the suit swaps to the first one, hands permuted, and applies the chance weight."""
    keep_out_of_line()
    for swap in range(sides.own_swaps.shape[0]):
        base = (1 + swap) * size
        for hand in range(sides.own_swaps.shape[1]):
            twin = sides.own_swaps[swap, hand]
            to = (hand >> 4) * num_lines * LANES + (hand & 15)
            origin = base + (twin >> 4) * num_lines * LANES + (twin & 15)
            for line in range(num_lines):
                sums[to + line * LANES] += sums[origin + line * LANES]
    for i in range(0, size, LANES):
        store(sums, i, load(sums, i) * splat(weight))


@njit
def final_board(
    mode: int,
    discounts: Floats,
    boards: Boards,
    sides: Sides,
    program: Program,
    board: int,
    slot: int,
    opp_strategy: Stored,
    regret: Stored,
    average: Stored,
    entry: Floats,
    out: Floats,
    scratch: Scratch,
    thread: int,
    tile_base: int,
) -> None:
    """One pass over one board of the last level."""
    keep_out_of_line()
    reach = scratch.reach[thread]
    values = scratch.values[thread]
    tiles = scratch.tiles[thread]
    positions = scratch.positions[thread]
    opp_blocks = sides.opp_hands.size // LANES
    own_blocks = sides.own_hands.size // LANES
    forward_level(
        boards,
        sides,
        program,
        board,
        slot,
        opp_strategy,
        entry,
        reach,
        reach,
        tiles,
        tile_base,
        positions,
        0,
        opp_blocks,
    )
    terminals(
        boards,
        sides,
        program,
        board,
        tiles,
        tile_base,
        scratch.sums[thread],
        scratch.ties[thread],
        0,
        program.line_reach.size // LANES,
    )
    backward_level(
        mode,
        discounts,
        boards,
        sides,
        program,
        board,
        slot,
        regret,
        average,
        values,
        out,
        scratch.nothing,
        values,
        tiles,
        tile_base,
        positions,
        0,
        own_blocks,
    )


@njit
def middle_board(
    mode: int,
    discounts: Floats,
    boards: Boards,
    sides: Sides,
    program: Program,
    below: Program,
    board: int,
    opp_strategy: Stored,
    regret: Stored,
    average: Stored,
    entry: Floats,
    out: Floats,
    scratch: Scratch,
    thread: int,
) -> None:
    """One pass over one turn of a game that starts on the flop, all its rivers included."""
    keep_out_of_line()
    reach = scratch.reach[thread]
    values = scratch.values[thread]
    tiles = scratch.tiles[thread]
    positions = scratch.positions[thread]
    exits = scratch.entry[thread]
    sums = scratch.sum[thread]
    result = scratch.result[thread]
    slot = board - boards.level_start[1]
    own_blocks = sides.own_hands.size // LANES
    tile_base = scratch.tile_start[1]
    forward_level(
        boards,
        sides,
        program,
        board,
        slot,
        opp_strategy,
        entry,
        exits,
        reach,
        tiles,
        tile_base,
        positions,
        0,
        sides.opp_hands.size // LANES,
    )
    size = own_blocks * below.num_roots * LANES
    sums[: size * (1 + sides.own_swaps.shape[0])] = np.float32(0.0)
    for child in range(boards.children[board], boards.children[board + 1]):
        final_board(
            mode,
            discounts,
            boards,
            sides,
            below,
            child,
            child - boards.level_start[2],
            opp_strategy,
            regret,
            average,
            exits,
            result,
            scratch,
            thread,
            scratch.tile_start[2],
        )
        add_board(sums, size, boards, child, result)
    merge_swaps(sums, size, sides, below.num_roots, boards.weight[1])
    terminals(
        boards,
        sides,
        program,
        board,
        tiles,
        tile_base,
        scratch.sums[thread],
        scratch.ties[thread],
        0,
        program.line_reach.size // LANES,
    )
    backward_level(
        mode,
        discounts,
        boards,
        sides,
        program,
        board,
        slot,
        regret,
        average,
        sums,
        out,
        scratch.nothing,
        values,
        tiles,
        tile_base,
        positions,
        0,
        own_blocks,
    )


@njit(parallel=True)
def pass_over_children(
    mode: int,
    discounts: Floats,
    boards: Boards,
    sides: Sides,
    program: Program,
    below: Program,
    opp_strategy: Stored,
    regret: Stored,
    average: Stored,
    scratch: Scratch,
    num_threads: int,
) -> None:
    """Passes over the boards below the root board, each taken by the first free thread."""
    scratch.ticket[0] = 0
    count = boards.children[1] - boards.children[0]
    start = boards.children[0]
    for index in prange(num_threads):
        thread: Any = np.int64(index)
        task = next_ticket(scratch.ticket)
        while task < count:
            if boards.level_start.size == 3:
                final_board(
                    mode,
                    discounts,
                    boards,
                    sides,
                    program,
                    start + task,
                    task,
                    opp_strategy,
                    regret,
                    average,
                    scratch.entry[num_threads],
                    scratch.child[task],
                    scratch,
                    thread,
                    scratch.tile_start[1],
                )
            else:
                middle_board(
                    mode,
                    discounts,
                    boards,
                    sides,
                    program,
                    below,
                    start + task,
                    opp_strategy,
                    regret,
                    average,
                    scratch.entry[num_threads],
                    scratch.child[task],
                    scratch,
                    thread,
                )
            task = next_ticket(scratch.ticket)


@njit(parallel=True)
def pass_over_blocks(
    mode: int,
    discounts: Floats,
    boards: Boards,
    sides: Sides,
    program: Program,
    opp_strategy: Stored,
    regret: Stored,
    average: Stored,
    scratch: Scratch,
    num_threads: int,
) -> None:
    """One pass over a game of a single board; threads share its blocks and tiles."""
    tiles = scratch.tiles[0]
    opp_blocks = sides.opp_hands.size // LANES
    own_blocks = sides.own_hands.size // LANES
    num_tiles = program.line_reach.size // LANES
    for index in prange(num_threads):
        thread: Any = np.int64(index)
        root: Any = np.int64(0)
        forward_level(
            boards,
            sides,
            program,
            root,
            root,
            opp_strategy,
            sides.root_reach,
            scratch.reach[thread],
            scratch.reach[thread],
            tiles,
            0,
            scratch.positions[thread],
            opp_blocks * thread // num_threads,
            opp_blocks * (thread + 1) // num_threads,
        )
    for index in prange(num_threads):
        thread = np.int64(index)
        terminals(
            boards,
            sides,
            program,
            0,
            tiles,
            0,
            scratch.sums[thread],
            scratch.ties[thread],
            num_tiles * thread // num_threads,
            num_tiles * (thread + 1) // num_threads,
        )
    for index in prange(num_threads):
        thread = np.int64(index)
        backward_level(
            mode,
            discounts,
            boards,
            sides,
            program,
            0,
            0,
            regret,
            average,
            scratch.values[thread],
            scratch.root,
            scratch.kept,
            scratch.values[thread],
            tiles,
            0,
            scratch.positions[thread],
            own_blocks * thread // num_threads,
            own_blocks * (thread + 1) // num_threads,
        )


@njit
def pass_over_game(
    mode: int,
    discounts: Floats,
    boards: Boards,
    sides: Sides,
    programs: Programs,
    opp_strategy: Stored,
    regret: Stored,
    average: Stored,
    scratch: Scratch,
    num_threads: int,
) -> None:
    """One pass over the whole game for one player; leaves his values at the root in ``scratch.root``.

    :param opp_strategy: the opponent's ``regret`` (mode UPDATE) or ``average``.
    """
    root = programs[0]
    second = programs[1]
    if boards.level_start.size == 2:
        pass_over_blocks(mode, discounts, boards, sides, root, opp_strategy, regret, average, scratch, num_threads)
        return
    reach = scratch.reach[0]
    values = scratch.values[0]
    tiles = scratch.tiles[0]
    positions = scratch.positions[0]
    sums = scratch.sum[num_threads]
    own_blocks = sides.own_hands.size // LANES
    forward_level(
        boards,
        sides,
        root,
        0,
        0,
        opp_strategy,
        sides.root_reach,
        scratch.entry[num_threads],
        reach,
        tiles,
        scratch.tile_start[0],
        positions,
        0,
        sides.opp_hands.size // LANES,
    )
    pass_over_children(
        mode, discounts, boards, sides, second, programs[2], opp_strategy, regret, average, scratch, num_threads
    )
    size = own_blocks * second.num_roots * LANES
    sums[: size * (1 + sides.own_swaps.shape[0])] = np.float32(0.0)
    for child in range(boards.children[0], boards.children[1]):
        add_board(sums, size, boards, child, scratch.child[child - boards.children[0]])
    merge_swaps(sums, size, sides, second.num_roots, boards.weight[0])
    terminals(
        boards,
        sides,
        root,
        0,
        tiles,
        scratch.tile_start[0],
        scratch.sums[0],
        scratch.ties[0],
        0,
        root.line_reach.size // LANES,
    )
    backward_level(
        mode,
        discounts,
        boards,
        sides,
        root,
        0,
        0,
        regret,
        average,
        sums,
        scratch.root,
        scratch.kept,
        values,
        tiles,
        scratch.tile_start[0],
        positions,
        0,
        own_blocks,
    )


@njit
def set_discounts(discounts: Floats, iteration: int, gamma: float, reset: bool) -> None:
    """Sets the DCFR factors of one iteration (counted from 0).

    Positive regrets: ``s^1.5 / (s^1.5 + 1)`` with ``s = iteration - 1``, so that the first pass is forgotten.
    Average: ``((t - p) / (t - p + 1)) ^ gamma`` with ``p`` the largest power of 4 up to ``t`` if ``reset``.
    """
    weight = float(max(iteration - 1, 0)) ** 1.5
    discounts[0] = weight / (weight + 1.0)
    discounts[1] = 0.5
    clock = iteration
    if reset and iteration > 0:
        power = 1
        while power * 4 <= iteration:
            power *= 4
        clock -= power
    discounts[2] = (clock / (clock + 1.0)) ** gamma


@njit
def iterate(
    boards: Boards,
    sides: tuple[Sides, Sides],
    programs: tuple[Programs, Programs],
    regret: tuple[Stored, Stored],
    average: tuple[Stored, Stored],
    scratch: Scratch,
    discounts: Floats,
    first: int,
    last: int,
    gamma: float,
    reset: bool,
    num_threads: int,
) -> None:
    """Runs iterations ``first .. last``: player 0 against player 1's current strategy, then the reverse."""
    mode: Any = np.int64(UPDATE)  # not a literal: evaluation shares the compiled code
    for iteration in range(first, last):
        set_discounts(discounts, iteration, gamma, reset)
        pass_over_game(
            mode, discounts, boards, sides[0], programs[0], regret[1], regret[0], average[0], scratch, num_threads
        )
        pass_over_game(
            mode, discounts, boards, sides[1], programs[1], regret[0], regret[1], average[1], scratch, num_threads
        )
