"""Restricted Nash responses on a postflop spot: what a model of the opponent is worth, and what trusting it costs.

The opponent follows the model with probability p and plays freely with 1 - p, without our knowing which. The answer in
an equilibrium of this game wins the more against the model and is the easier to exploit, the larger p is
(:mod:`hedgehog.solver.cfr.restricted`). p = 0 gives an equilibrium of the spot, p = 1 a best response to the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgehog.runtime.errors import SpotError
from hedgehog.solver.cfr.algorithms import Algorithm
from hedgehog.solver.postflop.prepared import PreparedSpot
from hedgehog.solver.postflop.solver import Exploitability, PostflopSolver


class ResponseSolver(PostflopSolver):
    """A spot being solved in which the opponent of one player follows a model with some probability.

    The opponent's strategies are those of its free play. :meth:`exploitability` is that of the game with the model.

    :param spot: the spot without the model's locks
        (:func:`~hedgehog.solver.postflop.responses.opponent_model.prepare_for_model`).
    :param player: the player who responds, 0 for OOP.
    :param model: float32, flat: the opponent's model
        (:func:`~hedgehog.solver.postflop.responses.opponent_model.model_rows`).
    :param share: probability p of following the model, 0 to 1.
    :param threads: number of threads, as for :class:`~hedgehog.solver.postflop.solver.PostflopSolver`.
    :param algorithm: an algorithm of discounted CFR.
    :raises SpotError: if the algorithm is none of discounted CFR, or p is no probability.
    :raises MemoryShortageError: if the solve needs more memory than is free.
    """

    def __init__(
        self,
        spot: PreparedSpot,
        player: int,
        model: NDArray[np.float32],
        share: float,
        *,
        threads: int | None = None,
        algorithm: Algorithm | str = "dcfr",
    ) -> None:
        if not 0 <= share <= 1:
            raise SpotError(f"expected a probability of the model from 0 to 1, got {share:g}")
        super().__init__(spot, threads=threads, algorithm=algorithm)
        self.player = player
        self.share = share
        self._model = model
        self._cfr.restrict(1 - player, model, share)

    def exploitability(self) -> Exploitability:
        """Returns how far the strategies are from an equilibrium of the game with the model.

        The best response of the responding player meets the mixture of model and free play. The opponent's best
        response replaces its free play, and counts with the probability of free play.
        """
        hero, villain = self.player, 1 - self.player
        best, ev = np.zeros(2), np.zeros(2)
        ev[hero] = self._mean(self._cfr.values_against_mixture(best_response=False), hero)
        best[hero] = self._mean(self._cfr.values_against_mixture(best_response=True), hero)
        ev[villain] = self._root_ev(villain, best_response=False)
        best[villain] = self._root_ev(villain, best_response=True)
        gains = best - ev
        chips = max(float(gains[hero] + (1 - self.share) * gains[villain]) / 2, 0.0)
        return Exploitability(
            chips, 100 * chips / self.tree.root_pot, (float(best[0]), float(best[1])), (float(ev[0]), float(ev[1]))
        )

    def ev_against_model(self) -> float:
        """Returns the responding player's EV at the root against the model, less half the pot at the root."""
        return self.ev_against(self._model, self.player)

    def guaranteed_ev(self) -> float:
        """Returns the responding player's EV at the root against a best response to it, less half the pot there."""
        return guaranteed_ev(self, self.player)


def guaranteed_ev(solver: PostflopSolver, player: int) -> float:
    """Returns a player's EV at the root against a best response to its average strategy, less half the pot there."""
    return solver.ev_against(solver.best_response_table(1 - player).weights, player)


@dataclass(frozen=True, slots=True)
class ResponsePoint:
    """The response for one probability of the model. All amounts are chips."""

    share: float
    """Probability p of following the model."""
    gain: float
    """The responding player's EV against the model less the value of the spot."""
    price: float
    """The value of the spot less the responding player's EV against a best response to it."""
    objective: float
    """p times the EV against the model plus 1 - p times the EV against a best response, both less half the pot."""
    found: Exploitability
    """How far the strategies are from an equilibrium of the game with the model."""
    iterations: int
    solver: ResponseSolver


def response_curve(
    spot: PreparedSpot,
    player: int,
    model: NDArray[np.float32],
    value: float,
    shares: Sequence[float],
    solve: Callable[[ResponseSolver], Exploitability],
    *,
    threads: int | None = None,
    algorithm: Algorithm | str = "dcfr",
) -> Iterator[ResponsePoint]:
    """Yields the responses to a model for several probabilities of it, one after the other.

    :param spot: the spot without the model's locks.
    :param player: the player who responds, 0 for OOP.
    :param model: float32, flat: the opponent's model.
    :param value: the responding player's EV at the root in an equilibrium, less half the pot there.
    :param shares: the probabilities.
    :param solve: runs a solver until it is good enough and returns its exploitability.
    :param threads: number of threads.
    :param algorithm: an algorithm of discounted CFR.
    :raises SpotError: if the algorithm is none of discounted CFR, or a share is no probability.
    """
    for share in shares:
        solver = ResponseSolver(spot, player, model, share, threads=threads, algorithm=algorithm)
        found = solve(solver)
        against, least = solver.ev_against_model(), solver.guaranteed_ev()
        objective = share * against + (1 - share) * least
        yield ResponsePoint(share, against - value, value - least, objective, found, solver.iterations, solver)
