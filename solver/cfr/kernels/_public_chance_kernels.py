"""Public-chance sampling (Johanson, Bard, Lanctot, Gibson and Bowling 2012): all hands at once, some boards.

A pass walks the game as in :mod:`hedgehog.solver.cfr.kernels._board_kernels`, except that a chance node goes on to a
few cards only. The cards that can follow, with twins side by side, are cut into as many equal stretches as cards are
wanted, and one card is drawn from each stretch. A board is walked once however often it is drawn. Its value counts
``cards / (wanted * size)`` for each draw, where ``size`` is the number of cards it stands for, because the values of
its twins are added as well. The expected value is the sum over all cards, and the value is exact if all cards are
wanted. A visited board of the last level is updated as in a full pass. On the boards above, only the values of the
cards not drawn are estimated.

Every board has a clock for each player, which counts the passes that visited it, and its discounts follow that clock.
A pass changes nothing on boards that it does not visit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime._random_kernels import random_unit
from hedgehog.runtime.jit import lean_njit, njit
from hedgehog.solver.cfr.array_types import Floats
from hedgehog.solver.cfr.kernels._block_kernels import impose_rows
from hedgehog.solver.cfr.kernels._board_kernels import (
    Pass,
    Passes,
    backward_level,
    final_board,
    forward_level,
    pass_of,
    terminals,
)
from hedgehog.solver.cfr.kernels._chance_kernels import add_board, clear_sums, even_twins, merge_swaps
from hedgehog.solver.cfr.kernels._game_kernels import Boards, Program, Programs, Sides
from hedgehog.solver.cfr.kernels._sampling_kernels import Deck, Random, seed_iteration
from hedgehog.solver.cfr.kernels._simd_kernels import LANES, keep_out_of_line, load, splat, store


class Draw(NamedTuple):
    """The boards of one pass. Row 0 holds boards after the root, row 1 + i boards after the i-th board of row 0."""

    board: NDArray[np.int64]
    """(1 + wanted, wanted): numbers of the boards, ascending within a row."""
    times: NDArray[np.int64]
    """(1 + wanted, wanted): how often each board was drawn."""
    found: NDArray[np.int64]
    """(1 + wanted): number of boards in each row."""
    visits: NDArray[np.int64]
    """(2, boards): per updated player the number of passes that visited each board, this pass included."""


@njit
def draw_row(draw: Draw, deck: Deck, row: int, board: int, own: int, rng_state: Random) -> None:
    """Draws the boards that follow one board, into one row of ``draw``."""
    first = deck.first_card[board]
    count = deck.first_card[board + 1] - first
    wanted = min(draw.board.shape[1], count)
    found = 0
    for stretch in range(wanted):
        card = min(np.int64((stretch + random_unit(rng_state)) * count / wanted), count - 1)
        drawn = deck.card_board[first + card]
        if found > 0 and draw.board[row, found - 1] == drawn:
            draw.times[row, found - 1] += 1
        else:
            draw.board[row, found] = drawn
            draw.times[row, found] = 1
            draw.visits[own, drawn] += 1
            found += 1
    draw.found[row] = found


@njit
def draw_boards(draw: Draw, deck: Deck, own: int, rng_state: Random) -> None:
    """Draws the boards of one pass and counts the visits."""
    draw.visits[own, 0] += 1
    if deck.level_start.size > 2:
        draw_row(draw, deck, 0, 0, own, rng_state)
    if deck.level_start.size > 3:
        for i in range(draw.found[0]):
            draw_row(draw, deck, 1 + i, draw.board[0, i], own, rng_state)


@njit(nogil=True)
def count_visits(draw: Draw, deck: Deck, first: int, last: int, seed: int, rng_state: Random) -> None:
    """Counts the visits of the iterations ``first .. last - 1`` without walking any board."""
    for iteration in range(first, last):
        for own in range(2):
            seed_iteration(rng_state, seed, iteration, own)
            draw_boards(draw, deck, own, rng_state)


@njit
def add_drawn(
    sums: Floats, result: Floats, draw: Draw, boards: Boards, sides: Sides, deck: Deck, row: int, i: int, above: int,
    num_lines: int
) -> None:  # fmt: skip
    """Adds the root values of a drawn board, weighted, to the accumulators of the chance node ``above`` it."""
    keep_out_of_line()
    beginning: Any = np.int64(0)
    board = draw.board[row, i]
    cards = deck.first_card[above + 1] - deck.first_card[above]
    size = 1 + boards.swap_start[board + 1] - boards.swap_start[board]
    wanted = min(draw.board.shape[1], cards)
    factor = splat(np.float32(cards * draw.times[row, i] / (wanted * size)))
    for at in range(0, sides.own_hands.size * num_lines, LANES):
        store(result, at, load(result, at) * factor)
    add_board(sums, sides, num_lines, boards, board, result, beginning, sides.own_hands.size // LANES)


@lean_njit
def sampled_middle_board(
    run: Pass,
    draw: Draw,
    deck: Deck,
    row: int,
    own: int,
    schedule: Floats,
    program: Program,
    below: Program,
    board: int,
    out: Floats,
) -> None:
    """Runs one pass over one board of the middle level of three and over the boards of one row of ``draw`` below it."""
    keep_out_of_line()
    first: Any = np.int64(0)
    boards, sides, scratch = run.boards, run.sides, run.scratch
    sums, result = scratch.sum[0], scratch.result[0]
    forward_level(run, program, board, first, first, sides.opp_hands.size // LANES)
    last = sides.own_hands.size // LANES
    clear_sums(sums, sides, below.num_roots, first, last)
    for i in range(draw.found[row]):
        child = draw.board[row, i]
        final_board(run, schedule[draw.visits[own, child] - 1], below, child, result, first)
        add_drawn(sums, result, draw, boards, sides, deck, row, i, board, below.num_roots)
    merge_swaps(sums, sides, below.num_roots, boards.weight[1], first, last)
    terminals(
        boards, sides, program, board, scratch.tiles[0], scratch.tile_start[1], scratch.sums[0], scratch.ties[0], first,
        program.line_reach.size // LANES
    )  # fmt: skip
    backward_level(run, schedule[draw.visits[own, board] - 1], program, board, sums, out, first, first, last)
    even_twins(sides, program, board, board - boards.level_start[1], run.regret, run.average, run.rule.base)


@lean_njit
def sampled_pass(run: Pass, draw: Draw, deck: Deck, own: int, schedule: Floats, programs: Programs) -> None:
    """Updates one player on the boards of ``draw``."""
    keep_out_of_line()
    first: Any = np.int64(0)
    boards, sides, scratch = run.boards, run.sides, run.scratch
    root, second, third = programs
    sums = scratch.sum[-1]
    forward_level(run, root, first, first, first, sides.opp_hands.size // LANES)
    last = sides.own_hands.size // LANES
    if boards.level_start.size > 2:
        clear_sums(sums, sides, second.num_roots, first, last)
        result = scratch.out[0]
        for i in range(draw.found[0]):
            child = draw.board[0, i]
            if boards.level_start.size == 3:
                final_board(run, schedule[draw.visits[own, child] - 1], second, child, result, first)
            else:
                sampled_middle_board(run, draw, deck, 1 + i, own, schedule, second, third, child, result)
            add_drawn(sums, result, draw, boards, sides, deck, first, i, first, second.num_roots)
        merge_swaps(sums, sides, second.num_roots, boards.weight[0], first, last)
    terminals(
        boards, sides, root, first, scratch.tiles[0], first, scratch.sums[0], scratch.ties[0], first,
        root.line_reach.size // LANES
    )  # fmt: skip
    backward_level(run, schedule[draw.visits[own, 0] - 1], root, first, sums, scratch.root, first, first, last)


@lean_njit(nogil=True)
def run_sampled_passes(
    passes: Passes, draw: Draw, deck: Deck, schedule: Floats, first: int, last: int, seed: int, rng_state: Random
) -> None:
    """Runs the iterations ``first .. last - 1``. Each updates both players, each on boards drawn for it.

    :param schedule: float32 (at least ``last``, 5): ``discounts`` of the first visit of a board, of the second, and so
        on.
    """
    for iteration in range(first, last):
        for own in range(2):
            seed_iteration(rng_state, seed, iteration, own)
            draw_boards(draw, deck, own, rng_state)
            run = pass_of(passes, own)
            sampled_pass(run, draw, deck, own, schedule, passes.programs[own])
            board, locks = passes.boards.level_start[0], passes.locks[own]
            even_twins(run.sides, passes.programs[own][0], board, board, run.regret, run.average, run.rule.base)
            impose_rows(locks.rows, locks.wanted, locks.probabilities, run.regret, run.average)
