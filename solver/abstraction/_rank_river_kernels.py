"""Passes over a turn whose rivers are played by groups of hands (:mod:`hedgehog.solver.abstraction.rank_rivers`).

The turn is that of :mod:`hedgehog.solver.cfr.kernels._board_kernels`. Below it, a line that goes on carries the weight
of single hands, one vector of lines per hand (``lines``). A river adds them up by group, plays its betting lines on
groups as a board of merged cards does, and leaves the values of its groups in ``out``. The turn then adds up, for each
of its hands, the values of the hand's groups on all rivers.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.jit import lean_njit, njit
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
    TREMBLE,
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
    splat,
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

NUM_RANKS: Final = 13
NUM_CARD_CLASSES: Final = 2 * NUM_RANKS
"""Cards of a rank that are not of the suit of the flush, and its card of that suit."""
FORWARD, RIVERS, BACKWARD = 0, 1, 2
NUM_PHASES = 3
"""Phases of a pass, which threads share task by task (:mod:`hedgehog.solver.cfr.kernels._team_kernels`).

``FORWARD`` walks the blocks of the turn down, ``RIVERS`` plays the classes of rivers, then the terminal lines of the
turn, and ``BACKWARD`` adds up the rivers and walks the blocks of the turn up."""


class RankRivers(NamedTuple):
    """The classes of rivers of a turn and the groups of hands on each, as the kernels read them.

    ``B`` is the number of classes and ``M`` the largest number of groups on one of them. Groups are numbered in the
    order of their strength.
    """

    group: tuple[NDArray[np.int32], NDArray[np.int32]]
    """Per player (B, 16 * blocks): group of each hand. Hands that no card of the class leaves have the number of groups
    of the board, as padding has."""
    copies: tuple[NDArray[np.float32], NDArray[np.float32]]
    """Per player (B, 16 * blocks): how many cards of the class miss each hand, on average over its combos."""
    spread: tuple[NDArray[np.float32], NDArray[np.float32]]
    """Per player (B, 16 * blocks): the same, added up over the combos of each hand; in both, a combo counts by its
    weight, here in hands of mean weight."""
    first_block: NDArray[np.int64]
    """(B + 1,): the groups of class ``b`` are stored in the blocks ``first_block[b] .. first_block[b + 1] - 1``."""
    num_groups: NDArray[np.int64]
    """(B,): number of groups."""
    share: NDArray[np.float32]
    """(B, M): 1 divided by the copies of all combos of a group, which makes a mean of a sum."""
    cards: NDArray[np.int16]
    """(B, 2 * M): the two classes of cards of a group, each times 16."""
    counts: NDArray[np.float32]
    """(B, 3 * M): how many combos a group holds, and how many of them hold a given card of its first class and of its
    second (:class:`hedgehog.solver.cfr.kernels._game_kernels.Boards`)."""
    tie_ends: NDArray[np.int16]
    """(B, M): end positions of the runs of equally strong groups, in ascending order."""
    num_ties: NDArray[np.int64]
    """(B,): number of runs of equally strong groups."""

    @property
    def num_blocks(self) -> int:
        """Number of blocks of 16 groups over all classes."""
        return int(self.first_block[-1])

    @property
    def makes_flushes(self) -> bool:
        """Whether some river makes a flush possible."""
        return len(self.num_groups) > NUM_RANKS

    @property
    def most_groups(self) -> int:
        """Largest number of groups on one river."""
        return int(self.share.shape[1])


class HeldCombos(NamedTuple):
    """The combos of a player as :func:`add_wins` reads them."""

    cards: NDArray[np.uint8]
    """(combos, 2): card ids."""
    hands: NDArray[np.int64]
    """(combos,): hand of each combo."""
    weights: NDArray[np.float64]
    """(combos,)."""


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
    added: Floats
    """(16 * blocks * width): values of the turn's hands at the lines that go on, one vector of lines per hand."""
    equity: tuple[Floats, Floats]
    """Empty, or per player (own hands, hands of the opponent), the own hands padded to a multiple of 4: how much more
    often the hand wins than it loses, over all rivers; 0 for hands that share a card."""
    half: Floats
    """(width): half the pot on each line that goes on, in chips."""
    checked: Floats
    """(threads, (groups + 1) * width): ``[16 lines][group]``, what groups win by checking, per chip of half the pot."""
    compared: Floats
    """(64): the factors of a showdown in which each player has one chip."""
    child_values: Floats
    """(16 * blocks * lines): values of the turn's hands at the lines that go on, ``[block][line][16]``."""
    weight: float
    """Probability of each river card."""
    first_pass: int
    """The first pass of the solve that adds equities. Evaluations always do."""


