"""Linear programs through scipy's HiGHS, with the tolerances that all exact solutions here use."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import GameError

TOLERANCE: Final = 1e-9
"""Feasibility tolerance of the programs; weights below it become 0."""


def minimise(
    cost: NDArray[np.float64],
    *,
    at_most: tuple[Any, NDArray[np.float64]] | None = None,
    equal: tuple[Any, NDArray[np.float64]] | None = None,
    free: slice = slice(0, 0),
) -> tuple[NDArray[np.float64], float]:
    """Returns the variables that minimise a cost, and the least cost.

    :param cost: float64[variables].
    :param at_most: matrix and right side of the inequalities.
    :param equal: matrix and right side of the equations.
    :param free: the variables that may be negative.
    :raises GameError: if the program has no solution that meets the tolerances.
    """
    bounds = np.zeros((len(cost), 2))
    bounds[:, 1] = np.inf
    bounds[free, 0] = -np.inf
    result = optimise(cost, bounds, at_most=at_most, equal=equal)
    return np.asarray(result.x), float(result.fun)


def optimise(
    cost: NDArray[np.float64],
    bounds: NDArray[np.float64],
    *,
    at_most: tuple[Any, NDArray[np.float64]] | None = None,
    equal: tuple[Any, NDArray[np.float64]] | None = None,
    presolve: bool = True,
) -> Any:
    """Returns scipy's ``OptimizeResult`` of :func:`minimise`, which has the prices of the inequalities, too.

    :param bounds: float64[variables, 2]: least and largest value of each variable.
    :param presolve: look for what can be simplified first, which takes long in dense programs and finds nothing there.
    :raises GameError: if the program has no solution that meets the tolerances.
    """
    from scipy.optimize import linprog  # a third of a second that a start with solved tables need not wait for
    from scipy.sparse import csr_array

    result = linprog(
        cost,
        A_ub=None if at_most is None else csr_array(at_most[0]),
        b_ub=None if at_most is None else at_most[1],
        A_eq=None if equal is None else csr_array(equal[0]),
        b_eq=None if equal is None else equal[1],
        bounds=bounds,
        method="highs",
        options={
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
            "presolve": presolve,
        },
    )
    if result.status != 0:
        raise GameError(f"the linear program has no solution: {result.message}")
    return result


def without_dust(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns weights with 0 in place of those between -1e-9 and 1e-9."""
    return np.where(np.abs(weights) < TOLERANCE, 0.0, weights)
