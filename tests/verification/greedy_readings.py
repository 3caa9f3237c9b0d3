"""Prints the first iterations of counterfactual greedy hedging under several ways to round, beside printed figures.

::

    python -m tests.verification.greedy_readings --range JJ+,AK --iterations 6   # seconds
    python -m tests.verification.greedy_readings exact                           # the whole range, minutes

The rule of CGH takes the highest of equally good bets. In its first iterations most strategies are pure, so many
actions are exactly equally good: a called all-in is worth the same now and one street later. Whether a program sees
them as equal depends on how it rounds. This module solves the flop of docs/abstractions.md with plain numpy, every hand
for itself and every board dealt, so that nothing but the rounding differs between the ways.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgehog.poker.cards import COMBO_CARDS, NUM_CARDS
from hedgehog.poker.evaluation.evaluator import rank_combos
from hedgehog.poker.ranges import parse_range
from hedgehog.solver.postflop.spot import PostflopSpot, read_spot
from hedgehog.solver.postflop.tree import build_postflop_tree
from hedgehog.strategies.betting_tree import ActionKind, NodeKind

SPOT: Final = Path(__file__).parents[2] / "docs" / "examples" / "spots" / "short-flop.yaml"
BIG_BLIND: Final = 100
C: Final = 0.2
PRINTED: Final = (1819.35, 1138.88, 976.39, 978.56, 925.33, 812.48, 732.04, 671.17)
"""Epsilon after the first iterations in mbb, as an independent program in single precision has computed it."""
Values = NDArray[Any]  # (boards, hands)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to round."""

    meaning: str
    dtype: type
    dealt: bool
    """Deal the rest of the board after a called all-in, instead of a table of equities of hand against hand."""
    tolerance: float = 0.0
    """Values that differ by no more, in big blinds times opponent weight, are equal."""


READINGS: Final = {
    "exact": Reading("double precision, values within 1e-9 are equal", np.float64, False, 1e-9),
    "table64": Reading("double precision, all-ins from a table", np.float64, False),
    "table32": Reading("single precision, all-ins from a table", np.float32, False),
    "dealt32": Reading("single precision, all-ins dealt out", np.float32, True),
}


