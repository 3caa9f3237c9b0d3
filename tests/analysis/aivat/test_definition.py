"""AIVAT on small games, by enumeration of every deal and every line: unbiased for any value function."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgehog.analysis.aivat.definition import HandAverage, PairAverage, Total
from hedgehog.analysis.stats.luck import adjusted_winnings
from hedgehog.runtime.errors import InputError
from hedgehog.strategies.betting_tree import NodeKind
from tests.reference.slow_cfr import Board, SlowGame, Strategy, expected_value
from tests.reference.small_games import kuhn, leduc

Array = NDArray[np.float64]
Values = Callable[[int, Board], Array]
"""(node, board) -> (own hands, opponent's hands): value for the known player."""


@dataclass
class Lines:
    """Plays all lines of a game and scores each with AIVAT."""

    game: SlowGame
    strategy: Strategy
    known: int
    values: Values
    missing: float = 0.0
    """Share of the decisions of the known player at which its strategy is missing."""
    found: list[tuple[float, float, float]] = field(default_factory=list)
    """(probability, result of the known player, AIVAT) of every line."""

    def play(self) -> Array:
        """Returns all lines, (n, 3)."""
        compatible = self.game.compatible if self.known == 0 else self.game.compatible.T
        pairs = compatible / compatible.sum()
        root = (pairs * self.values(0, ())).sum()
        for other in range(pairs.shape[1]):
            average = HandAverage(pairs[:, other])
            average.deal_opponent(float(root), self.values(0, ())[:, other])
            for own in np.flatnonzero(pairs[:, other]):
                self._walk(0, (), int(own), other, float(pairs[own, other]), average)
        return np.array(self.found)

    def _walk(self, node: int, board: Board, own: int, other: int, probability: float, average: HandAverage) -> None:
        game, tree = self.game, self.game.tree
        kind = tree.kind[node]
        if kind == NodeKind.DEAL:
            for card, following in self._deals(node, board, own, other, average):
                chance = game.deal_probability(board)
                self._walk(int(tree.first_child[node]), (*board, card), own, other, probability * chance, following)
        elif kind == NodeKind.DECISION:
            strategy = self.strategy(node, board)
            children = list(tree.children(node))
            values = np.array([self.values(child, board)[:, other] for child in children])
            for action, child in enumerate(children):
                following = copied(average)
                if tree.player[node] == self.known:
                    taken = strategy[action, own]
                    if taken and self._is_missing(node, board):
                        following.reveal(own, self.values(node, board)[:, other])
                    elif taken:
                        following.own_action(strategy, values, action)
                else:
                    taken = strategy[action, other]
                if taken:
                    self._walk(child, board, own, other, probability * float(taken), following)
        else:
            results = game.payoffs(node, board, self.known)
            self.found.append((probability, float(results[own, other]), average.value(results[:, other])))

    def _is_missing(self, node: int, board: Board) -> bool:
        return bool(np.random.default_rng([node, *board]).random() < self.missing)

    def _deals(
        self, node: int, board: Board, own: int, other: int, average: HandAverage
    ) -> Iterator[tuple[int, HandAverage]]:
        game = self.game
        child = int(game.tree.first_child[node])
        holes = game.holes[0]
        cards = [card for card in game.deals(board) if card not in holes[other]]
        after = {card: self.values(child, (*board, card))[:, other] for card in cards}
        possible = {card: game.live(self.known, (*board, card)) for card in cards}
        expected = game.deal_probability(board) * sum(after[card] * possible[card] for card in cards)
        for card in cards:
            if card not in holes[own]:
                following = copied(average)
                following.deal(np.asarray(expected), possible[card] > 0, after[card])
                yield card, following


def copied(average: HandAverage) -> HandAverage:
    copy = HandAverage(average.weights)
    copy.correction = average.correction
    return copy


def random_strategy(game: SlowGame, rng: np.random.Generator, purity: float = 0.0) -> Strategy:
    """:param purity: share of the actions that are never taken."""
    tables: dict[tuple[int, Board], Array] = {}

    def strategy(node: int, board: Board) -> Array:
        if (node, board) not in tables:
            actions = int(game.tree.num_children[node])
            rows = rng.random((actions, len(game.holes[0])))
            rows[1:][rng.random((actions - 1, len(game.holes[0]))) < purity] = 0
            tables[node, board] = rows / rows.sum(axis=0)
        return tables[node, board]

    return strategy


def random_values(game: SlowGame, rng: np.random.Generator) -> Values:
    tables: dict[tuple[int, Board], Array] = {}

    def values(node: int, board: Board) -> Array:
        if (node, board) not in tables:
            tables[node, board] = rng.normal(0, 5, game.compatible.shape)
        return tables[node, board]

    return values


def true_values(game: SlowGame, strategy: Strategy, known: int) -> Values:
    """The expectation of every pair of hands in every state under the strategies played."""

    def values(node: int, board: Board) -> Array:
        tree = game.tree
        if tree.kind[node] == NodeKind.DEAL:
            child = int(tree.first_child[node])
            total = np.zeros(game.compatible.shape)
            for card in game.deals(board):
                live = game.live(0, (*board, card))
                total += values(child, (*board, card)) * np.outer(live, live)
            return np.asarray(total * game.deal_probability(board))
        if tree.kind[node] != NodeKind.DECISION:
            return game.payoffs(node, board, known)
        rows = strategy(node, board)
        children = [values(child, board) for child in tree.children(node)]
        if tree.player[node] == known:
            return np.asarray(sum(row[:, None] * value for row, value in zip(rows, children, strict=True)))
        return np.asarray(sum(row[None, :] * value for row, value in zip(rows, children, strict=True)))

    return values


@pytest.mark.parametrize("game", [kuhn(), leduc()], ids=["kuhn", "leduc"])
@pytest.mark.parametrize("known", [0, 1])
def test_unbiased_for_any_value_function(game: SlowGame, known: int) -> None:
    rng = np.random.default_rng(known)
    strategy = random_strategy(game, rng, purity=0.3)
    lines = Lines(game, strategy, known, random_values(game, rng)).play()
    probability, result, aivat = lines.T
    truth = expected_value(game, strategy, known)
    assert probability.sum() == pytest.approx(1, abs=1e-12)
    assert probability @ result == pytest.approx(truth, abs=1e-12)
    assert probability @ aivat == pytest.approx(truth, abs=1e-12)
    assert np.ptp(aivat) > 1  # a random value function adds noise, not bias


@pytest.mark.parametrize("game", [kuhn(), leduc()], ids=["kuhn", "leduc"])
@pytest.mark.parametrize("known", [0, 1])
@pytest.mark.parametrize("missing", [0.8, 1.0])
@pytest.mark.slow_cases("0.8-0-leduc", "1.0-1-leduc")
def test_unbiased_without_some_decisions(game: SlowGame, known: int, missing: float) -> None:
    """Where the strategy of the known player is missing, its own hand counts from there on; nothing becomes wrong."""
    rng = np.random.default_rng(known)
    strategy = random_strategy(game, rng, purity=0.3)
    values = random_values(game, rng)
    probability, _, aivat = Lines(game, strategy, known, values, missing).play().T
    truth = expected_value(game, strategy, known)
    assert probability @ aivat == pytest.approx(truth, abs=1e-12)
    whole = Lines(game, strategy, known, values).play().T[2]
    assert np.abs(aivat - whole).max() > 0.1


@pytest.mark.parametrize("game", [kuhn(), pytest.param(leduc(), marks=pytest.mark.slow)], ids=["kuhn", "leduc"])
@pytest.mark.parametrize("known", [0, 1])
def test_true_values_leave_the_unknown_player_only(game: SlowGame, known: int) -> None:
    """Only the actions of the player whose strategy is unknown are left to luck."""
    strategy = random_strategy(game, np.random.default_rng(7 + known))
    truth = expected_value(game, strategy, known)
    values = true_values(game, strategy, known)
    probability, result, aivat = Lines(game, strategy, known, values).play().T
    assert probability @ aivat == pytest.approx(truth, abs=1e-12)
    assert 0 < probability @ (aivat - truth) ** 2 < 0.5 * (probability @ (result - truth) ** 2)


@dataclass
class PairLines:
    """Plays all public lines of a game, and scores each with the average over the hands of both players."""

    game: SlowGame
    strategy: Strategy
    values: Values
    """For player 0."""
    missing: tuple[float, float] = (0.0, 0.0)
    """For each player the share of its decisions at which its strategy is missing."""
    found: list[tuple[float, float, float]] = field(default_factory=list)
    """(probability, mean result of player 0, AIVAT) of every line, or of every line and hand if hands are revealed."""

    def play(self) -> Array:
        """Returns all lines, (n, 3)."""
        first, second = (np.ones(count) for count in self.game.compatible.shape)
        self._walk(0, (), 1.0, PairAverage((first, second), lambda a, b: float(a @ self._pairs(()) @ b)), {})
        return np.array(self.found)

    def _pairs(self, board: Board) -> Array:
        live = self.game.live(0, board)
        return np.asarray((self.game.compatible > 0) * np.outer(live, live) > 0, dtype=np.float64)

    def _total(self, table: Array, board: Board) -> Total:
        pairs = self._pairs(board)
        return lambda first, second: np.asarray(first @ (table * pairs) @ second)

    def _walk(self, node: int, board: Board, probability: float, average: PairAverage, own: dict[int, int]) -> None:
        game, tree = self.game, self.game.tree
        if tree.kind[node] == NodeKind.DEAL:
            self._deal(node, board, probability, average, own)
        elif tree.kind[node] == NodeKind.DECISION:
            self._decide(node, board, probability, average, own)
        else:
            result = average.mean(self._total(game.payoffs(node, board, 0), board))
            value = average.value(self._total(game.payoffs(node, board, 0), board))
            self.found.append((probability, float(result), float(value)))

    def _deal(self, node: int, board: Board, probability: float, average: PairAverage, own: dict[int, int]) -> None:
        child = int(self.game.tree.first_child[node])
        cards, chance = self.game.deals(board), self.game.deal_probability(board)
        after = {card: self._total(self.values(child, (*board, card)), (*board, card)) for card in cards}
        expected = np.asarray(sum(chance * average.mean(after[card]) for card in cards))
        before = average.mean(self._total(np.ones(self.game.compatible.shape), board))
        for card in cards:
            mass = average.mean(self._total(np.ones(self.game.compatible.shape), (*board, card)))
            if mass > 0:
                following = copied_pairs(average)
                following.deal(expected, self.game.live(0, (*board, card)) > 0, after[card])
                self._walk(child, (*board, card), probability * float(chance * mass / before), following, own)

    def _decide(self, node: int, board: Board, probability: float, average: PairAverage, own: dict[int, int]) -> None:
        player, strategy = int(self.game.tree.player[node]), self.strategy(node, board)
        children = list(self.game.tree.children(node))
        after = [self._total(self.values(child, board), board) for child in children]
        is_missing = np.random.default_rng([node, *board]).random() < self.missing[player]
        hands = range(len(average.weights[player])) if is_missing and player not in own else [-1]
        ones = self._total(np.ones(self.game.compatible.shape), board)
        for hand in hands:  # every hand of a player who is revealed here
            revealed, chance = copied_pairs(average), probability
            if hand >= 0:
                one = np.zeros_like(average.weights[player])
                one[hand] = average.weights[player][hand]
                weights = [one if seat == player else average.weights[seat] for seat in (0, 1)]
                chance *= float(ones(*weights) / ones(*average.weights))
                if not chance:
                    continue
                revealed.reveal(player, hand, self._total(self.values(node, board), board))
            now = own if hand < 0 else {**own, player: hand}
            for action, child in enumerate(children):
                weights = list(revealed.weights)
                weights[player] = weights[player] * strategy[action]
                taken = float(ones(*weights) / ones(*revealed.weights))
                if taken:
                    following = copied_pairs(revealed)
                    if not is_missing:
                        following.action(player, strategy, after, action)
                    self._walk(child, board, chance * taken, following, now)


def copied_pairs(average: PairAverage) -> PairAverage:
    copy = PairAverage((average.weights[0], average.weights[1]), average._pairs)
    copy.correction = average.correction
    return copy


@pytest.mark.parametrize("game", [kuhn(), leduc()], ids=["kuhn", "leduc"])
@pytest.mark.parametrize("missing", [(0.0, 0.0), (0.5, 0.0), (0.0, 1.0), (1.0, 0.3)])
def test_pairs_are_unbiased_for_any_value_function(game: SlowGame, missing: tuple[float, float]) -> None:
    rng = np.random.default_rng(5)
    strategy = random_strategy(game, rng, purity=0.3)
    probability, result, aivat = PairLines(game, strategy, random_values(game, rng), missing).play().T
    truth = expected_value(game, strategy, 0)
    assert probability.sum() == pytest.approx(1, abs=1e-12)
    assert probability @ result == pytest.approx(truth, abs=1e-12)
    assert probability @ aivat == pytest.approx(truth, abs=1e-12)
    assert np.ptp(aivat) > 1


@pytest.mark.parametrize("game", [kuhn(), leduc()], ids=["kuhn", "leduc"])
def test_pairs_with_true_values_leave_nothing_to_luck(game: SlowGame) -> None:
    strategy = random_strategy(game, np.random.default_rng(7))
    aivat = PairLines(game, strategy, true_values(game, strategy, 0)).play().T[2]
    assert aivat == pytest.approx(np.full(len(aivat), expected_value(game, strategy, 0)), abs=1e-12)


def test_pairs_refuse_what_the_strategy_never_plays() -> None:
    average = PairAverage((np.ones(2), np.ones(2)), lambda first, second: float(first.sum() * second.sum()))
    nothing: Total = lambda first, second: np.zeros(())  # noqa: E731
    with pytest.raises(InputError, match="would not have played"):
        average.action(1, np.array([[1.0, 1.0], [0.0, 0.0]]), [nothing, nothing], 1)


def test_refuses_what_the_strategy_never_plays() -> None:
    average = HandAverage(np.ones(2))
    with pytest.raises(InputError, match="would not have played"):
        average.own_action(np.array([[1.0, 1.0], [0.0, 0.0]]), np.zeros((2, 2)), 1)


def test_statistics_of_the_deepstack_data() -> None:
    """Published components of AIVAT: the parts add up, and our summary of them is that of the standard library."""
    path = Path(__file__).parents[2] / "data" / "aivat" / "deepstack_extract.csv"
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    aivat, chips, all_hands, chance, action = table.T
    assert aivat == pytest.approx(all_hands - chance - action, abs=2e-6)
    found = adjusted_winnings(chips[np.newaxis], aivat[np.newaxis])
    assert found.estimate.mean == pytest.approx(statistics.fmean(aivat))
    assert found.sd_hand == pytest.approx(statistics.stdev(aivat))
    assert found.reduction == pytest.approx(1 - statistics.stdev(aivat) / statistics.stdev(chips))
    assert 0.8 < found.reduction < 0.9
