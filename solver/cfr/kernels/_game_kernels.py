"""A game as compiled passes see it: betting programs, boards, sides, buffers, locks.

:mod:`hedgehog.solver.cfr.programs` makes the programs, :mod:`hedgehog.solver.cfr.card_game` the boards and sides,
:mod:`hedgehog.solver.cfr.locks` the locks and :mod:`hedgehog.solver.cfr.solver` the buffers.
:mod:`hedgehog.solver.cfr.kernels._board_kernels` draws the memory layouts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Program(NamedTuple):
    """The betting forest of one level as seen by one updating player. Every offset counts float32 elements.

    ``values`` has a slot for every line. ``reach`` has slots for the opponent's actions only, because own actions
    leave its reach unchanged. Slots ``0 .. num_roots - 1`` are the lines that enter the level.
    """

    forward: NDArray[np.int32]
    """(4 * opponent decisions): reach slot, first child's reach slot, number of actions, row offset."""
    backward: NDArray[np.int32]
    """(5 * decisions), children first: kind, value slot, first child's value slot, number of actions, row offset.

    The kind is 0 for the opponent's decisions, 1 for own ones, and 2 for own ones at which some hand is locked on some
    board."""
    exit_reach: NDArray[np.int32]
    """(exits): reach slots of the lines that go on to the next level."""
    exit_value: NDArray[np.int32]
    """(exits): value slots of the lines that go on to the next level."""
    line_reach: NDArray[np.int32]
    """(16 * reached tiles): reach slots of the terminal lines; showdown tiles first, padded to whole tiles."""
    line_value: NDArray[np.int32]
    """(16 * tiles): value slots of the terminal lines; padding goes to a slot that is never read.

    Behind the reached tiles come tiles of own folds, one for each of the first tiles of showdowns. Line by line the
    opponent reaches both with the same hands, because the player folds or calls at the same decision. Both get their
    values from the same sums."""
    factors: NDArray[np.float32]
    """(64 * tiles): factors of (weaker, weaker or equal, all, same combo) opponent reach, 16 lines each."""
    num_showdown_tiles: int
    num_roots: int
    own_base: int
    """First element of this level in the updating player's ``regret`` and ``average``."""
    own_stride: int
    """Elements per block of the updating player's hands."""
    opp_base: int
    """First element of this level in the opponent's ``regret`` and ``average``."""
    opp_stride: int
    """Elements per block of the opponent's hands."""
    own_forward: NDArray[np.int32]
    """``forward`` of the program in which the opponent is updated: it walks the own decisions."""
    own_exit_reach: NDArray[np.int32]
    """``exit_reach`` of the program in which the opponent is updated."""
    first_weight: int
    """In a program for trembles the value slot, times 16, of the weight of the opponent's hands at the first own
    decision; those of the others follow in the order of the lines. 0 in other programs."""


class Boards(NamedTuple):
    """The boards of all levels, level by level. ``U`` is the number of hands that either player may hold."""

    position: NDArray[np.int16]
    """(boards, U + 1): 16 * position of each hand in a tile. Blocked hands and the last column have the trash row."""
    cards: NDArray[np.int16]
    """(boards, 2 * U): the two removal cards of the hand at each position, each times 16."""
    counts: NDArray[np.float32]
    """Empty, or (boards, 3 * U) if cards are merged. Three numbers per position: how many live hands it stands for,
    how many of these hold a given card of its first removal class, and how many one of its second. If both classes are
    the same, each of the two numbers counts half of the hands."""
    tie_ends: NDArray[np.int16]
    """(boards, U): end positions of the groups of equally strong hands, in ascending order."""
    num_ties: NDArray[np.int32]
    """(boards): number of groups of equally strong hands."""
    num_live: NDArray[np.int32]
    """(boards): number of hands that share no card with the board."""
    children: NDArray[np.int64]
    """(boards + 1): the next level's boards after board ``b`` are ``children[b] .. children[b + 1] - 1``."""
    swap_start: NDArray[np.int64]
    """(boards + 1): ``swaps[swap_start[b] : swap_start[b + 1]]`` are the suit swaps that make board b's twins."""
    swaps: NDArray[np.int32]
    """Rows of ``Sides.own_swaps``, board by board."""
    weight: NDArray[np.float32]
    """(levels - 1): chance weight of one board of the next level."""
    level_start: NDArray[np.int64]
    """(levels + 1): first board of each level."""


