"""Rules of others that change stored regrets by a function of their own, compiled by numba where that is possible.

The function of a rule (:data:`hedgehog.solver.cfr.rules.Reshape`) is called with a part of the regrets at a time, so
that it needs little memory. A function that numba cannot compile runs as numpy does it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.rules import Reshape

_PART: Final = 1 << 15
"""Regrets in one call: they fit into the second cache."""
_TRIED: Final = (-7.5, -1.0, -0.25, 0.0, 0.25, 1.0, 7.5)


@lru_cache(maxsize=64)
def compile_reshape(function: Reshape, parameters: int) -> tuple[Callable[..., Any], bool]:
    """Returns the function as compiled code and True, or, if numba cannot compile it, the function itself and False.

    :param parameters: number of values that it gets.
    :raises Exception: whatever the function raises when it is called.
    """
    from numba import njit

    fast: Callable[..., Any] = njit(function)
    kinds = [(np.zeros(1, dtype), 1, np.ones(parameters)) for dtype in (np.float32, np.float64)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about what it cannot compile
        try:
            for given in kinds:
                fast(*given)
        except Exception:
            for given in kinds:
                function(*given)
            return function, False
    return fast, True


def reshape_regrets(
    function: Reshape, regrets: NDArray[np.floating[Any]], iteration: int, values: NDArray[np.float64]
) -> None:
    """Replaces regrets by what the function of a rule makes of them, in place.

    :param regrets: float32[n] or float64[n], contiguous.
    :param iteration: number of the iteration that begins, from 0 on.
    :param values: float64[parameters] of the rule, in their order.
    :raises SpotError: if the function returns another shape, or a number that is not finite.
    """
    fast, _ = compile_reshape(function, len(values))
    for start in range(0, len(regrets), _PART):
        part = regrets[start : start + _PART]
        # A copy, so that a function may work in place.
        found = np.asarray(fast(part.copy(), iteration, values))
        if found.shape != part.shape:
            raise SpotError(f"expected numbers of shape {part.shape}, got {found.shape}")
        if not np.isfinite(found).all():
            raise SpotError("expected finite regrets")
        part[:] = found


def verify_reshape(function: Reshape, values: NDArray[np.float64]) -> None:
    """Tries a function on a few numbers.

    :raises SpotError: if it changes a regret of 0, looks at more than one regret at a time, or as
        :func:`reshape_regrets`.
    """
    for iteration in (0, 1, 2, 10):
        together = np.array(_TRIED)
        reshape_regrets(function, together, iteration, values)
        if together[_TRIED.index(0.0)] != 0:
            raise SpotError("a regret of 0 must stay 0")
        for number, before in zip(together.tolist(), _TRIED, strict=True):
            alone = np.array([before])
            reshape_regrets(function, alone, iteration, values)
            if alone[0] != number:
                raise SpotError("what becomes of a regret depends on other regrets")
