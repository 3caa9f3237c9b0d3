"""The card buckets of a decision: they part the hands, and their means make the means of the range."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.analysis.packs.bucket_rows import NO_BUCKET, bucket_rows, bucket_values, random_equity
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_index, parse_cards
from hedgehog.poker.evaluation.strength import hand_strength
from hedgehog.poker.hand_classes import HAND_CLASS

BOARD = tuple(parse_cards("Qs Jh 2h 3c 9d"))


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), empty=st.booleans())
def test_means_of_the_buckets_make_those_of_the_range(seed: int, empty: bool) -> None:
    rng = np.random.default_rng(seed)
    buckets = rng.integers(NO_BUCKET, 12, NUM_COMBOS)
    live = buckets != NO_BUCKET
    weights = rng.random(NUM_COMBOS) * (rng.random(NUM_COMBOS) < 0.4) * live * (not empty)
    probabilities = rng.dirichlet(np.ones(3), NUM_COMBOS).T
    figure = rng.random(NUM_COMBOS)
    rows = list(bucket_rows(buckets, weights, probabilities, {"luck": figure}))
    assert np.sort(np.concatenate([row.combos for row in rows])).tolist() == np.flatnonzero(live).tolist()
    assert [row.bucket for row in rows] == sorted({*buckets[live].tolist()})
    if empty:
        assert {row.share for row in rows} == {0.0}
        assert rows[0].probabilities == pytest.approx(probabilities[:, rows[0].combos].mean(axis=1))
        return
    assert sum(row.share for row in rows) == pytest.approx(1)
    mean = probabilities @ weights / weights.sum()
    assert sum(row.share * row.probabilities for row in rows) == pytest.approx(mean)
    assert sum(row.share * row.figures["luck"] for row in rows) == pytest.approx(figure @ weights / weights.sum())


def test_examples_are_the_most_held_hands_of_different_classes() -> None:
    buckets = np.full(NUM_COMBOS, NO_BUCKET)
    names = ["AhKh", "AsKs", "7h2d", "7s2c", "5h5s"]
    combos = [combo_index(*sorted(parse_cards(name))) for name in names]
    buckets[combos] = 4
    weights = np.zeros(NUM_COMBOS)
    weights[combos] = [0.5, 0.9, 0.2, 0.1, 1]
    (row,) = bucket_rows(buckets, weights, np.ones((1, NUM_COMBOS)), {}, examples=2)
    assert row.examples == (combos[4], combos[1])
    assert len({int(HAND_CLASS[combo]) for combo in row.examples}) == 2
    values = bucket_values(row)
    assert (values["examples"], values["bucket"], values["share"]) == (["5s5h", "AsKs"], 4, 1.0)


def test_the_equity_is_that_against_a_random_hand() -> None:
    found = random_equity(BOARD)
    for combo in (5, 700, 1300):
        hole = COMBO_CARDS[combo].tolist()
        if set(hole) & set(BOARD):
            assert found[combo] == 0
        else:
            assert found[combo] == pytest.approx(hand_strength(hole, BOARD).ihr, abs=1e-6)
