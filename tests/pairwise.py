"""Chooses few of all combinations of several parameters, such that each two values still meet."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product


def pairwise(*parameters: Sequence[object]) -> list[tuple[object, ...]]:
    """Returns combinations in which every value of a parameter meets every value of each other parameter.

    Each next combination is the first of those with most pairs that have not met, so that the choice never varies.
    """
    every = list(product(*(range(len(values)) for values in parameters)))

    def pairs(chosen: tuple[int, ...]) -> set[tuple[tuple[int, int], ...]]:
        return set(combinations(enumerate(chosen), 2))

    missing = set().union(*map(pairs, every))
    found = []
    while missing:
        best = max(every, key=lambda chosen: len(pairs(chosen) & missing))
        missing -= pairs(best)
        found.append(tuple(values[i] for values, i in zip(parameters, best, strict=True)))
    return found
