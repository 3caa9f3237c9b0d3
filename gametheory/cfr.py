"""Counterfactual regret minimisation on extensive games with the algorithms of :mod:`hedgehog.solver.cfr.algorithms`.

All information sets with the same number of own earlier actions are updated at once, by numpy. The updates and their
discounts are those of the poker solver, which works on cards and betting trees instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.gametheory.strategies import (
    best_response,
    exploitability,
    level_spans,
    realisation_weights,
    sequence_values,
    uniform_profile,
)
from hedgehog.gametheory.tree import ExtensiveGame, Floats, Ints
from hedgehog.runtime.errors import GameError, MemoryShortageError
from hedgehog.runtime.machine import available_memory
from hedgehog.solver.cfr.algorithms import Algorithm, parse_algorithm
from hedgehog.solver.cfr.own_rules import ALGORITHMS


def algorithm_names() -> tuple[str, ...]:
    """Returns the names of the algorithms of the solver that solve extensive games: all that do not sample cards."""
    return tuple(name for name, _ in ALGORITHMS.usable() if not parse_algorithm(name).samples_cards)


class Bracket(NamedTuple):
    """What a profile proves about the value of a game of two players with constant sum."""

    low: float
    """Player 1's payoff if player 2 plays a best response: at most the value of the game."""
    high: float
    """Player 1's best response against player 2's strategy: at least the value of the game."""


@dataclass(slots=True)
class _Side:
    """The regrets, sums and strategy of one player, float64[sequences] each."""

    regrets: Floats
    sums: Floats
    behaviour: Floats
    spans: list[tuple[slice, slice]]


