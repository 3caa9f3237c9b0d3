"""Chance nodes of counterfactual regret minimisation: the values of the boards below are added up, suit swaps included.

Arrays of sums are ``[accumulator][block][line][16 hands]``: one accumulator for all cards and one for every suit swap
by which a card stands for another one (:mod:`hedgehog.solver.cfr.kernels._board_kernels`).
"""

from __future__ import annotations

from hedgehog.runtime.jit import lean_njit
from hedgehog.solver.cfr.array_types import Floats, Stored
from hedgehog.solver.cfr.kernels._game_kernels import Boards, Program, Sides
from hedgehog.solver.cfr.kernels._simd_kernels import LANES, keep_out_of_line, load, splat, store, zeros


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
