"""hedgehog.analysis.packs.bucket_quality: against counts by hand and against buckets with a known meaning."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from hedgehog.analysis.packs.bucket_quality import Sample, bucket_quality, bucket_sizes, river_level_counts
from hedgehog.poker.cards import COMBO_CARDS, combo_mask, parse_cards
from hedgehog.poker.evaluation.evaluator import rank_hand, rank_hands
from hedgehog.solver.blueprint.cards.card_abstraction import CardAbstraction
from tests.solver.blueprint_fixtures import made_up_abstraction

SMALL = Sample(flops=1, turns=40, rivers=20, hands=60)


@pytest.fixture(scope="module")
def abstraction() -> CardAbstraction:
    return made_up_abstraction()


def test_sizes_add_up_to_all_hands(abstraction: CardAbstraction) -> None:
    tables = abstraction.tables
    flop = bucket_sizes(tables.flop, tables.flop_classes.multiplicities, 20)
    turn = bucket_sizes(tables.turn, tables.turn_classes.multiplicities, 30)
    assert flop.sum() == math.comb(52, 3) * math.comb(49, 2)
    assert turn.sum() == math.comb(52, 4) * math.comb(48, 2)


def test_levels_of_run_outs_by_hand(abstraction: CardAbstraction) -> None:
    """Every river after a turn, with equity counted against all 990 hands by the evaluator."""
    board = parse_cards("QhJh2c7d")
    hands = np.flatnonzero(combo_mask(board))[[3, 400, 1000]]
    counts = river_level_counts(abstraction, board, hands)
    for hand, row in zip(hands, counts, strict=True):
        expected = np.zeros(40, dtype=np.int64)
        for river in set(range(52)) - {*board, *COMBO_CARDS[hand].tolist()}:
            full = [*board, river]
            own = rank_hand([*full, *COMBO_CARDS[hand].tolist()])
            others = COMBO_CARDS[combo_mask([*full, *COMBO_CARDS[hand].tolist()])]
            ranks = rank_hands(np.hstack([np.tile(np.array(full, dtype=np.uint8), (len(others), 1)), others]))
            equity = ((ranks < own).sum() + 0.5 * (ranks == own).sum()) / 990
            expected[min(39, int(equity * 40))] += 1
        assert row.tolist() == expected.tolist()


def test_streets(abstraction: CardAbstraction) -> None:
    preflop, flop, turn, river = bucket_quality(abstraction, sample=SMALL)
    assert (preflop.buckets, preflop.sizes, preflop.explained) == (169, (4, 6, 12), 1.0)
    assert (flop.buckets, turn.buckets, river.buckets) == (20, 30, 40)
    assert (flop.sampled, turn.sampled, river.sampled) == (60, 2400, 20 * math.comb(47, 2))
    assert turn.explained < 0.2  # made-up buckets know next to nothing of strength
    for street in (flop, turn):
        assert 0 < street.distance < street.distance_all
    # Forty levels of equal width: within one the equity is about uniform over 1/40.
    assert river.equity_sd == pytest.approx(1 / 40 / math.sqrt(12), rel=0.1)
    assert river.distance == pytest.approx(1 / 40 / 4, rel=0.1)
    assert river.explained > 0.995
    assert river.equity_sd_all == pytest.approx(1 / math.sqrt(12), abs=0.02)
    assert bucket_quality(abstraction, sample=SMALL) == [preflop, flop, turn, river]


def test_one_bucket_explains_nothing() -> None:
    single = made_up_abstraction(1, 1, 1)
    _, flop, turn, river = bucket_quality(single, sample=replace(SMALL, turns=5))
    for street in (flop, turn, river):
        assert street.explained == pytest.approx(0, abs=1e-9)
        assert street.distance == pytest.approx(street.distance_all)
        assert street.sizes[0] == street.sizes[2]
