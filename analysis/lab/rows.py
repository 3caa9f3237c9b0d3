"""The rows of the hand-abstraction laboratory: one way to solve a spot, its size and its quality over iterations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

from pydantic import Field

from hedgehog.poker.streets import STREETS
from hedgehog.solver.abstraction.abstraction import KMEANS, SpotGroups, SpotValues
from hedgehog.solver.abstraction.board_pooling import RiverClasses
from hedgehog.solver.abstraction.group_layout import group_bytes, make_group_layout, measure_groups
from hedgehog.solver.abstraction.group_solver import GroupSolver, verify_group_algorithm
from hedgehog.solver.abstraction.smaller_menus import ALGORITHM as JUDGE
from hedgehog.solver.abstraction.smaller_menus import MenuJudge
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.cfr.memory import num_threads
from hedgehog.solver.postflop.estimate import estimate
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.solver import PostflopSolver
from hedgehog.solver.postflop.spot import ABSTRACTIONS, PLAYERS

NONE: Final = "none"
"""Name of the row without abstraction: every hand for itself."""
MERGED: Final = "merged"
"""Name of the row with merged cards, which lose nothing."""
RELAXED: Final = "relaxed"
"""Name of the row whose players see classes of boards."""
REFERENCES: Final = (NONE, MERGED, KMEANS)
_LOOKS: Final = 8
_FIRST_LOOK: Final = 10


Count = Annotated[int, Field(ge=0)]
"""A number in the file of a row, which may not be negative."""


class Look(NamedTuple):
    """The quality of the strategies after some iterations."""

    iteration: Annotated[int, Field(ge=1)]
    seconds: Annotated[float, Field(ge=0)]
    """Time of the iterations so far; the time of looking is not counted."""
    real: float
    """Gains of both best responses in the real game, in chips per deal of two hands in range."""
    abstract: float
    """Gains of both greedy responses that treat all hands of a group alike, in chips per deal. With fewer bet sizes:
    of both best responses with these sizes. With classes of boards: the real gains, because a response that sees the
    classes alone is not computed."""


@dataclass(frozen=True, slots=True)
class StreetSummary:
    """The groups of one player on one street."""

    player: str
    street: str
    mean: float
    least: int
    most: int
    alone: float
    """Share of the hands that share their group with no other."""


@dataclass(frozen=True, slots=True)
class RowSize:
    """How large a row's game is."""

    infosets: Count
    """Decisions times groups of hands, over all boards."""
    entries: Count
    """Actions of these decisions times groups of hands: one number each per array of the algorithm."""
    states: Count | None
    """Nodes times groups of both players; None for merged cards, where pairs of hands are not equally many."""
    bytes_f32: Count
    """Bytes of the algorithm's arrays in single precision."""
    bytes_f16: Count | None
    """Bytes in half precision; None if the algorithm needs more precision."""
    memory: Count
    """Bytes that a solve allocates: arrays, tables of boards and groups, and scratch."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row that was solved."""

    name: str
    size: RowSize
    streets: tuple[StreetSummary, ...]
    """Empty for merged cards."""
    looks: tuple[Look, ...]
    """In the order of the iterations; at least one."""

    @property
    def final(self) -> Look:
        """The look after the last iteration."""
        return self.looks[-1]

    def at(self, iteration: int) -> Look | None:
        """Returns the look at an iteration, or None if there was none."""
        return next((look for look in self.looks if look.iteration == iteration), None)

    @property
    def lossless(self) -> bool:
        """Whether no hands are treated alike that differ: its real epsilon falls to 0 with more iterations."""
        return self.name in (NONE, MERGED)

    @property
    def ms_per_iteration(self) -> float:
        """Mean time of an iteration in milliseconds."""
        return 1000 * self.final.seconds / self.final.iteration

    def real_at(self, seconds: float) -> float | None:
        """Returns the real epsilon after some seconds of iterations, None if the looks do not reach so far.

        Between two looks its logarithm is taken to be linear in time.
        """
        for before, after in zip(self.looks, self.looks[1:], strict=False):
            if before.seconds <= seconds <= after.seconds and min(before.real, after.real) > 0:
                share = (seconds - before.seconds) / max(after.seconds - before.seconds, 1e-12)
                return math.exp((1 - share) * math.log(before.real) + share * math.log(after.real))
        return self.final.real if seconds >= self.final.seconds else None


