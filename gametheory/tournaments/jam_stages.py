"""One hand of jam or fold as a zero-sum game over hand classes, solved by a linear program.

There are two kinds of hand. The hero in the small blind jams or folds, and the opponent calls or folds. The hero in the
big blind faces an opponent who folds or enters; the hero then jams or gives up the blind, and the opponent calls or
folds. Payoffs are the hero's; any unit will do, because only differences matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgehog.gametheory.linear_programs import TOLERANCE, optimise
from hedgehog.gametheory.tree import Floats
from hedgehog.runtime.errors import GameError

STAGE_GAP = 1e-10
"""Largest accepted gain by best responses, as a share of the difference between the best and the worst payoff."""


@dataclass(frozen=True, slots=True)
class HandTables:
    """Hand classes: how often they are dealt together, and how often one wins. :func:`hand_tables` makes it."""

    names: tuple[str, ...]
    dealt: Floats
    """float64 (classes, classes): probability that the hero gets the row's class and the opponent the column's."""
    win: Floats
    """float64 (classes, classes): probability that the row's class wins; the transpose that it loses."""

    @property
    def tie(self) -> Floats:
        """float64 (classes, classes): probability of a tie."""
        return np.asarray(1 - self.win - self.win.T)

    @property
    def weights(self) -> Floats:
        """float64 (classes): probability of each class."""
        return np.asarray(self.dealt.sum(axis=1))

    def showdown(self, win: float, tie: float, lose: float) -> Floats:
        """Returns float64 (classes, classes): the hero's expected payoff of a showdown."""
        return np.asarray(lose + (win - lose) * self.win + (tie - lose) * self.tie)


def hand_tables(names: Sequence[str], wins: NDArray[np.integer], pairs: NDArray[np.integer], boards: int) -> HandTables:
    """Returns the tables of hand classes from counts.

    :param names: names of the classes.
    :param wins: (classes, classes) wins of the row's class, over pairs of combos and boards.
    :param pairs: (classes, classes) numbers of pairs of combos without a common card.
    :param boards: number of boards per pair of combos.
    :raises GameError: if the shapes differ, or a count is impossible.
    """
    shape = (len(names), len(names))
    if wins.shape != shape or pairs.shape != shape:
        raise GameError(f"expected tables of shape {shape}, got {wins.shape} and {pairs.shape}")
    if (pairs <= 0).any() or (wins < 0).any() or (wins + wins.T > boards * pairs.astype(np.int64)).any():
        raise GameError("expected positive numbers of pairs, and at most one winner per pair and board")
    return HandTables(tuple(names), pairs / pairs.sum(), wins / (boards * pairs.astype(np.float64)))


class SmallBlindStage(NamedTuple):
    """An equilibrium of a hand in which the hero in the small blind jams or folds."""

    value: float
    """The hero's expected payoff."""
    jam: Floats
    """Probability that the hero jams, per class."""
    call: Floats
    """Probability that the opponent calls, per class."""
    gap: float
    """What both players together gain by best responses."""


class BigBlindStage(NamedTuple):
    """Maximin play of a hand in which the hero in the big blind jams or gives up after the opponent enters."""

    value: float
    jam: Floats
    """Probability that the hero jams after the opponent entered, per class."""
    opponent: Floats
    """float64 (classes, 3): probabilities that the opponent folds at once, enters and folds, enters and calls."""
    gap: float


def solve_small_blind(tables: HandTables, *, fold: float, steal: float, showdown: Floats) -> SmallBlindStage:
    """Returns an equilibrium of a jam/fold hand against call/fold.

    :param fold: the hero's payoff if it folds.
    :param steal: the hero's payoff if it jams and the opponent folds.
    :param showdown: (classes, classes) the hero's payoff if it is called.
    :raises GameError: if the linear program is not exact enough.
    """
    scale = _scale(fold, steal, showdown)
    given = tables.dealt / tables.weights[None, :]  # of the hero's class, given the opponent's
    options = [given.T * ((steal - fold) / scale), (given * ((showdown - fold) / scale)).T]
    jam, mixed = _maximin(tables.weights, options, [0.0, 0.0])
    call = mixed[:, 1]
    # Bounds by best responses of both sides.
    low = tables.weights @ np.minimum(options[0] @ jam, options[1] @ jam)
    against = ((steal - fold) * (1 - call)[None, :] + (showdown - fold) * call[None, :]) / scale
    high = np.maximum((tables.dealt * against).sum(axis=1), 0).sum()
    _verify(high - low)
    return SmallBlindStage(fold + scale * float(low), jam, call, scale * float(high - low))