class _Rows(NamedTuple):
    """The actions of some information sets, which follow each other in one array."""

    start: Ints
    """The first action of each information set."""
    size: Ints
    """The number of actions of each."""

    def sums(self, values: Floats) -> Floats:
        """Returns one sum for each information set."""
        found: Floats = np.add.reduceat(values, self.start)
        return found

    def spread(self, values: Floats | Ints) -> Floats:
        """Returns for each action the value of its information set."""
        return np.repeat(values, self.size)

    def normalised(self, weights: Floats) -> Floats:
        """Returns weights divided by their sums, uniform where all are 0."""
        sums = self.spread(self.sums(weights))
        return np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), 1.0 / self.spread(self.size))

    def last(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Returns a mask of the last chosen action of each information set."""
        numbers = np.where(chosen, np.arange(len(chosen)), -1)
        return np.asarray(numbers == np.repeat(np.maximum.reduceat(numbers, self.start), self.size))


class GameCfr:
    """Solves an extensive game by an iterative algorithm.

    :param game: a game of any number of players. Convergence to an equilibrium is proved for two players with constant
        sum.
    :param algorithm: name and parameters as in :func:`hedgehog.solver.cfr.algorithms.parse_algorithm`, such as
        ``dcfr:gamma=2``; one of :func:`algorithm_names`.
    :raises GameError: if the algorithm is none of these.
    :raises SpotError: if the algorithm is unknown or has wrong parameters.
    :raises MemoryShortageError: if the arrays need more memory than is free.
    """

    def __init__(self, game: ExtensiveGame, algorithm: str = "pcfr+") -> None:
        chosen = parse_algorithm(algorithm)
        if chosen.samples_cards:
            raise GameError(
                f"algorithm {algorithm!r} does not solve extensive games: expected {', '.join(algorithm_names())}"
            )
        if (needed := estimate_bytes(game)) > (free := available_memory()):
            raise MemoryShortageError(needed, free)
        self.game = game
        self.algorithm: Algorithm = chosen
        self.iteration = 0
        self._sides = [
            _Side(
                regrets=np.zeros(len(uniform)),
                sums=np.zeros(len(uniform)),
                behaviour=uniform,
                spans=level_spans(game, player),
            )
            for player, uniform in enumerate(uniform_profile(game))
        ]

    def step(self, iterations: int = 1) -> None:
        """Runs some iterations. Players are updated in turn, or at once with ``simultaneous=yes``."""
        at_once = bool(self.algorithm["simultaneous"])
        for factors in self.algorithm.schedule(self.iteration, self.iteration + iterations).astype(np.float64):
            if self.algorithm.reshapes:
                self._reshape()
            weights = [realisation_weights(self.game, p, side.behaviour) for p, side in enumerate(self._sides)]
            for player, side in enumerate(self._sides):
                values = sequence_values(self.game, weights, player)
                self._update(player, side, values, weights[player], factors)
                if not at_once:
                    weights[player] = realisation_weights(self.game, player, side.behaviour)
            self.iteration += 1

    def _reshape(self) -> None:
        """Lets the rule change all regrets, and matches the strategies to them."""
        for player, side in enumerate(self._sides):
            self.algorithm.reshape(side.regrets, self.iteration)
            sequences = self.game.sequences[player]
            for level, span in side.spans:
                rows = _Rows(sequences.first[level] - span.start, sequences.size[level])
                side.behaviour[span] = rows.normalised(np.maximum(side.regrets[span], 0.0))

    def _update(self, player: int, side: _Side, values: Floats, own_weights: Floats, factors: Floats) -> None:
        sequences = self.game.sequences[player]
        played = side.behaviour
        side.behaviour = played.copy()
        for level, span in reversed(side.spans):
            rows = _Rows(sequences.first[level] - span.start, sequences.size[level])
            update = self._hedge if self.algorithm["greedy"] else self._learn
            passed_up = update(side, values[span], played[span], span, rows, factors)
            np.add.at(values, sequences.incoming[level], passed_up)
        if self.algorithm["greedy"]:
            return
        if self.algorithm["average"] == "new":
            added = side.behaviour
        else:
            added = own_weights if self.algorithm.weighs_by_reach else played
        side.sums *= factors[2]
        side.sums += added

    def _learn(self, side: _Side, values: Floats, played: Floats, span: slice, rows: _Rows, factors: Floats) -> Floats:
        """Updates the regrets and the behaviour of a level; returns the values that its information sets pass up."""
        positive, negative, _, _, ahead = factors
        means = rows.sums(values * played)
        gains = values - rows.spread(means)
        regrets = side.regrets[span]
        regrets *= np.where(regrets > 0, positive, negative)
        regrets += gains
        if self.algorithm["floor"]:
            np.maximum(regrets, 0.0, out=regrets)
        share = self.algorithm.number("predict")
        wanted = regrets * ahead + share * gains if share else regrets
        side.behaviour[span] = rows.normalised(np.maximum(wanted, 0.0))
        return rows.sums(values * side.behaviour[span]) if self.algorithm["return_new"] else means

    def _hedge(self, side: _Side, values: Floats, played: Floats, span: slice, rows: _Rows, factors: Floats) -> Floats:
        """Moves the strategy of a level towards the best actions, of which the last counts; returns what it passes up.

        The weights, which stand in the place of regrets, are probabilities times the number of visits so far. Every
        action but the best loses a constant, and the best gets the rest.
        """
        kept, constant, visits, _, _ = factors
        weights = side.regrets[span]
        lost = constant / rows.spread(rows.size) if self.algorithm["per_action"] else constant
        best = rows.last(values == rows.spread(np.maximum.reduceat(values, rows.start)))
        weights[:] = np.where(best, 0.0, np.maximum(weights * kept - lost, 0.0))
        weights[best] = visits - rows.sums(weights)
        side.behaviour[span] = weights / visits
        return rows.sums(values * played)

    def profile(self) -> tuple[Floats, ...]:
        """Returns the average strategies, which converge; of ``cgh``, which keeps no average, the strategies."""
        if self.algorithm["greedy"]:
            return tuple(side.behaviour for side in self._sides)
        return tuple(_normalised(self.game, player, side.sums) for player, side in enumerate(self._sides))

    def exploitability(self) -> float:
        """Returns the exploitability of the average strategies."""
        return exploitability(self.game, self.profile())

    def bracket(self) -> Bracket:
        """Returns bounds on the value of the game.

        :raises GameError: if the game has not two players with constant sum.
        """
        total = self.game.constant_sum()
        if len(self.game.players) != 2 or total is None:
            raise GameError(f"game {self.game.name!r}: only games of two players with constant sum have a value")
        profile = self.profile()
        return Bracket(total - best_response(self.game, profile, 1).value, best_response(self.game, profile, 0).value)

    def run(
        self,
        *,
        target: float,
        iterations: int = 100_000,
        check_every: int = 50,
        report: Callable[[int, float], None] | None = None,
    ) -> float:
        """Runs until the exploitability is at most ``target``, or all iterations are done; returns the exploitability.

        :param report: called with the iteration and the exploitability after each check.
        """
        while True:
            self.step(max(min(check_every, iterations - self.iteration), 1))
            reached = self.exploitability()
            if report is not None:
                report(self.iteration, reached)
            if reached <= target or self.iteration >= iterations:
                return reached


def estimate_bytes(game: ExtensiveGame) -> int:
    """Returns the memory that :class:`GameCfr` needs beside the game, in bytes."""
    return 8 * (8 * sum(side.number for side in game.sequences) + 6 * len(game.leaves) + 2 * len(game.parent))


def _normalised(game: ExtensiveGame, player: int, weights: Floats) -> Floats:
    """Returns the behaviour strategy proportional to weights, uniform where all are 0."""
    side = game.sequences[player]
    behaviour = np.ones(side.number)
    if len(side.first):
        behaviour[1:] = _Rows(side.first - 1, side.size).normalised(weights[1:])
    return behaviour