class Sides(NamedTuple):
    """The two players' hands as seen by one updating player."""

    own_hands: NDArray[np.int32]
    """(16 * own blocks): number from 0 to U - 1 of every hand of the updating player; padding is U."""
    opp_hands: NDArray[np.int32]
    """(16 * opponent blocks): number from 0 to U - 1 of every hand of the opponent; padding is U."""
    absent: NDArray[np.int32]
    """Numbers of the hands that only the updating player may hold. Their tile rows hold no reach."""
    own_swaps: NDArray[np.int32]
    """(swaps, 16 * own blocks): the own hand that each own hand becomes by a suit swap."""
    own_copies: NDArray[np.float32]
    """Empty, or (boards, 16 * own blocks) if cards are merged: how many of the cards that the board's last card stands
    for miss each own hand."""
    own_first: NDArray[np.int32]
    """Empty, or (boards above the last level, 16 * own blocks): the lowest of the own hands that the suit swaps of the
    boards below turn into each other. It is the hand itself if no suits are swapped there."""
    root_reach: NDArray[np.float32]
    """(16 * opponent blocks): the opponent's range weights."""


class Scratch(NamedTuple):
    """Buffers of a pass. ``U`` is the number of hands that either player may hold."""

    reach: NDArray[np.float32]
    """(threads, slots * 16): the opponent's reach in the forest of one block."""
    values: NDArray[np.float32]
    """(threads, slots * 16): own values in the forest of one block."""
    tiles: NDArray[np.float32]
    """(threads, tiles of all levels * (U + 1) * 16): terminal lines, first as reach, then as own values."""
    sums: NDArray[np.float32]
    """(threads, (1 + largest removal card) * 16): opponent reach by removal card."""
    ties: NDArray[np.float32]
    """(threads, U * 16): values of one group of ties."""
    entry: NDArray[np.float32]
    """(threads + 1, exits * 16 * blocks): opponent reach at the exits of a middle level; the last row holds the root
    level's."""
    result: NDArray[np.float32]
    """(threads, root values of one board of the last level)."""
    sum: NDArray[np.float32]
    """(threads + 1, (1 + swaps) * root values): accumulators of a chance node."""
    out: NDArray[np.float32]
    """(threads, root values of one board below the root)."""
    groups: NDArray[np.float32]
    """(groups of boards below the root, (1 + swaps) * root values): the accumulators of every group. The boards are
    cut into groups of equal size, in order; the last group may be smaller."""
    root: NDArray[np.float32]
    """(16 * own blocks): value of every hand at the root."""
    kept: NDArray[np.float32]
    """Empty, or (own blocks * slots of the root level * 16): receives all values of the root level."""
    positions: NDArray[np.int32]
    """(threads, 16): tile positions of the hands of one block."""
    team: NDArray[np.int64]
    """What the threads of a pass tell each other (:mod:`hedgehog.solver.cfr.kernels._team_kernels`)."""
    tile_start: NDArray[np.int64]
    """(levels): where a level's tiles start in ``tiles``."""


class Locks(NamedTuple):
    """Strategies that one player must not change, one entry per action row, board and block with a locked hand."""

    rows: NDArray[np.int64]
    """(entries): first element of the row in ``regret`` and ``average``."""
    wanted: NDArray[np.int64]
    """(entries): first element of the row's 16 probabilities in ``probabilities``."""
    probabilities: NDArray[np.float32]
    """Probabilities in groups of 16 hands; -1 for hands that are free."""


Programs = tuple[Program, Program, Program]
