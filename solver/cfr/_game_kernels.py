"""A game as the compiled passes of :mod:`solver.cfr._kernels` see it: betting programs, boards, sides, buffers, locks.

:mod:`solver.cfr.programs`, :mod:`solver.cfr.card_game` and :mod:`solver.cfr.solver` fill them; the layouts are drawn in
:mod:`solver.cfr._kernels`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Program(NamedTuple):
    """The betting forest of one level as seen by one updating player; every offset counts float32 elements.

    ``reach`` slots exist for the opponent's actions only (own actions leave his reach unchanged); ``values``
    slots exist for every line. Slots ``0 .. num_roots`` are the lines that enter the level.
    """

    forward: NDArray[np.int32]
    """(4 * opponent decisions): reach slot, first child's reach slot, number of actions, row offset."""
    backward: NDArray[np.int32]
    """(5 * decisions), children first: 0 the opponent's, 1 own, 2 own and locked for some hands on some board; value
    slot, first child's value slot, number of actions, row."""
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
    own_forward: NDArray[np.int32]
    """``forward`` and ``exit_reach`` of the opponent's program: the walk of the own decisions."""
    own_exit_reach: NDArray[np.int32]


class Boards(NamedTuple):
    """The boards of all levels, level by level; ``U`` = hands of either player."""

    position: NDArray[np.int32]
    """(boards, U + 1): 16 * position of each hand in a tile; blocked hands and the last column: the trash row."""
    cards: NDArray[np.int32]
    """(boards, 2 * U): 16 * the two removal cards of the hand at each position."""
    counts: NDArray[np.float32]
    """Empty, or (boards, 3 * U) if cards are merged: per position how many live hands it stands for, and how many of
    these hold a given card of its first, its second removal class (half of them each if the classes are the same)."""
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
    own_copies: NDArray[np.float32]
    """Empty, or (boards, 16 * own blocks) if cards are merged: how many of the cards that a board's last card stands
    for leave an own hand alive."""
    own_first: NDArray[np.int32]
    """Empty, or (boards above the last level, 16 * own blocks): the first of the own hands that become each other by
    the suit swaps of the boards below; the hand itself if no suits are swapped there."""
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


class Locks(NamedTuple):
    """Strategies that one player must not change, one entry per action row, board and block that holds any."""

    rows: NDArray[np.int64]
    """(entries): first element of the row in ``regret`` and ``average``."""
    wanted: NDArray[np.int64]
    """(entries): first element of its 16 probabilities in ``probabilities``."""
    probabilities: NDArray[np.float32]
    """Probability per hand, -1 for hands that are free."""


Programs = tuple[Program, Program, Program]
