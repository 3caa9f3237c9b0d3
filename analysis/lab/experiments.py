"""The experiments of the hand-abstraction laboratory besides its rows: overfitting, speed and cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hedgehog.analysis.lab.rows import Look, Row

EXPERIMENTS: Final = ("e1", "e2", "e3", "e4")
"""E1 overfitting, E2 speed per iteration, E3 cost per iteration, E4 profiles against each other."""
E1_ROWS: Final = ("opp-river", "strength-hier", "rank-river")
E1_TIMES: Final = 5
"""Iterations of E1 in units of the iterations of the rows."""
E2_ALGORITHMS: Final = (
    "cfr",
    "cfr:average=new",
    "cgh:c=0.175",
    "cgh",
    "dcfr:gamma=2,reset=no,forget=no,average=reach",
)
E4_ALGORITHMS: Final = ("cgh:c=0.175", "cfr:average=new", "dcfr")
_FIRST_SHARE: Final = 8
_PLATEAU: Final = 1.05


def overfit_looks(iterations: int) -> list[int]:
    """Returns the iterations at which E1 looks: every eighth of the rows' iterations, from their end on.

    :param iterations: iterations of the rows.
    """
    step = max(iterations // _FIRST_SHARE, 1)
    return sorted({*range(iterations, E1_TIMES * iterations + 1, step), E1_TIMES * iterations})


@dataclass(frozen=True, slots=True)
class Overfit:
    """How an abstraction wears out: its strategies get better inside the abstraction and no longer outside."""

    name: str
    floor: float
    """Least real epsilon, in chips."""
    plateau: int
    """First iteration whose real epsilon is at most 1.05 times the floor."""
    overfit: float
    """Last real epsilon over the floor, less 1."""
    last_abstract: float
    last_real: float


def judge_overfit(row: Row) -> Overfit:
    """Returns floor, plateau and overfitting of a row's curve."""
    floor = min(look.real for look in row.looks)
    plateau = next(look.iteration for look in row.looks if look.real <= _PLATEAU * floor)
    last = row.final
    return Overfit(row.name, floor, plateau, last.real / floor - 1 if floor > 0 else 0.0, last.abstract, last.real)


def percent_per_iteration(looks: Sequence[Look]) -> float:
    """Returns by how many percent epsilon falls per iteration from the first look to the last, at a constant rate."""
    first, last = looks[0], looks[-1]
    steps = last.iteration - first.iteration
    return 100 * (1 - (last.real / first.real) ** (1 / steps)) if steps and first.real > 0 else 0.0