@njit
def count_wins(own: NDArray[np.int16], other: NDArray[np.int16], wins: NDArray[np.int8]) -> None:
    """Adds to ``wins`` (own hands, other hands) 1 for every river on which the own hand wins, -1 if it loses.

    :param own: (rivers, own hands) strengths, negative for hands that the river blocks.
    :param other: (rivers, other hands), those of the other player.
    """
    blocked = np.where(other < 0, np.int16(np.iinfo(np.int16).max), other)
    for i in range(own.shape[1]):
        into = wins[i]
        for river in range(own.shape[0]):
            mine = own[river, i]
            if mine >= 0:
                beaten, ahead = blocked[river], other[river]
                for j in range(into.size):
                    into[j] += np.int8(mine > beaten[j]) - np.int8(mine < ahead[j])


@njit
def add_wins(wins: NDArray[np.int8], own: HeldCombos, other: HeldCombos, total: NDArray[np.float64]) -> None:
    """Adds to ``total`` (own hands, other hands) the wins of their combos, times the weights of both.

    :param wins: result of :func:`count_wins` for the combos; those of two combos that share a card do not count.
    """
    cards, hands, weights = other.cards, other.hands, other.weights
    for i in range(wins.shape[0]):
        row, into, weight = wins[i], total[own.hands[i]], own.weights[i]
        first, second = own.cards[i, 0], own.cards[i, 1]
        for j in range(row.size):
            low, high = cards[j, 0], cards[j, 1]
            apart = (low != first) & (low != second) & (high != first) & (high != second)
            into[hands[j]] += apart * row[j] * weight * weights[j]


@lean_njit
def width_of(num_lines: int) -> int:
    """Returns a number of lines rounded up to whole vectors."""
    return (num_lines + LANES - 1) // LANES * LANES


@lean_njit
def adds_equities(run: Pass, scratch: RiverScratch, own: int, index: int) -> bool:
    """Tells whether a pass adds what single hands win without bets on the river.

    :param index: number of the pass.
    """
    learns = run.mode in (UPDATE, TREMBLE)
    return scratch.equity[own].size > 0 and (index >= scratch.first_pass or not learns)


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
    group, spread, share = rivers.group[1 - own][board], rivers.spread[1 - own][board], rivers.share[board]
    num_groups = rivers.num_groups[board]
    blocks = rivers.first_block[board + 1] - rivers.first_block[board]
    for i in range(0, (blocks * LANES) * width, LANES):
        store(entering, i, zeros())
    for hand in range(group.size):
        if group[hand] < num_groups:
            times = splat_at(spread, hand)
            at, origin = group[hand] * width, hand * width
            for line in range(0, width, LANES):
                store(entering, at + line, fma(load(lines, origin + line), times, load(entering, at + line)))
    for number in range(num_groups):
        mean = splat_at(share, number)
        for i in range(number * width, (number + 1) * width, LANES):
            store(entering, i, load(entering, i) * mean)


@lean_njit
def check_river(rivers: RankRivers, scratch: RiverScratch, board: int, num_lines: int, thread: int) -> None:
    """Fills ``checked`` with what every group wins on a river without bets."""
    keep_out_of_line()
    width = width_of(num_lines)
    entering, checked = scratch.entering[thread], scratch.checked[thread]
    num_groups, size = rivers.num_groups[board], (rivers.share.shape[1] + 1) * LANES
    for first in range(0, width, LANES):
        tile = first // LANES * size
        for number in range(num_groups):
            store(checked, tile + number * LANES, load(entering, number * width + first))
        showdown_tile(
            checked, tile, scratch.sums[thread], scratch.ties[thread], rivers.cards[board], rivers.counts[board],
            rivers.tie_ends[board], rivers.num_ties[board], num_groups, scratch.compared, 0, -1, 0
        )  # fmt: skip


