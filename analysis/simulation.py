"""Plays random hands of a solved spot and compares what is won with what the solver computed.

A hand is dealt as at a table: both players' hole cards from their ranges (weights multiply, no shared cards), real turn
and river cards, actions drawn from the strategies, chips paid as the rules core pays them
(:mod:`analysis.played_lines`), hands compared by :mod:`poker.evaluator`. Of the solver only the stored strategies
are used, so a fault in its dealing, card removal, showdowns, payoffs or suit isomorphism shows up as a difference of
means.
(Specification: spec/solver.md section 6.)

::

    check = check_values(solver, (rate, cap), num_hands=10_000_000, seed=1)
    check.agrees, check.players[0].simulated, check.players[0].computed
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis import _simulation_kernels as kernels
from analysis._simulation_kernels import HANDS_PER_BLOCK, Lines, Pairs, Seat
from poker.cards import COMBO_CARDS, combo_mask
from poker.errors import SpotError
from poker.evaluator import evaluator_tables

TOLERANCE: Final = 4.0
"""Standard errors by which the mean of the hands may miss the computed value (99.994 % of all simulations do not)."""
MAX_HANDS: Final = 10_000_000_000
# Blocks that one task of a thread plays: short enough for Ctrl-C, long enough to cost nothing.
_BLOCKS_PER_TASK: Final = 32

Range = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SimulatedValue:
    """What one player won per hand, in chips."""

    mean: float
    standard_error: float
    """Of the mean."""
    num_hands: int


def simulate(
    lines: Lines,
    seats: tuple[Seat, Seat],
    reaches: Sequence[Range],
    board: Sequence[int],
    *,
    num_hands: int,
    seed: int,
    node: int = 0,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[SimulatedValue, SimulatedValue]:
    """Plays hands from a node on; the result depends on the seed, not on the number of threads.

    :param seats: the strategies of OOP and IP (:func:`analysis.stored_boards.make_seat`), of one solve or of two.
    :param reaches: float32[1326] weights of OOP and IP at the node.
    :param board: the cards on the board at the node.
    :param num_hands: at least 2.
    :param progress: called with the number of hands played so far.
    :returns: per player the chips won, less half the pot at the root of the tree.
    :raises SpotError: if the two reaches cannot be dealt together.
    """
    if not 2 <= num_hands <= MAX_HANDS:
        raise SpotError(f"expected 2 to {MAX_HANDS:,} hands, got {num_hands:,}")
    if not 0 <= seed < 2**63:
        raise SpotError(f"expected a seed from 0 to 2^63 - 1, got {seed}")
    start = int(lines.after_deals[node])
    pairs = make_pairs(reaches, board)
    known = np.array(board, dtype=np.uint8)
    num_blocks = -(-num_hands // HANDS_PER_BLOCK)
    sums = np.empty((num_blocks, 4))

    def play(first: int) -> int:
        last = min(first + _BLOCKS_PER_TASK, num_blocks)
        kernels.play_blocks(
            sums, lines, seats[0], seats[1], pairs, COMBO_CARDS, known, evaluator_tables(), start, seed, first, last,
            num_hands
        )  # fmt: skip
        return last

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        try:
            for last in pool.map(play, range(0, num_blocks, _BLOCKS_PER_TASK)):
                if progress is not None:
                    progress(min(last * HANDS_PER_BLOCK, num_hands))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    totals = [math.fsum(column) for column in sums.T]
    return _value(totals[0], totals[2], num_hands), _value(totals[1], totals[3], num_hands)


def _value(total: float, squares: float, num_hands: int) -> SimulatedValue:
    mean = total / num_hands
    variance = max(squares - num_hands * mean * mean, 0.0) / (num_hands - 1)
    return SimulatedValue(mean, math.sqrt(variance / num_hands), num_hands)


def make_pairs(reaches: Sequence[Range], board: Sequence[int]) -> Pairs:
    """Makes the table from which pairs of combos are drawn: in proportion to both weights, sharing no card.

    :raises SpotError: if there is no such pair.
    """
    mask = combo_mask(tuple(board))
    first, second = (np.flatnonzero(mask & (reach > 0)) for reach in reaches)
    weights = np.outer(reaches[0][first].astype(np.float64), reaches[1][second].astype(np.float64))
    cards_0, cards_1 = COMBO_CARDS[first], COMBO_CARDS[second]
    for i in range(2):
        for j in range(2):
            weights[cards_0[:, i, None] == cards_1[:, j]] = 0
    total = weights.sum()
    if not total > 0:
        raise SpotError("no pair of hands without a shared card reaches this node")
    keep = weights.ravel()
    keep *= keep.size / total
    alias = np.empty(keep.size, dtype=np.int32)
    kernels.fill_alias_table(keep, alias, np.empty(keep.size, dtype=np.int32))
    return Pairs(first.astype(np.int16), second.astype(np.int16), keep, alias)
