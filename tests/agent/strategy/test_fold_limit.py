"""The limit on folds, against a slow one hand at a time, and what it means for bluffs."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray
from phevaluator import evaluate_cards

from hedgehog.agent.strategy.fold_limit import folds_within, has_limit, most_folds
from hedgehog.agent.strategy.folds import Folds
from hedgehog.agent.strategy.hand_view import view_of
from hedgehog.agent.strategy.pack_strategy import PURIFY_BELOW, PackStrategy
from hedgehog.agent.strategy.sources import ExactFlops
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask, format_card
from hedgehog.poker.state import FOLD
from tests.agent.pack_fixtures import GAME, fearful_table, random_source

BOARDS = ((0, 5, 18, 33, 51), (12, 13, 14, 15, 40), (2, 7, 22, 27, 43))


def ranks_on(board: tuple[int, ...]) -> NDArray[np.int64]:
    """(1326,): the ranks of all hands on a full board, 1 is the best; a large number for blocked hands."""
    found = np.full(NUM_COMBOS, 10_000)
    for combo in np.flatnonzero(combo_mask(board)):
        found[combo] = evaluate_cards(*map(format_card, (*board, *COMBO_CARDS[combo].tolist())))
    return found


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("most", [0.0, 0.2, 0.5, 0.8])
def test_the_best_folding_hands_call(board: tuple[int, ...], most: float) -> None:
    rng = np.random.default_rng(round(10 * most))
    reach = rng.random(NUM_COMBOS) * (rng.random(NUM_COMBOS) < 0.6) * combo_mask(board)
    folds = rng.random(NUM_COMBOS) * (rng.random(NUM_COMBOS) < 0.8) * combo_mask(board)
    given = folds.copy()
    found = folds_within(folds, reach, board, most)
    assert (folds == given).all()
    ranks = ranks_on(board)
    expected, excess = folds.copy(), reach @ folds - most * reach.sum()
    for rank in sorted(set(ranks.tolist())):
        if excess <= 0:
            break
        group = ranks == rank
        mass = float(reach[group] @ folds[group])
        expected[group] *= 1 - min(1.0, excess / mass) if mass > 0 else 0.0
        excess -= mass
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert reach @ found <= most * reach.sum() + 1e-9


@pytest.mark.parametrize(
    ("betting", "risked", "won"),
    [
        ("cc/cc/cc/cr200", 100, 200),
        ("cc/cc/cc/r300", 200, 200),
        ("cc/cc/cc/r200r500", 400, 300),
        ("r250c/cc/cc/cr750r2000", 1750, 1000),
    ],
)
def test_a_bluff_that_loses_nothing(betting: str, risked: int, won: int) -> None:
    view = view_of(betting, BOARDS[0], GAME)
    assert has_limit(view.situation)
    share = most_folds(view.situation, view.events[-1].situation.own_spent)
    assert share * won - (1 - share) * risked == pytest.approx(0)


def test_no_bluff_wins_at_once_on_the_river() -> None:
    """In hands of a fearful blueprint, with bets of the tree and between its sizes."""
    source = random_source(table=fearful_table())
    limited = PackStrategy(source, ExactFlops(GAME, source.tree, []))
    plain = PackStrategy(source, ExactFlops(GAME, source.tree, []), Folds.PACKS)
    rng = random.Random(5)
    lowered = 0
    for _ in range(40):
        board = tuple(rng.sample(range(52), 5))
        for betting in ("cc/cc/cc/cr250", "cc/cr250c/cc/r600", "cr300c/cc/r450c/cr1100", "cc/cc/cc/r250r900"):
            view = view_of(betting, board, GAME)
            reach = combo_mask(board).astype(np.float64)
            for street in range(4):
                for number in view.actions_of(view.situation.position, street):
                    event = view.events[number]
                    row = plain.likelihood(event.betting, view.board_on(street), event.action)
                    assert row is not None
                    reach *= np.where(row < PURIFY_BELOW, 0, row)
            options, before = limited.options(betting, board)[1], plain.options(betting, board)[1]
            fold = options.actions.index(FOLD)
            most = most_folds(view.situation, view.events[-1].situation.own_spent)
            share, unlimited = (float(reach @ one.probabilities[fold] / reach.sum()) for one in (options, before))
            assert share == pytest.approx(min(unlimited, most))
            assert limited.share_of_folds(betting, board) == pytest.approx(share / unlimited)
            assert plain.share_of_folds(betting, board) == 1
            raises = [n for n, action in enumerate(options.actions) if action.kind == "r"]
            assert (options.probabilities[raises] == before.probabilities[raises]).all()
            np.testing.assert_allclose(options.probabilities.sum(axis=0), combo_mask(board), atol=1e-12)
            lowered += share < unlimited - 1e-6
    assert lowered > 20


def test_other_streets_have_no_limit() -> None:
    source = random_source(table=fearful_table())
    limited, plain = (PackStrategy(source, ExactFlops(GAME, source.tree, []), folds) for folds in Folds)
    for betting in ("cc/cc/cr250", "cc/cc/cc/c", "cc/r250"):
        board = BOARDS[1][: 2 + betting.count("/")]
        for one, two in zip(limited.options(betting, board)[1], plain.options(betting, board)[1], strict=True):
            np.testing.assert_array_equal(one, two)
