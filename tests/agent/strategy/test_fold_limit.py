"""The limit on folds, against a slow one hand at a time, and what it means for bluffs."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray
from phevaluator import evaluate_cards

from hedgehog.agent.strategy.fold_limit import Folds, folds_within, most_folds
from hedgehog.agent.strategy.hand_view import view_of
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.sources import ExactFlops
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.cards import COMBO_CARDS, NUM_COMBOS, combo_mask, format_card
from hedgehog.poker.state import FOLD
from tests.agent.pack_fixtures import GAME, fearful_table, random_source

BOARDS = ((0, 5, 18, 33, 51), (12, 13, 14, 15, 40), (2, 7, 22, 27, 43))


def equity_at_showdown(board: tuple[int, ...]) -> NDArray[np.float64]:
    """(1326,): how often each hand wins against a random one on a full board, ties half; -1 for blocked hands."""
    live = combo_mask(board)
    strength = np.zeros(NUM_COMBOS)
    for combo in np.flatnonzero(live):
        cards = (*board, *COMBO_CARDS[combo].tolist())
        strength[combo] = -evaluate_cards(*map(format_card, cards))
    apart = (COMBO_CARDS[:, None, :, None] != COMBO_CARDS[None, :, None, :]).all(axis=(2, 3)) & live
    better, equal = strength[:, None] > strength, strength[:, None] == strength
    found = ((better + 0.5 * equal) * apart).sum(axis=1) / apart.sum(axis=1)
    return np.where(live, found, -1.0)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("most", [0.0, 0.2, 0.5, 0.8])
def test_the_best_folding_hands_call(board: tuple[int, ...], most: float) -> None:
    rng = np.random.default_rng(len(board) + round(10 * most))
    reach = rng.random(NUM_COMBOS) * (rng.random(NUM_COMBOS) < 0.6) * combo_mask(board)
    folds = rng.random(NUM_COMBOS) * (rng.random(NUM_COMBOS) < 0.8) * combo_mask(board)
    given = folds.copy()
    found = folds_within(folds, reach, board, most)
    assert (folds == given).all()
    equity = equity_at_showdown(board).round(9)
    expected, excess = folds.copy(), reach @ folds - most * reach.sum()
    for value in sorted(set(equity.tolist()), reverse=True):
        if excess <= 0:
            break
        group = equity == value
        mass = float(reach[group] @ folds[group])
        expected[group] *= 1 - min(1.0, excess / mass) if mass > 0 else 0.0
        excess -= mass
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert reach @ found <= most * reach.sum() + 1e-9


@pytest.mark.parametrize(
    ("betting", "risked", "won"),
    [
        ("cc/cc/cc/cr200", 100, 200),
        ("cc/cc/r300", 200, 200),
        ("cc/cc/cc/r200r500", 400, 300),
        ("r250c/cc/cr750r2000", 1750, 1000),
    ],
)
def test_a_bluff_that_loses_nothing(betting: str, risked: int, won: int) -> None:
    board = BOARDS[0][: 3 + (betting.count("/") - 1)]
    share = most_folds(view_of(betting, board, load_gamedef()))
    assert share * won - (1 - share) * risked == pytest.approx(0)


def test_no_bluff_wins_at_once_on_turn_and_river() -> None:
    """In hands of random strategies, with bets of the tree and between its sizes."""
    source = random_source(table=fearful_table())
    limited = PackStrategy(source, ExactFlops(GAME, source.tree, []))
    plain = PackStrategy(source, ExactFlops(GAME, source.tree, []), Folds.PACKS)
    rng = random.Random(5)
    lowered = 0
    for _ in range(40):
        board = tuple(rng.sample(range(52), 5))
        for betting in ("cc/cc/cr250", "cc/cr250c/cc/r600", "cr300c/cc/r450c/cr1100", "cc/cc/cc/r250r900"):
            view = view_of(betting, board[: 2 + betting.count("/")], GAME)
            reach = combo_mask(view.board).astype(np.float64)
            for number in [n for street in range(4) for n in view.actions_of(view.situation.position, street)]:
                event = view.events[number]
                shown = view.board_on(event.situation.street)
                row = limited.options(event.betting, shown)[1].row(event.action)
                reach *= limited.likelihood(event.betting, shown, event.action) if row is None else row
            np.testing.assert_allclose(limited.own_range(view, view.situation.position), reach, atol=1e-12)
            options, before = limited.options(betting, view.board)[1], plain.options(betting, view.board)[1]
            fold = options.actions.index(FOLD)
            share = float(reach @ options.probabilities[fold] / reach.sum())
            unlimited = float(reach @ before.probabilities[fold] / reach.sum())
            assert share == pytest.approx(min(unlimited, most_folds(view)))
            assert limited.share_of_folds(view) == pytest.approx(share / unlimited)
            assert plain.share_of_folds(view) == 1
            others = [n for n, action in enumerate(options.actions) if action.kind == "r"]
            assert (options.probabilities[others] == before.probabilities[others]).all()
            np.testing.assert_allclose(options.probabilities.sum(axis=0), combo_mask(view.board), atol=1e-12)
            lowered += share < unlimited - 1e-6
    assert lowered > 20
