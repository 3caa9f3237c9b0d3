"""Lets two strategies for one spot meet in both seats: exact EVs, best responses, gains by line, and hands played."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.analysis.solves.meetings.gains import MEETS_BY, Rows, line_gains, play_regrets
from hedgehog.analysis.solves.meetings.result import Versus
from hedgehog.analysis.solves.played_lines import play_lines
from hedgehog.analysis.solves.simulation import Course, make_seats, simulate_course
from hedgehog.poker.streets import RIVER, STREETS
from hedgehog.runtime.errors import MemoryShortageError, SpotError
from hedgehog.runtime.machine import available_memory
from hedgehog.runtime.watch import SILENT, Watch
from hedgehog.solver.cfr.algorithms import parse_algorithm
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.responses.given_strategy import GivenStrategy, place_rows, prepare_for_given
from hedgehog.solver.postflop.responses.response import guaranteed_ev
from hedgehog.solver.postflop.run import compile_kernels
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import PLAYERS, PostflopSpot

POINTS: Final = 200
"""Most points of the winnings over time."""
_STEPS: Final = 4
_ARRAYS: Final = 6
"""Numbers of four bytes per hand and action: both strategies, their meeting, and the regrets of one."""


@dataclass(frozen=True, slots=True, eq=False)
class Contender:
    """A strategy that meets another one."""

    name: str
    """What it is called in tables."""
    text: str
    """Where it comes from."""
    given: GivenStrategy


def meet(
    spot: PostflopSpot,
    first: Contender,
    second: Contender,
    *,
    hands: int = 1_000_000,
    seed: int = 0,
    fill: bool = False,
    threads: int | None = None,
    watch: Watch = SILENT,
) -> Versus:
    """Returns what two strategies win from each other on a spot.

    :param spot: the spot, whose ranges hold. Locks and the abstraction bind nobody.
    :param hands: hands to be played with each strategy in each seat; 0 plays none.
    :param seed: seed of the random numbers.
    :param fill: streets that one strategy lacks are played as the other one plays them.
    :param threads: number of threads.
    :param watch: hears of the progress.
    :raises SpotError: if a strategy is of another board or betting tree, or lacks hands or a street.
    :raises MemoryShortageError: if the meeting needs more memory than is free.
    """
    prepared = prepare_for_given(spot, (first.given, second.given))
    verify_room(prepared)
    watch.begin(spot.name, _STEPS, "", "compiling")
    compile_kernels(threads, parse_algorithm(MEETS_BY), "f32")
    watch.update(0, "")
    placed = _place(prepared, first, second, fill)
    watch.update(1, "values")
    solver = PostflopSolver(prepared, threads=threads, algorithm=MEETS_BY)
    evs, found, least = np.zeros((2, 2, 2)), [], []
    for own in (0, 1):
        _restore(solver, placed[own])
        alone = solver.exploitability()
        evs[own, own] = alone.ev_minus_half_pot
        for seat in (0, 1):
            # The strategy sits in this seat, the other one in the other seat.
            where = (own, 1 - own, seat) if seat == 0 else (1 - own, own, seat)
            evs[where] = solver.ev_against(placed[1 - own][1 - seat], seat)
        found.append(alone)
        least.append((guaranteed_ev(solver, 0), guaranteed_ev(solver, 1)))
    watch.update(2, "where it is won")
    gains = _gains(prepared, solver, placed[0], placed[1])
    watch.update(3)
    losses = -_gains(prepared, solver, placed[1], placed[0])
    watch.update(_STEPS)
    courses = None
    if hands:
        watch.begin("playing", 2 * hands, "hands")
        courses = _play(prepared, solver, placed, hands, seed, threads, watch)
    half = spot.pot / 2
    return Versus(
        spot=spot,
        tree=prepared.tree,
        names=(first.name, second.name),
        texts=(first.text, second.text),
        evs=evs + half,
        found=(found[0], found[1]),
        least=np.array(least) + half,
        gains=gains,
        losses=losses,
        hands=hands,
        seed=seed,
        courses=courses,
    )


def verify_room(spot: PreparedSpot) -> None:
    """Checks that the memory that is free is enough for two strategies to meet on a spot.

    :raises MemoryShortageError: if it is not.
    """
    needed, free = _ARRAYS * 4 * sum(spot.layout.sizes), available_memory()
    if needed > free:
        raise MemoryShortageError(needed, free)


def _place(spot: PreparedSpot, first: Contender, second: Contender, fill: bool) -> tuple[Rows, Rows]:
    """Returns the placed rows of both strategies."""
    ends = [contender.given.last_street for contender in (first, second)]
    if fill and max(ends) < RIVER:
        raise SpotError(f"both strategies end with the {STREETS[max(ends)]}: nobody plays the streets after it")
    if fill and min(ends) == RIVER:
        raise SpotError("both strategies have all streets: leave out --fill")
    placed: dict[str, Rows] = {}
    # A strategy that lacks streets takes them from the other one, which is placed before it.
    for contender in sorted((first, second), key=lambda one: -one.given.last_street):
        rest = next(iter(placed.values()), None) if fill and not contender.given.is_complete else None
        try:
            rows = [place_rows(spot, contender.given, p, None if rest is None else rest[p]) for p in (0, 1)]
        except SpotError as error:
            raise SpotError(f"{contender.text} {error.message}") from None
        placed[contender.name] = rows[0], rows[1]
    return placed[first.name], placed[second.name]


def _restore(solver: PostflopSolver, rows: Rows) -> None:
    """Lets both players of a solver follow given strategies."""
    solver.restore(0, solver.state() | {f"average_{name}": array for name, array in zip(PLAYERS, rows, strict=True)})


def _gains(spot: PreparedSpot, solver: PostflopSolver, one: Rows, other: Rows) -> NDArray[np.float64]:
    """Returns float64[2, nodes]: what ``one`` gains per seat at each decision over ``other`` against ``other``."""
    regrets = play_regrets(solver, other)
    return np.stack([line_gains(spot, seat, one[seat], regrets[seat]) for seat in (0, 1)])


def _play(
    spot: PreparedSpot,
    solver: PostflopSolver,
    placed: tuple[Rows, Rows],
    hands: int,
    seed: int,
    threads: int | None,
    watch: Watch,
) -> tuple[Course, Course]:
    """Plays hands with the first strategy in either seat."""
    lines, courses = play_lines(spot.tree, spot.rake), []
    for seat in (0, 1):
        rows = (placed[0][0], placed[1][1]) if seat == 0 else (placed[1][0], placed[0][1])
        tables = [replace(solver.strategy_table(player), weights=rows[player]) for player in (0, 1)]
        before = seat * hands

        def show(done: int, before: int = before) -> None:
            watch.update(before + done)

        courses.append(
            simulate_course(
                lines, make_seats(tables, solver), spot.ranges, spot.board,
                num_hands=hands, seed=(2 * seed + seat) % 2**63, points=POINTS, threads=threads, progress=show,
            )
        )  # fmt: skip
    return courses[0], courses[1]
