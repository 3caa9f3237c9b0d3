"""AIVAT at a table of three, by enumeration of Kuhn poker for three players: unbiased, whoever is known."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.analysis.three_players.average import TableAverage
from hedgehog.poker.acpc.gamedef import load_gamedef
from hedgehog.poker.state import CALL, FOLD, LIMIT_RAISE, HandState

Array = NDArray[np.float64]
GAME: Final = load_gamedef("kuhn.limit.3p")
CARDS: Final = range(len(GAME.deck()))
NUM_PLAYERS: Final = 3


class Tables:
    """A random number for every key: probabilities and values that depend on public events and cards."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def numbers(self, kind: str, state: HandState, *cards: int, count: int) -> Array:
        text = f"{kind}{state.betting_string()}{cards}"
        return np.random.default_rng([self.seed, *text.encode()]).random(count)

    def strategy(self, state: HandState, card: int, actions: int) -> Array:
        weights = self.numbers("s", state, card, count=actions) ** 3
        return np.asarray(weights / weights.sum())

    def values(self, state: HandState, position: int, cards: tuple[int, ...]) -> Array:
        """Returns (cards,) a made-up value with every card of a position, given those of the others."""
        others = [card for other, card in enumerate(cards) if other != position]
        return 4 * self.numbers(f"v{position}", state, *others, count=len(CARDS)) - 2


def results(state: HandState, position: int, cards: tuple[int, ...]) -> Array:
    """Returns (cards,) what a position wins with every card; any number for the cards of the others."""
    if state.folded[position]:
        return np.full(len(CARDS), -float(state.spent[position]))
    rivals = [cards[other] for other in range(NUM_PLAYERS) if other != position and not state.folded[other]]
    wins = np.array([all(card > rival for rival in rivals) for card in CARDS])
    return np.asarray(wins * float(sum(state.spent)) - state.spent[position])


def legal(state: HandState) -> list[HandState]:
    return [state.after(action) for action in (FOLD, CALL, LIMIT_RAISE) if state.can(action)]


def lines(tables: Tables, position: int, known: tuple[bool, ...]) -> Iterator[tuple[float, float, float]]:
    """Yields the probability, the result of a position and its AIVAT value, of every deal and betting line."""
    deals = list(permutations(CARDS, NUM_PLAYERS))
    root = HandState(GAME)
    mean = float(np.mean([tables.values(root, position, cards)[cards[position]] for cards in deals]))
    for cards in deals:
        weights = np.ones(len(CARDS))
        weights[[card for other, card in enumerate(cards) if other != position]] = 0
        if not known[position]:
            weights = np.eye(1, len(CARDS), cards[position])[0]
        average = TableAverage(weights)
        average.deal_opponent(mean, tables.values(root, position, cards))
        yield from _walk(tables, root, cards, (position, known), 1 / len(deals), average)


def _walk(
    tables: Tables,
    state: HandState,
    cards: tuple[int, ...],
    asked: tuple[int, tuple[bool, ...]],
    probability: float,
    average: TableAverage,
) -> Iterator[tuple[float, float, float]]:
    position, known = asked
    if state.finished:
        by_card = results(state, position, cards)
        yield probability, float(by_card[cards[position]]), average.value(by_card)
        return
    actor, children = state.acting_position, legal(state)
    after = np.stack(
        [
            results(child, position, cards)
            if child.finished or child.folded[position]
            else tables.values(child, position, cards)
            for child in children
        ]
    )
    rows = np.stack([tables.strategy(state, card, len(children)) for card in CARDS], axis=1)
    for taken, child in enumerate(children):
        following = TableAverage(average.weights)
        following.correction = average.correction
        if known[actor] and actor == position:
            following.own_action(rows, after, taken)
        elif known[actor]:
            following.other_action(rows[:, cards[actor]], after, taken)
        yield from _walk(tables, child, cards, asked, probability * float(rows[taken, cards[actor]]), following)


@pytest.mark.parametrize("position", range(NUM_PLAYERS))
@pytest.mark.parametrize(
    "known", [(True, True, True), (True, False, False), (False, True, False), (False, False, True), (False,) * 3]
)
@pytest.mark.quick_cases(every=3)
def test_unbiased_for_any_values(position: int, known: tuple[bool, ...]) -> None:
    probability, result, value = np.array(list(lines(Tables(3), position, known))).T
    assert probability.sum() == pytest.approx(1, abs=1e-12)
    assert probability @ value == pytest.approx(probability @ result, abs=1e-12)
    assert np.abs(value - result).max() > 0.5


def test_wrong_probabilities_would_be_seen() -> None:
    """The check of the mean is one that can fail: a strategy that was not played gives another mean."""
    tables = Tables(3)

    class Wrong(Tables):
        def strategy(self, state: HandState, card: int, actions: int) -> Array:
            return np.asarray(super().strategy(state, card, actions)[::-1])

    played = np.array(list(lines(tables, 0, (True,) * 3))).T
    claimed = np.array(list(lines(Wrong(3), 0, (True,) * 3))).T
    assert abs(float(played[0] @ claimed[2] - played[0] @ played[1])) > 0.01
