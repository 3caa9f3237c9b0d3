"""HBB2 to HBB5: distances, filters and orders against published numbers and a slow comparison of all decisions."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.agent.limit.candidates import BIG, SMALL, action_distance, candidates, street_distances
from hedgehog.agent.limit.nearest import (
    Way,
    chip_classes,
    class_differences,
    class_members,
    numeric_distances,
    rank_candidates,
)
from hedgehog.agent.limit.situation import read_situation
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, HandState
from hedgehog.runtime.errors import InputError
from tests.agent.limit_fixtures import random_betting
from tests.reference.nearest_histories import nearest

GAME = load_gamedef("holdem.limit.3p")
S1, S2 = "rcc/rr", "ccc/ccc/rr"
"""Two situations of the thesis, the button to act in both."""


def test_classes_of_pots_and_pot_odds() -> None:
    keys = [(street, *key) for street in range(4) for key in chip_classes(street)]
    assert len({(street, pot) for street, pot, _ in keys}) == 54
    assert sum(len(members) for (pot, _), members in chip_classes(3).items() if pot == 52) == 536
    assert len(keys) == 76
    ratios = {(street, Fraction(pot, to_call) if to_call else None) for street, pot, to_call in keys}
    assert len(ratios) == 50


@pytest.mark.parametrize(("betting", "pot", "to_call"), [(S1, 90, 20), (S2, 90, 40), ("", 15, 10)])
def test_published_situations(betting: str, pot: int, to_call: int) -> None:
    situation = read_situation(betting)
    assert situation.hero == 2
    assert (5 * situation.pot, 5 * situation.to_call) == (pot, to_call)


@pytest.mark.parametrize(
    ("real", "history", "seat", "pot", "to_call", "distance"),
    [
        (S1, "rc/r", SMALL, 50, 10, 0),
        (S1, "rc/rrr", SMALL, 90, 10, 2),  # the thesis prints 90:20, but two players have one bet to call
        (S1, "crc/cr", BIG, 50, 10, 2),
        (S2, "cc/cc/r", SMALL, 40, 20, 0),
        (S2, "cc/rc/r", SMALL, 60, 20, 1),
    ],
)
def test_published_candidates(real: str, history: str, seat: int, pot: int, to_call: int, distance: int) -> None:
    situation = read_situation(real)
    compared = candidates(situation.street)
    index = compared.histories.index(history)
    assert compared.seat[index] == seat
    assert (5 * compared.pot[index], 5 * compared.to_call[index]) == (pot, to_call)
    for opponent in situation.opponents:
        ranking, count = rank_candidates(Way.HBB2, situation, opponent, len(compared.histories))
        assert count == len(compared.histories)
        assert ranking.distances[ranking.indices == index].tolist() == [distance]


def test_actions_are_compared_place_by_place() -> None:
    assert [action_distance(*pair) for pair in (("", ""), ("rc", "rc"), ("rc", "rr"), ("r", "crc"))] == [0, 0, 1, 3]
    assert street_distances(0, "r", "c")[:3].tolist() == [2, 2, 1]  # nothing, c, cc


def test_distances_grow_where_the_kind_changes() -> None:
    kinds, distances = np.array([2, 3, 1, 1]), np.array([4, 2, 3, 4])
    assert numeric_distances(kinds, distances).tolist() == [4, 6, 9, 10]
    assert numeric_distances(np.array([1, 1]), np.array([0, 3])).tolist() == [0, 3]


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), way=st.sampled_from(list(Way)[1:]))
def test_rankings_agree_with_comparing_everything(seed: int, way: Way) -> None:
    situation = read_situation(random_betting(random.Random(seed), last_street=1))
    for opponent in situation.opponents:
        expected = nearest(way, situation, opponent)
        ranking, count = rank_candidates(way, situation, opponent, 40)
        assert ranking.indices.tolist() == expected[:40]
        assert count == len(expected)
        assert sorted(class_members(way, situation).tolist()) == sorted(expected)


def test_a_long_river_agrees_with_comparing_everything() -> None:
    situation = read_situation("rrcc/rcc/rrfc/crr")
    for way in list(Way)[1:]:
        expected = nearest(way, situation, situation.opponents[0])
        ranking, _ = rank_candidates(way, situation, situation.opponents[0], 5000)
        assert ranking.indices.tolist() == expected[:5000]


def test_the_next_classes_are_disjoint_and_further_away() -> None:
    situation = read_situation("rrcc/rcc/r")
    for way in (Way.HBB3, Way.HBB4):
        seen: set[int] = set()
        for difference in class_differences(way, situation):
            ranking, count = rank_candidates(way, situation, situation.opponents[0], 5670, difference=difference)
            assert len(ranking.indices) == count > 0
            assert not seen & set(ranking.indices.tolist())
            seen |= set(ranking.indices.tolist())
        compared = candidates(situation.street)
        assert len(seen) == (len(compared.histories) if way is Way.HBB3 else np.count_nonzero(compared.to_call))


@given(seed=st.integers(0, 10**6))
def test_situations_agree_with_the_rules(seed: int) -> None:
    rng = random.Random(seed)
    state = HandState(GAME)
    while not state.finished and rng.random() < 0.95:
        situation = read_situation(state.betting_string())
        assert situation.hero == state.acting_position
        assert 5 * situation.pot == sum(state.spent)
        assert 5 * situation.to_call == state.max_spent - state.spent[state.acting_position]
        assert situation.can_raise == (state.raise_range() is not None)
        assert situation.players == 3 - state.num_folded
        legal = [action for action in (FOLD, CALL, LIMIT_RAISE) if state.can(action)]
        state.apply(rng.choice(legal))
    if state.finished:
        with pytest.raises(InputError, match="no decision of three-player limit"):
            read_situation(state.betting_string())


@pytest.mark.parametrize("betting", ["x", "ccc", "cc/", "rrrr", "ff", "ccc/ccc/ccc/ccc/", "ccccc"])
def test_other_betting_is_refused(betting: str) -> None:
    with pytest.raises(InputError, match="no decision of three-player limit"):
        read_situation(betting)