def solve_big_blind(
    tables: HandTables, *, walk: float, give_up: float, steal: float, showdown: Floats
) -> BigBlindStage:
    """Returns maximin play of a hand in the big blind against an opponent who folds, or enters and then folds or calls.

    :param walk: the hero's payoff if the opponent folds at once.
    :param give_up: the hero's payoff if it gives up the blind after the opponent entered.
    :param steal: the hero's payoff if it jams and the opponent then folds.
    :param showdown: (classes, classes) the hero's payoff if it jams and is called.
    :raises GameError: if the linear program is not exact enough.
    """
    scale = _scale(give_up, steal, showdown)
    given = tables.dealt / tables.weights[None, :]
    count = len(tables.weights)
    gain = (walk - give_up) / scale
    options = [
        np.zeros((count, count)),
        given.T * ((steal - give_up) / scale),
        (given * ((showdown - give_up) / scale)).T,
    ]
    jam, opponent = _maximin(tables.weights, options, [gain, 0.0, 0.0])
    low = tables.weights @ np.minimum(gain, np.minimum(options[1] @ jam, options[2] @ jam))
    against = ((steal - give_up) * opponent[:, 1][None, :] + (showdown - give_up) * opponent[:, 2][None, :]) / scale
    high = np.maximum((tables.dealt * against).sum(axis=1), 0).sum() + gain * (tables.weights @ opponent[:, 0])
    _verify(high - low)
    return BigBlindStage(give_up + scale * float(low), jam, opponent, scale * float(high - low))


def _scale(fold: float, steal: float, showdown: Floats) -> float:
    return float(max(abs(steal - fold), np.abs(showdown - fold).max())) or 1.0


def _verify(gap: float) -> None:
    if gap > STAGE_GAP:
        raise GameError(f"the linear program of a jam/fold hand is not exact enough: best responses gain {gap:g}")


def _maximin(weights: Floats, options: Sequence[Floats], constants: Sequence[float]) -> tuple[Floats, Floats]:
    """Returns the hero's jam probabilities with the highest guaranteed payoff, and the opponent's mixture.

    The opponent with class o gets the least of ``constants[k] + options[k][o] @ jam``.

    :returns: (classes) jam probabilities, and (classes, options) probabilities of the opponent's options.
    """
    count, base = len(weights), int(np.argmin(constants))
    others = [index for index in range(len(options)) if index != base]
    # The opponent gets option ``base`` less a loss of at least 0 for each class, which the other options bound.
    # With the least constant as base, never to jam loses nothing: the simplex method has a place to start.
    rows = [np.hstack([options[base] - options[index], -np.eye(count)]) for index in others]
    result = optimise(
        np.concatenate([-(weights @ options[base]), weights]),
        np.repeat([[0.0, 1.0], [0.0, np.inf]], count, axis=0),
        at_most=(np.vstack(rows), np.repeat([constants[index] - constants[base] for index in others], count)),
        presolve=False,
    )
    jam = np.clip(np.asarray(result.x[:count]), 0.0, 1.0)
    jam = np.where(jam < TOLERANCE, 0.0, np.where(jam > 1 - TOLERANCE, 1.0, jam))
    prices = np.empty((count, len(options)))
    prices[:, others] = np.maximum(-np.asarray(result.ineqlin.marginals).reshape(len(others), count).T, 0.0)
    prices[:, base] = np.maximum(weights - prices[:, others].sum(axis=1), 0.0)
    mixture = prices / prices.sum(axis=1, keepdims=True)
    mixture[mixture < TOLERANCE] = 0.0
    return jam, mixture / mixture.sum(axis=1, keepdims=True)
