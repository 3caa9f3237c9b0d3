"""hedgehog.agent.limit.explaining: the candidates that are named are those that make the answer."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgehog.agent.limit.explaining import explain_mapping
from hedgehog.agent.limit.explanation import LimitExplanation, LimitHands
from hedgehog.agent.limit.mapped_strategy import MappedStrategy
from hedgehog.agent.limit.nearest import Way
from hedgehog.agent.limit.situation import THREE_PLAYER_GAME
from hedgehog.agent.limit.three_player import LimitMappingPlayer
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.acpc.matchstate import MatchState, parse_betting
from hedgehog.poker.cards import COMBO_CARDS, combo_mask, parse_cards
from hedgehog.runtime.errors import MatchStateError
from tests.agent.limit_fixtures import made_up_table, random_betting

HOLE = tuple(sorted(parse_cards("Ah Kh")))
BOARD = tuple(parse_cards("Qs Jh 2h 3c 9d"))
S1 = "rcc/rr"
S2 = "ccc/ccc/rr"


def explained(strategy: MappedStrategy, betting: str) -> LimitExplanation:
    board = BOARD[: (0, 3, 4, 5)[betting.count("/")]]
    answer, bucket, opponents = explain_mapping(strategy, betting, HOLE, board)
    return LimitExplanation("mapping", None, bucket, None, opponents, answer, None)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    way=st.sampled_from([way for way in Way if way is not Way.HBB1]),
    nearest=st.sampled_from([1, 3]),
    by_distance=st.booleans(),
)
def test_the_weighted_candidates_make_the_answer(seed: int, way: Way, nearest: int, by_distance: bool) -> None:
    strategy = MappedStrategy(way, made_up_table(0.6), nearest=nearest, by_distance=by_distance)
    betting = random_betting(random.Random(seed))
    found = explained(strategy, betting)
    means = []
    for one in found.opponents:
        assert all(not candidate.reached and candidate.weight == 0 for candidate in one.passed_over)
        if not one.used:
            assert one.step == 1
            continue
        assert sum(candidate.weight for candidate in one.used) == pytest.approx(1)
        means.append(sum(candidate.weight * np.array(candidate.triple) for candidate in one.used))
        if one.step == 0:
            assert len(one.used) + len(one.passed_over) <= one.candidates
            assert all(candidate.reached for candidate in one.used)
            assert all(candidate.distance <= one.used[-1].distance for candidate in one.passed_over)
    fold, call, raising = np.mean(means, axis=0)
    if found.answer[0] == 0:
        fold, call = 0.0, call + fold
    if found.answer[2] == 0:
        call, raising = call + raising, 0.0
    np.testing.assert_allclose((fold, call, raising), found.answer, atol=1e-12)
    assert strategy.steps == [0] * 5
    assert strategy.on_mapping is None


def test_the_published_situations_have_their_candidates() -> None:
    table = made_up_table()
    strategy = MappedStrategy(Way.HBB2, replace(table, reached=np.ones(len(table.reached), dtype=np.bool_)))
    one = explained(strategy, S1).opponents[0].used[0]
    assert (one.history, one.seat, one.distance) == ("rc/r", "small blind", 0)
    two = explained(strategy, S2).opponents[0].used[0]
    assert (two.history, two.seat, two.distance) == ("cc/cc/r", "small blind", 0)


def test_what_is_nearer_and_unreached_is_named() -> None:
    table = made_up_table()
    strategy = MappedStrategy(Way.HBB2, replace(table, reached=np.ones(len(table.reached), dtype=np.bool_)))
    _, bucket, opponents = explain_mapping(strategy, S1, HOLE, BOARD[:3])
    nearest = opponents[0].used[0]
    reached = np.ones(len(table.reached), dtype=np.bool_)
    reached[strategy.explain_bucket(S1, bucket)[1][0].used[0].row] = False
    without = explained(MappedStrategy(Way.HBB2, replace(table, reached=reached)), S1).opponents[0]
    assert [candidate.history for candidate in without.passed_over] == [nearest.history]
    assert without.used[0].history != nearest.history
    assert without.unreached == 1


def test_the_distance_is_half_the_sum_of_the_differences() -> None:
    found = LimitExplanation("mapping", None, 0, None, (), (0.2, 0.3, 0.5), (0.0, 0.9, 0.1))
    assert found.distance == pytest.approx(0.6)
    assert replace(found, trained=None).distance is None


def is_legal(betting: str) -> bool:
    """Tells whether nobody folds where checking is free, which random betting has."""
    try:
        return not parse_betting(betting, load_gamedef(THREE_PLAYER_GAME)).finished
    except MatchStateError:
        return False


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), way=st.sampled_from(Way))
def test_all_hands_are_explained_as_single_ones(seed: int, way: Way) -> None:
    player = LimitMappingPlayer(lambda: MappedStrategy(way, made_up_table(0.6)))
    player.warm_up()
    rng, betting = random.Random(seed), "?"
    while not is_legal(betting):
        betting = random_betting(rng)
    state = parse_betting(betting, load_gamedef(THREE_PLAYER_GAME))
    board = BOARD[: state.gamedef.board_cards_by(state.round)]
    matchstate = MatchState(state.acting_position, 0, ((),) * 3, board, state)
    hands = player.explain_limit_hands(matchstate)
    assert (hands.source, hands.history, hands.reached, hands.trained) == ("mapping", None, None, None)
    assert hands.buckets is not None
    assert hands.unreached is not None
    assert hands.steps is not None
    free = combo_mask(board)
    assert (hands.buckets[~free] == -1).all()
    assert (hands.answer[:, ~free] == 0).all()
    for combo in np.random.default_rng(seed).choice(np.flatnonzero(free), 5).tolist():
        holes: list[tuple[int, ...]] = [(), (), ()]
        holes[state.acting_position] = tuple(COMBO_CARDS[combo].tolist())
        found = player.explain_limit(matchstate._replace(hole_cards=tuple(holes)))
        assert found.bucket == hands.buckets[combo]
        assert found.answer == pytest.approx(hands.answer[:, combo])
        assert max(one.step for one in found.opponents) == hands.steps[combo]
        share = sum(one.unreached for one in found.opponents) / sum(one.candidates for one in found.opponents)
        assert share == pytest.approx(hands.unreached[combo])


def test_distances_of_all_hands_are_those_of_single_ones() -> None:
    rng = np.random.default_rng(2)
    answer, trained = (rng.dirichlet(np.ones(3), 1326).T for _ in range(2))
    hands = LimitHands("mapping", None, answer, None, None, None, None, trained)
    one = LimitExplanation("mapping", None, 0, None, (), tuple(answer[:, 7]), tuple(trained[:, 7]))
    assert hands.distance is not None
    assert hands.distance[7] == pytest.approx(one.distance)
    assert replace(hands, trained=None).distance is None
