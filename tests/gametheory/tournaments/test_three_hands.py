"""A hand of three players, against the same hand as a tree of rules, and against the linear program of two players."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from hedgehog.gametheory.rules import chance, choose, game, outcome
from hedgehog.gametheory.strategies import best_response, expected_payoffs
from hedgehog.gametheory.tournaments.icm import prizes
from hedgehog.gametheory.tournaments.three_hands import (
    Deals,
    ThreeHands,
    order_codes,
    solve_three_hands,
    stacks_after,
)
from hedgehog.gametheory.tree import ExtensiveGame
from hedgehog.runtime.errors import GameError

STACKS, BLINDS, PAYOUTS = (900, 1500, 600), (50, 100), (50.0, 30.0, 20.0)
CLASSES = 3


@pytest.fixture(scope="module")
def dealt() -> tuple[np.ndarray, np.ndarray]:
    """All deals of three classes, each with one showdown."""
    classes = np.array(list(product(range(CLASSES), repeat=3))).T
    ranks = np.random.default_rng(2).integers(0, 4, classes.shape) + 2 * classes
    return classes, ranks


def tree(classes: np.ndarray, ranks: np.ndarray) -> ExtensiveGame:
    def after(who: tuple[int, ...], deal: int) -> Any:
        return outcome(*prizes(stacks_after(STACKS, BLINDS, who, ranks[:, deal].tolist()), PAYOUTS, STACKS))

    def moved(*chips: float) -> Any:
        return outcome(*prizes(chips, PAYOUTS, STACKS))

    @game(players=("button", "small", "big"))
    def hand() -> Any:
        a = yield chance(range(CLASSES), to="button")
        b = yield chance(range(CLASSES), to="small")
        c = yield chance(range(CLASSES), to="big")
        deal = int(np.flatnonzero(((a, b, c) == classes.T).all(axis=1))[0])
        if (yield choose("button", ["jam", "fold"])) == "jam":
            if (yield choose("small", ["call", "fold"])) == "call":
                called = (yield choose("big", ["call", "fold"])) == "call"
                return after((0, 1, 2) if called else (0, 1), deal)
            if (yield choose("big", ["call", "fold"])) == "call":
                return after((0, 2), deal)
            return moved(900 + 150, 1450, 500)
        if (yield choose("small", ["jam", "fold"])) == "fold":
            return moved(900, 1450, 650)
        if (yield choose("big", ["call", "fold"])) == "call":
            return after((1, 2), deal)
        return moved(900, 1600, 500)

    return hand.build()


def behaviour(game: ExtensiveGame, strategy: np.ndarray) -> tuple[np.ndarray, ...]:
    rows = {
        ("button", ""): 0, ("small", "fold"): 1, ("small", "jam"): 2, ("big", "jam fold"): 3, ("big", "fold jam"): 4,
        ("big", "jam call"): 5,
    }  # fmt: skip
    profile = []
    for player, side in zip(game.players, game.sequences, strict=True):
        found = np.ones(side.number)
        for row, number in enumerate(side.infosets):
            card, _, seen = game.infosets[number].name.partition(" ")
            p = strategy[rows[player, seen], int(card)]
            found[int(side.first[row]) : int(side.first[row]) + 2] = p, 1 - p
        profile.append(found)
    return tuple(profile)


@pytest.mark.parametrize("seed", range(3))
def test_against_the_tree(dealt: tuple[np.ndarray, np.ndarray], seed: int) -> None:
    classes, ranks = dealt
    hand = ThreeHands(STACKS, BLINDS, PAYOUTS, Deals(classes, order_codes(ranks)), CLASSES)
    rules = tree(classes, ranks)
    strategy = np.random.default_rng(seed).random((6, CLASSES))
    profile = behaviour(rules, strategy)
    payoffs = expected_payoffs(rules, profile)
    np.testing.assert_allclose(hand.values(strategy)[2], payoffs, atol=1e-9)
    best = [best_response(rules, profile, player).value for player in range(3)]
    np.testing.assert_allclose(hand.gains(strategy), np.array(best) - payoffs, atol=1e-9)
    assert payoffs.sum() == pytest.approx(100)


def test_nobody_gains_by_deviating(dealt: tuple[np.ndarray, np.ndarray]) -> None:
    classes, ranks = dealt
    hand = ThreeHands(STACKS, BLINDS, PAYOUTS, Deals(classes, order_codes(ranks)), CLASSES)
    solved = solve_three_hands(hand, 5000, target=1e-3)
    assert solved.gains.max() <= 1e-3
    assert solved.iterations < 5000


def test_side_pots() -> None:
    # The short stack wins the main pot, the next hand the side pot.
    assert stacks_after((900, 1500, 600), (50, 100), (0, 1, 2), (1, 0, 2)) == (600, 600, 1800)
    assert stacks_after((900, 1500, 600), (50, 100), (0, 1, 2), (1, 1, 1)) == (900, 1500, 600)
    assert stacks_after((900, 1500, 600), (50, 100), (0, 1), (1, 0, 9)) == (1900, 600, 500)
    assert stacks_after((900, 1500, 600), (50, 100), (0, 2), (1, 0, 1)) == (925, 1450, 625)


def test_impossible_hands() -> None:
    deals = Deals(np.zeros((3, 1), int), np.zeros(1, int))
    for stacks, blinds in (((100, 500, 500), (50, 100)), ((500, 500), (50, 100)), ((500, 500, 500), (100, 50))):
        with pytest.raises(GameError, match="three stacks above the big blind"):
            ThreeHands(stacks, blinds, PAYOUTS, deals, 1)
