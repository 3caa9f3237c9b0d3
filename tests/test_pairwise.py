"""tests.pairwise: each two values meet, in few combinations, chosen alike every time."""

from __future__ import annotations

from itertools import combinations, product

from tests.pairwise import pairwise


def test_each_two_values_meet() -> None:
    parameters = ("abcd", "xy", "pqr", [1, 2, 3])
    chosen = pairwise(*parameters)
    for i, k in combinations(range(4), 2):
        assert {(one[i], one[k]) for one in chosen} == set(product(parameters[i], parameters[k]))
    assert 12 <= len(chosen) < 20
    assert chosen == pairwise(*parameters)
