"""Plays random hands of a solved spot and compares what is won with what the solver computed.

A hand is dealt as at a table. Both players' hole cards are drawn from their ranges: the weights multiply, and no card
is shared. Turn and river are real cards, and actions are drawn from the strategies. Chips are paid by the rules
(:mod:`hedgehog.analysis.solves.played_lines`), and hands are compared by :mod:`hedgehog.poker.evaluation.evaluator`.
Only the stored strategies are taken from the solver. So a fault in its dealing, card removal, showdowns, payoffs or
suit isomorphism shows up as a difference of means.

::

    for check in check_values(solver, num_hands=10_000_000, seed=1):
        print(check.player, check.computed, check.simulated.mean, check.errors_off, check.agrees)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.solves import _simulation_kernels as kernels
from hedgehog.analysis.solves._simulation_kernels import HANDS_PER_BLOCK, Lines, Pairs, Seat
from hedgehog.analysis.solves.played_lines import play_lines
from hedgehog.analysis.solves.stored_boards import make_seat
from hedgehog.poker.cards import COMBO_CARDS, combo_mask
from hedgehog.poker.evaluation.evaluator import evaluator_tables
from hedgehog.runtime.errors import SpotError
from hedgehog.runtime.machine import num_processors
from hedgehog.solver.cfr.strategy_table import StrategyTable
from hedgehog.solver.postflop.queries import find_node
from hedgehog.solver.postflop.solution import PostflopSolution, met_weight
from hedgehog.solver.postflop.solver import PostflopSolver

TOLERANCE: Final = 4.0
"""Standard errors by which a simulated mean may differ from the computed value; 99.994 % of simulations differ less."""
MAX_HANDS: Final = 10_000_000_000
# A mean of hands that are all worth the same has no error of its own; computed values are rounded.
_ROUNDING: Final = 1e-5
# Blocks that one task of a thread plays: short enough for Ctrl-C, long enough to cost nothing.
_BLOCKS_PER_TASK: Final = 32

Range = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SimulatedValue:
    """The simulated winnings of one player per hand, in chips."""

    mean: float
    standard_error: float
    """Standard error of the mean."""
    num_hands: int


@dataclass(frozen=True, slots=True)
class Check:
    """The simulated EV of a player beside the computed EV (docs/solver.md, section EV)."""

    player: int
    simulated: SimulatedValue
    computed: float
    pot: int
    """The pot at the root of the spot, in chips."""

    @property
    def errors_off(self) -> float:
        """Number of standard errors by which the simulated EV exceeds the computed EV."""
        difference = self.simulated.mean - self.computed
        return difference / max(self.simulated.standard_error, _ROUNDING * self.pot / TOLERANCE)

    @property
    def agrees(self) -> bool:
        """Tells whether the difference is at most :data:`TOLERANCE` standard errors."""
        return abs(self.errors_off) <= TOLERANCE


def check_values(
    solution: PostflopSolution,
    *,
    num_hands: int,
    seed: int,
    line: str = "",
    best_response: int | None = None,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Check]:
    """Plays the average strategies of a solution and compares what is won with the computed EV.

    :param solution: the solution, or a solver.
    :param num_hands: number of hands to play, at least 2.
    :param seed: seed of the random numbers.
    :param line: actions and dealt cards that lead to the decision where the hands start. Both players start with the
        ranges that reach it.
    :param best_response: a player who plays its best response instead. Then only this player's value is compared, with
        the value of the best response, and hands start at the root.
    :param threads: number of threads. The result does not depend on it.
    :param progress: called with the number of hands played so far.
    :raises SpotError: if the line does not exist or is never reached, if a best response is asked for together with a
        line, or if a best response is asked for and ``solution`` is not a solver.
    """
    node, dealt = find_node(solution, line)
    board = (*solution.board, *dealt)
    reaches = [solution.node_reach(player, node, dealt) for player in (0, 1)]
    tables = [solution.strategy_table(player) for player in (0, 1)]
    if best_response is None:
        computed = dict(enumerate(_computed_values(solution, node, dealt, reaches)))
    else:
        if node or not isinstance(solution, PostflopSolver):
            raise SpotError("a best response can be played only from the root, and against a solver's strategies")
        tables[best_response] = solution.best_response_table(best_response)
        best = solution.exploitability().best_response_ev_minus_half_pot[best_response]
        computed = {best_response: best + solution.tree.root_pot / 2}
    values = simulate(
        play_lines(solution.tree, solution.spot.rake),
        make_seats(tables, solution),
        reaches,
        board,
        num_hands=num_hands,
        seed=seed,
        node=node,
        threads=threads,
        progress=progress,
    )
    checks = []
    for player, ev in computed.items():
        # The hands count from half the pot at the root, EVs from the node on.
        sunk = solution.tree.root_pot / 2 + float(solution.tree.committed[node, player])
        played = replace(values[player], mean=values[player].mean + sunk)
        checks.append(Check(player, played, ev, solution.tree.root_pot))
    return checks


def make_seats(tables: Sequence[StrategyTable], solution: PostflopSolution) -> tuple[Seat, Seat]:
    """Returns the strategies of both players of a solution in the form of the kernels, one table each."""
    return make_seat(tables[0], solution.board, solution.ranges), make_seat(tables[1], solution.board, solution.ranges)


def _computed_values(
    solution: PostflopSolution, node: int, dealt: tuple[int, ...], reaches: Sequence[Range]
) -> tuple[float, float]:
    """Returns both players' mean EV at a node in chips, as the solver computes it."""
    values = np.nan_to_num(solution.node_values(node, dealt)).astype(np.float64)
    evs = []
    for player in (0, 1):
        weights = reaches[player] * met_weight(reaches[1 - player], (*solution.board, *dealt))
        if not weights.any():
            raise SpotError("no pair of hands without a shared card reaches this node")
        evs.append(float(values[player] @ weights / weights.sum()))
    return evs[0], evs[1]


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
    """Plays hands from a node on and returns the chips won by each player, less half the pot at the root of the tree.

    The result depends on the seed, but not on the number of threads.

    :param lines: the betting lines of the spot.
    :param seats: the strategies of OOP and IP (:func:`hedgehog.analysis.solves.stored_boards.make_seat`), from one
        solve or two.
    :param reaches: float32[1326] weights of the combos of OOP and IP at the node.
    :param board: card ids of the board at the node.
    :param num_hands: number of hands, at least 2.
    :param seed: seed of the random numbers.
    :param node: node at which the hands start.
    :param threads: number of threads.
    :param progress: called with the number of hands played so far.
    :raises SpotError: if the two reaches cannot be dealt together.
    """
    sums = _play(
        lines, seats, reaches, board, num_hands=num_hands, seed=seed, node=node, threads=threads, progress=progress
    )
    return _values(sums, num_hands)


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Hands that were played one after the other, and what was won on the way."""

    hands: NDArray[np.int64]
    """(points,) hands played so far, ascending."""
    won: NDArray[np.float64]
    """(points, 2) chips that each player has won by then, less half the pot at the root of every hand."""
    values: tuple[SimulatedValue, SimulatedValue]
    """What each player won per hand over all of them."""


def simulate_course(
    lines: Lines,
    seats: tuple[Seat, Seat],
    reaches: Sequence[Range],
    board: Sequence[int],
    *,
    num_hands: int,
    seed: int,
    points: int,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Course:
    """Plays hands from the root on, as :func:`simulate` does, and returns what was won over time.

    :param points: most points of the course. Two points are at least 4,096 hands apart.
    """
    sums = _play(lines, seats, reaches, board, num_hands=num_hands, seed=seed, threads=threads, progress=progress)
    last = np.unique(np.linspace(0, len(sums), min(points, len(sums)) + 1).astype(np.int64)[1:])
    won = np.cumsum(sums[:, :2], axis=0)[last - 1]
    return Course(np.minimum(last * HANDS_PER_BLOCK, num_hands), won, _values(sums, num_hands))


def _play(
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
) -> NDArray[np.float64]:
    """Plays hands and returns float64[blocks, 4]: what both players won in each block, and the sums of the squares."""
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

    with ThreadPoolExecutor(threads or num_processors()) as pool:
        try:
            for last in pool.map(play, range(0, num_blocks, _BLOCKS_PER_TASK)):
                if progress is not None:
                    progress(min(last * HANDS_PER_BLOCK, num_hands))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return sums


def _values(sums: NDArray[np.float64], num_hands: int) -> tuple[SimulatedValue, SimulatedValue]:
    totals = [math.fsum(column) for column in sums.T]
    return _value(totals[0], totals[2], num_hands), _value(totals[1], totals[3], num_hands)


def _value(total: float, squares: float, num_hands: int) -> SimulatedValue:
    mean = total / num_hands
    variance = max(squares - num_hands * mean * mean, 0.0) / (num_hands - 1)
    return SimulatedValue(mean, math.sqrt(variance / num_hands), num_hands)


def make_pairs(reaches: Sequence[Range], board: Sequence[int]) -> Pairs:
    """Returns the table from which pairs of combos without a shared card are drawn, in proportion to both weights.

    :param reaches: float32[1326] weights of the combos of OOP and IP.
    :param board: card ids of the board.
    :raises SpotError: if no two combos can be dealt together.
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