@dataclass(frozen=True, slots=True)
class Plan:
    """A row that is to be solved, with its size. Nothing large has been allocated."""

    name: str
    spot: PreparedSpot
    groups: SpotGroups | None
    """None for hands that are solved one by one or merged."""
    size: RowSize
    streets: tuple[StreetSummary, ...]
    classes: RiverClasses | None = None
    """Classes of river cards that the players confuse; None if they see every card."""
    judge: MenuJudge | None = None
    """The real game, if the spot has fewer bet sizes than it; None if the spot is the real game."""


def look_iterations(iterations: int) -> list[int]:
    """Returns the iterations after which a row is looked at: the tenth, and the eighths of the whole."""
    eighths = {max(iterations * part // _LOOKS, 1) for part in range(1, _LOOKS + 1)}
    return sorted(eighths | {min(_FIRST_LOOK, iterations)})


def plan_row(
    name: str, spots: tuple[PreparedSpot, PreparedSpot], values: SpotValues, algorithm: Algorithm, threads: int | None
) -> Plan | None:
    """Returns what a row needs; None for merged cards where none can be merged.

    :param spots: the spot without and with merged cards.
    """
    single, merged = spots
    if name in (NONE, MERGED):
        spot = single if name == NONE else merged
        if name == MERGED and not merged.cards.merged:
            return None
        found = estimate(spot, algorithm=algorithm, threads=threads)
        groups = None
        measured = measure_groups(single, None)
        infosets, entries, states = found.size.infosets, found.size.elements, measured.states if name == NONE else None
        memory = found.memory_bytes
    else:
        verify_group_algorithm(algorithm)
        spot, groups = single, values.group(name)
        measured = measure_groups(spot, groups)
        infosets, entries, states = measured.infosets, measured.entries, measured.states
        workers = num_threads(spot.solver_threads(threads))
        memory = group_bytes(spot, groups, make_group_layout(spot, groups), algorithm, workers)
    arrays = sum(algorithm.num_arrays) / 2
    size = RowSize(
        infosets,
        entries,
        states,
        round(4 * arrays * entries),
        round(2 * arrays * entries) if algorithm.half_precision else None,
        memory,
    )
    return Plan(name, spot, groups, size, _summaries(spot, groups) if name != MERGED else ())


def _summaries(spot: PreparedSpot, groups: SpotGroups | None) -> tuple[StreetSummary, ...]:
    found = []
    for player, seat in enumerate(PLAYERS):
        for level in range(len(spot.game.levels)):
            street = STREETS[spot.street + level]
            if groups is None:
                hands = len(spot.game.hands[player])
                found.append(StreetSummary(seat, street, float(hands), hands, hands, 1.0))
                continue
            there = groups.players[player][level]
            counts = there.count
            found.append(
                StreetSummary(seat, street, float(counts.mean()), int(counts.min()), int(counts.max()), there.alone())
            )
    return tuple(found)


def solve_row(
    plan: Plan,
    algorithm: Algorithm,
    looks: Sequence[int],
    *,
    threads: int | None,
    memory_limit: float,
    clock: Callable[[], float],
    progress: Callable[[int], None],
) -> Row:
    """Returns a solved row.

    :param looks: iterations after which to look at the quality, ascending.
    :param clock: returns seconds; their differences are the times of the iterations.
    :param progress: called with the number of iterations done, after each of them.
    :raises MemoryShortageError: if the solve needs more memory than allowed; nothing has been allocated then.
    """
    solver: GroupSolver | PostflopSolver
    judge: PostflopSolver | None = None
    if plan.groups is None:
        solver = PostflopSolver(plan.spot, threads=threads, algorithm=algorithm, memory_limit=memory_limit)
        if plan.classes is not None:
            plan.classes.pool(solver)
        if plan.judge is not None:
            judge = PostflopSolver(plan.judge.real, threads=threads, algorithm=JUDGE, memory_limit=memory_limit)
    else:
        solver = GroupSolver(plan.spot, plan.groups, threads=threads, algorithm=algorithm, memory_limit=memory_limit)
    found: list[Look] = []
    seconds = 0.0
    for look in looks:
        while solver.iterations < look:
            start = clock()
            solver.run(1)
            seconds += clock() - start
            progress(solver.iterations)
        if isinstance(solver, GroupSolver):
            real, abstract = solver.epsilon()
        else:
            real = abstract = 2 * solver.exploitability().exploitability
            if plan.judge is not None and judge is not None:
                real = 2 * plan.judge.exploitability(solver, judge)
        found.append(Look(look, seconds, real, abstract))
    return Row(plan.name, plan.size, plan.streets, tuple(found))


@dataclass(frozen=True, slots=True)
class Advice:
    """Which row to take with a given memory."""

    budget: int
    """Bytes."""
    best: Row | None
    """The row to take; None if none fits."""
    loss: float | None
    """Real epsilon of the best row less that of the row without abstraction, in chips: 0 for a row that loses nothing.
    None if that row was not solved, or is not better after so few iterations."""
    next_better: Row | None
    """The smallest row that does not fit and is better; None if there is none."""


def noise_of(rows: Sequence[Row]) -> float:
    """Returns the difference of real epsilon, in chips, up to which two rows count as equal.

    It is what rows that lose nothing have still to converge. Without such a row it is the largest epsilon that a
    solver sees inside its row.
    """
    lossless = [row.final.real for row in rows if row.lossless]
    return min(lossless) if lossless else max((row.final.abstract for row in rows), default=0.0)


def advise(rows: Sequence[Row], budgets: Sequence[int]) -> list[Advice]:
    """Returns the row to take with each memory budget. A row fits if the memory of its solve is not larger.

    A row that loses nothing is taken if one fits, the one without abstraction before merged cards. Else it is the
    smallest row that is not surely worse than the one with the least real epsilon (:func:`noise_of`).
    """
    without = next((row for row in rows if row.name == NONE), None)
    noise = noise_of(rows)
    found = []
    for budget in budgets:
        fitting = [row for row in rows if row.size.memory <= budget]
        best = _best(fitting, noise)
        larger = [row for row in rows if row.size.memory > budget and (best is None or _is_better(row, best, noise))]
        following = min(larger, key=lambda row: row.size.memory, default=None)
        found.append(Advice(budget, best, _loss(best, without), following))
    return found


def _best(rows: Sequence[Row], noise: float) -> Row | None:
    lossless = [row for row in rows if row.lossless]
    if lossless:
        return min(lossless, key=lambda row: row.name != NONE)
    least = min(rows, key=lambda row: row.final.real, default=None)
    if least is None:
        return None
    return min((row for row in rows if not _is_better(least, row, noise)), key=lambda row: row.size.memory)


def _is_better(row: Row, other: Row, noise: float) -> bool:
    """Tells whether a row loses less than another by more than unfinished iterations explain."""
    if row.lossless or other.lossless:
        return row.lossless and not other.lossless
    return other.final.real - row.final.real > noise


def _loss(best: Row | None, without: Row | None) -> float | None:
    if best is None or without is None:
        return None
    if best.lossless:
        return 0.0
    loss = best.final.real - without.final.real
    return loss if loss > 0 else None


def pareto_front(rows: Sequence[Row]) -> list[Row]:
    """Returns the rows than which no row is both smaller and better, by ascending memory."""
    front: list[Row] = []
    for row in sorted(rows, key=lambda row: (row.size.memory, row.final.real)):
        if not front or row.final.real < front[-1].final.real:
            front.append(row)
    return front


def same_groups(plans: Sequence[Plan]) -> Mapping[str, str]:
    """Returns row -> earlier row with the same groups, which is solved in its place."""
    aliases: dict[str, str] = {}
    kept: list[Plan] = []
    for plan in plans:
        if plan.groups is None:
            continue
        for other in kept:
            if other.groups is not None and plan.groups.equals(other.groups):
                aliases[plan.name] = other.name
                break
        else:
            kept.append(plan)
    return aliases


def row_names(measures: Sequence[str], tests: Sequence[str], own: str = "") -> list[str]:
    """Returns the names of all rows of some measures and tests, references first, those of other packages last.

    :param own: an abstraction that is always among the rows; empty for none.
    """
    names = [*REFERENCES, *(f"{measure}-{test}" for measure in measures for test in tests), *([own] if own else [])]
    names += ABSTRACTIONS.foreign_names()
    return list(dict.fromkeys(names))
