"""The quick tier: refining the blueprint on one flop, on made-up cards and a small tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, combo_mask, parse_cards
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.isomorphism import COMBO_PERMUTATIONS, flop_class, flop_representative, permute_cards
from hedgehog.runtime.errors import InputError
from hedgehog.solver.blueprint.training import TrainingConfig, train_blueprint
from hedgehog.solver.flops.refine import (
    LineContext,
    RefineConfig,
    Refinement,
    blueprint_rows,
    flop_ranges,
    flop_tables,
    line_context,
    refine_flop,
    sample_runouts,
)
from hedgehog.solver.flops.response import FlopGame, blueprint_blocks
from tests.solver.blueprint_fixtures import TINY, made_up_abstraction

TWO_TONE = flop_class(parse_cards("KhTh4c"))[0]
CONFIG = RefineConfig(boards=12)


@pytest.fixture(scope="module")
def context() -> LineContext:
    abstraction = made_up_abstraction()
    return line_context(train_blueprint(TrainingConfig(TINY, iterations=60), abstraction), abstraction, "r250c")


def test_rows_are_distributions_over_live_combos(context: LineContext) -> None:
    refined = refine_flop(context, TWO_TONE, seed=1, config=CONFIG)
    assert len(refined.rows) == len(context.decisions)
    for node, rows in zip(context.decisions, refined.rows, strict=True):
        assert rows.shape == (1176, context.tree.num_children[node])
        assert rows.dtype == np.float32
        assert rows.min() >= 0
        assert rows.sum(axis=1) == pytest.approx(np.ones(1176), abs=1e-5)
    assert refined.boards == 12
    assert 0 < refined.moved < 1


def test_same_seed_same_result_whatever_came_before(context: LineContext) -> None:
    before = refine_flop(context, TWO_TONE, seed=1, config=CONFIG)
    below = context.endings.turn.copy(), context.endings.river.copy()
    other = refine_flop(context, 0, seed=2, config=CONFIG)
    again = refine_flop(context, TWO_TONE, seed=1, config=CONFIG)
    for a, b in zip(before.rows, again.rows, strict=True):
        assert np.array_equal(a, b)
    assert np.array_equal(before.evs, again.evs)
    assert not np.array_equal(before.rows[0], other.rows[0])
    assert np.array_equal(below[0], context.endings.turn)
    assert np.array_equal(below[1], context.endings.river)


@pytest.mark.parametrize("text", ["KhTh4c", "9h5h2h", "8s8d3c", "7s7h7d"])
def test_symmetric_hands_play_alike_to_the_last_bit(context: LineContext, text: str) -> None:
    number, _ = flop_class(parse_cards(text))
    flop = flop_representative(number)
    refined = refine_flop(context, number, seed=1, config=replace(CONFIG, boards=5))
    live = np.flatnonzero(combo_mask(flop))
    fixing = [p for p in range(1, 24) if set(permute_cards(flop, p)) == set(flop)]
    assert fixing
    for permutation in fixing:
        partner = np.searchsorted(live, COMBO_PERMUTATIONS[permutation, live])
        for rows in refined.rows:
            assert np.array_equal(rows, rows[partner])


def test_without_boards_the_blueprint_is_returned(context: LineContext) -> None:
    refined = refine_flop(context, TWO_TONE, seed=1, config=RefineConfig(boards=0))
    for a, b in zip(refined.rows, blueprint_rows(context, flop_representative(TWO_TONE)), strict=True):
        assert np.array_equal(a, b)
    assert refined.moved == 0


def test_values_are_the_share_of_the_pot(context: LineContext) -> None:
    # Nothing is raked, so both players' shares add up to one pot. Strategies that hardly move, so that the shares are
    # of the same pair of strategies; what is left is the noise of the run-outs that the control variate leaves.
    config = replace(CONFIG, boards=98, trust=1.0, prior=1e6, power=0.0)
    refined = refine_flop(context, TWO_TONE, seed=1, config=config)
    ranges = flop_ranges(context, flop_representative(TWO_TONE)).astype(np.float64)
    cards = COMBO_CARDS[combo_mask(flop_representative(TWO_TONE))]
    disjoint = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    pairs = ranges[0][:, None] * disjoint * ranges[1][None, :]
    shares = [(pairs.sum(axis=1 - p) * refined.evs[p].astype(np.float64)).sum() / pairs.sum() for p in range(2)]
    assert sum(shares) == pytest.approx(1.0, abs=0.05)


def test_refined_play_wins_against_bucket_play(context: LineContext) -> None:
    # The made-up buckets lump together hands of all kinds: exact hands must win, in both seats, on other run-outs.
    flop = flop_representative(TWO_TONE)
    refined = refine_flop(context, TWO_TONE, seed=1, config=RefineConfig(boards=60)).rows
    ranges = context.line.ranges
    game = FlopGame(context.tree, flop, ranges, context.abstraction)
    given = dict(zip(context.decisions.tolist(), refined, strict=True))
    plain, better = (
        blueprint_blocks(context.blueprint, context.nodes, flop, context.abstraction, rows) for rows in ({}, given)
    )
    before = game.match(plain, plain, runouts=60, seed=77)
    after = game.match(better, plain, runouts=60, seed=77)
    assert after.seats[0] > before.seats[0]
    assert after.seats[1] > before.seats[1]


def test_run_outs_are_spread_over_the_deck() -> None:
    flop = flop_representative(TWO_TONE)
    boards = sample_runouts(flop, 98, seed=3)
    assert all(len(set(board)) == 5 for board in boards.tolist())
    assert set(np.bincount(boards[:, 3], minlength=52)[combo_mask_cards(flop)].tolist()) == {2}
    assert np.bincount(boards[:, 4], minlength=52).max() <= 4


def combo_mask_cards(flop: tuple[int, ...]) -> NDArray[np.bool_]:
    mask = np.ones(52, dtype=np.bool_)
    mask[list(flop)] = False
    return mask


def test_distribution_of_the_river_equity(context: LineContext) -> None:
    flop = flop_representative(TWO_TONE)
    histogram = flop_tables(context.abstraction, flop, 10).histogram
    live = np.flatnonzero(combo_mask(flop))
    number = 700
    low, high = COMBO_CARDS[live[number]].tolist()
    counts = np.zeros(10)
    deck = [card for card in range(52) if card not in (*flop, low, high)]
    for i, turn in enumerate(deck[::9]):
        for river in deck[: 9 * i]:
            ranks = rank_combos((*flop, turn, river)).astype(np.int64)
            mine = ranks[live[number]]
            free = combo_mask((*flop, turn, river, low, high))
            equity = ((ranks[free] < mine).sum() + 0.5 * (ranks[free] == mine).sum()) / 990
            counts[min(int(equity * 10), 9)] += 1 / 1176
    assert np.all(counts <= histogram[number] + 1e-6)
    assert histogram.sum(axis=1) == pytest.approx(np.full(1176, 1081 / 1176), abs=1e-4)


def test_unknown_lines_and_wrong_numbers_are_refused(context: LineContext) -> None:
    with pytest.raises(InputError, match=r"no line 'r900c' to the flop, expected one of .*r250c"):
        line_context(context.blueprint, context.abstraction, "r900c")
    with pytest.raises(InputError, match="another card abstraction"):
        line_context(context.blueprint, made_up_abstraction(flop=10), "r250c")
    with pytest.raises(InputError, match="expected trust from 0"):
        RefineConfig(trust=1.5)
    with pytest.raises(InputError, match="expected boards from 0"):
        RefineConfig(boards=-1)


def test_a_refinement_in_parts_gives_the_same_rows(context: LineContext) -> None:
    flop = flop_representative(TWO_TONE)
    boards = sample_runouts(flop, 9, 5)
    found = []
    for parts in ((9,), (2, 3, 9)):
        refinement = Refinement(
            context, flop, flop_ranges(context, flop), blueprint_rows(context, flop), boards, CONFIG
        )
        for until in parts:
            refinement.run(until)
        found.append(refinement.rows())
    for whole, in_parts in zip(*found, strict=True):
        assert np.array_equal(whole, in_parts)
