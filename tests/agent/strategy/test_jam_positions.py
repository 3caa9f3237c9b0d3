"""Answers to all-ins and re-raises that looked like faults in matches, compared with equities against inferred ranges.

A call that ends the betting is right if the equity of the hand against the opponent's range exceeds the price of the
call. The ranges are those that the packs themselves imply.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.agent.pack_player import PackPlayer
from hedgehog.agent.strategy.hand_view import HandView, view_of
from hedgehog.agent.strategy.live_strategy import LiveStrategy
from hedgehog.agent.strategy.pack_strategy import PackStrategy
from hedgehog.agent.strategy.shadow import Situation
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.cards import COMBO_CARDS, combo_mask, parse_cards, parse_combo
from hedgehog.poker.evaluation.equity import class_equities, equity_vector
from hedgehog.poker.hand_classes import HAND_CLASS
from hedgehog.poker.state import CALL

pytestmark = pytest.mark.slow

GAME = load_gamedef()


@cache
def packs() -> PackStrategy:
    player = PackPlayer(think_ms=0)
    player.warm_up()
    found = player.packs_alone
    assert found is not None
    return found


def ranges_at(view: HandView) -> NDArray[np.float64]:
    """Returns (2, 1326): both ranges by position, as the packs imply them."""
    found = LiveStrategy(packs()).ranges_now(view, view.situation.position)
    return found * combo_mask(view.board)


def price(situation: Situation) -> float:
    """Returns the equity that a call needs if no betting follows."""
    return (situation.max_spent - situation.own_spent) / (2 * situation.max_spent)


@pytest.mark.parametrize(
    ("betting", "hand"),
    [
        ("r250r850r2125", "5d4d"),  # a 4-bet
        ("r250r850r2125", "7s6s"),
        ("r250r850r2125r5313", "AdTd"),  # a 5-bet
    ],
)
def test_hands_that_continue_against_reraises_have_the_equity_for_it(betting: str, hand: str) -> None:
    """These hands hardly ever fold, which looks loose; but their equity is 5 to 12 points above the price."""
    view = view_of(betting, (), GAME)
    situation, combo = view.situation, parse_combo(hand)
    apart = ~np.isin(COMBO_CARDS, COMBO_CARDS[combo]).any(axis=1)
    theirs = ranges_at(view)[1 - situation.position] * apart
    equity = float(theirs @ class_equities()[HAND_CLASS[combo], HAND_CLASS] / theirs.sum())
    options = packs().options(betting, ())[1]
    folds = sum(
        float(row[combo])
        for action, row in zip(options.actions, options.probabilities, strict=True)
        if action.kind == "f"
    )
    assert folds < 0.5
    assert equity > price(situation) + 0.03


@pytest.mark.parametrize(
    ("betting", "board"),
    [
        ("r250r750c/cr1875r20000", "Ts9c8c"),
        ("r250r850c/r2125c/r4250r20000", "6s8d7cAc"),
        ("r250c/cr650c/cr3250c/cr20000", "2h5d9dKsKd"),
    ],
)
def test_answers_to_rare_jams_are_not_far_from_the_best(betting: str, board: str) -> None:
    """Single hands call or fold by chance. What the whole range loses by it is bounded, in shares of the pot."""
    cards = tuple(parse_cards(board))
    view = view_of(betting, cards, GAME)
    ranges, position = ranges_at(view), view.situation.position
    gains = np.nan_to_num(equity_vector(ranges[1 - position], cards) - price(view.situation))
    own = ranges[position] / ranges[position].sum()
    options = packs().options(betting, cards)[1]
    calls = options.probabilities[options.actions.index(CALL)]
    best, actual = float(own @ np.maximum(gains, 0)), float(own @ (calls * gains))
    assert actual > 0  # better than to fold everything
    assert best - actual < 0.12
