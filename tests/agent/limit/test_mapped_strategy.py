"""The answers of a carried-over strategy: means, weights, unreached rows, and what is legal."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.agent.limit.candidates import candidates
from hedgehog.agent.limit.mapped_strategy import MappedAnswer, MappedStrategy, Triple
from hedgehog.agent.limit.nearest import Way, rank_candidates
from hedgehog.agent.limit.situation import read_situation
from hedgehog.agent.limit.triples import TripleTable
from tests.agent.limit_fixtures import made_up_table, random_betting

LINE = "rcc/rcc/r"


def row(table: TripleTable, street: int, index: int, bucket: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.asarray(table.rows[table.first[candidates(street).first + index] + bucket] / 255)


def with_reached(table: TripleTable, rows: list[int]) -> TripleTable:
    reached = np.zeros(len(table.reached), dtype=np.bool_)
    reached[rows] = True
    return replace(table, reached=reached)


def all_reached() -> TripleTable:
    table = made_up_table()
    return replace(table, reached=np.ones(len(table.reached), dtype=np.bool_))


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    way=st.sampled_from(list(Way)),
    nearest=st.sampled_from([1, 2, 15]),
    by_distance=st.booleans(),
)
def test_any_decision_has_an_answer(seed: int, way: Way, nearest: int, by_distance: bool) -> None:
    rng = random.Random(seed)
    found: list[MappedAnswer] = []
    strategy = MappedStrategy(
        way, made_up_table(0.9), nearest=nearest, by_distance=by_distance, on_mapping=found.append
    )
    betting = random_betting(rng)
    fold, call, raising = strategy.answer_bucket(betting, rng.randrange(169))
    assert fold + call + raising == pytest.approx(1)
    assert min(fold, call, raising) >= 0
    situation = read_situation(betting)
    assert situation.to_call > 0 or fold == 0
    assert situation.can_raise or raising == 0
    assert len(found) == (1 if way is Way.HBB1 else len(situation.opponents))
    for mapping in found:
        assert len(mapping.used) <= (1 if way is Way.HBB1 else nearest)
        assert (mapping.step == 1) == (not mapping.used)
        assert 0 <= mapping.unreached <= mapping.candidates


@pytest.mark.parametrize("by_distance", [False, True])
def test_the_mean_is_that_of_the_nearest_for_both_opponents(by_distance: bool) -> None:
    table = all_reached()
    strategy = MappedStrategy(Way.HBB4, table, nearest=5, by_distance=by_distance)
    situation = read_situation(LINE)
    triples = []
    for opponent in situation.opponents:
        ranking, _ = rank_candidates(Way.HBB4, situation, opponent, 5)
        rows = [row(table, 2, index, 40) for index in ranking.indices.tolist()]
        weights = 1 / (1 + ranking.distances) if by_distance else None
        triples.append(np.average(rows, axis=0, weights=weights))
    assert strategy.answer_bucket(LINE, 40) == pytest.approx(tuple(np.mean(triples, axis=0)))


def test_unreached_rows_are_passed_over() -> None:
    table = all_reached()
    situation = read_situation(LINE)
    first, second = (rank_candidates(Way.HBB2, situation, who, 1000)[0].indices for who in situation.opponents)
    start = candidates(2).first
    chosen = [int(table.first[start + first[70]]) + 7, int(table.first[start + second[0]]) + 8]
    strategy = MappedStrategy(Way.HBB2, with_reached(table, chosen), nearest=1)
    # Only one decision has a reached row in bucket 7, so that it answers for both opponents, however far away it is.
    assert strategy.answer_bucket(LINE, 7) == pytest.approx(tuple(row(table, 2, int(first[70]), 7)))
    assert strategy.steps == [2, 0, 0, 0, 0]
    assert len(second) == len(first)


def test_the_steps_without_a_reached_row() -> None:
    table = all_reached()
    line = "rfc/r"
    situation = read_situation(line)
    opponent = situation.opponents[0]
    inside = set(rank_candidates(Way.HBB3, situation, opponent, 70)[0].indices.tolist())
    outside = next(index for index in range(70) if index not in inside)
    start = candidates(1).first
    far = with_reached(table, [int(table.first[start + outside]) + 3])
    strategy = MappedStrategy(Way.HBB3, far)
    assert strategy.answer_bucket(line, 3) == pytest.approx(tuple(row(table, 1, outside, 3)), abs=1e-9)
    assert strategy.steps == [0, 0, 1, 0, 0]
    # A hero without a bet to call has no other class of pot odds: the whole street comes next.
    checked = "rfc/"
    with_bet = next(index for index, to_call in enumerate(candidates(1).to_call) if to_call > 0)
    strategy = MappedStrategy(Way.HBB4, with_reached(table, [int(table.first[start + with_bet]) + 3]))
    fold, call, raising = row(table, 1, with_bet, 3)
    assert strategy.answer_bucket(checked, 3) == pytest.approx((0, fold + call, raising))
    assert strategy.steps == [0, 0, 0, 1, 0]
    nowhere = MappedStrategy(Way.HBB4, with_reached(table, []))
    nearest = int(rank_candidates(Way.HBB4, situation, opponent, 1)[0].indices[0])
    assert nowhere.answer_bucket(line, 3) == pytest.approx(tuple(row(table, 1, nearest, 3)))
    assert nowhere.steps == [0, 0, 0, 0, 1]


def test_one_valid_opponent_answers_alone() -> None:
    """HBB3 and HBB4 filter by the pot alone, so a row that one opponent may use the other may use too."""
    table = all_reached()
    index = candidates(0).histories.index("r")
    only = with_reached(table, [int(table.first[index]) + 5])
    found: list[MappedAnswer] = []
    strategy = MappedStrategy(Way.HBB2, only, nearest=3, on_mapping=found.append)
    answer: Triple = strategy.answer_bucket("", 5)
    assert answer == pytest.approx(tuple(row(table, 0, index, 5)))
    assert [(mapping.step, mapping.unreached, mapping.candidates) for mapping in found] == [(0, 7, 8), (0, 7, 8)]


def test_hbb1_takes_what_the_mapped_history_says() -> None:
    table = all_reached()
    strategy = MappedStrategy(Way.HBB1, table, nearest=9)
    index = candidates(2).histories.index("cc/cc/r")
    assert strategy.answer_bucket("rcc/rcc/r", 11) == pytest.approx(tuple(row(table, 2, index, 11)))
