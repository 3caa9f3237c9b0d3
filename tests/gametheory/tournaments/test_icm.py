"""The independent chip model, against its definition and a drawing of places."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgehog.gametheory.tournaments.icm import place_chances, prizes
from hedgehog.runtime.errors import GameError


def by_definition(stacks: list[float]) -> np.ndarray:
    """Adds up all orders of the places."""
    found = np.zeros((len(stacks), len(stacks)))
    for order in permutations(range(len(stacks))):
        chance, left = 1.0, float(sum(stacks))
        for player in order:
            chance *= stacks[player] / left
            left -= stacks[player]
        for place, player in enumerate(order):
            found[player, place] += chance
    return found


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=5))
def test_places(stacks: list[float]) -> None:
    found = place_chances(stacks)
    np.testing.assert_allclose(found, by_definition(stacks), atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=0), 1, atol=1e-9)


def test_a_known_example() -> None:
    # 5/8; 1/4 * 5/6 + 1/8 * 5/7; the rest
    assert prizes([5000, 2000, 1000], [50, 30, 20])[0] == pytest.approx(41.726190, abs=1e-6)
    assert prizes([3000, 1000], [60, 40]).tolist() == pytest.approx([55, 45])
    assert prizes([3000, 1000], [1]).tolist() == pytest.approx([0.75, 0.25])


def test_players_who_leave() -> None:
    assert prizes([8000, 0, 0], [50, 30, 20], [4000, 3000, 1000]).tolist() == [50, 30, 20]
    assert prizes([8000, 0, 0], [50, 30, 20], [4000, 2000, 2000]).tolist() == [50, 25, 25]
    assert prizes([6000, 0, 2000], [50, 30], [4000, 2000, 2000]).tolist() == pytest.approx([45, 0, 35])


@pytest.mark.parametrize(
    ("stacks", "payouts", "message"),
    [
        ([1, 2], [1, 2], "do not grow"),
        ([1, 2], [3, 2, 1], "1 to 2 payouts"),
        ([1, 2], [0], "do not grow"),
        ([1, 0], [1], "stacks above 0"),
        ([1] * 13, [1], "1 to 12 players"),
    ],
)
def test_mistakes(stacks: list[float], payouts: list[float], message: str) -> None:
    with pytest.raises(GameError, match=message):
        prizes(stacks, payouts)