@lean_njit
def play_river(
    run: Pass,
    rivers: RankRivers,
    scratch: RiverScratch,
    discounts: Floats,
    program: Program,
    own: int,
    board: int,
    exact: bool,
    thread: int,
) -> None:
    """Runs one pass over one class of rivers and leaves the values of its groups in ``out``.

    :param exact: leave out what groups win without bets, because the turn adds what single hands win.
    """
    keep_out_of_line()
    num_lines = program.num_roots
    width = width_of(num_lines)
    gather_groups(rivers, scratch, own, board, num_lines, thread)
    if exact:
        check_river(rivers, scratch, board, num_lines, thread)
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
        if run.mode in (UPDATE, TREMBLE):
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
    if exact:
        checked, half = scratch.checked[thread], scratch.half
        for first in range(0, width, LANES):
            pot = load(half, first)
            for number in range(num_groups):
                without = load(checked, first // LANES * tile_size + number * LANES) * pot
                store(out, number * width + first, load(out, number * width + first) - without)
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
    rivers: RankRivers, scratch: RiverScratch, own: int, exact: bool, num_lines: int, first_block: int, last_block: int
) -> None:
    """Adds up the values of the turn's hands over all rivers, in some blocks.

    :param exact: add what single hands win without bets.
    """
    keep_out_of_line()
    width = width_of(num_lines)
    group, copies = rivers.group[own], rivers.copies[own]
    added, weight = scratch.added, splat(scratch.weight)
    for block in range(first_block, last_block):
        for hand in range(block * LANES, (block + 1) * LANES):
            for first in range(0, width, LANES):
                total = zeros()
                for board in range(group.shape[0]):
                    at = group[board, hand] * width + first
                    total = fma(load(scratch.out[board], at), splat_at(copies[board], hand), total)
                store(added, hand * width + first, total * weight)
        last_hand = min((block + 1) * LANES, scratch.equity[own].shape[0]) if exact else 0
        for hand in range(block * LANES, last_hand, 4):
            add_equities(scratch, own, hand, width)
        for lane in range(LANES):
            to = block * num_lines * LANES + lane
            for line in range(num_lines):
                scratch.child_values[to + line * LANES] = added[(block * LANES + lane) * width + line]


@lean_njit
def add_equities(scratch: RiverScratch, own: int, hand: int, width: int) -> None:
    """Adds to the values of four hands what they win on rivers without bets."""
    keep_out_of_line()
    added, lines, equity = scratch.added, scratch.lines, scratch.equity[own]
    first_row, second_row, third_row, fourth_row = equity[hand], equity[hand + 1], equity[hand + 2], equity[hand + 3]
    for first in range(0, width, LANES):
        a, b, c, d = zeros(), zeros(), zeros(), zeros()
        for other in range(equity.shape[1]):
            here = load(lines, other * width + first)
            a = fma(splat_at(first_row, other), here, a)
            b = fma(splat_at(second_row, other), here, b)
            c = fma(splat_at(third_row, other), here, c)
            d = fma(splat_at(fourth_row, other), here, d)
        pot = load(scratch.half, first)
        at = hand * width + first
        store(added, at, fma(a, pot, load(added, at)))
        store(added, at + width, fma(b, pot, load(added, at + width)))
        store(added, at + 2 * width, fma(c, pot, load(added, at + 2 * width)))
        store(added, at + 3 * width, fma(d, pot, load(added, at + 3 * width)))


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
    index: int,
    phase: int,
    first: int,
    last: int,
    thread: int,
) -> None:
    """Runs the tasks ``first .. last - 1`` of a phase of pass ``index`` on one thread."""
    keep_out_of_line()
    boards, sides = run.boards, run.sides
    root, second, _ = programs
    board, own = boards.level_start[0], index & 1
    exact = adds_equities(run, scratch, own, index)
    if phase == FORWARD:
        forward_level(run, root, board, thread, first, last)
        spread_lines(run, scratch, second.num_roots, first, last)
    elif phase == RIVERS:
        count = rivers.num_groups.size
        for river in range(first, min(last, count)):
            play_river(run, rivers, scratch, discounts, second, own, river, exact, thread)
        terminals(
            boards, sides, root, board, run.scratch.tiles[0], board, run.scratch.sums[thread], run.scratch.ties[thread],
            max(first, count) - count, max(last, count) - count
        )  # fmt: skip
    else:
        add_rivers(rivers, scratch, own, exact, second.num_roots, first, last)
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
                run_tasks(run, rivers, scratch, discounts, passes.programs[own], index, phase, task, end, thread)
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
            run_tasks(run, rivers, scratch, discounts, passes.programs[own], index, phase, task, task + 1, thread)
            finish_task(team)