class GreedyHedging:
    """CGH on a flop where both players have the same range, with every turn and river dealt."""

    def __init__(self, spot: PostflopSpot, reading: Reading, c: float = C) -> None:
        self.reading = reading
        self.c = c
        self.iteration = 0
        self.tree = build_postflop_tree(spot.tree)
        board = list(spot.board)
        self.cards = [card for card in range(NUM_CARDS) if card not in board]
        combos = np.flatnonzero(spot.live_range(0) > 0)
        holes = COMBO_CARDS[combos]
        dtype = reading.dtype
        self.apart = (holes[:, None, :, None] != holes[None, :, None, :]).all(axis=(2, 3))
        """Pairs of hands that share no card."""
        self.live = (holes[None] != np.array(self.cards)[:, None, None]).all(axis=2)
        """(cards, hands): the hand does not hold the card."""
        count, hands = len(self.cards), len(combos)
        self.duels = np.zeros((count, count, hands, hands), dtype=np.int8)
        """(turn, river, hand, hand): 1 if the first hand wins, -1 if the second one does."""
        for turn in range(count):
            for river in range(turn):
                ranks = rank_combos((*board, self.cards[turn], self.cards[river]))[combos]
                both = self.apart & (ranks[:, None] >= 0) & (ranks >= 0)
                won = np.sign(ranks[:, None] - ranks) * both
                self.duels[turn, river] = self.duels[river, turn] = won
        by_turn = self.duels.sum(axis=1, dtype=np.int64)
        self.equity = (by_turn.sum(axis=0).astype(dtype) / dtype(45 * 44), by_turn.astype(dtype) / dtype(44))
        self.apart_weight = self.apart.astype(dtype)
        self._held: tuple[int, NDArray[Any]] = (-1, self.apart_weight)
        self.strategy: dict[int, NDArray[Any]] = {}
        for node in np.flatnonzero(self.tree.kind == NodeKind.DECISION).tolist():
            passive = np.isin(self.tree.action[self.tree.children(node)], (ActionKind.CHECK, ActionKind.CALL))
            street = int(self.tree.street[node]) - 1
            shape = (1 if street == 0 else count, len(passive), count if street == 2 else 1, hands)
            self.strategy[node] = np.zeros(shape, dtype=dtype)
            self.strategy[node][:, passive] = 1

    def step(self) -> None:
        """Runs one iteration."""
        self.iteration += 1
        for player in (0, 1):
            self._walk(0, 0, player, self._root(), learn=True)

    def epsilon(self) -> float:
        """Returns what both best responses gain together, in mbb per deal."""
        gains = [self._walk(0, 0, player, self._root(), learn=False).sum(dtype=np.float64) for player in (0, 1)]
        return 1000 * float(sum(gains)) / int(self.apart.sum())

    def _root(self) -> Values:
        return np.ones((1, len(self.apart)), dtype=self.reading.dtype)

    def _walk(self, node: int, turn: int, player: int, reach: Values, *, learn: bool) -> Values:
        """Returns the values of a player's hands where the opponent arrives with ``reach``."""
        tree = self.tree
        kind, street = int(tree.kind[node]), int(tree.street[node]) - 1
        if kind == NodeKind.DEAL:
            end = int(tree.first_child[node])
            while tree.kind[end] == NodeKind.DEAL:
                end = int(tree.first_child[end])
            if tree.kind[end] == NodeKind.SHOWDOWN and not self.reading.dealt:
                return self._end(end, street, turn, player, reach)
            return self._deal(int(tree.first_child[node]), turn, player, reach, street, learn=learn)
        if kind != NodeKind.DECISION:
            return self._end(node, street, turn, player, reach)
        actions = list(tree.children(node))
        strategy = self.strategy[node][turn if street else 0]
        if tree.player[node] != player:
            total = np.zeros_like(reach)
            for action, child in enumerate(actions):
                total += self._walk(int(child), turn, player, reach * strategy[action], learn=learn)
            return total
        values = np.array([self._walk(int(child), turn, player, reach, learn=learn) for child in actions])
        if not learn:
            best_values: Values = values.max(axis=0)
            return best_values
        result: Values = (strategy * values).sum(axis=0)
        self._hedge(strategy, values)
        return result

    def _hedge(self, strategy: NDArray[Any], values: NDArray[Any]) -> None:
        """Moves a strategy towards the last of the best actions."""
        count, n, dtype = len(values), self.iteration, self.reading.dtype
        among_best = values >= values.max(axis=0) - dtype(self.reading.tolerance)
        best = count - 1 - np.argmax(among_best[::-1], axis=0)[None]
        new = np.maximum(dtype((n - 1) / n) * strategy - dtype(self.c / (n * count)), dtype(0))
        # Exact arithmetic would make these zero, and whether a reach is zero matters.
        new[new < self.reading.tolerance] = 0
        np.put_along_axis(new, best, dtype(0), axis=0)
        np.put_along_axis(new, best, 1 - new.sum(axis=0, keepdims=True), axis=0)
        strategy[:] = new

    def _deal(self, child: int, turn: int, player: int, reach: Values, street: int, *, learn: bool) -> Values:
        dtype = self.reading.dtype
        if street == 1:
            there = self._walk(child, turn, player, reach * self._rivers(turn), learn=learn) * self._rivers(turn)
            rivers: Values = there.sum(axis=0, keepdims=True) / dtype(44)
            return rivers
        total = np.zeros_like(reach)
        for card in range(len(self.cards)):
            total += self._walk(child, card, player, reach * self.live[card], learn=learn) * self.live[card]
        turns: Values = total / dtype(45)
        return turns

    def _rivers(self, turn: int) -> NDArray[np.bool_]:
        """Returns (cards, hands): the hand holds neither the turn nor the river; no hand does if they are the same."""
        free = self.live & self.live[turn]
        free[turn] = False
        return free

    def _end(self, node: int, street: int, turn: int, player: int, reach: Values) -> Values:
        """Returns the values of a fold or a showdown, in big blinds less half the pot at the root.

        :param street: 0, 1 or 2: the street that has been dealt; a showdown before the river comes from a table.
        """
        tree, dtype = self.tree, self.reading.dtype
        paid = tree.committed[node]
        stake = dtype((tree.root_pot / 2 + paid.min()) / BIG_BLIND)
        value: Values
        if tree.kind[node] == NodeKind.FOLD:
            lost = int(tree.player[node]) == player
            value = (reach @ self.apart_weight) * (-stake if lost else stake)
        elif street == 2:
            value = self._show(turn, reach) * stake
        else:
            value = reach @ (self.equity[0] if street == 0 else self.equity[1][turn]).T * stake
        return value

    def _show(self, turn: int, reach: Values) -> Values:
        """Returns (rivers, hands): the opponent's reach that each hand beats less the reach that beats it."""
        if self._held[0] != turn:
            self._held = (turn, self.duels[turn].astype(self.reading.dtype))
        shown: Values = np.matmul(self._held[1], reach[:, :, None])[:, :, 0]
        return shown


def curve(reading: Reading, iterations: int, hands: str = "") -> Iterator[float]:
    """Yields epsilon in mbb after each iteration.

    :param hands: the range of both players; empty takes that of the spot.
    """
    spot = read_spot(SPOT)
    if hands:
        both = parse_range(hands)
        spot = replace(spot, ranges=(both, both))
    game = GreedyHedging(spot, reading)
    for _ in range(iterations):
        game.step()
        yield game.epsilon()


def main() -> None:
    """Prints the curves of the readings on the command line beside :data:`PRINTED`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("readings", nargs="*", default=list(READINGS))
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--range", default="", help="the range of both players instead of the best 20 %% of hands")
    arguments = parser.parse_args()
    if not arguments.range:
        print(f"{'printed':10}" + "".join(f"{value:9.2f}" for value in PRINTED[: arguments.iterations]))
    for name in arguments.readings:
        print(f"{name:10}", end="", flush=True)
        for value in curve(READINGS[name], arguments.iterations, arguments.range):
            print(f"{value:9.2f}", end="", flush=True)
        print(f"  {READINGS[name].meaning}")


if __name__ == "__main__":
    main()
